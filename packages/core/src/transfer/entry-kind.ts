import type { TransferKind } from "../contract/transfer.ts";
import { MAX_DEPTH } from "../paths/confine.ts";
import { MAX_NAME_BYTES, nameProblem } from "../paths/names.ts";
import { isOutOfReach } from "../paths/out-of-reach.ts";

export const MANIFEST = "export.json";
export const COUNTERS = "counters.ndjson";

/** Folders of records below `memory/`, as profiles have them. */
const RECORDS =
  /^memory\/(?:episodic|actions|reflections|dreams|audio|curiosity|curated|patterns)\/.+\.json$/u;
const TASKS = /^memory\/tasks\/(?:active|completed)\/task-[^/]+\.json$/u;
const FUNCTIONS = /^memory\/functions\/.+\.json$/u;
const ARCHIVE = /^memory\/archive\/.+$/u;
const FILES = /^(?:out|inbox)\/.+$/u;

const KINDS: readonly [TransferKind, RegExp][] = [
  ["settings", /^profile\.json$/u],
  ["persona", /^persona\/core\.json$/u],
  ["counters", /^counters\.ndjson$/u],
  ["memory", RECORDS],
  ["task", TASKS],
  ["function", FUNCTIONS],
  ["archive", ARCHIVE],
  ["file", FILES],
];

/** What a path of an export is; the reason when it is nothing that belongs into one. Never leads out of a profile. */
export function entryKind(path: string): { kind: TransferKind } | { reason: string } {
  const segments = path.split("/");
  for (const segment of segments) {
    const problem = segment === "" ? "it holds an empty name" : nameProblem(segment);
    if (problem !== undefined) return { reason: problem };
    if (Buffer.byteLength(segment) > MAX_NAME_BYTES) return { reason: "it holds a name that is too long" };
    if (isOutOfReach(segment)) return { reason: "it is of a kind that may hold secrets" };
  }
  if (segments.length > MAX_DEPTH) return { reason: "it lies too deep" };
  // Files that are still being written, locks and journals.
  if (segments[0] === "memory" && segments.some((segment) => segment.startsWith(".")))
    return { reason: "it is not a part of a profile" };
  const found = KINDS.find(([, form]) => form.test(path));
  return found ? { kind: found[0] } : { reason: "it is not a part of a profile" };
}
