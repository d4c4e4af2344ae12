import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConflictError } from "../errors/request-errors.ts";
import { createFile, removeFile } from "../files/durable-file.ts";
import { homePaths } from "../paths/data-root.ts";

const SUBJECT = "the mark of a migration";
const markOf = (home: string): string => join(homePaths(home).profiles, ".migration");

/** Whether a migration into this data root was begun and has not ended. */
export function isBeingMigrated(home: string): boolean {
  return existsSync(markOf(home));
}

/** Marks a data root as incomplete; has no effect on one that is marked. */
export async function markMigration(home: string): Promise<void> {
  if (!isBeingMigrated(home)) await createFile(markOf(home), "Accounts are being moved here.\n", SUBJECT);
}

export async function unmarkMigration(home: string): Promise<void> {
  await removeFile(markOf(home), SUBJECT);
}

/** The reason why no owner account can be created yet. */
export function migrationNotEnded(): ConflictError {
  return new ConflictError(
    "A migration into this installation has not ended, so no owner account can be created here.",
    {
      suggestions: [
        "Run the same mh migrate command again; it continues where it was cut off. To begin with a new owner instead, use an empty database or data root.",
      ],
    },
  );
}

/**
 * Throws `ConflictError` if an installation has owners who are not expected: people who would share it without knowing.
 */
export function assertNoOtherOwner(owners: readonly string[], expected: readonly string[]): void {
  const others = owners.filter((owner) => !expected.includes(owner));
  if (others.length === 0) return;
  throw new ConflictError(
    `The target already belongs to ${others.join(", ")}, who is no owner in the source. Nothing was moved.`,
    {
      suggestions: [
        "Name an empty database or data root, or move one profile at a time with --profile, beside that owner.",
      ],
      context: { owners: others },
    },
  );
}
