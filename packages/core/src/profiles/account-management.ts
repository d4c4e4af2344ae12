import type { Account, AccountRole } from "../contract/account.ts";
import { AlreadyExistsError, ConflictError } from "../errors/request-errors.ts";
import { ForbiddenError } from "../errors/access-errors.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { parseNewPassword, parseUsername } from "./validate-account.ts";
import type { Accounts, NewAccount } from "./accounts.ts";
import { retireSignedHead } from "../audit/signed-chain.ts";
import {
  createProfile,
  profileFolderExistsError,
  hasProfileFolder,
  moveProfileToRemoved,
} from "./profile-lifecycle.ts";
import { isBeingMigrated, migrationNotEnded } from "./migration-mark.ts";
import type { SignInDependencies } from "./sign-in.ts";
import { randomInt, timingSafeEqual } from "node:crypto";

export interface AccountManagementDependencies extends SignInDependencies {
  home: string;
}

/** The maximum number of guest sessions of a profile. Another one ends the least recently used. */
export const MAX_GUESTS = 50;

/** The rate-limit key of setup codes. No username has this form. */
export const SETUP_CODE_KEY = "(setup)";

/** Creates, lists and removes accounts and changes their roles. */
export function createAccountManagement(
  dependencies: AccountManagementDependencies,
): Pick<
  Accounts,
  | "isEmpty"
  | "setupProblem"
  | "setupCode"
  | "setup"
  | "add"
  | "remove"
  | "list"
  | "get"
  | "setRole"
  | "publicProfiles"
  | "setPublic"
  | "signInAsGuest"
> {
  const { home, database, accounts, table, credentials, passwords, limits, revocations } = dependencies;
  let code: string | undefined;

  const setupCode = (): string | undefined =>
    accounts.isEmpty() && !isBeingMigrated(home) ? (code ??= newSetupCode()) : undefined;
  const requireAccount = (username: string): Account => accountNamed(username, accounts);

  function requireFreeForSetup(): void {
    if (!accounts.isEmpty())
      throw new ConflictError("This installation already has an owner. Sign in instead.");
    if (isBeingMigrated(home)) throw migrationNotEnded();
  }

  function requireFreeName(username: string): void {
    if (accounts.get(username)) throw new AlreadyExistsError(`An account named ${username} already exists.`);
  }

  function requireOtherOwner(username: string): void {
    if (!accounts.hasOtherOwner(username)) {
      throw new ConflictError("An installation needs an owner. Make another account an owner first.");
    }
  }

  /** `checkInsert` runs inside the transaction, because hashing takes time. */
  async function insertAccount(
    request: NewAccount,
    role: AccountRole,
    checkInsert: () => void,
  ): Promise<Account> {
    const username = parseUsername(request.username);
    const hash = await passwords.hash(parseNewPassword(request.password));
    const account: Account = { username, role, createdAt: new Date().toISOString() };
    database.durably(() => {
      checkInsert();
      accounts.insert(account, hash);
    });
    await createProfile(home, username, request.displayName);
    return account;
  }

  return {
    isEmpty: async () => accounts.isEmpty(),
    setupProblem: async () => (accounts.isEmpty() && isBeingMigrated(home) ? migrationNotEnded() : undefined),
    setupCode: async () => setupCode(),

    async setup(request, from) {
      requireFreeForSetup();
      if (!from.fromLoopback) {
        const expected = setupCode();
        const isRight = await limits.attempt(SETUP_CODE_KEY, from.address, async () =>
          expected !== undefined && isSetupCode(request.setupCode ?? "", expected) ? true : undefined,
        );
        if (isRight === undefined) {
          throw new ForbiddenError("The setup code is wrong.", {
            suggestions: ["Use the code that the server printed at startup."],
          });
        }
      }
      const account = await insertAccount(request, "owner", requireFreeForSetup);
      code = undefined;
      return database.transaction(() => credentials.startSession(account));
    },

    async add(request) {
      const username = parseUsername(request.username);
      requireFreeName(username);
      if (await hasProfileFolder(home, username)) throw profileFolderExistsError(username);
      return await insertAccount(request, request.role, () => requireFreeName(username));
    },

    async remove(username, release) {
      const credentialIds = database.durably(() => {
        requireAccount(username);
        requireOtherOwner(username);
        const ended = table.endAll(username);
        accounts.remove(username);
        return ended;
      });
      revocations.report({ username, credentialIds, reason: "account-removed" });
      await release?.();
      await moveProfileToRemoved(home, username);
      await retireSignedHead(home, username);
    },

    ...publicProfileMethods(dependencies),

    list: async () => accounts.list(),
    get: async (username) => requireAccount(username),

    async setRole(username, role) {
      const credentialIds = database.durably(() => {
        if (requireAccount(username).role === role) return [];
        if (role !== "owner") requireOtherOwner(username);
        accounts.setRole(username, role);
        return table.endAll(username);
      });
      revocations.report({ username, credentialIds, reason: "role-changed" });
      return requireAccount(username);
    },
  };
}

/** Throws `NotFoundError`. */
function accountNamed(username: string, accounts: AccountManagementDependencies["accounts"]): Account {
  const account = accounts.get(username);
  if (!account)
    throw new NotFoundError(`There is no account named ${JSON.stringify(username.slice(0, 64))}.`);
  return account;
}

/** Publishes profiles and signs guests in. */
function publicProfileMethods({
  database,
  accounts,
  table,
  credentials,
  revocations,
}: AccountManagementDependencies): Pick<Accounts, "publicProfiles" | "setPublic" | "signInAsGuest"> {
  return {
    publicProfiles: async () => accounts.publicUsernames(),

    async setPublic(username, isPublic) {
      const credentialIds = database.durably(() => {
        accountNamed(username, accounts);
        accounts.setPublic(username, isPublic);
        return isPublic ? [] : table.endGuests(username);
      });
      revocations.report({ username, credentialIds, reason: "guests-ended" });
    },

    async signInAsGuest(username) {
      const { session, ended } = database.durably(() => {
        if (!accounts.publicUsernames().includes(username))
          throw new NotFoundError("There is no public profile of this name.");
        const credentialIds = table.endGuests(username, MAX_GUESTS - 1);
        return {
          session: credentials.startSession(accountNamed(username, accounts), { isGuest: true }),
          ended: credentialIds,
        };
      });
      revocations.report({ username, credentialIds: ended, reason: "guests-ended" });
      return session;
    },
  };
}

/** Excludes letters and digits that look alike. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** Creates a setup code of twelve characters in groups, 60 random bits. */
export function newSetupCode(): string {
  const group = (): string => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return `${group()}-${group()}-${group()}`;
}

/** Compares in constant time, ignoring case and hyphens. */
export function isSetupCode(typed: string, code: string): boolean {
  const bytes = (text: string): Buffer =>
    Buffer.from(
      text
        .toUpperCase()
        .replaceAll(/[^0-9A-Z]/g, "")
        .slice(0, 64)
        .padEnd(64),
    );
  return timingSafeEqual(bytes(typed), bytes(code));
}
