import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, posix, relative, sep } from "node:path";
import { z } from "zod";
import { FunctionProposal, FunctionVersion } from "../contract/function.ts";
import { ArchiveEntry } from "../contract/http.ts";
import { MemoryRecord } from "../contract/memory.ts";
import { Schedule } from "../contract/schedule.ts";
import { Task } from "../contract/task.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { AlreadyExistsError } from "../errors/request-errors.ts";
import { StorageCorruptError } from "../errors/storage-errors.ts";
import { FunctionFile } from "../functions/store/stored-function.ts";
import { createFunctionFiles, functionPath } from "../functions/store/function-files.ts";
import { createFile } from "../files/durable-file.ts";
import { fileText, parseFile } from "../files/file-content.ts";
import { recordFolders, topFolders } from "../memory/store/record-files.ts";
import type { RecordKind } from "../memory/store/record-storage.ts";
import { folderOf } from "../memory/tasks/open-tasks.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import { canonicalJson } from "../runs/canonical-json.ts";

/** One entry of a profile's records: a record, an archived one, or a version or proposal of a function. */
export type RecordEntry =
  /** `path` is relative to the folder of the memories and matters for memories only. */
  | { part: "record"; kind: RecordKind; id: string; path: string; body: unknown }
  | { part: "archived"; kind: RecordKind; recordId: string; entry: ArchiveEntry; body: unknown }
  | { part: "version" | "proposal"; functionId: string; name: string; body: unknown };

/** All records of a profile in their stored form, to move them completely to another storage. */
export interface RecordCopies {
  /** Every entry, in batches. Throws `StorageCorruptError` for one that cannot be read, so that none is lost. */
  each(): AsyncIterable<readonly RecordEntry[]>;
  /**
   * Stores missing entries. Throws `AlreadyExistsError` for one that exists and differs, and
   * `InvalidArgsError` for one that this storage would change.
   */
  put(entries: readonly RecordEntry[]): Promise<void>;
  /** Compares an entry with the stored one. */
  compare(entry: RecordEntry): Promise<"absent" | "same" | "different">;
}

/** The schema of each kind of record. */
export const recordSchemas = {
  memory: MemoryRecord,
  task: Task,
  function: FunctionFile,
  schedule: Schedule,
} as const satisfies Record<RecordKind, z.ZodType>;

/** The number of entries of each part and kind, and a hash of them all. Equal for equal entries in any order. */
export async function digestOf(
  copies: Pick<RecordCopies, "each">,
): Promise<{ counts: Record<string, number>; hash: string }> {
  const counts: Record<string, number> = {};
  const hashes: string[] = [];
  for await (const entries of copies.each())
    for (const entry of entries) {
      const name = "kind" in entry ? `${entry.part} ${entry.kind}` : entry.part;
      counts[name] = (counts[name] ?? 0) + 1;
      hashes.push(
        createHash("sha256")
          .update(canonicalJson(comparable(entry)))
          .digest("hex"),
      );
    }
  return { counts, hash: createHash("sha256").update(hashes.sort().join("")).digest("hex") };
}

/** Without the path, which a storage may choose. */
function comparable(entry: RecordEntry): unknown {
  return entry.part === "record" ? { ...entry, path: undefined } : entry;
}

/** The number of entries of a batch. */
const BATCH_SIZE = 200;

/** The folder of the archived records of each kind. */
function archiveFolders(memory: ProfilePaths["memory"]): Record<RecordKind, string> {
  return {
    memory: join(memory.archive.root, "memories"),
    task: join(memory.archive.root, "tasks"),
    function: join(memory.archive.root, "functions"),
    schedule: join(memory.archive.root, "schedules"),
  };
}

/** The absolute path of the file of an entry. An archived record also has a note (`noteFile`). */
export function entryFile(memory: ProfilePaths["memory"], entry: RecordEntry): string {
  if (entry.part !== "record") {
    const folder = entry.part === "version" ? "history" : "proposals";
    return entry.part === "archived"
      ? join(archiveFolders(memory)[entry.kind], `${entry.entry.id}.json`)
      : join(memory.functions, folder, entry.functionId, `${entry.name}.json`);
  }
  const { kind, id, path, body } = entry;
  switch (kind) {
    case "memory":
      return join(memory.root, path);
    case "task":
      return join(memory.tasks[folderOf(Task.parse(body))], `${id}.json`);
    case "schedule":
      return join(memory.schedules, `${id}.json`);
    case "function":
      return join(memory.functions, functionPath(FunctionFile.parse(body)));
    default:
      return kind satisfies never;
  }
}

/** The file that says what an archived record was and where it came from. */
export const noteFile = (file: string): string => file.replace(/\.json$/, ".note.json");

/** Opens the files of a profile as copies. Nobody may change them meanwhile. */
export function openFileRecordCopies(memory: ProfilePaths["memory"]): RecordCopies {
  const archiveOf = archiveFolders(memory);

  async function* records(): AsyncGenerator<RecordEntry> {
    const inRoot = topFolders(recordFolders(memory)).map((folder) => join(memory.root, folder));
    const years = (await namesIn(memory.functions)).filter((name) => /^\d{4}$/.test(name));
    const folders: Record<RecordKind, string[]> = {
      memory: inRoot,
      task: Object.values(memory.tasks),
      function: years.map((year) => join(memory.functions, year)),
      schedule: [memory.schedules],
    };
    for (const [kind, schema] of kinds)
      for (const folder of folders[kind])
        for (const file of await jsonFiles(folder)) {
          const body = await read(file, schema);
          const path = relative(memory.root, file).split(sep).join(posix.sep);
          yield { part: "record", kind, id: body.id, path, body };
        }
  }

  async function* readArchive(): AsyncGenerator<RecordEntry> {
    for (const [kind, schema] of kinds)
      for (const note of (await jsonFiles(archiveOf[kind])).filter((file) => file.endsWith(".note.json"))) {
        const file = note.replace(/\.note\.json$/, ".json");
        // A crash may leave a note without a file.
        if (!(await exists(file))) continue;
        const entry = await read(note, z.strictObject(ArchiveEntry.shape));
        const body = await read(file, schema);
        yield { part: "archived", kind, recordId: body.id, entry, body };
      }
  }

  async function* functionParts(): AsyncGenerator<RecordEntry> {
    for (const [part, folder, schema] of partsOfFunctions)
      for (const functionId of await namesIn(join(memory.functions, folder)))
        for (const file of await jsonFiles(join(memory.functions, folder, functionId))) {
          const name = posix.basename(file.split(sep).join(posix.sep), ".json");
          yield { part, functionId, name, body: await read(file, schema) };
        }
  }

  /** The file of an entry, also if its stored status or title differs. */
  async function existingFile(entry: RecordEntry): Promise<string | undefined> {
    const possible = [entryFile(memory, entry)];
    if (entry.part === "record" && entry.kind === "task")
      for (const folder of Object.values(memory.tasks)) possible.push(join(folder, `${entry.id}.json`));
    if (entry.part === "record" && entry.kind === "function") {
      const known = await createFunctionFiles(memory.functions).find(entry.id);
      if (known !== undefined) possible.push(join(memory.functions, known));
    }
    for (const file of possible) if (await exists(file)) return file;
    return undefined;
  }

  return {
    async *each() {
      let batch: RecordEntry[] = [];
      for (const source of [records(), readArchive(), functionParts()])
        for await (const entry of source) {
          batch.push(entry);
          if (batch.length < BATCH_SIZE) continue;
          yield batch;
          batch = [];
        }
      if (batch.length > 0) yield batch;
    },
    async compare(entry) {
      const file = await existingFile(entry);
      if (file === undefined) return "absent";
      const there = parseFile(z.unknown(), await readFile(file));
      return "value" in there && canonicalJson(there.value) === canonicalJson(entry.body)
        ? "same"
        : "different";
    },
    async put(entries) {
      for (const entry of entries) {
        const file = (await existingFile(entry)) ?? entryFile(memory, entry);
        if (entry.part === "archived") await write(noteFile(file), entry.entry);
        await write(file, entry.body);
      }
    },
  };
}

const kinds = [
  ["memory", recordSchemas.memory],
  ["task", recordSchemas.task],
  ["function", recordSchemas.function],
  ["schedule", recordSchemas.schedule],
] as const;

const partsOfFunctions = [
  ["version", "history", FunctionVersion],
  ["proposal", "proposals", FunctionProposal],
] as const;

async function read<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.output<Schema>> {
  const content = parseFile(schema, await readFile(file));
  if ("value" in content) return content.value;
  throw new StorageCorruptError(`${file} cannot be read: ${content.reason}.`, {
    suggestions: ["Repair the file, or move it away, then try again."],
    context: { path: file },
  });
}

/** Creates a file. Throws `AlreadyExistsError` if another content is there. */
async function write(file: string, value: unknown): Promise<void> {
  try {
    await createFile(file, fileText(value), "The record");
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
    const there = parseFile(z.unknown(), await readFile(file));
    if (!("value" in there) || canonicalJson(there.value) !== canonicalJson(value)) throw error;
  }
}

/** The record files in a folder and its subfolders, by name. */
async function jsonFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const name of (await namesIn(folder)).sort()) {
    const path = join(folder, name);
    if (name.endsWith(".json")) files.push(path);
    else files.push(...(await jsonFiles(path)));
  }
  return files;
}

/** The names in a folder; none if it is missing or a file. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith("."));
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw fromNodeError(error, "the records");
  }
}

async function exists(file: string): Promise<boolean> {
  return (await namesIn(join(file, ".."))).includes(posix.basename(file.split(sep).join(posix.sep)));
}
