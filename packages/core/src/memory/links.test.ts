import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MemoryRecord, NewMemory } from "../contract/memory.ts";
import { findLinks } from "./store/linker.ts";
import type { Origin } from "./store/memory-store.ts";
import type { OpenedMemory } from "./open-memory.ts";
import { createTestProfile, USER_ORIGIN, type TestProfile } from "./testing/open-test-memory.ts";

let profile: TestProfile;
let opened: OpenedMemory;
beforeEach(async () => {
  profile = await createTestProfile();
  opened = await profile.open();
});
afterEach(() => profile.remove());

const keep = (
  content: string,
  more: Partial<NewMemory> = {},
  source: Partial<Origin["source"]> = {},
): Promise<MemoryRecord> =>
  opened.memory.add(
    { type: "observation", content, ...more },
    { ...USER_ORIGIN, source: { kind: "user", ...source } },
  );
const relations = (record: MemoryRecord): string[][] =>
  record.links.map(({ id, relation }) => [relation, id]);

describe("writing a memory", () => {
  it("links it with earlier ones of its run and its conversation, once each", async () => {
    const first = await keep("apple", {}, { runId: "run-1", conversationId: "conv-1" });
    const second = await keep("pear", {}, { runId: "run-1", conversationId: "conv-1" });
    const third = await keep("plum", {}, { runId: "run-2", conversationId: "conv-1" });
    const other = await keep("quince", {}, { runId: "run-3", conversationId: "conv-2" });
    expect(relations(first)).toEqual([]);
    expect(relations(second)).toEqual([["same-run", first.id]]);
    expect(relations(third)).toEqual([
      ["same-conversation", second.id],
      ["same-conversation", first.id],
    ]);
    expect(relations(other)).toEqual([]);
    expect(await opened.memory.get(third.id)).toEqual(third);
  });

  it("links it with memories about the same people and things, in any spelling", async () => {
    const first = await keep("met at the fair", { entities: ["Ana  Ruiz"] });
    const second = await keep("lent a drill", { entities: ["ana ruiz", "Ben"] });
    expect(relations(second)).toEqual([["same-entity", first.id]]);
  });

  it("adds no more links than a memory may have", async () => {
    const first = await keep("met at the fair", { entities: ["Ana"] });
    const links = Array.from({ length: 256 }, (_, index) => ({
      id: `evt-20260101T000000000Z-earlier-${index}`,
      relation: "about",
    }));
    const full = await keep("many", { entities: ["Ana"], links });
    expect(full.links).toEqual(links);
    expect(await opened.memory.get(full.id)).toEqual(full);
    const nearly = await keep("nearly as many", { entities: ["Ana"], links: links.slice(1) });
    expect(nearly.links).toHaveLength(256);
    expect(nearly.links.some(({ id }) => id === full.id || id === first.id)).toBe(true);
  });

  it("accepts any word as an entity, also without an index", () => {
    const nothing = { runs: {}, conversations: {}, entities: {} };
    const record = (id: string) => ({
      id,
      entities: ["constructor"],
      links: [],
      metadata: {},
      source: { kind: "user" as const },
    });
    const [, second] = findLinks([record("evt-1"), record("evt-2")], nothing);
    expect(second).toEqual([{ id: "evt-1", relation: "same-entity" }]);
  });

  it("links memories of one bulk write with each other", async () => {
    const [first, second, third] = await opened.memory.addMany(
      ["apple", "pear", "plum"].map((content) => ({ type: "tool_invocation" as const, content })),
      { source: { kind: "tool", runId: "run-1" }, trust: "untrusted" },
    );
    if (!first || !second || !third) throw new Error("three were written");
    expect(relations(first)).toEqual([]);
    expect(relations(second)).toEqual([["same-run", first.id]]);
    expect(relations(third)).toEqual([
      ["same-run", second.id],
      ["same-run", first.id],
    ]);
  });

  it("links it with the memories nearest in meaning once it is embedded, and with no others", async () => {
    const near = await keep("grandmother's walnut bread recipe with honey");
    await keep("the tax office closes at noon");
    await opened.embedded();
    const { id } = await keep("grandmother's walnut bread recipe with honey and salt");
    await expect.poll(async () => relations(await opened.memory.get(id))).toEqual([["similar", near.id]]);
  });

  it("does not link private memories with others", async () => {
    await keep("walnut bread recipe with honey", { type: "dream" });
    await opened.embedded();
    const outer = await keep("walnut bread recipe with honey");
    const inner = await keep("walnut bread recipe with honey", { type: "reflection" });
    await expect
      .poll(async () => relations(await opened.memory.get(inner.id)))
      .toContainEqual(["similar", outer.id]);
    expect(await opened.memory.linked(outer.id)).toEqual([]);
    expect((await opened.memory.linked(inner.id)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(["dream", "observation"]),
    );
  });
});

describe("links", () => {
  it("are shown from both ends, with the linked memories", async () => {
    const first = await keep("apple pie", {}, { runId: "run-1" });
    const second = await keep("zebra crossing", {}, { runId: "run-1" });
    expect(await opened.memory.linked(second.id)).toMatchObject([
      { id: first.id, relation: "same-run", direction: "to", title: "apple pie", type: "observation" },
    ]);
    expect(await opened.memory.linked(first.id)).toMatchObject([
      { id: second.id, relation: "same-run", direction: "from", title: "zebra crossing" },
    ]);
  });

  it("to an archived memory are hidden until it is restored", async () => {
    const first = await keep("apple pie", {}, { runId: "run-1" });
    const second = await keep("zebra crossing", {}, { runId: "run-1" });
    await opened.memory.forget(first.id);
    expect(await opened.memory.linked(second.id)).toEqual([]);
    expect((await opened.memory.get(second.id)).links).toHaveLength(1);
    await opened.memory.restore(first.id);
    expect(await opened.memory.linked(second.id)).toHaveLength(1);
  });

  it("that a person set stay unchanged", async () => {
    const [one, other] = [await keep("apple pie"), await keep("zebra crossing")];
    const links = [{ id: other.id, relation: "reminds me of" }];
    expect((await opened.memory.edit(one.id, { links })).links).toEqual(links);
    expect((await opened.memory.linked(one.id))[0]?.relation).toBe("reminds me of");
  });
});

describe("a list", () => {
  it("is filtered by source, trust, run, conversation and time, and so is a purge", async () => {
    await keep("said");
    const bad = { kind: "import", runId: "run-9" } as const;
    await opened.memory.addMany(
      ["x", "y", "z"].map((content) => ({ type: "observation" as const, content })),
      { source: bad, trust: "untrusted" },
    );
    const totals = async (filter: object): Promise<number> =>
      (await opened.memory.list({ limit: 1, ...filter })).total;
    expect(await totals({ trust: "untrusted" })).toBe(3);
    expect(await totals({ source: "import" })).toBe(3);
    expect(await totals({ source: "user", trust: "untrusted" })).toBe(0);
    expect(await totals({ runId: "run-9" })).toBe(3);
    expect(await totals({ conversationId: "none" })).toBe(0);
    expect(await totals({ until: "2020-01-01T00:00:00.000Z" })).toBe(0);
    expect(await totals({ since: "2020-01-01T00:00:00.000Z" })).toBe(4);
    expect(await opened.memory.forgetAll({ source: "import" })).toBe(3);
    expect(await totals({})).toBe(1);
    expect(await opened.memory.archived()).toHaveLength(3);
  });
});

describe("a purge", () => {
  const several = (count: number): Promise<MemoryRecord[]> =>
    opened.memory.addMany(
      Array.from({ length: count }, (_, index) => ({
        type: "observation" as const,
        content: `number ${index}`,
      })),
      USER_ORIGIN,
    );

  it("skips memories that another purge archived", async () => {
    await several(20);
    const counts = await Promise.all([opened.memory.forgetAll({}), opened.memory.forgetAll({})]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(20);
    expect(await opened.memory.archived()).toHaveLength(20);
  });

  it("continues after files that were removed by hand", async () => {
    await opened.close();
    opened = await profile.open({ watch: false });
    const records = await several(103);
    const newest = [...records].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, 100);
    for (const record of newest) await rm(profile.pathOf(record));
    expect(await opened.memory.forgetAll({})).toBe(3);
  });
});

describe("the archive", () => {
  it("skips entries that are restored while it is listed", async () => {
    const gone = await keep("restored meanwhile");
    const kept = await keep("stays");
    for (const { id } of [gone, kept]) await opened.memory.forget(id);
    // A note that is listed in the folder but was removed since.
    const note = join(profile.paths.memory.archive.root, "memories", `${gone.id}.note.json`);
    await rm(note);
    await symlink(join(profile.home, "nowhere"), note);
    expect((await opened.memory.archived()).map(({ id }) => id)).toEqual([kept.id]);
  });
});
