import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AlreadyExistsError, InvalidRequestError } from "../errors/request-errors.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { NotSignedInError, SessionExpiredError, WrongCredentialsError } from "../errors/access-errors.ts";
import { openDatabase } from "../database/open-database.ts";
import { accountSchema } from "./account-schema.ts";
import { hashSecret, newSecret } from "./credentials.ts";
import type { Accounts, NewSession, Revocation } from "./accounts.ts";
import { local, password, TestAccounts } from "./testing/test-accounts.ts";

let test: TestAccounts;
let accounts: Accounts;
let session: NewSession;

beforeEach(async () => {
  test = new TestAccounts();
  accounts = await test.open();
  session = await test.owner(accounts);
});

afterEach(() => test.remove());

const signIn = (): Promise<NewSession> => accounts.signIn({ username: "greg", password }, local);

describe("a session", () => {
  it.each(["", "x", "mh_x", "A".repeat(43), "../../etc/passwd", "'; DROP TABLE session; --"])(
    "is not made up: %j",
    async (token) => {
      await expect(accounts.session(token)).rejects.toThrow(NotSignedInError);
    },
  );

  it("ends when it is not used for its idle time, and says so", async () => {
    test.pass(999_999);
    await accounts.session(session.token);
    test.pass(999_999);
    await accounts.session(session.token);
    test.pass(1_000_000);
    await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
    await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
  });

  it("ends after its absolute time however much it is used", async () => {
    for (let passed = 0; passed < 4_500_000; passed += 500_000) {
      await accounts.session(session.token);
      test.pass(500_000);
    }
    test.pass(499_999);
    await accounts.session(session.token);
    test.pass(1);
    await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
  });

  it("is not prolonged by a clock that is set back", async () => {
    test.wall -= 365 * 86_400_000;
    test.elapsed += 999_000;
    await accounts.session(session.token);
    test.wall -= 365 * 86_400_000;
    test.elapsed += 1_000_001;
    await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
  });

  it("is not prolonged by a clock that is set back while the system is down", async () => {
    test.pass(900_000);
    await accounts.session(session.token);
    test.pass(900_000);
    accounts.close();
    test.wall -= 365 * 86_400_000;
    test.elapsed = 0;
    accounts = await test.open();
    await accounts.session(session.token);
    test.pass(100_000 + 900_000);
    await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
  });

  it("counts by the configuration of the moment", async () => {
    test.pass(500_000);
    test.settings = { ...test.settings, session: { idleTimeoutMs: 400_000, absoluteTimeoutMs: 5_000_000 } };
    await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
  });

  it("goes on over a restart", async () => {
    accounts.close();
    accounts = await test.open();
    expect((await accounts.session(session.token)).account.username).toBe("greg");
  });

  it("is over after signing out, and no other is", async () => {
    const other = await signIn();
    await accounts.signOut(session.credentialId);
    await expect(accounts.session(session.token)).rejects.toThrow(NotSignedInError);
    await accounts.session(other.token);
    await accounts.signOut(session.credentialId);
  });
});

describe("a token", () => {
  it("is shown once, and lets its owner in", async () => {
    const { token, info } = await accounts.createToken("greg", " laptop ");
    expect(token).toMatch(/^mh_[A-Za-z0-9_-]{43}$/);
    expect(await accounts.bearer(token)).toMatchObject({
      kind: "token",
      credentialId: info.id,
      account: { username: "greg" },
    });
    const [listed] = await accounts.tokens("greg");
    expect(listed).toMatchObject({ id: info.id, name: "laptop", lastUsedAt: expect.any(String) as unknown });
    expect(JSON.stringify(listed)).not.toContain(token);
  });

  it("has a scope, and everything it had before there were scopes", async () => {
    const { token, info } = await accounts.createToken("greg", "laptop", { scope: "read" });
    expect(info).toMatchObject({ scope: "read" });
    expect(await accounts.bearer(token)).toMatchObject({ scope: "read" });
    const { token: usual } = await accounts.createToken("greg", "usual");
    expect(await accounts.bearer(usual)).toMatchObject({ scope: "manage" });
  });

  it("keeps all rights when it was made by a version without scopes", async () => {
    accounts.close();
    const path = join(test.home, "older", "system.db");
    const database = openDatabase(path, accountSchema.slice(0, 1), { title: "the account database" });
    const { secret, id } = newSecret("mh_");
    database.command("INSERT INTO account VALUES ('ada', 'owner', '', '2026-01-01T00:00:00.000Z')").run();
    database
      .command("INSERT INTO token VALUES (?, ?, 'ada', 'old', '2026-01-01T00:00:00.000Z', NULL)")
      .run(hashSecret(secret, "mh_"), id);
    database.close();
    mkdirSync(join(test.home, "profiles"), { recursive: true });
    rmSync(join(test.home, "profiles"), { recursive: true });
    renameSync(join(test.home, "older"), join(test.home, "profiles"));
    accounts = await test.open();
    expect(await accounts.bearer(secret)).toMatchObject({ scope: "manage", isGuest: false });
    expect((await accounts.tokens("ada"))[0]).not.toHaveProperty("expiresAt");
  });

  it("ends when its time is over, says so, and tells whatever streams to it", async () => {
    const { token, info } = await accounts.createToken("greg", "laptop", { lifetimeMs: 1_000 });
    expect(Date.parse(info.expiresAt ?? "")).toBe(test.wall + 1_000);
    const ended: Revocation[] = [];
    accounts.onRevoked((revocation) => ended.push(revocation));
    await accounts.bearer(token);
    test.pass(1_000);
    await expect(accounts.bearer(token)).rejects.toThrow(SessionExpiredError);
    expect(ended).toEqual([{ username: "greg", credentialIds: [info.id], reason: "expired" }]);
    test.wall -= 10_000;
    await expect(accounts.bearer(token)).rejects.toThrow(SessionExpiredError);
    expect((await accounts.tokens("greg")).map(({ id }) => id)).toEqual([info.id]);
  });

  it("is one of a thousand, each with its own name, use and end", async () => {
    const made = [];
    for (let n = 0; n < 1_000; n += 1) made.push(await accounts.createToken("greg", `token ${n}`));
    expect(await accounts.tokens("greg")).toHaveLength(1_000);
    const found = await Promise.all(made.map(({ token }) => accounts.bearer(token)));
    expect(found.map(({ credentialId }) => credentialId)).toEqual(made.map(({ info }) => info.id));
    await accounts.revokeToken("greg", "token 500");
    await expect(accounts.bearer(made[500]?.token ?? "")).rejects.toThrow(NotSignedInError);
    expect((await accounts.bearer(made[501]?.token ?? "")).account.username).toBe("greg");
    await accounts.setPassword("greg", "another password");
    expect(await accounts.tokens("greg")).toEqual([]);
  });

  it("is no session, and a session is no token", async () => {
    const { token } = await accounts.createToken("greg", "laptop");
    await expect(accounts.session(token)).rejects.toThrow(NotSignedInError);
    await expect(accounts.bearer(session.token)).rejects.toThrow(NotSignedInError);
  });

  it("is revoked by name or id, by its owner alone", async () => {
    const { token, info } = await accounts.createToken("greg", "laptop");
    await accounts.add({ username: "anna", password, role: "owner" });
    await expect(accounts.revokeToken("anna", info.id)).rejects.toThrow(NotFoundError);
    await accounts.bearer(token);
    await accounts.revokeToken("greg", "laptop");
    await expect(accounts.bearer(token)).rejects.toThrow(NotSignedInError);
    await expect(accounts.revokeToken("greg", "laptop")).rejects.toThrow(NotFoundError);
  });

  it("has a name of its own", async () => {
    await accounts.createToken("greg", "laptop");
    await expect(accounts.createToken("greg", "laptop")).rejects.toThrow(AlreadyExistsError);
    await expect(accounts.createToken("greg", "  ")).rejects.toThrow(InvalidRequestError);
    await expect(accounts.createToken("nobody", "laptop")).rejects.toThrow(NotFoundError);
  });
});

describe("what ends sessions", () => {
  let told: Revocation[];

  beforeEach(() => {
    told = [];
    accounts.onRevoked((revocation) => told.push(revocation));
  });

  it("changing the password ends all others and every token, and tells", async () => {
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
    expect(told).toEqual([
      { username: "greg", credentialIds: [other.credentialId, info.id], reason: "password-changed" },
    ]);
    await expect(signIn()).rejects.toThrow(WrongCredentialsError);
  });

  it("nobody gets in with a password that is changed while it is checked", async () => {
    const [attempt] = await Promise.allSettled([signIn(), accounts.setPassword("greg", "another password")]);
    if (attempt.status === "fulfilled")
      await expect(accounts.session(attempt.value.token)).rejects.toThrow(NotSignedInError);
  });

  it("a new role does, and removal, and signing out, each by name", async () => {
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
    expect(told.map(({ username, credentialIds, reason }) => [username, credentialIds, reason])).toEqual([
      ["anna", [first.credentialId], "role-changed"],
      ["anna", [second.credentialId], "account-removed"],
      ["greg", [session.credentialId], "signed-out"],
    ]);
  });

  it("another process does, and it is noticed here", async () => {
    const { token, info } = await accounts.createToken("greg", "laptop");
    await accounts.bearer(token);
    const elsewhere = await test.open();
    await elsewhere.revokeToken("greg", "laptop");
    await vi.waitFor(
      () => expect(told).toEqual([{ username: "greg", credentialIds: [info.id], reason: "ended-elsewhere" }]),
      { timeout: 8_000 },
    );
    await accounts.session(session.token);
  });

  it("time does, when the session is next shown", async () => {
    test.pass(1_000_000);
    await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
    expect(told).toEqual([{ username: "greg", credentialIds: [session.credentialId], reason: "expired" }]);
  });

  it("nothing is told after listening stopped", async () => {
    const silent = vi.fn();
    accounts.onRevoked(silent)();
    await accounts.signOut(session.credentialId);
    expect(silent).not.toHaveBeenCalled();
    expect(told).toHaveLength(1);
  });
});

describe("a guest", () => {
  it("signs in to a public profile only, which none is unless it was made one", async () => {
    await expect(accounts.signInAsGuest("greg")).rejects.toThrow(NotFoundError);
    await expect(accounts.signInAsGuest("nobody")).rejects.toThrow(NotFoundError);
    await expect(accounts.setPublic("nobody", true)).rejects.toThrow(NotFoundError);
    await accounts.setPublic("greg", true);
    expect(await accounts.publicProfiles()).toEqual(["greg"]);
    const guest = await accounts.signInAsGuest("greg");
    expect(await accounts.session(guest.token)).toMatchObject({ isGuest: true, account: { username: "greg" } });
    expect(await accounts.session(session.token)).toMatchObject({ isGuest: false });
  });

  it("is signed out when the profile is no longer public; others are not", async () => {
    await accounts.setPublic("greg", true);
    const guest = await accounts.signInAsGuest("greg");
    const ended: Revocation[] = [];
    accounts.onRevoked((revocation) => ended.push(revocation));
    await accounts.setPublic("greg", false);
    await expect(accounts.session(guest.token)).rejects.toThrow(NotSignedInError);
    await accounts.session(session.token);
    expect(ended).toEqual([{ username: "greg", credentialIds: [guest.credentialId], reason: "guests-ended" }]);
  });

  it("is one of at most fifty: the one that was quiet for longest makes room", async () => {
    await accounts.setPublic("greg", true);
    const guests = [];
    for (let n = 0; n < 51; n += 1) {
      guests.push(await accounts.signInAsGuest("greg"));
      test.pass(10);
    }
    const [first, ...others] = guests;
    await expect(accounts.session(first?.token ?? "")).rejects.toThrow(NotSignedInError);
    for (const { token } of others) await accounts.session(token);
    await accounts.session(session.token);
  });
});
