import { readdir } from "node:fs/promises";
import { systemCode } from "../errors/node-error.ts";

const DAY_FILE = /^\d{4}-\d{2}-\d{2}\.ndjson$/;

/** Returns the file name for the UTC day of `at`. Names sort by time. */
export function dayFile(at: Date): string {
  return `${at.toISOString().slice(0, 10)}.ndjson`;
}

/** Returns the log's files, oldest first; none if the folder does not exist. */
export async function dayFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => DAY_FILE.test(name)).sort();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
