import type { Account, AccountRole } from "../contract/account.ts";
import { AlreadyExistsError, ConflictError } from "../errors/request-errors.ts";
import { ForbiddenError } from "../errors/access-errors.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { checkNewPassword, checkUsername } from "./account-input.ts";
import type { Accounts, NewAccount } from "./accounts.ts";
import { retireSignedHead } from "../audit/signing.ts";
import { hasProfileFolder, makeProfile, setProfileAside } from "./profile-lifecycle.ts";
import type { SignInParts } from "./sign-in.ts";
import { randomInt, timingSafeEqual } from "node:crypto";

export interface MembershipParts extends SignInParts {
  home: string;
}

/** The guests that a profile has at once; one more ends the session that was not used for longest. */
const MAX_GUESTS = 50;

/** Under which wrong setup codes are counted; no username can have this form. */
const SETUP = "(setup)";

/** Who has an account: the first owner, those added later, their roles. */
export function createMembership(
  parts: MembershipParts,
): Pick<Accounts, "isEmpty" | "setupCode" | "setup" | "add" | "remove" | "list" | "get" | "setRole" | "publicProfiles" | "setPublic" | "signInAsGuest"> {
  const { home, database, accounts, table, credentials, passwords, limits, revocations } = parts;
  let code: string | undefined;

  const setupCode = (): string | undefined => (accounts.isEmpty() ? (code ??= newSetupCode()) : undefined);

  function existing(username: string): Account {
    const account = accounts.get(username);
    if (!account)
      throw new NotFoundError(`There is no account named ${JSON.stringify(username.slice(0, 64))}.`);
    return account;
  }

  function mustBeEmpty(): void {
    if (!accounts.isEmpty()) throw new ConflictError("This system has an owner already. Sign in instead.");
  }

  function mustBeFree(username: string): void {
    if (accounts.get(username))
      throw new AlreadyExistsError(`There is an account named ${username} already.`);
  }

  function mustKeepAnOwner(username: string): void {
    if (!accounts.hasOtherOwner(username)) {
      throw new ConflictError("There must be an owner; make somebody else owner first.");
    }
  }

  /** `mayInsert` is asked again inside the transaction: hashing takes time. */
  async function create(request: NewAccount, role: AccountRole, mayInsert: () => void): Promise<Account> {
    const username = checkUsername(request.username);
    const hash = await passwords.hash(checkNewPassword(request.password));
    const account: Account = { username, role, createdAt: new Date().toISOString() };
    database.durably(() => {
      mayInsert();
      accounts.insert(account, hash);
    });
    await makeProfile(home, username, request.displayName);
    return account;
  }

  return {
    isEmpty: async () => accounts.isEmpty(),
    setupCode: async () => setupCode(),

    async setup(request, from) {
      mustBeEmpty();
      if (!from.fromLoopback) {
        const expected = setupCode();
        const isRight = await limits.attempt(SETUP, from.address, async () =>
          expected !== undefined && isSetupCode(request.setupCode ?? "", expected) ? true : undefined,
        );
        if (isRight === undefined) {
          throw new ForbiddenError("The setup code is wrong.", {
            suggestions: ["Use the code that the program printed when it started."],
          });
        }
      }
      const account = await create(request, "owner", mustBeEmpty);
      code = undefined;
      return database.transaction(() => credentials.startSession(account));
    },

    async add(request) {
      const username = checkUsername(request.username);
      mustBeFree(username);
      if (await hasProfileFolder(home, username)) {
        throw new AlreadyExistsError(`There is a profile folder named ${username} without an account.`, {
          suggestions: ["Take another name, or move that folder out of profiles/ first."],
        });
      }
      return await create(request, request.role, () => mustBeFree(username));
    },

    async remove(username) {
      const credentialIds = database.durably(() => {
        existing(username);
        mustKeepAnOwner(username);
        const ended = table.endAll(username);
        accounts.remove(username);
        return ended;
      });
      revocations.tell({ username, credentialIds, reason: "account-removed" });
      await setProfileAside(home, username);
      await retireSignedHead(home, username);
    },

    publicProfiles: async () => accounts.publicOnes(),

    async setPublic(username, isPublic) {
      const credentialIds = database.durably(() => {
        existing(username);
        accounts.setPublic(username, isPublic);
        return isPublic ? [] : table.endGuests(username);
      });
      revocations.tell({ username, credentialIds, reason: "guests-ended" });
    },

    async signInAsGuest(username) {
      const { session, ended } = database.durably(() => {
        if (!accounts.publicOnes().includes(username))
          throw new NotFoundError("There is no public profile of this name.");
        const credentialIds = table.endGuests(username, MAX_GUESTS - 1);
        return { session: credentials.startSession(existing(username), { isGuest: true }), ended: credentialIds };
      });
      revocations.tell({ username, credentialIds: ended, reason: "guests-ended" });
      return session;
    },

    list: async () => accounts.list(),
    get: async (username) => existing(username),

    async setRole(username, role) {
      const credentialIds = database.durably(() => {
        if (existing(username).role === role) return [];
        if (role !== "owner") mustKeepAnOwner(username);
        accounts.setRole(username, role);
        return table.endAll(username);
      });
      revocations.tell({ username, credentialIds, reason: "role-changed" });
      return existing(username);
    },
  };
}

/** Without letters and digits that look alike when read off a screen. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** A code to type: twelve characters in groups, 60 random bits. */
function newSetupCode(): string {
  const group = (): string => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return `${group()}-${group()}-${group()}`;
}

/** Compares in constant time; small letters and missing hyphens are forgiven. */
function isSetupCode(typed: string, code: string): boolean {
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
