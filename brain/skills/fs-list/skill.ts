import { z } from "zod";
import type { Region } from "@metahuman/core/contract/region";
import { formatBytes, formatCount } from "@metahuman/core/text/format";
import { formatMoment } from "@metahuman/core/language/dates/clock";
import { defineSkill } from "../define-skill.ts";
import { table } from "../markdown.ts";
import { joinNames } from "../support/phrasing.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import * as grammar from "./phrases.ts";

const Entry = z.strictObject({
  name: z.string(),
  /** Canonical path; distinguishes entries with the same name in a recursive listing. */
  path: z.string(),
  kind: z.enum(["file", "folder", "other"]),
  bytes: z.int().nonnegative(),
  modified: z.iso.datetime(),
});

/** The path relative to the listed folder; folders end in a slash. */
function relativePath(folder: string, entry: z.infer<typeof Entry>): string {
  const below = entry.path.startsWith(`${folder}/`) ? entry.path.slice(folder.length + 1) : entry.name;
  return entry.kind === "folder" ? `${below}/` : below;
}

/** A person who searches for words may mean words in files. */
const where = (path: string, pattern: string | undefined, search = "“search my files for …”"): string =>
  pattern === undefined
    ? `in ${path}/.`
    : `in ${path}/ with a name like ${pattern}; ${search} looks into files.`;

interface Listing {
  path: string;
  entries: readonly z.infer<typeof Entry>[];
  total: number;
  pattern?: string | undefined;
}

/** Formats entries as a table with a column for the size of each file. */
function formatEntries(
  { path, entries, total }: Listing,
  size: { name: string; of: (entry: z.infer<typeof Entry>) => string },
  region: Region,
): string {
  const rows = entries.map((entry) => [
    relativePath(path, entry),
    entry.kind,
    entry.kind === "file" ? size.of(entry) : "",
    formatMoment(entry.modified, region),
  ]);
  const more =
    total > entries.length ? `\n\n${formatCount(total - entries.length, "more entry", "more entries")}.` : "";
  return `${path}/\n\n${table(["name", "kind", size.name, "modified"], rows)}${more}`;
}

export const fsList = defineSkill({
  id: "fs_list",
  summary: "List the files of a folder",
  category: "files",
  input: z.strictObject({
    path: WorkspacePath.describe("A folder such as out/notes").default("out"),
    pattern: z.string().min(1).max(256).optional().describe("A glob such as *.md or notes/**"),
    recursive: z.boolean().default(false).describe("With everything inside the folders"),
    limit: z.int().positive().max(1_000).default(200),
  }),
  output: z.strictObject({
    path: z.string(),
    entries: z.array(Entry),
    total: z.int().nonnegative(),
    pattern: z.string().optional().describe("The pattern that names were matched with"),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  notes: "Links and special files show as kind other; secrets, keys and databases are not listed.",
  ...grammar,
  narrate: ({ path, entries, total, pattern }) =>
    total === 0
      ? `Found nothing ${where(path, pattern)}`
      : `Found ${formatCount(total, "entry", "entries")} in ${path}/: ${joinNames(
          entries.map((entry) => relativePath(path, entry)),
          total,
        )}.`,
  structure: (outputs, region) =>
    outputs.entries.length === 0
      ? `Nothing ${where(outputs.path, outputs.pattern)}`
      : formatEntries(outputs, { name: "size", of: ({ bytes }) => formatBytes(bytes) }, region),
  observed: (outputs, region) =>
    outputs.entries.length === 0
      ? `Nothing ${where(outputs.path, outputs.pattern, "fs_search")}`
      : formatEntries(outputs, { name: "bytes", of: ({ bytes }) => String(bytes) }, region),
  readOn: () => "List a folder below it, or fewer entries with pattern.",
  run: async ({ path, pattern, recursive, limit }, { ports, signal }) => {
    const by = pattern === undefined ? {} : { pattern };
    return { ...(await ports.files.list(path, { recursive, limit, signal, ...by })), ...by };
  },
});
