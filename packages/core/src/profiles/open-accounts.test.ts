import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { openDatabase } from "../database/open-database.ts";
import { AlreadyExistsError, ConflictError, InvalidRequestError } from "../errors/request-errors.ts";
import { ForbiddenError, RateLimitedError, WrongCredentialsError } from "../errors/access-errors.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { accountSchema } from "./account-schema.ts";
import type { Accounts } from "./accounts.ts";
import { createPasswords } from "./password.ts";
import { lightWork, local, password, TestAccounts } from "./testing/test-accounts.ts";

let test: TestAccounts;
let accounts: Accounts;

beforeEach(async () => {
  test = new TestAccounts();
  accounts = await test.open();
});

afterEach(() => test.remove());

const away = { address: "203.0.113.9", fromLoopback: false };

describe("the first owner", () => {
  it("is created with a profile and signed in", async () => {
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
    expect(
      JSON.parse(readFileSync(join(test.home, "profiles", "greg", "profile.json"), "utf8")),
    ).toMatchObject({
      displayName: "Greg",
      mode: "dual",
      trustLevel: "supervised_auto",
    });
  });

  it("is only ever one, also when two come at once from two processes", async () => {
    const other = await test.open();
    const attempts = await Promise.allSettled([
      test.owner(accounts, "ann"),
      test.owner(other, "ben"),
      test.owner(accounts, "cleo"),
    ]);
    expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(
      attempts.flatMap((attempt) => (attempt.status === "rejected" ? [attempt.reason as unknown] : [])),
    ).toEqual([expect.any(ConflictError), expect.any(ConflictError)]);
    expect(await accounts.list()).toHaveLength(1);
  });

  it("comes from elsewhere only with the setup code", async () => {
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

  it("cannot be had by trying codes", async () => {
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
    ["greg", "short"],
    ["greg", "x".repeat(1_025)],
  ])("must have a proper name and password: %j", async (username, tried) => {
    await expect(accounts.setup({ username, password: tried }, local)).rejects.toThrow(InvalidRequestError);
    expect(await accounts.isEmpty()).toBe(true);
  });

  it("may take over a profile folder that was brought along", async () => {
    mkdirSync(join(test.home, "profiles", "greg", "out"), { recursive: true });
    writeFileSync(join(test.home, "profiles", "greg", "out", "kept.md"), "mine");
    await test.owner(accounts);
    expect(readFileSync(join(test.home, "profiles", "greg", "out", "kept.md"), "utf8")).toBe("mine");
  });
});

describe("signing in", () => {
  beforeEach(() => test.owner(accounts));

  it("takes the right password and no other", async () => {
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
        await accounts.signIn({ username: "greg", password: "wrong" }, from).catch((error: unknown) => error),
      );
    return errors;
  };

  it("is refused after too many wrong passwords, with the right one too, and says for how long", async () => {
    const errors = await wrong(4);
    expect(errors.slice(0, 3)).toEqual(
      Array.from({ length: 3 }, () => expect.any(WrongCredentialsError) as unknown),
    );
    expect(errors[3]).toMatchObject({
      code: "RATE_LIMITED",
      context: { retryAfterMs: expect.any(Number) as unknown },
    });
    await expect(accounts.signIn({ username: "greg", password }, local)).rejects.toThrow(RateLimitedError);
  });

  it("counts attempts that are made at once", async () => {
    const attempts = await Promise.all(
      Array.from({ length: 10 }, () =>
        accounts.signIn({ username: "greg", password: "wrong" }, local).catch((error: unknown) => error),
      ),
    );
    expect(attempts.filter((error) => error instanceof WrongCredentialsError)).toHaveLength(3);
    expect(attempts.filter((error) => error instanceof RateLimitedError)).toHaveLength(7);
  });

  it("stays refused over a restart", async () => {
    await wrong(4);
    accounts.close();
    accounts = await test.open();
    await expect(accounts.signIn({ username: "greg", password }, local)).rejects.toThrow(RateLimitedError);
  });

  it("from one address does not keep the person out at another", async () => {
    await wrong(4, away);
    expect((await accounts.signIn({ username: "greg", password }, local)).account.username).toBe("greg");
  });

  it("forgets slips of the pen after the right password", async () => {
    await wrong(2);
    await accounts.signIn({ username: "greg", password }, local);
    expect(await wrong(3)).toEqual(
      Array.from({ length: 3 }, () => expect.any(WrongCredentialsError) as unknown),
    );
  });

  it("is limited for an address over all names, and for a name over all addresses", async () => {
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

  it("takes a hundred right passwords at once from one address, and keeps no account of them", async () => {
    const people = Array.from({ length: 50 }, (_, n) => `person-${n}`);
    for (const username of people) await accounts.add({ username, password, role: "member" });
    const signIn = (username: string) => accounts.signIn({ username, password }, away);
    const everybody = await Promise.allSettled([...people, ...people.map(() => "greg")].map(signIn));
    expect(everybody.filter(({ status }) => status === "rejected")).toEqual([]);
    expect((await signIn("greg")).account.username).toBe("greg");
    expect(
      (await wrong(4, away)).filter((error) => error instanceof WrongCredentialsError),
    ).toHaveLength(3);
  });

  it("does not count refused attempts towards the address", async () => {
    await accounts.add({ username: "anna", password, role: "member" });
    await wrong(200, away);
    expect((await accounts.signIn({ username: "anna", password }, away)).account.username).toBe("anna");
  });

  it("finds the right password among wrong ones made at once only within the limit", async () => {
    const guesses = ["wrong 1", "wrong 2", "wrong 3", "wrong 4", password, "wrong 5"];
    const found = await Promise.allSettled(
      guesses.map((guess) => accounts.signIn({ username: "greg", password: guess }, local)),
    );
    expect(found.map(({ status }) => status)).not.toContain("fulfilled");
  });

  it("rehashes a password that was stored more weakly", async () => {
    const path = join(test.home, "profiles", "system.db");
    const database = openDatabase(path, accountSchema, { title: "the account database" });
    const stored = (): unknown =>
      database.query("SELECT password FROM account", z.strictObject({ password: z.string() })).get()
        ?.password;
    database
      .command("UPDATE account SET password = ?")
      .run(await createPasswords(lightWork, "scrypt").hash(password));
    await accounts.signIn({ username: "greg", password }, local);
    expect(stored()).toMatch(/^\$argon2id\$/);
    database.close();
    await accounts.signIn({ username: "greg", password }, local);
  });

  it("keeps no secret where somebody who reads the database could use it", async () => {
    const session = await accounts.signIn({ username: "greg", password }, local);
    const { token } = await accounts.createToken("greg", "laptop");
    accounts.close();
    const bytes = readFileSync(join(test.home, "profiles", "system.db"), "latin1");
    for (const secret of [password, session.token, token]) expect(bytes).not.toContain(secret);
    accounts = await test.open();
  });
});

describe("looking after accounts", () => {
  beforeEach(() => test.owner(accounts));
  const add = (username: string, role: "owner" | "member" = "member") =>
    accounts.add({ username, password, role });

  it("lists those who were added", async () => {
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

  it("gives no name twice, also to two at once", async () => {
    await expect(add("greg")).rejects.toThrow(AlreadyExistsError);
    const both = await Promise.allSettled([add("anna"), add("anna")]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("never hands a removed person's profile to the next of that name", async () => {
    await add("anna");
    writeFileSync(join(test.home, "profiles", "anna", "out", "diary.md"), "private");
    await accounts.remove("anna");
    expect(existsSync(join(test.home, "profiles", "anna"))).toBe(false);
    await add("anna");
    expect(existsSync(join(test.home, "profiles", "anna", "out", "diary.md"))).toBe(false);
    const [kept] = readdirSync(join(test.home, "profiles", ".removed"));
    expect(readFileSync(join(test.home, "profiles", ".removed", kept ?? "", "out", "diary.md"), "utf8")).toBe(
      "private",
    );
  });

  it("does not give a stray folder to a new account", async () => {
    mkdirSync(join(test.home, "profiles", "ben"));
    await expect(add("ben")).rejects.toThrow(AlreadyExistsError);
    expect(await accounts.list()).toHaveLength(1);
  });

  it("always leaves an owner", async () => {
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
