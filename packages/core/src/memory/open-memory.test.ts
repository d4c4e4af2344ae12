import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryRecord, MemoryType } from "../contract/memory.ts";
import { AlreadyExistsError, InvalidArgsError } from "../errors/request-errors.ts";
import { MemoryNotFoundError, NotFoundError } from "../errors/not-found-errors.ts";
import { MetahumanError } from "../errors/metahuman-error.ts";
import type { OpenedMemory } from "./open-memory.ts";
import { createTestProfile, USER_ORIGIN, type TestProfile } from "./testing/open-test-memory.ts";

let profile: TestProfile;
let opened: OpenedMemory;

beforeEach(async () => {
  profile = await createTestProfile();
  opened = await profile.open({ clock: () => new Date("2026-11-20T09:30:12.123Z") });
});
afterEach(() => profile.remove());

const fileOf = (path: string): Promise<string> => readFile(join(profile.paths.memory.root, path), "utf8");

describe("writing", () => {
  it("stores a memory as readable JSON, named by time and words", async () => {
    const record = await opened.memory.add(
      {
        type: "observation",
        content: "The garage code is kept in the blue notebook",
        tags: ["home", "home"],
      },
      { source: { kind: "operator", runId: "run-1" }, trust: "untrusted" },
    );
    expect(record).toMatchObject({
      id: "evt-20261120T093012123Z-garage-code-kept-blue-notebook",
      timestamp: "2026-11-20T09:30:12.123Z",
      tags: ["home"],
      source: { kind: "operator", runId: "run-1" },
      trust: "untrusted",
      pinned: false,
    });
    const text = await fileOf(`episodic/2026/${record.id}.json`);
    expect(MemoryRecord.parse(JSON.parse(text))).toEqual(record);
    expect(text.split("\n").length).toBeGreaterThan(10);
  });

  it("stores every type in its own folder and reads it back", async () => {
    const folders: Record<MemoryType, string> = {
      conversation: "episodic/2026",
      observation: "episodic/2026",
      tool_invocation: "episodic/2026",
      action: "actions/2026",
      inner_dialogue: "reflections/2026",
      reflection: "reflections/2026",
      dream: "dreams/2026",
      audio: "audio/2026",
      curiosity_question: "curiosity/2026",
      function_usage: "episodic/functions/2026",
      curated: "curated/2026",
      pattern: "patterns/2026",
    };
    const records = await opened.memory.addMany(
      MemoryType.options.map((type) => ({ type, content: `one ${type} to keep` })),
      USER_ORIGIN,
    );
    expect(records).toHaveLength(12);
    for (const record of records) {
      const text = await fileOf(`${folders[record.type]}/${record.id}.json`);
      expect(MemoryRecord.parse(JSON.parse(text))).toEqual(record);
      expect(await opened.memory.get(record.id)).toEqual(record);
    }
  });

  it("gives the memories of one moment increasing ids", async () => {
    const singles = await Promise.all(
      Array.from({ length: 20 }, () =>
        opened.memory.add({ type: "observation", content: "same words" }, USER_ORIGIN),
      ),
    );
    const many = await opened.memory.addMany(
      Array.from({ length: 30 }, () => ({ type: "observation" as const, content: "same words" })),
      USER_ORIGIN,
    );
    const ids = [...singles, ...many].map(({ id }) => id);
    expect(new Set(ids).size).toBe(50);
    expect(many.map(({ id }) => id)).toEqual(many.map(({ id }) => id).sort());
  });

  it("creates later ids even if the clock is set back", async () => {
    let now = new Date("2026-11-20T10:00:00Z");
    const other = await profile.open({ clock: () => now });
    const before = await other.memory.add({ type: "observation", content: "before" }, USER_ORIGIN);
    now = new Date("2026-11-20T09:00:00Z");
    const after = await other.memory.add({ type: "observation", content: "after" }, USER_ORIGIN);
    expect(after.id > before.id).toBe(true);
    expect(after.timestamp).toBe("2026-11-20T09:00:00.000Z");
  });

  it("keeps right-to-left text, emoji, control characters and a million characters unchanged", async () => {
    for (const content of [
      "קוד המוסך 🚗",
      "שלום\u0000\u202eworld",
      "👩‍👩‍👧‍👦".repeat(3),
      "\ud800 alone",
      "x".repeat(1_000_000),
    ]) {
      const { id } = await opened.memory.add({ type: "observation", content }, USER_ORIGIN);
      expect((await opened.memory.get(id)).content).toBe(content);
    }
  });

  it("leaves no temporary file and no journal", async () => {
    await opened.memory.add({ type: "observation", content: "one" }, USER_ORIGIN);
    await opened.memory.addMany(
      [
        { type: "observation", content: "two" },
        { type: "dream", content: "three" },
      ],
      USER_ORIGIN,
    );
    await opened.close();
    const again = await profile.open();
    await again.close();
    const names = await readdir(profile.paths.memory.root, { recursive: true });
    expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(profile.warnings.filter((warning) => !warning.includes("bulk write"))).toEqual([]);
  });

  it("throws typed errors if it cannot be opened", async () => {
    const other = await createTestProfile();
    await writeFile(join(other.home, "profiles"), "a file where the folder should be");
    await expect(other.open()).rejects.toBeInstanceOf(MetahumanError);
    await other.remove();
  });

  it("returns nothing for an empty list", async () => {
    expect(await opened.memory.addMany([], USER_ORIGIN)).toEqual([]);
  });
});

describe("changing", () => {
  it("edits only the given fields, in the same file", async () => {
    const record = await opened.memory.add(
      { type: "curated", content: "old words", tags: ["a"] },
      USER_ORIGIN,
    );
    const edited = await opened.memory.edit(record.id, { content: "new words", pinned: true });
    expect(edited).toEqual({ ...record, content: "new words", pinned: true, version: 2 });
    expect(JSON.parse(await fileOf(`curated/2026/${record.id}.json`))).toEqual(edited);
    expect((await opened.memory.recall({ query: "new words" }))[0]?.memory.id).toBe(record.id);
    expect(await opened.memory.recall({ query: "old" })).toEqual([]);
  });

  it("loses no edit of several concurrent ones", async () => {
    const other = await profile.open();
    const { id } = await opened.memory.add({ type: "curated", content: "counted" }, USER_ORIGIN);
    await Promise.all([
      opened.memory.edit(id, { importance: 1 }),
      other.memory.edit(id, { pinned: true }),
      opened.memory.edit(id, { tags: ["kept"] }),
    ]);
    expect(await other.memory.get(id)).toMatchObject({ importance: 1, pinned: true, tags: ["kept"] });
  });

  it("moves a forgotten memory to the archive and restores it", async () => {
    const record = await opened.memory.add(
      { type: "observation", content: "the plumber's number is 555 0199" },
      USER_ORIGIN,
    );
    const entry = await opened.memory.forget(record.id, { runId: "run-7" });
    expect(entry).toMatchObject({
      kind: "memory",
      title: record.content,
      origin: "memory/episodic/2026",
      runId: "run-7",
    });
    await expect(opened.memory.get(record.id)).rejects.toBeInstanceOf(MemoryNotFoundError);
    expect(await opened.memory.recall({ query: "plumber number" })).toEqual([]);
    expect((await opened.memory.list({ limit: 5 })).total).toBe(0);
    expect(await opened.memory.archived()).toEqual([entry]);

    expect(await opened.memory.restore(entry.id)).toEqual(record);
    expect((await opened.memory.recall({ query: "plumber number" }))[0]?.memory).toEqual(record);
    expect(await opened.memory.archived()).toEqual([]);
    expect(await readdir(join(profile.paths.memory.archive.root, "memories"))).toEqual([]);
  });

  it("archives a restored memory again, and both if one was restored by hand", async () => {
    const { id } = await opened.memory.add({ type: "observation", content: "twice" }, USER_ORIGIN);
    const path = join(profile.paths.memory.episodic, "2026", `${id}.json`);
    const text = await readFile(path, "utf8");
    const first = await opened.memory.forget(id);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text.replace('"content": "twice"', '"content": "again"'));
    await expect(opened.memory.restore(first.id)).rejects.toBeInstanceOf(AlreadyExistsError);
    const second = await opened.memory.forget(id);
    expect(second.id).not.toBe(first.id);
    expect((await opened.memory.archived()).map((entry) => entry.title).sort()).toEqual(["again", "twice"]);
    expect((await opened.memory.restore(second.id)).content).toBe("again");
  });

  it("reports a missing memory, and resolves no id outside of the folder", async () => {
    const ids = ["evt-20260101T000000000Z-nothing", "../../profile", "", "evt-20260101T000000000Z-..%2f"];
    for (const id of ids) {
      await expect(opened.memory.get(id)).rejects.toBeInstanceOf(MemoryNotFoundError);
      await expect(opened.memory.edit(id, { pinned: true })).rejects.toBeInstanceOf(MemoryNotFoundError);
      await expect(opened.memory.forget(id)).rejects.toBeInstanceOf(MemoryNotFoundError);
      await expect(opened.memory.restore(id)).rejects.toBeInstanceOf(NotFoundError);
    }
  });
});

describe("listing", () => {
  it("returns all memories page by page, newest first", async () => {
    let second = 0;
    const other = await profile.open({ clock: () => new Date(Date.UTC(2026, 0, 1, 0, 0, (second += 1))) });
    const written: string[] = [];
    for (let number = 0; number < 7; number += 1) {
      written.unshift(
        (await other.memory.add({ type: "observation", content: `number ${number}` }, USER_ORIGIN)).id,
      );
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await opened.memory.list({ limit: 3, ...(cursor !== null && { cursor }) });
      expect(page.total).toBe(7);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(written);
    await expect(opened.memory.list({ limit: 3, cursor: "nonsense" })).rejects.toBeInstanceOf(
      InvalidArgsError,
    );
  });

  it("filters by type, tag and words, the last of which may be incomplete", async () => {
    await opened.memory.addMany(
      [
        { type: "observation", content: "apples are in the cellar", tags: ["food"] },
        { type: "curated", content: "pears are in the cellar", tags: ["food", "fruit"] },
        { type: "dream", content: "a cellar full of doors" },
      ],
      USER_ORIGIN,
    );
    const contents = async (query: Parameters<OpenedMemory["memory"]["list"]>[0]): Promise<string[]> =>
      (await opened.memory.list(query)).items.map(({ content }) => content).sort();
    expect(await contents({ types: ["dream", "curated"], limit: 9 })).toHaveLength(2);
    expect(await contents({ tag: "fruit", limit: 9 })).toEqual(["pears are in the cellar"]);
    expect(await contents({ query: "cellar app", limit: 9 })).toEqual(["apples are in the cellar"]);
    expect(await contents({ query: "cellar doors ", limit: 9 })).toEqual(["a cellar full of doors"]);
    expect(await contents({ query: '"OR NEAR(', limit: 9 })).toEqual([]);
    expect(await contents({ query: "are in the", limit: 9 })).toHaveLength(2);
    expect(await contents({ query: "  ", limit: 9 })).toHaveLength(3);
  });
});
