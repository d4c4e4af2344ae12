import { AgentName } from "../contract/agents.ts";
import type { TransferKind } from "../contract/transfer.ts";
import { invalidNameReason, isBlockedName, MAX_DEPTH, MAX_NAME_BYTES } from "../paths/file-names.ts";
import type { Part } from "./parts.ts";

export const MANIFEST = "export.json";
export const COUNTERS = "counters.ndjson";

/** A file that is derived from the functions. Exports do not contain it; imports skip it. */
export const isDerived = (path: string): boolean => path === "memory/functions/manifest.json";

/** The record folders of a profile below `memory/`. */
const RECORDS =
  /^memory\/(?:episodic|actions|reflections|dreams|audio|curiosity|curated|patterns)\/.+\.json$/u;
const TASKS = /^memory\/tasks\/(?:active|completed)\/task-[^/]+\.json$/u;
const SCHEDULES = /^memory\/schedules\/sched-[^/]+\.json$/u;
const FUNCTIONS = /^memory\/functions\/.+\.json$/u;
const ARCHIVE = /^memory\/archive\/.+$/u;
const FILES = /^(?:out|inbox)\/.+$/u;

/** The paths in an export for data of `state.db`. */
export const STATE = {
  conversation: (id: string) => `state/conversations/${id}.json`,
  run: (id: string) => `state/runs/${id}.json`,
  grant: (id: string) => `state/grants/${id}.json`,
  agent: (name: string) => `state/agents/${name}.json`,
  evidence: (functionId: string) => `state/functions/${functionId}.json`,
} as const;

/** The part of a profile that a path belongs to. */
type PartName = Exclude<Part["of"], "manifest" | "refused">;

const PART_PATHS: readonly [PartName, RegExp][] = [
  ["settings", /^profile\.json$/u],
  ["persona", /^persona\/core\.json$/u],
  ["counters", /^counters\.ndjson$/u],
  ["memory", RECORDS],
  ["task", TASKS],
  ["schedule", SCHEDULES],
  ["function", FUNCTIONS],
  ["archive", ARCHIVE],
  ["file", FILES],
  ["conversation", /^state\/conversations\/conv-[^/]+\.json$/u],
  ["run", /^state\/runs\/run-[^/]+\.json$/u],
  ["grant", /^state\/grants\/grant-[^/]+\.json$/u],
  ["agent", new RegExp(`^state/agents/(?:${AgentName.options.join("|")})\\.json$`, "u")],
  ["evidence", /^state\/functions\/func-[^/]+\.json$/u],
];

/**
 * Returns the kind of a path in an export, or the reason why it does not belong there. Never leads out of a profile.
 */
export function entryKind(path: string): { of: PartName; kind: TransferKind } | { reason: string } {
  const segments = path.split("/");
  for (const segment of segments) {
    const problem = segment === "" ? "it contains an empty name" : invalidNameReason(segment);
    if (problem !== undefined) return { reason: problem };
    if (Buffer.byteLength(segment) > MAX_NAME_BYTES) return { reason: "it contains a name that is too long" };
    if (isBlockedName(segment)) return { reason: "files of this kind may contain secrets" };
  }
  if (segments.length > MAX_DEPTH) return { reason: "it is nested too deeply" };
  // Files that are being written, locks and journals.
  if (segments[0] === "memory" && segments.some((segment) => segment.startsWith(".")))
    return { reason: "it is not part of a profile" };
  if (isDerived(path)) return { reason: "it is derived from other files of the backup" };
  const of = PART_PATHS.find(([, form]) => form.test(path))?.[0];
  return of ? { of, kind: kindOf(of) } : { reason: "it is not part of a profile" };
}

function kindOf(of: PartName): TransferKind {
  return of === "evidence" ? "counters" : of;
}
