import type { Account } from "../contract/account.ts";
import type { Database } from "../database/open-database.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { parseNewPassword } from "./validate-account.ts";
import type { AccountTable } from "./account-table.ts";
import type { Accounts } from "./accounts.ts";
import type { CredentialTable } from "./credential-table.ts";
import type { Credentials } from "./credentials.ts";
import type { LoginLimits } from "./login-limits.ts";
import type { Passwords } from "./password.ts";
import type { Revocations } from "./revocations.ts";
import { WrongCredentialsError } from "../errors/access-errors.ts";

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

  const { check, checkWithinLimits } = createPasswordCheck({
    passwords,
    limits,
    load: (username) => accounts.password(username),
  });

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
    verifyPassword: async (username, password) => (await check(username, password)) !== undefined,

    async signIn({ username, password }, { address }) {
      const { stored, outdated } = await checkWithinLimits(username, password, address);
      const fresh = outdated ? await passwords.hash(password) : undefined;
      return ifUnchanged(username, stored, (account) => {
        if (fresh !== undefined) accounts.setPassword(username, fresh);
        return credentials.startSession(account);
      });
    },

    async changePassword(username, { current, next }, { address, keep }) {
      parseNewPassword(next);
      const { stored } = await checkWithinLimits(username, current, address);
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

/** A password that was correct: its stored hash, and whether that has other parameters than new ones. */
interface CheckedPassword {
  stored: string;
  outdated: boolean;
}

interface PasswordCheck {
  /** Undefined for a wrong password. Takes as long for an unknown name. */
  check(username: string, password: string): Promise<CheckedPassword | undefined>;
  /** The same within the limits for attempts from an address. Throws `WrongCredentialsError` for a wrong password. */
  checkWithinLimits(username: string, password: string, address: string): Promise<CheckedPassword>;
}

/** Checks passwords against the hashes that `load` returns; undefined for an unknown name. */
export function createPasswordCheck({
  passwords,
  limits,
  load,
}: {
  passwords: Passwords;
  limits: LoginLimits;
  load: (username: string) => string | undefined | Promise<string | undefined>;
}): PasswordCheck {
  async function check(username: string, password: string): Promise<CheckedPassword | undefined> {
    const stored = await load(username);
    if (stored === undefined) {
      await passwords.verifyDummy(password);
      return undefined;
    }
    const verdict = await passwords.check(password, stored);
    return verdict === "wrong" ? undefined : { stored, outdated: verdict === "outdated" };
  }

  return {
    check,
    async checkWithinLimits(username, password, address) {
      const found = await limits.attempt(username, address, () => check(username, password));
      if (!found) throw wrongCredentials();
      return found;
    },
  };
}

export function wrongCredentials(): WrongCredentialsError {
  return new WrongCredentialsError("The username or the password is wrong.");
}
