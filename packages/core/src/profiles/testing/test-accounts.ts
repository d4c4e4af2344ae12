import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Accounts } from "../accounts.ts";
import { openAccounts } from "../open-accounts.ts";
import type { AccountsHarness } from "./accounts-harness.ts";
import { createPasswords, type PasswordWork } from "../password.ts";

/** Cost parameters for fast tests. */
export const fastPasswordWork: PasswordWork = {
  argon2: { memory: 64, passes: 1, parallelism: 1 },
  scrypt: { ln: 10, r: 8, p: 1 },
};

/** A temporary account database with a settable clock. */
export class TestAccounts implements AccountsHarness {
  readonly home = mkdtempSync(join(tmpdir(), "mh-accounts-"));
  settings = {
    session: { idleTimeoutMs: 1_000_000, absoluteTimeoutMs: 5_000_000 },
    login: { attempts: 3, windowMs: 60_000 },
  };
  wall = Date.parse("2026-11-20T12:00:00.000Z");
  elapsed = 0;
  readonly #opened: Accounts[] = [];

  /** Opens a connection as another process would. */
  async open(): Promise<Accounts> {
    const accounts = await openAccounts({
      home: this.home,
      settings: () => this.settings,
      passwords: createPasswords(fastPasswordWork),
      time: { wall: () => this.wall, elapsed: () => this.elapsed },
    });
    this.#opened.push(accounts);
    return accounts;
  }

  /** Advances every clock. */
  pass(milliseconds: number): void {
    this.wall += milliseconds;
    this.elapsed += milliseconds;
  }

  now(): number {
    return this.wall;
  }

  remove(): void {
    for (const accounts of this.#opened) accounts.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}
