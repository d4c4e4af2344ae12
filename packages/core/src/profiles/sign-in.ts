import type { Account } from "../contract/account.ts";
import type { Database } from "../database/open-database.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { WrongCredentialsError } from "../errors/access-errors.ts";
import { checkNewPassword } from "./account-input.ts";
import type { AccountTable } from "./account-table.ts";
import type { Accounts } from "./accounts.ts";
import type { CredentialTable } from "./credential-table.ts";
import type { Credentials } from "./credentials.ts";
import type { LoginLimits } from "./login-limits.ts";
import type { Passwords } from "./password.ts";
import type { Revocations } from "./revocations.ts";

export interface SignInParts {
  database: Database;
  accounts: AccountTable;
  table: CredentialTable;
  credentials: Credentials;
  passwords: Passwords;
  limits: LoginLimits;
  revocations: Revocations;
}

/** Everything that is about a password. */
export function createSignIn(
  parts: SignInParts,
): Pick<Accounts, "verifyPassword" | "signIn" | "changePassword" | "setPassword"> {
  const { database, accounts, table, credentials, passwords, limits, revocations } = parts;

  /** The stored hash when the password fits it; takes as long when there is none. */
  async function verified(
    username: string,
    password: string,
  ): Promise<{ stored: string; outdated: boolean } | undefined> {
    const stored = accounts.password(username);
    if (stored === undefined) {
      await passwords.checkNothing(password);
      return undefined;
    }
    const verdict = await passwords.check(password, stored);
    return verdict === "wrong" ? undefined : { stored, outdated: verdict === "outdated" };
  }

  async function verifiedWithinLimits(
    username: string,
    password: string,
    address: string,
  ): Promise<{ stored: string; outdated: boolean }> {
    const found = await limits.attempt(username, address, () => verified(username, password));
    if (!found) throw wrong();
    return found;
  }

  /** Runs `change` only if the password is still the one that was checked: checking takes time. */
  function ifStill<Result>(username: string, stored: string, change: (account: Account) => Result): Result {
    return database.durably(() => {
      const account = accounts.get(username);
      if (!account || accounts.password(username) !== stored) throw wrong();
      return change(account);
    });
  }

  /** Only inside a transaction; returns what ended. */
  function replacePassword(username: string, hash: string, keep?: string): string[] {
    accounts.setPassword(username, hash);
    return table.endAll(username, keep);
  }

  return {
    verifyPassword: async (username, password) => (await verified(username, password)) !== undefined,

    async signIn({ username, password }, { address }) {
      const { stored, outdated } = await verifiedWithinLimits(username, password, address);
      const fresh = outdated ? await passwords.hash(password) : undefined;
      return ifStill(username, stored, (account) => {
        if (fresh !== undefined) accounts.setPassword(username, fresh);
        return credentials.startSession(account);
      });
    },

    async changePassword(username, { current, next }, { address, keep }) {
      checkNewPassword(next);
      const { stored } = await verifiedWithinLimits(username, current, address);
      const hash = await passwords.hash(next);
      const credentialIds = ifStill(username, stored, () => replacePassword(username, hash, keep));
      revocations.tell({ username, credentialIds, reason: "password-changed" });
    },

    async setPassword(username, password) {
      const hash = await passwords.hash(checkNewPassword(password));
      const credentialIds = database.durably(() => {
        if (!accounts.get(username)) throw new NotFoundError("There is no account of this name.");
        return replacePassword(username, hash);
      });
      revocations.tell({ username, credentialIds, reason: "password-changed" });
    },
  };
}

function wrong(): WrongCredentialsError {
  return new WrongCredentialsError("The name or the password is wrong.");
}
