import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { FileText, WorkspaceFiles } from "../files.ts";

/** An empty workspace with roots `out` and `inbox`, and their real folders. */
export interface WorkspaceUnderTest {
  files: WorkspaceFiles;
  /** The real folder of `out`. */
  out: string;
  inbox: string;
  /** A real folder outside of every root. */
  outside: string;
  close(): Promise<void>;
}

/** The workspace of the current test with shorthands: `put` and `get` bypass it, `read` and `write` use it. */
export interface Bench {
  readonly space: WorkspaceUnderTest;
  put(path: string, content: string | Uint8Array): Promise<void>;
  get(path: string): Promise<string>;
  read(path: string, maxBytes?: number): Promise<FileText>;
  write(
    path: string,
    content: string,
    expect?: "absent" | "any",
  ): Promise<{ path: string; bytes: number; created: boolean }>;
}

export function benchOn(current: () => WorkspaceUnderTest): Bench {
  return {
    get space() {
      return current();
    },
    put: (path, content) => writeFile(join(current().out, path), content),
    get: (path) => readFile(join(current().out, path), "utf8"),
    read: (path, maxBytes = 1_000) => current().files.readText(path, { maxBytes }),
    write: (path, content, expected = "absent") =>
      current().files.writeText(path, content, { expect: expected }),
  };
}

/** Matches an error with this code. */
export const code = (value: string): unknown => expect.objectContaining({ code: value });
export const OUTSIDE: unknown = code("PATH_OUTSIDE_WORKSPACE");

export const like = (part: string): unknown => expect.stringContaining(part);
export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
export const including = (items: readonly unknown[]): unknown => expect.arrayContaining([...items]);
