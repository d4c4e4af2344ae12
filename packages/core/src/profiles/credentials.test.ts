import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SessionExpiredError } from "../errors/access-errors.ts";
import { openDatabase } from "../database/open-database.ts";
import { accountSchema } from "./account-schema.ts";
import { hashSecret, newSecret } from "./credentials.ts";
import type { Accounts, NewSession } from "./accounts.ts";
import { createOwner } from "./testing/accounts-harness.ts";
import { TestAccounts } from "./testing/test-accounts.ts";

describe("a session or token in SQLite", () => {
  let test: TestAccounts;
  let accounts: Accounts;
  let session: NewSession;

  beforeEach(async () => {
    test = new TestAccounts();
    accounts = await test.open();
    session = await createOwner(accounts);
  });
  afterEach(() => test.remove());

  it("does not last longer when the date is set back", async () => {
    test.wall -= 365 * 86_400_000;
    test.elapsed += 999_000;
    await accounts.session(session.token);
    test.wall -= 365 * 86_400_000;
    test.elapsed += 1_000_001;
    await expect(accounts.session(session.token)).rejects.toThrow(SessionExpiredError);
  });

  it("does not last longer when the date is set back between two starts", async () => {
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

  it("has all rights if a version without scopes created it", async () => {
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

  it("stays expired when the date is set back", async () => {
    const { token } = await accounts.createToken("greg", "laptop", { lifetimeMs: 1_000 });
    test.pass(1_000);
    test.wall -= 10_000;
    await expect(accounts.bearer(token)).rejects.toThrow(SessionExpiredError);
  });
});
