import { z } from "zod";
import { FunctionProposal, FunctionVersion } from "../contract/function.ts";
import { ArchiveEntry } from "../contract/http.ts";
import { Task } from "../contract/task.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { functionPath } from "../functions/store/function-files.ts";
import { FunctionFile } from "../functions/store/stored-function.ts";
import { fileText, parseFile } from "../files/file-content.ts";
import type { RecordKind } from "../memory/store/record-storage.ts";
import { folderOf } from "../memory/tasks/open-tasks.ts";
import { RECORD_NAMES } from "./profile-copies.ts";
import { type RecordCopies, type RecordEntry, recordSchemas } from "./record-copies.ts";

/** The records of a profile as the files of an export, for every storage. */
export interface RecordExport {
  /** Every record with archive, history and proposals; paths as in an export. */
  all(): AsyncIterable<{ path: string; text: string }>;
  /**
   * Adds a file of an export, or reports the expected result. Never overwrites. Adds an archived record with the second
   * of its two files. Throws `InvalidArgsError` for a file that is not such a record.
   */
  add(
    file: { path: string; bytes: Uint8Array },
    options: { apply: boolean },
  ): Promise<"added" | "unchanged" | "conflicting">;
}

const OUTCOMES = { absent: "added", same: "unchanged", different: "conflicting" } as const;

export function createRecordExport(copies: RecordCopies): RecordExport {
  /** Halves of archived records, by the path without its ending. */
  const halves = new Map<string, { entry?: ArchiveEntry; body?: unknown }>();

  async function store(entry: RecordEntry, apply: boolean): Promise<"added" | "unchanged" | "conflicting"> {
    const found = await copies.compare(entry);
    if (found === "absent" && apply) await copies.put([entry]);
    return OUTCOMES[found];
  }

  return {
    async *all() {
      for await (const entries of copies.each()) for (const entry of entries) yield* filesOf(entry);
    },
    async add({ path, bytes }, { apply }) {
      const file = fileAt(path);
      if (!file) throw new InvalidArgsError(`${path} is not a record of an export.`);
      if (file.part === "record") {
        const body = parseEntry(recordSchemas[file.kind], path, bytes);
        return await store(
          { part: "record", kind: file.kind, id: body.id, path: path.slice("memory/".length), body },
          apply,
        );
      }
      if (file.part !== "archived") {
        const schema = file.part === "version" ? FunctionVersion : FunctionProposal;
        const { part, functionId, name } = file;
        return await store({ part, functionId, name, body: parseEntry(schema, path, bytes) }, apply);
      }
      const key = `${file.kind}/${file.name}`;
      const half = halves.get(key) ?? {};
      if (file.isNote) half.entry = parseEntry(z.strictObject(ArchiveEntry.shape), path, bytes);
      else half.body = parseEntry(recordSchemas[file.kind], path, bytes);
      halves.set(key, half);
      if (half.entry === undefined || half.body === undefined) return "added";
      halves.delete(key);
      const { id: recordId } = recordSchemas[file.kind].parse(half.body);
      return await store(
        { part: "archived", kind: file.kind, recordId, entry: half.entry, body: half.body },
        apply,
      );
    },
  };
}

const RECORD_KINDS = ["memory", "task", "function", "schedule"] as const satisfies readonly RecordKind[];

/** The files of an entry, with their paths in an export. */
function filesOf(entry: RecordEntry): { path: string; text: string }[] {
  const file = (path: string, value: unknown) => ({ path: `memory/${path}`, text: fileText(value) });
  if (entry.part === "archived") {
    const path = `archive/${RECORD_NAMES[entry.kind]}/${entry.entry.id}`;
    return [file(`${path}.note.json`, entry.entry), file(`${path}.json`, entry.body)];
  }
  if (entry.part === "record") return [file(pathOf(entry), entry.body)];
  const folder = entry.part === "version" ? "history" : "proposals";
  return [file(`functions/${folder}/${entry.functionId}/${entry.name}.json`, entry.body)];
}

function pathOf({ kind, id, path, body }: RecordEntry & { part: "record" }): string {
  switch (kind) {
    case "memory":
      return path;
    case "task":
      return `tasks/${folderOf(Task.parse(body))}/${id}.json`;
    case "function":
      return `functions/${functionPath(FunctionFile.parse(body))}`;
    case "schedule":
      return `schedules/${id}.json`;
    default:
      return kind satisfies never;
  }
}

type FileInExport =
  | { part: "record"; kind: RecordKind }
  | { part: "archived"; kind: RecordKind; name: string; isNote: boolean }
  | { part: "version" | "proposal"; functionId: string; name: string };

/** The record that a path in an export names; undefined if it is not a record. */
function fileAt(path: string): FileInExport | undefined {
  const [, folder, archiveId = "", note] =
    /^memory\/archive\/(memories|tasks|functions|schedules)\/([^/]+?)(\.note)?\.json$/u.exec(path) ?? [];
  const kind = RECORD_KINDS.find((each) => RECORD_NAMES[each] === folder);
  if (kind !== undefined) return { part: "archived", kind, name: archiveId, isNote: note !== undefined };
  const [, parts, functionId = "", name = ""] =
    /^memory\/functions\/(history|proposals)\/([^/]+)\/([^/]+)\.json$/u.exec(path) ?? [];
  if (parts !== undefined) return { part: parts === "history" ? "version" : "proposal", functionId, name };
  if (/^memory\/functions\/\d{4}\/[^/]+\.json$/u.test(path)) return { part: "record", kind: "function" };
  if (/^memory\/tasks\/(?:active|completed)\/[^/]+\.json$/u.test(path))
    return { part: "record", kind: "task" };
  if (/^memory\/schedules\/[^/]+\.json$/u.test(path)) return { part: "record", kind: "schedule" };
  const isMemory = /^memory\/(?!archive\/|index\/|functions\/|tasks\/|schedules\/).+\.json$/u.test(path);
  return isMemory ? { part: "record", kind: "memory" } : undefined;
}

function parseEntry<Schema extends z.ZodType>(
  schema: Schema,
  path: string,
  bytes: Uint8Array,
): z.output<Schema> {
  const content = parseFile(schema, bytes);
  if ("value" in content) return content.value;
  throw new InvalidArgsError(`${path} is not a record: ${content.reason}.`);
}
