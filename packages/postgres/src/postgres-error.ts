import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import type { ErrorFacts } from "@metahuman/core/errors/metahuman-error";
import { systemCode } from "@metahuman/core/errors/node-error";
import { ConfigInvalidError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import {
  StorageCorruptError,
  StorageFullError,
  StorageUnavailableError,
} from "@metahuman/core/errors/storage-errors";

const RETRY_AFTER_MS = 2_000;

/** The code of a change that a standby or a read-only server refuses. */
export const READ_ONLY = "25006";

/**
 * Transactions that fail with these codes have changed nothing and may succeed when repeated: a deadlock, a conflict, and a connection
 * to a former primary, which is replaced.
 */
export const REPEATABLE: ReadonlySet<string> = new Set(["40001", "40P01", READ_ONLY]);

/** The database cannot be used now, as a sentence. */
export function unavailableError(
  message: string,
  cause?: unknown,
  suggestions: readonly string[] = ["Try again in a moment."],
): StorageUnavailableError {
  return new StorageUnavailableError(message, {
    suggestions: [...suggestions],
    context: { retryAfterMs: RETRY_AFTER_MS, ...codeOf(cause) },
    cause,
  });
}

/**
 * Maps an error of the driver to a typed error by its SQLSTATE
 * ([appendix A](https://www.postgresql.org/docs/15/errcodes-appendix.html)). Returns constraint failures and
 * programming errors unchanged, for the store that caused them. Messages contain neither address nor password;
 * `addressName` names what contains them.
 */
export function toPostgresError(error: unknown, addressName = "METAHUMAN_DATABASE_URL"): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const facts: ErrorFacts = { context: codeOf(error), cause: error };
  return byCode(code, facts, addressName) ?? byFamily(code, facts, addressName) ?? error;
}

function byCode(code: string, facts: ErrorFacts, addressName: string): Error | undefined {
  switch (code) {
    case "3D000":
      return new ConfigInvalidError(`The database named in ${addressName} does not exist.`, {
        ...facts,
        suggestions: ["Create it with createdb, or correct the URL."],
      });
    case "42501":
      return new PermissionDeniedError("The database user lacks a permission.", {
        ...facts,
        suggestions: [
          "Let the user own the database and create roles: ALTER DATABASE … OWNER TO …; ALTER ROLE … CREATEROLE.",
        ],
      });
    case READ_ONLY:
      return unavailableError(
        "The database accepts no changes: the server is read-only or a standby.",
        facts.cause,
      );
    case "53100":
      return new StorageFullError("The database server has no space left; the last change was not made.", {
        ...facts,
        suggestions: ["Free space on the disk of the database server, then try again."],
      });
    case "25P03":
      return unavailableError("The database ended a transaction that was idle for too long.", facts.cause);
    case "53300":
      return unavailableError("The database server has no free connection.", facts.cause);
    case "57014":
      return unavailableError("The database took too long to answer; the change was not made.", facts.cause);
    case "55P03":
      return unavailableError("Another process kept the data busy for too long.", facts.cause);
    case "22021":
    case "22P05":
      return new InvalidArgsError("The text contains a character that cannot be stored.", facts);
    default:
      return undefined;
  }
}

function byFamily(code: string, facts: ErrorFacts, addressName: string): Error | undefined {
  switch (code.length === 5 ? code.slice(0, 2) : code) {
    case "28":
      return new ConfigInvalidError(`The database server rejects the user or password in ${addressName}.`, {
        ...facts,
        suggestions: [`Correct the user and password in ${addressName}.`],
      });
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return unavailableError(
        `The name of the database server in ${addressName} cannot be resolved.`,
        facts.cause,
        [`Correct the host in ${addressName}, or try again when the name service answers.`],
      );
    case "08":
    case "53":
    case "57":
    case "58":
    case "40":
    case "ECONNREFUSED":
    case "ECONNRESET":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
    case "EPIPE":
    case "ENOENT":
      return unavailableError("The database server cannot be reached.", facts.cause, [
        "Try again in a moment.",
        `If this lasts, check that the database server runs and that ${addressName} is its address.`,
      ]);
    case "XX":
      return new StorageCorruptError("The database server reports damaged data.", {
        ...facts,
        suggestions: ["Read the log of the database server, and restore a backup if needed."],
      });
    default:
      return undefined;
  }
}

function codeOf(error: unknown): Record<string, unknown> {
  const code = systemCode(error);
  return code === undefined ? {} : { systemCode: code };
}
