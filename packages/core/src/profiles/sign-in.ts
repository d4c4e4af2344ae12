import type { Account } from "../contract/account.ts";
import type { Database } from "../database/open-database.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { WrongCredentialsError } from "../errors/access-errors.ts";
import { parseNewPassword } from "./validate-account.ts";
import type { AccountTable } from "./account-table.ts";
import type { Accounts } from "./accounts.ts";
import type { CredentialTable } from "./credential-table.ts";
import type { Credentials } from "./credentials.ts";
import type { LoginLimits } from "./login-limits.ts";
import type { Passwords } from "./password.ts";
import type { Revocations } from "./revocations.ts";

export interface SignInDependencies {
  database: Database;
  accounts: AccountTable;
  table: CredentialTable;
  credentials: Credentials;
  passwords: Passwords;
  limits: LoginLimits;
  revocations: Revocations;
}

/** Signs in and changes passwords. */
export function createSignIn(
  dependencies: SignInDependencies,
): Pick<Accounts, "verifyPassword" | "signIn" | "changePassword" | "setPassword"> {
  const { database, accounts, table, credentials, passwords, limits, revocations } = dependencies;

  /** Returns the stored hash if the password matches. Takes as long for an unknown name. */
  async function verify(
    username: string,
    password: string,
  ): Promise<{ stored: string; outdated: boolean } | undefined> {
    const stored = accounts.password(username);
    if (stored === undefined) {
      await passwords.verifyDummy(password);
      return undefined;
    }
    const verdict = await passwords.check(password, stored);
    return verdict === "wrong" ? undefined : { stored, outdated: verdict === "outdated" };
  }

  async function verifyWithinLimits(
    username: string,
    password: string,
    address: string,
  ): Promise<{ stored: string; outdated: boolean }> {
    const found = await limits.attempt(username, address, () => verify(username, password));
    if (!found) throw wrongCredentials();
    return found;
  }

  /** Runs `change` only if the password has not changed since the check. */
  function ifUnchanged<Result>(
    username: string,
    stored: string,
    change: (account: Account) => Result,
  ): Result {
    return database.durably(() => {
      const account = accounts.get(username);
      if (!account || accounts.password(username) !== stored) throw wrongCredentials();
      return change(account);
    });
  }

  /** Requires a transaction. Returns the ended credentials. */
  function replacePassword(username: string, hash: string, keep?: string): string[] {
    accounts.setPassword(username, hash);
    return table.endAll(username, keep);
  }

  return {
    verifyPassword: async (username, password) => (await verify(username, password)) !== undefined,

    async signIn({ username, password }, { address }) {
      const { stored, outdated } = await verifyWithinLimits(username, password, address);
      const fresh = outdated ? await passwords.hash(password) : undefined;
      return ifUnchanged(username, stored, (account) => {
        if (fresh !== undefined) accounts.setPassword(username, fresh);
        return credentials.startSession(account);
      });
    },

    async changePassword(username, { current, next }, { address, keep }) {
      parseNewPassword(next);
      const { stored } = await verifyWithinLimits(username, current, address);
      const hash = await passwords.hash(next);
      const credentialIds = ifUnchanged(username, stored, () => replacePassword(username, hash, keep));
      revocations.report({ username, credentialIds, reason: "password-changed" });
    },

    async setPassword(username, password) {
      const hash = await passwords.hash(parseNewPassword(password));
      const credentialIds = database.durably(() => {
        if (!accounts.get(username)) throw new NotFoundError("There is no account with this name.");
        return replacePassword(username, hash);
      });
      revocations.report({ username, credentialIds, reason: "password-changed" });
    },
  };
}

function wrongCredentials(): WrongCredentialsError {
  return new WrongCredentialsError("The username or the password is wrong.");
}
