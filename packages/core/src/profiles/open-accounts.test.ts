import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { openDatabase } from "../database/open-database.ts";
import { AlreadyExistsError } from "../errors/request-errors.ts";
import { accountSchema } from "./account-schema.ts";
import type { Accounts } from "./accounts.ts";
import { describeAccounts } from "./accounts.suite.ts";
import { createPasswords } from "./password.ts";
import { createOwner, local, password } from "./testing/accounts-harness.ts";
import { fastPasswordWork, TestAccounts } from "./testing/test-accounts.ts";

describeAccounts("in SQLite", () => new TestAccounts());

describe("accounts and profile folders", () => {
  let test: TestAccounts;
  let accounts: Accounts;

  beforeEach(async () => {
    test = new TestAccounts();
    accounts = await test.open();
  });
  afterEach(() => test.remove());
  const add = (username: string) => accounts.add({ username, password, role: "member" });

  it("creates the profile of the first owner with default settings", async () => {
    await accounts.setup({ username: "greg", password, displayName: "Greg" }, local);
    expect(
      JSON.parse(readFileSync(join(test.home, "profiles", "greg", "profile.json"), "utf8")),
    ).toMatchObject({ displayName: "Greg", mode: "dual", trustLevel: "supervised_auto" });
  });

  it("uses an existing profile folder of the first owner", async () => {
    mkdirSync(join(test.home, "profiles", "greg", "out"), { recursive: true });
    writeFileSync(join(test.home, "profiles", "greg", "out", "kept.md"), "mine");
    await createOwner(accounts);
    expect(readFileSync(join(test.home, "profiles", "greg", "out", "kept.md"), "utf8")).toBe("mine");
  });

  it("rehashes a password with a weaker hash at the next sign-in", async () => {
    await createOwner(accounts);
    const path = join(test.home, "profiles", "system.db");
    const database = openDatabase(path, accountSchema, { title: "the account database" });
    const stored = (): unknown =>
      database.query("SELECT password FROM account", z.strictObject({ password: z.string() })).get()
        ?.password;
    database
      .command("UPDATE account SET password = ?")
      .run(await createPasswords(fastPasswordWork, "scrypt").hash(password));
    await accounts.signIn({ username: "greg", password }, local);
    expect(stored()).toMatch(/^\$argon2id\$/);
    database.close();
    await accounts.signIn({ username: "greg", password }, local);
  });

  it("stores no password, session token or bearer token in clear text", async () => {
    await createOwner(accounts);
    const session = await accounts.signIn({ username: "greg", password }, local);
    const { token } = await accounts.createToken("greg", "laptop");
    accounts.close();
    const bytes = readFileSync(join(test.home, "profiles", "system.db"), "latin1");
    for (const secret of [password, session.token, token]) expect(bytes).not.toContain(secret);
    accounts = await test.open();
  });

  it("does not give the profile of a removed account to a new account of that name", async () => {
    await createOwner(accounts);
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

  it("does not give an unknown profile folder to a new account", async () => {
    await createOwner(accounts);
    mkdirSync(join(test.home, "profiles", "ben"));
    await expect(add("ben")).rejects.toThrow(AlreadyExistsError);
    expect(await accounts.list()).toHaveLength(1);
  });
});
