import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import {
  type ExportManifest,
  type ImportItem,
  ImportOutcome,
  type ImportReport,
} from "../contract/transfer.ts";
import { ImportIncompleteError, InvalidArgsError } from "../errors/request-errors.ts";
import { toErrorDetail } from "../errors/to-error-detail.ts";
import { fileText, parseFile } from "../files/file-content.ts";
import { type ProfileQuota, quotaError } from "../profiles/profile-quota.ts";
import {
  agentImporter,
  conversationImporter,
  countersImporter,
  evidenceImporter,
  grantImporter,
  runImporter,
} from "./import-state.ts";
import { memoryImporter, scheduleImporter, taskImporter } from "./import-records.ts";
import { beginProgress, type ImportProgress, readProgress } from "./import-progress.ts";
import { isDerived, MANIFEST } from "./entry-kind.ts";
import type { ImportContext, ImportOptions, ImportTarget } from "./import-target.ts";
import { readZip } from "./read-zip.ts";
import type { StoredFiles } from "./stored-files.ts";
import { partsInWorker } from "./parts-in-worker.ts";
import type { BatchImporter, Importer } from "./parts.ts";
import { truncate } from "../text/format.ts";

/**
 * Imports an export into a profile, or reports the expected result. Validates every part as untrusted input: refuses
 * unusable parts individually, keeps existing ones, and executes nothing. A profile without memories and tasks also
 * gets settings, persona and grants. Throws `InvalidArgsError` for a broken or malicious zip. If it stops after a part
 * was written, it throws `ImportIncompleteError` with a list of what was imported; the same import can be repeated.
 */
export async function importProfile(
  zipPath: string,
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportReport> {
  const report = createReport(options.apply);
  try {
    const records = await recordsIn(zipPath, options.signal);
    const intoNew = await isNewProfile(target);
    const partOptions = { ...options, importsSettings: intoNew || options.replace };
    if (!options.apply) {
      await importParts(zipPath, target, partOptions, report.source, report.note);
      return report.done();
    }
    await assertSpaceFor(zipPath, { files: target.files, quota: target.quota, replace: options.replace });
    const startedAt = target.clock().toISOString();
    const progress = await beginProgress(target.paths.root, { startedAt, records, intoNew });
    let outcome: Parameters<ImportProgress["end"]>[0] = "failed";
    try {
      await importParts(zipPath, target, partOptions, report.source, (item) => {
        report.note(item);
        progress.note(item);
      });
      outcome = "finished";
    } finally {
      await progress.end(outcome);
    }
    return report.done();
  } catch (error) {
    const { applied, kinds, totals } = report.done();
    if (!applied || totals.added + totals.changed === 0) throw error;
    throw new ImportIncompleteError(
      `The import stopped early: ${toErrorDetail(error).message} In place: ${inPlace(kinds)}.`,
      {
        suggestions: ["Import the same backup again: it leaves what is in place and adds the rest."],
        context: { report: report.done(), cause: toErrorDetail(error) },
        cause: error,
      },
    );
  }
}

/** True for a profile without memories and tasks, and for one that had none before an interrupted import. */
async function isNewProfile({ memory, tasks, paths }: ImportTarget): Promise<boolean> {
  const [memories, allTasks, interrupted] = await Promise.all([
    memory.list({ limit: 1 }),
    tasks.list({ limit: 1, includeDone: true }),
    readProgress(paths.root),
  ]);
  return interrupted?.intoNew === true || (memories.total === 0 && allTasks.total === 0);
}

/** "12 memories, 1 file". */
function inPlace(kinds: ImportReport["kinds"]): string {
  return Object.entries(kinds)
    .map(([kind, { added, changed }]): [string, number] => [kind, added + changed])
    .filter(([, count]) => count > 0)
    .map(
      ([kind, count]) =>
        `${count} ${count === 1 ? (SINGULAR.get(kind) ?? kind) : (PLURAL.get(kind) ?? `${kind}s`)}`,
    )
    .join(", ");
}

const SINGULAR = new Map([
  ["archive", "archived file"],
  ["counters", "file of counters"],
]);
const PLURAL = new Map([
  ["memory", "memories"],
  ["settings", "settings"],
  ["archive", "archived files"],
  ["counters", "files of counters"],
]);

/** Counts the entries of a zip. Throws for a zip that is invalid as a whole, before anything is written. */
async function recordsIn(zipPath: string, signal: AbortSignal): Promise<number> {
  let records = 0;
  for await (const { path } of readZip(zipPath)) {
    signal.throwIfAborted();
    if (path !== MANIFEST && !isDerived(path)) records += 1;
  }
  return records;
}

async function importParts(
  zipPath: string,
  target: ImportTarget,
  options: ImportOptions & Pick<ImportContext, "importsSettings">,
  onManifest: (manifest: ExportManifest) => void,
  report: (item: ImportItem) => void,
): Promise<void> {
  const { signal } = options;
  const context: ImportContext = { ...options, report };
  const memory = memoryImporter(target, context);
  const task = taskImporter(target, context);
  const schedule = scheduleImporter(target, context);
  const settings = settingsImporter(target, context);
  const files = fileImporter(target, context);
  const counters = countersImporter(target, context);
  const evidence = evidenceImporter(target, context);
  const conversations = conversationImporter(target, context);
  const runs = runImporter(target, context, (id) => conversations.isHere(id));
  const grants = grantImporter(target, context);
  const agents = agentImporter(target, context);

  const parts = partsInWorker(zipPath, { username: target.username, signal });
  for await (const part of parts) {
    signal.throwIfAborted();
    switch (part.of) {
      case "manifest":
        onManifest(part.value);
        break;
      case "refused": {
        const { path, kind, reason } = part;
        context.report({ path, ...(kind && { kind }), outcome: "refused", reason });
        break;
      }
      case "memory":
        await memory.add(part);
        break;
      case "task":
        await task.add(part);
        break;
      case "schedule":
        await schedule.add(part);
        break;
      case "settings":
      case "persona":
        await settings.add(part);
        break;
      case "counters":
        await counters.add(part);
        break;
      case "evidence":
        await evidence.add(part);
        break;
      case "function":
      case "archive":
      case "file":
        await files.add(part);
        break;
      case "conversation":
        await conversations.add(part);
        break;
      case "run":
        await runs.add(part);
        break;
      case "grant":
        await grants.add(part);
        break;
      case "agent":
        await agents.add(part);
        break;
      default:
        part satisfies never;
    }
  }
  for (const importer of [memory, settings]) await importer.finish();
  // Files bypass the quota, which was checked for all of them at the start.
  if (options.apply) await target.quota.recount();
}

/** The maximum number of items to report individually. */
const MAX_ITEMS = 500;
/** The outcomes to report first. */
const FIRST: readonly ImportOutcome[] = ["refused", "conflicting", "changed", "added"];

/** Collects the outcome of each item of an import. */
function createReport(applied: boolean) {
  let source: ExportManifest | undefined;
  const none = { added: 0, changed: 0, unchanged: 0, conflicting: 0, refused: 0 };
  const totals = { ...none };
  const kinds: ImportReport["kinds"] = {};
  const items = new Map<ImportOutcome, ImportItem[]>(ImportOutcome.options.map((outcome) => [outcome, []]));
  return {
    note(item: ImportItem): void {
      totals[item.outcome] += 1;
      if (item.kind) (kinds[item.kind] ??= { ...none })[item.outcome] += 1;
      const known = items.get(item.outcome);
      if (item.outcome !== "unchanged" && known && known.length < MAX_ITEMS)
        known.push({ ...item, path: item.path.slice(0, 1_000) });
    },
    source: (manifest: ExportManifest): void => void (source = manifest),
    done: (): ImportReport => ({
      applied,
      ...(source && { source }),
      totals,
      kinds,
      items: FIRST.flatMap((outcome) => items.get(outcome) ?? []).slice(0, MAX_ITEMS),
    }),
  };
}

/** The paths of an export that become files of the profile. */
const STORED_AS_FILES = /^(?:out|inbox|memory)\//u;

/**
 * Throws `QuotaExceededError` if the new files of an export do not fit, before any is written. Existing files count
 * only if they are replaced, because the archive keeps them.
 */
async function assertSpaceFor(
  zipPath: string,
  { files, quota, replace }: { files: Pick<StoredFiles, "sizeOf">; quota: ProfileQuota; replace: boolean },
): Promise<void> {
  const used = await quota.recount();
  const isTooMuch = ({ bytes, files }: { bytes: number; files: number }) =>
    used.bytes + bytes > used.maxBytes || used.files + files > used.maxFiles;
  const all = { bytes: 0, files: 0 };
  for await (const entry of readZip(zipPath)) {
    if (!STORED_AS_FILES.test(entry.path)) continue;
    all.bytes += entry.bytes;
    all.files += 1;
  }
  if (!isTooMuch(all)) return;
  // The existing files are examined only if the export as a whole may not fit.
  const added = { bytes: 0, files: 0 };
  for await (const entry of readZip(zipPath)) {
    if (!STORED_AS_FILES.test(entry.path)) continue;
    const there = await files.sizeOf(entry.path);
    if (there !== undefined && (!replace || there === entry.bytes)) continue;
    added.bytes += entry.bytes;
    added.files += 1;
  }
  if (isTooMuch(added)) throw quotaError(used, added, used, "what this backup adds");
}

/** Archived files of the workspace are not records. */
const ARCHIVED_FILES = "memory/archive/files/";

/**
 * Imports files byte for byte: workspace, archive and functions. Existing functions and archived items are never
 * replaced, because they record what was promoted and what existed. Where settings are not imported, a function that is new
 * here becomes a draft, because nobody promoted it in this profile.
 */
function fileImporter(
  { files, archive, records }: ImportTarget,
  { apply, replace, importsSettings, signal, report }: ImportContext,
): Importer<"file" | "archive" | "function"> {
  return {
    async add({ of: kind, path, value: bytes }) {
      const verified = kind === "function" ? verifiedFunction(bytes) : undefined;
      const stored = verified && !importsSettings ? verified.draft : bytes;
      const trustReason = verified && (importsSettings ? verified.reach : DRAFT_REASON);
      const reportAs = (outcome: ImportItem["outcome"], reason?: string): void =>
        report({ path, kind, outcome, ...(reason !== undefined && { reason }) });
      if (records && kind !== "file" && !path.startsWith(ARCHIVED_FILES)) {
        try {
          const isStored = stored === bytes;
          const outcome = await records.add({ path, bytes }, { apply: apply && isStored });
          if (outcome === "added" && apply && !isStored)
            await records.add({ path, bytes: stored }, { apply });
          if (outcome === "conflicting") reportAs(outcome, "another record has this name here");
          else reportAs(outcome, outcome === "added" ? trustReason : undefined);
        } catch (error) {
          if (!(error instanceof InvalidArgsError)) throw error;
          reportAs("refused", error.message);
        }
        return;
      }
      const existing = await files.read(path);
      if (existing === "blocked") return reportAs("refused", "a link or another file is in its place");
      if (existing === undefined) {
        if (apply) await files.create(path, stored);
        return reportAs("added", trustReason);
      }
      if (existing.equals(bytes) || existing.equals(stored)) return reportAs("unchanged");
      if (kind !== "file" || !replace) return reportAs("conflicting", "another file has this name here");
      if (apply) {
        await archive.keepCopy(path, { signal });
        await files.replace(path, bytes);
      }
      reportAs("changed");
    },
  };
}

const DRAFT_REASON = "It is a draft here: read what it does, then promote it.";

const VerifiedFunction = z.looseObject({
  title: z.string(),
  trust: z.literal("verified"),
  skillsUsed: z.array(z.string()),
});

/** A function that planners would use without a person's decision; undefined for a draft and for other files of functions. */
function verifiedFunction(bytes: Uint8Array): { reach: string; draft: Uint8Array } | undefined {
  const read = parseFile(VerifiedFunction, bytes);
  if (!("value" in read)) return undefined;
  const { verification: _report, ...content } = read.value;
  const { title, skillsUsed } = content;
  return {
    reach: `“${truncate(title, MAX_VALUE_LENGTH)}” is verified and may be used without asking: ${skillsUsed.join(", ") || "no skill"}`,
    draft: new TextEncoder().encode(fileText({ ...content, trust: "draft" })),
  };
}

/**
 * Imports settings and persona, and describes each change, so that no trust level changes unnoticed. They are only
 * applied to a new profile, or if differing items are to be replaced.
 */
function settingsImporter(
  { store }: ImportTarget,
  { apply, importsSettings, mayOpenFolders, report }: ImportContext,
): BatchImporter<"settings" | "persona"> {
  const later: (() => Promise<unknown>)[] = [];

  /** Applied settings are reported at the end. */
  function compare(
    item: { path: string; kind: "settings" | "persona" },
    [current, found]: readonly [object, object],
    change: () => Promise<unknown>,
  ): void {
    const reason = differences(current, found);
    if (reason === "") return report({ ...item, outcome: "unchanged" });
    if (!importsSettings) return report({ ...item, outcome: "conflicting", reason });
    later.push(async () => {
      if (apply) await change();
      report({ ...item, outcome: "changed", reason });
    });
  }

  return {
    async add(part) {
      const { path } = part;
      if (part.of === "persona") {
        const { value } = part;
        return compare({ path, kind: "persona" }, [await store.persona(), value], () =>
          store.changePersona(value),
        );
      }
      const current = await store.settings();
      const { workspaceRoots, ...settings } = part.value;
      const found = { ...settings, workspaceRoots: mayOpenFolders ? workspaceRoots : current.workspaceRoots };
      compare({ path, kind: "settings" }, [current, found], () => store.changeSettings(found));
    },
    // Applied last, because a mode without writes would stop the import.
    async finish() {
      for (const change of later) await change();
    },
  };
}

const MAX_VALUE_LENGTH = 80;

/** Describes each differing field: `trustLevel: "suggest" becomes "bounded_auto"`. */
function differences(current: object, found: object): string {
  const before = new Map<string, unknown>(Object.entries(current));
  return Object.entries(found)
    .filter(([field, value]) => !isDeepStrictEqual(before.get(field), value))
    .map(([field, value]) => `${field}: ${formatValue(before.get(field))} becomes ${formatValue(value)}`)
    .join("; ");
}

function formatValue(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return truncate(text, MAX_VALUE_LENGTH);
}
