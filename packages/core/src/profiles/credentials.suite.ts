import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AlreadyExistsError, InvalidRequestError } from "../errors/request-errors.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { NotSignedInError, SessionExpiredError, WrongCredentialsError } from "../errors/access-errors.ts";
import type { Accounts, NewSession, Revocation } from "./accounts.ts";
import { type AccountsHarness, createOwner, local, password } from "./testing/accounts-harness.ts";

/** Tests the part of the contract of `Accounts` that concerns sessions, tokens and guests. */
export function describeCredentials(name: string, makeHarness: () => AccountsHarness): void {
  describe(`sessions and tokens ${name}`, () => {
    let harness: AccountsHarness;
    let accounts: Accounts;
    let session: NewSession;

    beforeEach(async () => {
      harness = makeHarness();
      accounts = await harness.open();
      session = await createOwner(accounts);
    });
    afterEach(() => harness.remove());

    const signIn = (): Promise<NewSession> => accounts.signIn({ username: "greg", password }, local);

    describe("a session", () => {
      it.each(["", "x", "mh_x", "A".repeat(43), "../../etc/passwd", "'; DROP TABLE session; --"])(
        "rejects an unknown token: %j",
        async (token) => {
          await expect(accounts.session(token)).rejects.toThrow(NotSignedInError);
        },
      );

      it("expires after its idle time", async () => {
        harness.pass(999_999);
        await accounts.session(session.token);
        harness.pass(999_999);
        await accounts.session(session.token);
        harness.pass(1_000_000);
        await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
        await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
      });

      it("expires after its maximum lifetime, however often it is used", async () => {
        for (let passed = 0; passed < 4_500_000; passed += 500_000) {
          await accounts.session(session.token);
          harness.pass(500_000);
        }
        harness.pass(499_999);
        await accounts.session(session.token);
        harness.pass(1);
        await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
      });

      it("follows the current configuration", async () => {
        harness.pass(500_000);
        harness.settings = {
          ...harness.settings,
          session: { idleTimeoutMs: 400_000, absoluteTimeoutMs: 5_000_000 },
        };
        await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
      });

      it("survives a restart", async () => {
        accounts.close();
        accounts = await harness.open();
        expect((await accounts.session(session.token)).account.username).toBe("greg");
      });

      it("ends at sign-out, without ending other sessions", async () => {
        const other = await signIn();
        await accounts.signOut(session.credentialId);
        await expect(accounts.session(session.token)).rejects.toThrow(NotSignedInError);
        await accounts.session(other.token);
        await accounts.signOut(session.credentialId);
      });
    });

    describe("a token", () => {
      it("is returned once and signs its owner in", async () => {
        const { token, info } = await accounts.createToken("greg", " laptop ");
        expect(token).toMatch(/^mh_[A-Za-z0-9_-]{43}$/);
        expect(await accounts.bearer(token)).toMatchObject({
          kind: "token",
          credentialId: info.id,
          account: { username: "greg" },
        });
        const [listed] = await accounts.tokens("greg");
        expect(listed).toMatchObject({
          id: info.id,
          name: "laptop",
          lastUsedAt: expect.any(String) as unknown,
        });
        expect(JSON.stringify(listed)).not.toContain(token);
      });

      it("has a scope; the default is manage", async () => {
        const { token, info } = await accounts.createToken("greg", "laptop", { scope: "read" });
        expect(info).toMatchObject({ scope: "read" });
        expect(await accounts.bearer(token)).toMatchObject({ scope: "read" });
        const { token: usual } = await accounts.createToken("greg", "usual");
        expect(await accounts.bearer(usual)).toMatchObject({ scope: "manage" });
      });

      it("expires and notifies open streams", async () => {
        const { token, info } = await accounts.createToken("greg", "laptop", { lifetimeMs: 1_000 });
        expect(Date.parse(info.expiresAt ?? "")).toBe(harness.now() + 1_000);
        const ended: Revocation[] = [];
        accounts.onRevoked((revocation) => ended.push(revocation));
        await accounts.bearer(token);
        harness.pass(1_000);
        await expect(accounts.bearer(token)).rejects.toThrow(SessionExpiredError);
        expect(ended).toEqual([{ username: "greg", credentialIds: [info.id], reason: "expired" }]);
        expect((await accounts.tokens("greg")).map(({ id }) => id)).toEqual([info.id]);
      });

      it("is found among a hundred others", async () => {
        const made = [];
        for (let n = 0; n < 100; n += 1) made.push(await accounts.createToken("greg", `token ${n}`));
        expect(await accounts.tokens("greg")).toHaveLength(100);
        const found = await Promise.all(made.map(({ token }) => accounts.bearer(token)));
        expect(found.map(({ credentialId }) => credentialId)).toEqual(made.map(({ info }) => info.id));
        await accounts.revokeToken("greg", "token 50");
        await expect(accounts.bearer(made[50]?.token ?? "")).rejects.toThrow(NotSignedInError);
        expect((await accounts.bearer(made[51]?.token ?? "")).account.username).toBe("greg");
        await accounts.setPassword("greg", "another password");
        expect(await accounts.tokens("greg")).toEqual([]);
      });

      it("is not accepted as a session, nor a session as a token", async () => {
        const { token } = await accounts.createToken("greg", "laptop");
        await expect(accounts.session(token)).rejects.toThrow(NotSignedInError);
        await expect(accounts.bearer(session.token)).rejects.toThrow(NotSignedInError);
      });

      it("is revoked by name or id, only by its owner", async () => {
        const { token, info } = await accounts.createToken("greg", "laptop");
        await accounts.add({ username: "anna", password, role: "owner" });
        await expect(accounts.revokeToken("anna", info.id)).rejects.toThrow(NotFoundError);
        await accounts.bearer(token);
        await accounts.revokeToken("greg", "laptop");
        await expect(accounts.bearer(token)).rejects.toThrow(NotSignedInError);
        await expect(accounts.revokeToken("greg", "laptop")).rejects.toThrow(NotFoundError);
      });

      it("requires a unique name", async () => {
        await accounts.createToken("greg", "laptop");
        await expect(accounts.createToken("greg", "laptop")).rejects.toThrow(AlreadyExistsError);
        await expect(accounts.createToken("greg", "  ")).rejects.toThrow(InvalidRequestError);
        await expect(accounts.createToken("nobody", "laptop")).rejects.toThrow(NotFoundError);
      });
    });

    describe("the end of sessions and tokens", () => {
      let revoked: Revocation[];

      beforeEach(() => {
        revoked = [];
        accounts.onRevoked((revocation) => revoked.push(revocation));
      });

      it("ends all other sessions and all tokens when the password changes", async () => {
        const other = await signIn();
        const { token, info } = await accounts.createToken("greg", "laptop");
        await expect(
          accounts.changePassword("greg", { current: "wrong", next: "another password" }, local),
        ).rejects.toThrow(WrongCredentialsError);
        await expect(
          accounts.changePassword("greg", { current: password, next: "short" }, local),
        ).rejects.toThrow(InvalidRequestError);
        await accounts.session(other.token);

        await accounts.changePassword(
          "greg",
          { current: password, next: "another password" },
          { ...local, keep: session.credentialId },
        );
        await accounts.session(session.token);
        await expect(accounts.session(other.token)).rejects.toThrow(NotSignedInError);
        await expect(accounts.bearer(token)).rejects.toThrow(NotSignedInError);
        expect(revoked).toEqual([
          { username: "greg", credentialIds: [other.credentialId, info.id], reason: "password-changed" },
        ]);
        await expect(signIn()).rejects.toThrow(WrongCredentialsError);
      });

      it("starts no session with a password that changes during the check", async () => {
        const [attempt] = await Promise.allSettled([
          signIn(),
          accounts.setPassword("greg", "another password"),
        ]);
        if (attempt.status === "fulfilled")
          await expect(accounts.session(attempt.value.token)).rejects.toThrow(NotSignedInError);
      });

      it("reports a new role, a removal and a sign-out with their reasons", async () => {
        await accounts.add({ username: "anna", password, role: "member" });
        const first = await accounts.signIn({ username: "anna", password }, local);
        await accounts.setRole("anna", "member");
        await accounts.session(first.token);
        await accounts.setRole("anna", "owner");
        await expect(accounts.session(first.token)).rejects.toThrow(NotSignedInError);
        const second = await accounts.signIn({ username: "anna", password }, local);
        await accounts.remove("anna");
        await expect(accounts.session(second.token)).rejects.toThrow(NotSignedInError);
        await accounts.signOut(session.credentialId);
        expect(
          revoked.map(({ username, credentialIds, reason }) => [username, credentialIds, reason]),
        ).toEqual([
          ["anna", [first.credentialId], "role-changed"],
          ["anna", [second.credentialId], "account-removed"],
          ["greg", [session.credentialId], "signed-out"],
        ]);
      });

      it("reports what another process ended", async () => {
        const { token, info } = await accounts.createToken("greg", "laptop");
        await accounts.bearer(token);
        const elsewhere = await harness.open();
        await elsewhere.revokeToken("greg", "laptop");
        await expect
          .poll(() => revoked)
          .toEqual([{ username: "greg", credentialIds: [info.id], reason: "ended-elsewhere" }]);
        await accounts.session(session.token);
      });

      it("reports expiry at the next use", async () => {
        harness.pass(1_000_000);
        await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
        expect(revoked).toEqual([
          { username: "greg", credentialIds: [session.credentialId], reason: "expired" },
        ]);
      });

      it("reports nothing to a removed listener", async () => {
        const silent = vi.fn();
        accounts.onRevoked(silent)();
        await accounts.signOut(session.credentialId);
        expect(silent).not.toHaveBeenCalled();
        expect(revoked).toHaveLength(1);
      });
    });

    describe("a guest", () => {
      it("signs in only to a public profile, and profiles are not public by default", async () => {
        await expect(accounts.signInAsGuest("greg")).rejects.toThrow(NotFoundError);
        await expect(accounts.signInAsGuest("nobody")).rejects.toThrow(NotFoundError);
        await expect(accounts.setPublic("nobody", true)).rejects.toThrow(NotFoundError);
        await accounts.setPublic("greg", true);
        expect(await accounts.publicProfiles()).toEqual(["greg"]);
        const guest = await accounts.signInAsGuest("greg");
        expect(await accounts.session(guest.token)).toMatchObject({
          isGuest: true,
          account: { username: "greg" },
        });
        expect(await accounts.session(session.token)).toMatchObject({ isGuest: false });
      });

      it("is signed out when the profile is no longer public", async () => {
        await accounts.setPublic("greg", true);
        const guest = await accounts.signInAsGuest("greg");
        const ended: Revocation[] = [];
        accounts.onRevoked((revocation) => ended.push(revocation));
        await accounts.setPublic("greg", false);
        await expect(accounts.session(guest.token)).rejects.toThrow(NotSignedInError);
        await accounts.session(session.token);
        expect(ended).toEqual([
          { username: "greg", credentialIds: [guest.credentialId], reason: "guests-ended" },
        ]);
      });

      it("replaces the least recently used of fifty guest sessions", async () => {
        await accounts.setPublic("greg", true);
        const guests = [];
        for (let n = 0; n < 51; n += 1) {
          guests.push(await accounts.signInAsGuest("greg"));
          harness.pass(10);
        }
        const [first, ...others] = guests;
        await expect(accounts.session(first?.token ?? "")).rejects.toThrow(NotSignedInError);
        for (const { token } of others) await accounts.session(token);
        await accounts.session(session.token);
      });
    });
  });
}
