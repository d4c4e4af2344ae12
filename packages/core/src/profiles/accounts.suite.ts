import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AlreadyExistsError, ConflictError, InvalidRequestError } from "../errors/request-errors.ts";
import { ForbiddenError, RateLimitedError, WrongCredentialsError } from "../errors/access-errors.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import type { Accounts } from "./accounts.ts";
import { describeCredentials } from "./credentials.suite.ts";
import { type AccountsHarness, createOwner, local, password } from "./testing/accounts-harness.ts";

const away = { address: "203.0.113.9", fromLoopback: false };

/** Tests the contract of `Accounts`. The harness allows 3 sign-in attempts, and sessions last 5,000,000 ms, or 1,000,000 ms unused. */
export function describeAccounts(name: string, makeHarness: () => AccountsHarness): void {
  describe(`accounts ${name}`, () => {
    let harness: AccountsHarness;
    let accounts: Accounts;

    beforeEach(async () => {
      harness = makeHarness();
      accounts = await harness.open();
    });
    afterEach(() => harness.remove());

    describe("the first owner", () => {
      it("creates the first owner with a profile and signs them in", async () => {
        expect(await accounts.isEmpty()).toBe(true);
        const session = await accounts.setup({ username: "greg", password, displayName: "Greg" }, local);
        expect(session).toMatchObject({
          kind: "session",
          account: { username: "greg", role: "owner" },
          lifetimeMs: 5_000_000,
        });
        expect(await accounts.session(session.token)).toMatchObject({
          account: session.account,
          credentialId: session.credentialId,
        });
        expect(await accounts.isEmpty()).toBe(false);
      });

      it("creates only one owner when several processes try at once", async () => {
        const other = await harness.open();
        const attempts = await Promise.allSettled([
          createOwner(accounts, "ann"),
          createOwner(other, "ben"),
          createOwner(accounts, "cleo"),
        ]);
        expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        expect(
          attempts.flatMap((attempt) => (attempt.status === "rejected" ? [attempt.reason as unknown] : [])),
        ).toEqual([expect.any(ConflictError), expect.any(ConflictError)]);
        expect(await accounts.list()).toHaveLength(1);
      });

      it("requires the setup code from another machine", async () => {
        const request = { username: "greg", password };
        await expect(accounts.setup(request, away)).rejects.toThrow(ForbiddenError);
        await expect(accounts.setup({ ...request, setupCode: "AAAA-BBBB-CCCC" }, away)).rejects.toThrow(
          ForbiddenError,
        );
        const code = (await accounts.setupCode()) ?? "";
        expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/);
        await accounts.setup({ ...request, setupCode: ` ${code.toLowerCase().replaceAll("-", "")}` }, away);
        expect(await accounts.setupCode()).toBeUndefined();
        await expect(accounts.setup({ ...request, setupCode: code }, away)).rejects.toThrow(ConflictError);
      });

      it("limits attempts to guess the setup code", async () => {
        const attempts: unknown[] = [];
        for (let n = 0; n < 4; n += 1) {
          attempts.push(
            await accounts
              .setup({ username: "greg", password, setupCode: `AAAA-AAAA-AAA${n + 2}` }, away)
              .catch((error: unknown) => error),
          );
        }
        expect(attempts.at(-1)).toBeInstanceOf(RateLimitedError);
        await expect(
          accounts.setup({ username: "greg", password, setupCode: await accounts.setupCode() }, away),
        ).rejects.toThrow(RateLimitedError);
      });

      it.each([
        ["Greg", password],
        ["../greg", password],
        ["", password],
        ["example", password],
        ["con", password],
        ["lpt1", password],
        ["greg", "short"],
        ["greg", "x".repeat(1_025)],
      ])("rejects an invalid name or password: %j", async (username, tried) => {
        await expect(accounts.setup({ username, password: tried }, local)).rejects.toThrow(
          InvalidRequestError,
        );
        expect(await accounts.isEmpty()).toBe(true);
      });
    });

    describe("signing in", () => {
      beforeEach(() => createOwner(accounts));

      it("accepts only the right password", async () => {
        expect((await accounts.signIn({ username: "greg", password }, local)).account.username).toBe("greg");
        await expect(accounts.signIn({ username: "greg", password: "wrong" }, local)).rejects.toThrow(
          WrongCredentialsError,
        );
        await expect(accounts.signIn({ username: "nobody", password }, local)).rejects.toThrow(
          WrongCredentialsError,
        );
        expect(await accounts.verifyPassword("greg", password)).toBe(true);
        expect(await accounts.verifyPassword("greg", "wrong")).toBe(false);
        expect(await accounts.verifyPassword("nobody", password)).toBe(false);
      });

      const wrong = async (times: number, from = local): Promise<unknown[]> => {
        const errors: unknown[] = [];
        for (let n = 0; n < times; n += 1)
          errors.push(
            await accounts
              .signIn({ username: "greg", password: "wrong" }, from)
              .catch((error: unknown) => error),
          );
        return errors;
      };

      it("refuses even the right password after too many wrong ones, with the time to wait", async () => {
        const errors = await wrong(4);
        expect(errors.slice(0, 3)).toEqual(
          Array.from({ length: 3 }, () => expect.any(WrongCredentialsError) as unknown),
        );
        expect(errors[3]).toMatchObject({
          code: "RATE_LIMITED",
          context: { retryAfterMs: expect.any(Number) as unknown },
        });
        await expect(accounts.signIn({ username: "greg", password }, local)).rejects.toThrow(
          RateLimitedError,
        );
      });

      it("counts concurrent attempts", async () => {
        const attempts = await Promise.all(
          Array.from({ length: 10 }, () =>
            accounts.signIn({ username: "greg", password: "wrong" }, local).catch((error: unknown) => error),
          ),
        );
        expect(attempts.filter((error) => error instanceof WrongCredentialsError)).toHaveLength(3);
        expect(attempts.filter((error) => error instanceof RateLimitedError)).toHaveLength(7);
      });

      it("keeps the limit after a restart", async () => {
        await wrong(4);
        accounts.close();
        accounts = await harness.open();
        await expect(accounts.signIn({ username: "greg", password }, local)).rejects.toThrow(
          RateLimitedError,
        );
      });

      it("does not lock out a person at another address", async () => {
        await wrong(4, away);
        expect((await accounts.signIn({ username: "greg", password }, local)).account.username).toBe("greg");
      });

      it("resets the count after the right password", async () => {
        await wrong(2);
        await accounts.signIn({ username: "greg", password }, local);
        expect(await wrong(3)).toEqual(
          Array.from({ length: 3 }, () => expect.any(WrongCredentialsError) as unknown),
        );
      });

      it("limits one address across all names, and one name across all addresses", async () => {
        const tries = (number: number, who: (n: number) => [string, string]) =>
          Promise.all(
            Array.from({ length: number }, (_, n) => {
              const [username, address] = who(n);
              return accounts
                .signIn({ username, password: "wrong" }, { address })
                .catch((error: unknown) => error);
            }),
          );
        const names = await tries(61, (n) => [`name-${n}`, "203.0.113.9"]);
        expect(names.filter((error) => error instanceof RateLimitedError)).toHaveLength(1);
        const addresses = await tries(31, (n) => ["greg", `198.51.100.${n}`]);
        expect(addresses.filter((error) => error instanceof RateLimitedError)).toHaveLength(1);
      });

      it("accepts a hundred concurrent sign-ins from one address without counting them", async () => {
        const people = Array.from({ length: 50 }, (_, n) => `person-${n}`);
        for (const username of people) await accounts.add({ username, password, role: "member" });
        const signIn = (username: string) => accounts.signIn({ username, password }, away);
        const everybody = await Promise.allSettled([...people, ...people.map(() => "greg")].map(signIn));
        expect(everybody.filter(({ status }) => status === "rejected")).toEqual([]);
        expect((await signIn("greg")).account.username).toBe("greg");
        expect((await wrong(4, away)).filter((error) => error instanceof WrongCredentialsError)).toHaveLength(
          3,
        );
      });

      it("does not count refused attempts for the address", async () => {
        await accounts.add({ username: "anna", password, role: "member" });
        await wrong(200, away);
        expect((await accounts.signIn({ username: "anna", password }, away)).account.username).toBe("anna");
      });

      it("does not accept the right password among concurrent wrong ones beyond the limit", async () => {
        const guesses = ["wrong 1", "wrong 2", "wrong 3", "wrong 4", password, "wrong 5"];
        const found = await Promise.allSettled(
          guesses.map((guess) => accounts.signIn({ username: "greg", password: guess }, local)),
        );
        expect(found.map(({ status }) => status)).not.toContain("fulfilled");
      });
    });

    describe("accounts", () => {
      beforeEach(() => createOwner(accounts));

      const add = (username: string, role: "owner" | "member" = "member") =>
        accounts.add({ username, password, role });

      it("lists the accounts", async () => {
        await add("anna");
        expect((await accounts.list()).map(({ username, role }) => [username, role])).toEqual(
          expect.arrayContaining([
            ["greg", "owner"],
            ["anna", "member"],
          ]),
        );
        expect(await accounts.get("anna")).toMatchObject({ role: "member" });
        await expect(accounts.get("nobody")).rejects.toThrow(NotFoundError);
      });

      it("refuses a name that is taken, also by a concurrent request", async () => {
        await expect(add("greg")).rejects.toThrow(AlreadyExistsError);
        const both = await Promise.allSettled([add("anna"), add("anna")]);
        expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      });

      it("keeps at least one owner", async () => {
        await expect(accounts.remove("greg")).rejects.toThrow(ConflictError);
        await expect(accounts.setRole("greg", "member")).rejects.toThrow(ConflictError);
        await add("anna", "owner");
        expect(await accounts.setRole("greg", "member")).toMatchObject({ role: "member" });
        await expect(accounts.remove("anna")).rejects.toThrow(ConflictError);
        await expect(accounts.remove("nobody")).rejects.toThrow(NotFoundError);
      });

      it("sets a password without the old one", async () => {
        await accounts.setPassword("greg", "another password");
        await accounts.signIn({ username: "greg", password: "another password" }, local);
        await expect(accounts.setPassword("greg", "short")).rejects.toThrow(InvalidRequestError);
        await expect(accounts.setPassword("nobody", "another password")).rejects.toThrow(NotFoundError);
      });
    });
  });

  describeCredentials(name, makeHarness);
}
