import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Accounts } from "@metahuman/core/profiles/accounts";
import { createPasswords } from "@metahuman/core/profiles/password";
import { createOwner, local, password } from "@metahuman/core/profiles/testing/accounts-harness";
import { fastPasswordWork } from "@metahuman/core/profiles/testing/test-accounts";
import { type DatabaseHarness, pgliteHarness } from "../testing/harness.ts";
import { openPostgresAccounts } from "./open-accounts.ts";

describe("accounts of several processes", () => {
  let harness: DatabaseHarness;
  let opened: Accounts[];
  const folders: string[] = [];
  beforeEach(async () => {
    harness = await pgliteHarness();
    opened = [];
    folders.length = 0;
    await harness.database.inSystem((session) => session.run("DELETE FROM accounts"));
    await harness.database.inSystem((session) => session.run("DELETE FROM login_limits"));
  });
  afterEach(() => opened.forEach((accounts) => accounts.close()));

  async function open(): Promise<Accounts> {
    const accounts = await openPostgresAccounts(harness.database, {
      settings: () => ({
        session: { idleTimeoutMs: 1_000_000, absoluteTimeoutMs: 5_000_000 },
        login: { attempts: 3, windowMs: 60_000 },
      }),
      passwords: createPasswords(fastPasswordWork),
      profiles: {
        requireNone: async () => undefined,
        create: async (username) => void folders.push(`+${username}`),
        remove: async (username) => void folders.push(`-${username}`),
      },
    });
    opened.push(accounts);
    return accounts;
  }

  it("accept the setup code that another process printed", async () => {
    const [one, two] = [await open(), await open()];
    const setupCode = await one.setupCode();
    expect(await two.setupCode()).toBe(setupCode);
    const from = { address: "203.0.113.9", fromLoopback: false };
    await two.setup({ username: "greg", password, setupCode }, from);
    expect(await one.setupCode()).toBeUndefined();
  });

  it("share sessions, and count attempts to sign in together", async () => {
    const [one, two] = [await open(), await open()];
    const session = await createOwner(one);
    expect(await two.session(session.token)).toMatchObject({ account: { username: "greg" } });
    const attempt = (accounts: Accounts) =>
      accounts.signIn({ username: "greg", password: "wrong" }, local).catch((error: unknown) => error);
    const errors = [await attempt(one), await attempt(two), await attempt(one), await attempt(two)];
    expect(errors.map((error) => z.object({ code: z.string() }).parse(error).code)).toEqual([
      ...["WRONG_CREDENTIALS", "WRONG_CREDENTIALS", "WRONG_CREDENTIALS", "RATE_LIMITED"],
    ]);
  });

  it("create and remove the data of a profile with its account", async () => {
    const accounts = await open();
    await createOwner(accounts);
    await accounts.add({ username: "anna", password, role: "member" });
    await accounts.remove("anna");
    expect(folders).toEqual(["+greg", "+anna", "-anna"]);
  });

  it("store no password, session token or bearer token in clear text", async () => {
    const accounts = await open();
    await createOwner(accounts);
    const session = await accounts.signIn({ username: "greg", password }, local);
    const { token } = await accounts.createToken("greg", "laptop");
    const Row = z.object({ text: z.string() });
    const rows = await harness.database.inSystem((transaction) =>
      transaction.all(
        Row,
        `SELECT accounts::text AS text FROM accounts UNION ALL SELECT sessions::text FROM sessions
         UNION ALL SELECT tokens::text FROM tokens`,
      ),
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const secret of [password, session.token, token])
      expect(rows.map(({ text }) => text).join("\n")).not.toContain(secret);
  });
});
