import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { fromNodeError, systemCode } from "../../errors/node-error.ts";
import { replaceFile } from "../../files/durable-file.ts";
import { fileText, parseFile } from "../../files/file-content.ts";

/** JSON files of one function, in a folder named by its id. */
export interface RecordFolder<Value> {
  put(functionId: string, name: string, value: Value): Promise<void>;
  get(functionId: string, name: string): Promise<Value | undefined>;
  /** In no particular order. Unreadable files are reported and skipped. */
  list(functionId: string): Promise<Value[]>;
  /** Removes all files of a function. */
  purge(functionId: string): Promise<void>;
}

export interface RecordFolderOptions<Schema extends z.ZodType> {
  root: string;
  schema: Schema;
  subject: string;
  onUnreadable: (path: string, reason: string) => void;
}

/** `functionId` and `name` become file names, so callers must have validated them. */
export function openRecordFolder<Schema extends z.ZodType>({
  root,
  schema,
  subject,
  onUnreadable,
}: RecordFolderOptions<Schema>): RecordFolder<z.output<Schema>> {
  async function read(functionId: string, file: string): Promise<z.output<Schema> | undefined> {
    const path = join(root, functionId, file);
    try {
      const content = parseFile(schema, await readFile(path));
      if ("value" in content) return content.value;
      onUnreadable(path, content.reason);
      return undefined;
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw fromNodeError(error, subject);
    }
  }

  return {
    put: (functionId, name, value) =>
      replaceFile(join(root, functionId, `${name}.json`), fileText(value), subject),
    get: (functionId, name) => read(functionId, `${name}.json`),
    async list(functionId) {
      let files: string[];
      try {
        files = await readdir(join(root, functionId));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return [];
        throw fromNodeError(error, subject);
      }
      const shown = files.filter((file) => file.endsWith(".json") && !file.startsWith("."));
      const values = await Promise.all(shown.map((file) => read(functionId, file)));
      return values.filter((value) => value !== undefined);
    },
    async purge(functionId) {
      try {
        await rm(join(root, functionId), { recursive: true, force: true });
      } catch (error) {
        throw fromNodeError(error, subject);
      }
    },
  };
}
