import { StaleVersionError } from "../../errors/request-errors.ts";

/**
 * The version that a record has after an edit. Throws `StaleVersionError`, with the current record and what was to be
 * changed, when the edit names another version than the current one.
 */
export function nextVersion(
  subject: "memory" | "task",
  current: { version?: number | undefined },
  { version, ...yours }: { version?: number | undefined },
): number {
  const { version: currentVersion = 1 } = current;
  if (version !== undefined && version !== currentVersion)
    throw new StaleVersionError(
      `The ${subject} is at version ${currentVersion}; this change starts from version ${version}.`,
      {
        suggestions: ["Look at what changed, then save again from the current version."],
        context: { currentVersion, current, yours },
      },
    );
  return currentVersion + 1;
}
