import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openMemory, type OpenedMemory } from "@metahuman/core/memory/open-memory";
import { profilePaths, type ProfilePaths } from "@metahuman/core/paths/profile-paths";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { workHarness } from "../testing/work-once.ts";
import { createLibrarian } from "./librarian.ts";

const DAY_MS = 24 * 3_600_000;

let home: string;
let paths: ProfilePaths;
let opened: OpenedMemory;
let now = Date.now();

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "librarian-"));
  paths = profilePaths(home, "ada");
  now = Date.now();
  opened = await openMemory({
    paths,
    embedder: createBuiltInEmbedder(),
    clock: () => new Date(now),
  });
  await opened.ready;
});
afterEach(async () => {
  await opened.close();
  await rm(home, { recursive: true, force: true });
});

const librarian = (maxMemories = 100) =>
  createLibrarian({ index: opened.index, retire: opened.upkeep.retire, maxMemories: () => maxMemories });
const remember = (content: string, type: "observation" | "curated" = "observation") =>
  opened.memory.add({ type, content }, { source: { kind: "user" }, trust: "trusted" });

it("changes nothing if everything is consistent", async () => {
  await remember("the garage code is in the blue notebook");
  expect(await workHarness().work(librarian())).toMatchObject({ changed: false, problems: [] });
});

it("reports a file that cannot be read, with the reason", async () => {
  await mkdir(paths.memory.episodic, { recursive: true });
  await writeFile(join(paths.memory.episodic, "broken.json"), "{");
  const { problems, summary } = await workHarness().work(librarian());
  expect(problems).toMatchObject([{ subject: "episodic/broken.json" }]);
  expect(summary).toContain("1 files that cannot be read");
});

it("archives surplus memories, but no new or pinned ones", async () => {
  for (const number of [1, 2, 3, 4]) await remember(`an old remark, number ${number}`);
  const kept = await remember("a fact", "curated");
  now += 30 * DAY_MS;
  const recent = await remember("a new remark");
  const harness = workHarness();
  expect(await harness.work(librarian(3))).toMatchObject({ changed: true });
  const left = (await opened.memory.list({ limit: 10 })).items.map(({ id }) => id);
  expect(left).toHaveLength(3);
  expect(left).toEqual(expect.arrayContaining([kept.id, recent.id]));
  expect(await opened.memory.archived()).toHaveLength(3);
  expect(harness.logged.filter((line) => line.includes("archive"))).toHaveLength(3);
  expect(await harness.work(librarian(3))).toMatchObject({ changed: false });
});
