import { ArchiveEntry } from "@metahuman/core/contract/http";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import {
  AlreadyExistsError,
  InvalidArgsError,
  PathOutsideWorkspaceError,
} from "@metahuman/core/errors/request-errors";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { z } from "zod";
import { contentWords, stemOf, searchTerms } from "@metahuman/core/text/words";
import { formatMoment } from "@metahuman/core/language/dates/clock";
import { approvedContentCheck, defineSkill } from "../define-skill.ts";
import type { SkillPorts } from "../ports.ts";
import { joinNames, linePreview } from "../support/phrasing.ts";
import { restoreDiff } from "../support/text-diff.ts";

const restore = "(restore|undelete|recover|bring back|get back)";

const phrases: readonly (string | Phrase)[] = [
  `${restore} [the|a] [(previous|earlier|old|older|last|former|original) version of] [the] [deleted|removed] [file] {entry} [from the (archive|bin|trash)] [back]`,
  "(bring|get|put) [the] [deleted] [file] {entry} back [from the (archive|bin|trash)]",
  {
    template:
      "(bring|get|put|give me) back the {entry} folder|(bring|get|put) the {entry} folder back [from the (archive|bin|trash)]",
    slots: { entry: { type: "folder", sample: "trips" } },
  },
  {
    template: `${restore} the [deleted|removed] (file|note|memory|task) [called|about] {entry}`,
    slots: { entry: { type: "query", sample: "buy milk" } },
  },
  {
    template: `${restore} the [deleted|removed] {entry} (=file|=note|=memory|=task)|(bring|get|put|give me) the [deleted|removed] {entry} (=file|=note|=memory|=task) back`,
    slots: { entry: { type: "query", sample: "milk" } },
  },
  // "Restore the dentist": what it is, was said when it was deleted.
  {
    template: `${restore} the [deleted|removed] {entry}|bring the [deleted|removed] {entry} back|bring back the [deleted|removed] {entry}`,
    slots: { entry: { type: "query", sample: "dentist" } },
    lastResort: true,
    isUnlisted: true,
  },
];

const slots: Record<string, SlotType | Slot> = { entry: "path" };

const results: Results = { path: "origin" };

type Ports = Pick<SkillPorts, "archive" | "tasks" | "memory" | "files" | "schedules">;

/** The entries whose path or title has every word. */
function withAllWords(entries: readonly ArchiveEntry[], searchedWords: string): ArchiveEntry[] {
  const asked = contentWords(searchedWords);
  return asked.length === 0
    ? []
    : entries.filter(({ title, origin }) => {
        const words = new Set(searchTerms(`${title} ${origin}`).map(stemOf));
        return asked.every((word) => words.has(stemOf(word)));
      });
}

/** The entry with this id, else the newest one of this path or title, else the only one that has the words. */
async function entryFor(query: string, ports: Ports): Promise<ArchiveEntry> {
  const { archive, tasks, memory, files } = ports;
  const entries = (await Promise.all([archive.list(), tasks.archived(), memory.archived()]))
    .flat()
    // It comes back with the memory that it was archived with.
    .filter(({ forgottenWith }) => forgottenWith === undefined)
    .sort((one, other) => other.archivedAt.localeCompare(one.archivedAt));
  const title = query.trim().toLowerCase();
  const path = pathOf(query, files);
  const found =
    entries.find(({ id }) => id === query) ??
    entries.find((entry) => entry.kind === "file" && entry.origin === path) ??
    entries.find((entry) => entry.title.toLowerCase() === title);
  if (found) return found;
  const similar = withAllWords(entries, query);
  const [newest] = similar;
  if (newest && similar.every(({ title: other }) => other === newest.title)) return newest;
  if (newest)
    throw new InvalidArgsError(`Several things in the archive fit ${linePreview(query)}.`, {
      suggestions: [...new Set(similar.map((entry) => entry.title))].slice(0, 3),
    });
  const schedules = await ports.schedules.archived();
  const [schedule] = [
    ...schedules.filter(({ id }) => id === query),
    ...withAllWords(schedules, query).toSorted((one, two) => two.archivedAt.localeCompare(one.archivedAt)),
  ];
  if (schedule !== undefined) return schedule;
  throw new NotFoundError(`Nothing in the archive is called ${linePreview(query)}.`, {
    suggestions: entries.slice(0, 3).map((entry) => entry.title),
  });
}

/** The canonical path; undefined if the query is not a path. */
function pathOf(query: string, files: Ports["files"]): string | undefined {
  try {
    return files.resolve(query).path;
  } catch (error) {
    if (error instanceof PathOutsideWorkspaceError || error instanceof InvalidArgsError) return undefined;
    throw error;
  }
}

/** How many paths of a restored folder are reported. */
const REPORTED_PATHS = 50;

/** The paths in a restored folder; undefined for a file. */
async function contentOf(
  path: string,
  files: Ports["files"],
  signal: AbortSignal,
): Promise<{ paths: string[]; total: number } | undefined> {
  if ((await files.state(path)).kind !== "folder") return undefined;
  const { entries, total } = await files.list(path, { recursive: true, limit: REPORTED_PATHS, signal });
  return { paths: entries.map((entry) => entry.path), total };
}

export const archiveRestore = defineSkill({
  id: "archive_restore",
  summary: "Undo a deletion or a change: restore what was deleted or overwritten, from the archive",
  category: "files",
  input: z.strictObject({
    entry: z
      .string()
      .trim()
      .min(1)
      .max(1_024)
      .describe("The archive id, or the item's former path or title; the newest match is restored"),
    overwrite: z.boolean().default(false).describe("Replace an existing file; its text is archived"),
  }),
  output: z.strictObject({
    id: z.string(),
    origin: z.string(),
    restored: ArchiveEntry,
    content: z
      .strictObject({ paths: z.array(z.string()), total: z.int().nonnegative() })
      .optional()
      .describe("For a folder: the first paths in it, and their number"),
  }),
  effects: "write",
  risk: "low",
  phrases,
  slots,
  results,
  assess: async ({ entry, overwrite }, ports, region) => {
    const found = await entryFor(entry, ports);
    const isFile = found.kind === "file";
    const taken = isFile && (await ports.files.state(found.origin)).kind !== "absent";
    if (taken && !overwrite)
      throw new AlreadyExistsError(`${found.origin} already exists.`, {
        suggestions: [
          "To put the old text in its place, use overwrite: true; what is there now is archived.",
        ],
        context: { path: found.origin, instead: [{ overwrite: true }] },
      });
    const paths = isFile ? [found.origin] : [];
    const diff = isFile ? await restoreDiff(ports, found, taken) : undefined;
    return {
      risk: taken || (isFile && ports.files.resolve(found.origin).root !== "out") ? "high" : "low",
      preview: {
        title: `Restore ${linePreview(found.title)}?`,
        target: found.origin,
        ...(diff && { diff }),
        facts: [
          { label: "what", value: found.kind },
          { label: "to", value: found.origin },
          { label: "archived", value: formatMoment(found.archivedAt, region) },
          ...(taken ? [{ label: "what is there now", value: "kept in the archive" }] : []),
        ],
      },
      ...(isFile && { content: (signal: AbortSignal) => ports.files.content([found.origin], signal) }),
      overwrites: taken,
      canBeUndone: true,
      paths,
      hosts: [],
      grant: isFile ? { pathPrefix: found.origin } : {},
    };
  },
  narrate: ({ restored, content }) => {
    const what = restored.kind === "file" ? restored.origin : `“${linePreview(restored.title)}”`;
    const held = content && content.total > 0 ? ` with ${joinNames(content.paths, content.total)}` : "";
    return `Restored ${what}${held}.`;
  },
  structure: ({ restored, content }) =>
    [
      `- ${restored.kind}: ${linePreview(restored.title)}`,
      `- to: ${restored.origin}`,
      ...(content && content.total > 0 ? [`- with: ${joinNames(content.paths, content.total)}`] : []),
    ].join("\n"),
  run: async ({ entry, overwrite }, call) => {
    const { ports, signal, assessment } = call;
    const found = await entryFor(entry, ports);
    await approvedContentCheck(call)?.();
    switch (found.kind) {
      case "file":
        await ports.archive.restore(found.id, {
          replace: overwrite && assessment.overwrites === true,
          signal,
        });
        break;
      case "task":
        await ports.tasks.restore(found.id);
        break;
      case "memory":
        await ports.memory.restore(found.id);
        break;
      case "schedule":
        await ports.schedules.restore(found.id);
        break;
      case "function":
        throw new InvalidArgsError(`A deleted ${found.kind} is restored on the page that lists it.`);
      default:
        return found.kind satisfies never;
    }
    const content = found.kind === "file" ? await contentOf(found.origin, ports.files, signal) : undefined;
    return { id: found.id, origin: found.origin, restored: found, ...(content && { content }) };
  },
});
