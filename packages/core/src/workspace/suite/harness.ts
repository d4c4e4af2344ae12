import { expect } from "vitest";
import type { FileText, WorkspaceFiles } from "../files.ts";

/** An empty workspace with roots `out` and `inbox`, and access to what it stores that bypasses it. */
export interface WorkspaceUnderTest {
  files: WorkspaceFiles;
  stored: StoredFiles;
  /** The real folders, if it stores its files in folders. */
  folders?: { out: string; inbox: string; outside: string };
  close(): Promise<void>;
}

/** Paths begin with a root: `out/a.md`. Those that begin with `outside` lead to another place of the same storage. */
export interface StoredFiles {
  put(path: string, content: string | Uint8Array): Promise<void>;
  get(path: string): Promise<string>;
  /** Creates a folder with its parents. */
  makeFolder(path: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** The names in a folder, sorted. */
  names(folder: string): Promise<string[]>;
}

/**
 * The workspace of the current test with shorthands: `put`, `get`, `names`, `makeFolder` and `remove` bypass it, for paths
 * below `out`; `read` and `write` use it.
 */
export interface Harness extends StoredFiles {
  readonly space: WorkspaceUnderTest;
  /** The real folders. Throws where files are stored in no folders. */
  readonly folders: { out: string; inbox: string; outside: string };
  read(path: string, maxBytes?: number): Promise<FileText>;
  write(
    path: string,
    content: string,
    expect?: "absent" | "any",
  ): Promise<{ path: string; bytes: number; created: boolean }>;
}

export function harnessOn(current: () => WorkspaceUnderTest): Harness {
  return {
    get space() {
      return current();
    },
    get folders() {
      const { folders } = current();
      if (!folders) throw new Error("The files are in no folders.");
      return folders;
    },
    put: (path, content) => current().stored.put(`out/${path}`, content),
    get: (path) => current().stored.get(`out/${path}`),
    makeFolder: (path) => current().stored.makeFolder(`out/${path}`),
    remove: (path) => current().stored.remove(`out/${path}`),
    names: (folder) => current().stored.names(folder === "" ? "out" : `out/${folder}`),
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
