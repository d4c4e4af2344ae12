import { ArchiveEntry } from "@metahuman/core/contract/http";
import type { FollowingCall, MadeCall } from "@metahuman/core/language/grammar/phrase";

type Reversal = (made: MadeCall) => FollowingCall[] | undefined;

const field = (record: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = record[name];
  return typeof value === "string" ? value : undefined;
};

/** The id of the archive entry that a call reports under `name`. */
function archivedUnder(outputs: MadeCall["outputs"], name: string): string | undefined {
  const entry = outputs[name];
  return typeof entry === "object" && entry !== null && "id" in entry && typeof entry.id === "string"
    ? entry.id
    : undefined;
}

const restoring = (entry: string, args: Record<string, unknown> = {}): FollowingCall => ({
  skill: "archive_restore",
  args: { entry, ...args },
});

/** Restores what the call reports under a name. */
export const restoreUnder =
  (name: string): Reversal =>
  ({ outputs }) => {
    const entry = archivedUnder(outputs, name);
    return entry === undefined ? undefined : [restoring(entry)];
  };

/** The output field under which a deletion reports what it moved to the archive. */
export const Removed = ArchiveEntry.describe("The archive entry to restore it from");

/** The fact about a deletion in its preview. */
export const RESTORABLE = { label: "afterwards", value: "can be restored from the archive" };

/** Undoes a deletion: restores what the call reports under `removed`. */
export const restoreRemoved: Reversal = restoreUnder("removed");

/**
 * Undoes a write of the file that the call reports under `path`: deletes a new file, restores the text of one that was
 * replaced. A change without an archived text cannot be undone.
 */
export const undoWrite =
  (path: string, isNew: (outputs: MadeCall["outputs"]) => boolean): Reversal =>
  ({ outputs }) => {
    const written = field(outputs, path);
    const entry = archivedUnder(outputs, "archived");
    if (entry !== undefined) return [restoring(entry, { overwrite: true })];
    return written !== undefined && isNew(outputs)
      ? [{ skill: "fs_delete", args: { path: written } }]
      : undefined;
  };

/** Undoes the creation of a record: calls `skill` with the id that the call reports. */
export const removeCreated =
  (skill: string): Reversal =>
  ({ outputs }) => {
    const id = field(outputs, "id");
    return id === undefined ? undefined : [{ skill, args: { id } }];
  };

/** Undoes an edit of a record: sets the values that it had before, as the call reports them under `before`. */
export const restorePreviousValues =
  (skill: string): Reversal =>
  ({ outputs }) => {
    const id = field(outputs, "id");
    const { before } = outputs;
    return id !== undefined && typeof before === "object" && before !== null
      ? [{ skill, args: { id, ...before } }]
      : undefined;
  };

/** Undoes a move, and restores what was replaced by it. */
export const reverseMove: Reversal = ({ outputs }) => {
  const [from, to] = [field(outputs, "from"), field(outputs, "to")];
  if (from === undefined || to === undefined) return undefined;
  const entry = archivedUnder(outputs, "archived");
  return [
    { skill: "fs_move", args: { from: to, to: from } },
    ...(entry === undefined ? [] : [restoring(entry)]),
  ];
};
