import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MemoryRecord } from "../../contract/memory.ts";
import { profilePaths, type ProfilePaths } from "../../paths/profile-paths.ts";
import { openMemory, type MemoryOptions, type OpenedMemory } from "../open-memory.ts";
import type { Origin } from "../store/memory-store.ts";
import { createTestEmbedder } from "./test-embedder.ts";

/** The source of a person's own words. */
export const USER_ORIGIN: Origin = { source: { kind: "user" }, trust: "trusted" };

export interface TestProfile {
  /** The data root. */
  home: string;
  paths: ProfilePaths;
  /** Opens the memories, as another process would; index and files agree on return. */
  open(options?: Partial<Omit<MemoryOptions, "paths">>): Promise<OpenedMemory>;
  /** Every warning of every opening. */
  warnings: string[];
  /** The path of the file of an observation. */
  pathOf(record: Pick<MemoryRecord, "id">): string;
  /** Closes all that was opened and removes the folder. */
  remove(): Promise<void>;
}

/** A profile in a folder of its own. */
export async function createTestProfile(): Promise<TestProfile> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-memory-"));
  const paths = profilePaths(home, "ada");
  const opened: OpenedMemory[] = [];
  const warnings: string[] = [];
  return {
    home,
    paths,
    warnings,
    pathOf: ({ id }) => join(paths.memory.episodic, id.slice(4, 8), `${id}.json`),
    async open(options) {
      const memory = await openMemory({
        paths,
        embedder: createTestEmbedder(),
        onWarning: (message) => warnings.push(message),
        ...options,
      });
      opened.push(memory);
      await memory.ready;
      return memory;
    },
    async remove() {
      await Promise.all(opened.map((memory) => memory.close()));
      await rm(home, { recursive: true });
    },
  };
}

/** Adds what a person says as observations, one after another. */
export async function observe({ memory }: OpenedMemory, ...contents: string[]): Promise<MemoryRecord[]> {
  const records: MemoryRecord[] = [];
  for (const content of contents)
    records.push(await memory.add({ type: "observation", content }, USER_ORIGIN));
  return records;
}

/** The texts recalled for a request, best first. */
export async function found({ memory }: OpenedMemory, query: string): Promise<string[]> {
  return (await memory.recall({ query })).map(({ memory: { content } }) => content);
}
