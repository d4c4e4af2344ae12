import { randomInt } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { fromNodeError, systemCode } from "../../errors/node-error.ts";
import { createFile, replaceFile } from "../../files/durable-file.ts";
import { fileText, parseFile } from "../../files/file-content.ts";
import { shortSlug } from "../../text/slug.ts";
import type { LocatedFunction } from "../index/protocol.ts";
import { FunctionFile, type StoredFunction } from "./stored-function.ts";

/** Reads and writes the files of functions: `YYYY/function-<timestamp>-<slug>-<end of the id>.json`. */
export interface FunctionFiles {
  /** Throws `AlreadyExistsError` when the file exists. */
  create(stored: StoredFunction): Promise<LocatedFunction>;
  replace(path: string, stored: StoredFunction): Promise<void>;
  /** Searches the folders for a function that the index does not contain; undefined if there is none. */
  find(id: string): Promise<string | undefined>;
  /** Undefined when the file is missing or is not a function. */
  read(path: string): Promise<StoredFunction | undefined>;
  /** Every function; other files are skipped. */
  all(): Promise<StoredFunction[]>;
}

const SUBJECT = "the function";

export function createFunctionFiles(root: string): FunctionFiles {
  return {
    async create(stored) {
      const path = functionPath(stored);
      await createFile(join(root, path), fileText(stored), SUBJECT);
      return { function: stored, path };
    },
    replace: (path, stored) => replaceFile(join(root, path), fileText(stored), SUBJECT),
    async find(id) {
      const year = id.slice("func-".length, "func-".length + 4);
      try {
        const names = await readdir(join(root, year));
        const name = names.find((each) => each.endsWith(`-${endOf(id)}.json`));
        return name === undefined ? undefined : posix.join(year, name);
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw fromNodeError(error, SUBJECT);
      }
    },
    async read(path) {
      try {
        const content = parseFile(FunctionFile, await readFile(join(root, path)));
        return "value" in content ? content.value : undefined;
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw fromNodeError(error, SUBJECT);
      }
    },
    async all() {
      const years = (await readdir(root)).filter((name) => /^\d{4}$/u.test(name)).sort();
      const found: StoredFunction[] = [];
      for (const year of years)
        for (const name of (await readdir(join(root, year))).sort()) {
          const stored = name.endsWith(".json") ? await this.read(posix.join(year, name)) : undefined;
          if (stored) found.push(stored);
        }
      return found;
    },
  };
}

/** The path of a new function. A file that a person moved stays where it is. */
export function functionPath({
  id,
  title,
  createdAt,
}: Pick<StoredFunction, "id" | "title" | "createdAt">): string {
  const stamp = new Date(createdAt).toISOString().replaceAll(/[-:.]/g, "");
  return `${id.slice(5, 9)}/function-${stamp}-${shortSlug(title, "function")}-${endOf(id)}.json`;
}

/** `func-YYYYMMDD-<6 base36>`, with the creation date. */
export function newFunctionId(now: Date): string {
  const day = now.toISOString().slice(0, 10).replaceAll("-", "");
  return `func-${day}-${randomInt(36 ** 6)
    .toString(36)
    .padStart(6, "0")}`;
}

function endOf(id: string): string {
  return id.slice(-6);
}
