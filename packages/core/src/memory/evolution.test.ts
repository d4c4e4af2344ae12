import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MemoryRecord, NewMemory } from "../contract/memory.ts";
import { MemoryNotFoundError } from "../errors/not-found-errors.ts";
import type { OpenedMemory } from "./open-memory.ts";
import {
  createTestProfile,
  found,
  observe,
  USER_ORIGIN,
  type TestProfile,
} from "./testing/open-test-memory.ts";

const DAY_MS = 24 * 3_600_000;

let profile: TestProfile;
let opened: OpenedMemory;
let now: number;
beforeEach(async () => {
  profile = await createTestProfile();
  now = Date.parse("2026-01-01T00:00:00.000Z");
  opened = await profile.open({ clock: () => new Date(now) });
});
afterEach(() => profile.remove());

const keep = (content: string, more: Partial<NewMemory> = {}): Promise<MemoryRecord> =>
  opened.memory.add({ type: "observation", content, ...more }, USER_ORIGIN);
const orderFor = async (query: string): Promise<string[]> =>
  (await opened.memory.recall({ query })).map(({ memory }) => memory.id);

describe("a verdict of a person on a memory", () => {
  it("changes importance by one bounded step in either direction and never beyond its range", async () => {
    const { id, importance } = await keep("the boiler was serviced");
    const up = await opened.memory.feedback(id, { verdict: "useful" });
    expect(up.importance).toBeGreaterThan(importance);
    expect((await opened.memory.feedback(id, { verdict: "not_useful" })).importance).toBeCloseTo(importance);
    for (let turn = 0; turn < 10; turn += 1) await opened.memory.feedback(id, { verdict: "not_useful" });
    expect((await opened.memory.get(id)).importance).toBe(0);
    for (let turn = 0; turn < 10; turn += 1) await opened.memory.feedback(id, { verdict: "useful" });
    expect((await opened.memory.get(id)).importance).toBe(1);
    expect(await opened.memory.usesOf(id)).toMatchObject({ useful: 11, not_useful: 11 });
  });

  it("changes the ranking at once, in both directions", async () => {
    const [one, other] = [await keep("walnut bread from Ana"), await keep("walnut bread from Ben")];
    await opened.embedded();
    const [first, second] = await orderFor("walnut bread");
    await opened.memory.feedback(second ?? "", { verdict: "useful" });
    expect(await orderFor("walnut bread")).toEqual([second, first]);
    await opened.memory.feedback(second ?? "", { verdict: "not_useful" });
    await opened.memory.feedback(second ?? "", { verdict: "not_useful" });
    expect(await orderFor("walnut bread")).toEqual([first, second]);
    expect([first, second].toSorted()).toEqual([one.id, other.id].toSorted());
  });

  it("is refused for an unknown memory", async () => {
    await expect(
      opened.memory.feedback("evt-20260101T000000000Z-nothing", { verdict: "useful" }),
    ).rejects.toBeInstanceOf(MemoryNotFoundError);
  });

  it("requires no new embedding", async () => {
    const { id } = await keep("the boiler was serviced");
    await opened.embedded();
    await opened.memory.feedback(id, { verdict: "useful" });
    expect(await opened.index.status()).toMatchObject({ pending: 0, embedded: 1 });
  });
});

describe("a memory that is found", () => {
  it("is not changed by this: neither ranking nor record nor counters", async () => {
    const { id } = await keep("the boiler was serviced");
    await keep("the boiler needs water");
    await opened.embedded();
    const before = await opened.memory.recall({ query: "boiler", explain: true });
    for (let turn = 0; turn < 30; turn += 1) await opened.memory.recall({ query: "boiler serviced" });
    expect(await opened.memory.recall({ query: "boiler", explain: true })).toEqual(before);
    expect(await opened.memory.usesOf(id)).toMatchObject({ cited: 0, opened: 0, useful: 0 });
  });

  it("ranks below one that an answer cited, also in a rebuilt index", async () => {
    await keep("walnut bread from Ana");
    await keep("walnut bread from Ben");
    await opened.embedded();
    now += 60 * DAY_MS;
    const [first, second] = await orderFor("walnut bread");
    await opened.memory.used([second ?? ""], { kind: "cited", runId: "run-1" });
    expect(await orderFor("walnut bread")).toEqual([second, first]);
    await opened.index.rebuild();
    while ((await opened.index.status()).rebuilding) await pause(20);
    await opened.embedded();
    expect(await orderFor("walnut bread")).toEqual([second, first]);
  });
});

describe("retiring", () => {
  const retire = (maxMemories: number, exempt: string[] = []) =>
    opened.upkeep.retire({ maxMemories, exempt });

  it("archives nothing while there is space", async () => {
    await observe(opened, "one", "two");
    now += 30 * DAY_MS;
    expect(await retire(2)).toEqual([]);
  });

  it("archives the least used memories first, which can be restored and then stay", async () => {
    const weak = await keep("an old weak walnut", { importance: 0.1 });
    const strong = await keep("an old strong walnut", { importance: 0.9 });
    now += 30 * DAY_MS;
    const fresh = await keep("a new walnut nobody used", { importance: 0.1 });
    const retired = await retire(2);
    expect(retired.map(({ id, kind }) => [id, kind])).toEqual([[weak.id, "memory"]]);
    expect(await opened.memory.archived()).toHaveLength(1);
    expect((await orderFor("walnut")).toSorted()).toEqual([fresh.id, strong.id].toSorted());

    await opened.memory.restore(weak.id);
    expect(await found(opened, "weak walnut")).toContain("an old weak walnut");
    expect((await retire(2)).map(({ id }) => id)).toEqual([strong.id]);
  });

  it("keeps a new memory for a week, used or not", async () => {
    await observe(opened, "one", "two", "three");
    now += 6 * DAY_MS;
    expect(await retire(1)).toEqual([]);
    now += 2 * DAY_MS;
    expect(await retire(1)).toHaveLength(2);
  });

  it("keeps recently used, pinned, curated, verified and linked memories", async () => {
    const pinned = await keep("pinned", { pinned: true });
    const curated = await keep("curated", { type: "curated" });
    const linked = await keep("linked");
    const verified = await keep("verified", {
      metadata: { verified: true },
      links: [{ id: linked.id, relation: "from" }],
    });
    const needed = await keep("needed");
    const used = await keep("used");
    const idle = await keep("idle");
    now += 30 * DAY_MS;
    await opened.memory.used([used.id], { kind: "opened" });
    expect((await retire(1, [needed.id])).map(({ id }) => id)).toEqual([idle.id]);
    for (const { id } of [pinned, curated, linked, verified, needed, used]) await opened.memory.get(id);
  });

  it("stops between two memories when it is aborted", async () => {
    await observe(opened, "one", "two", "three");
    now += 30 * DAY_MS;
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(opened.upkeep.retire({ maxMemories: 1, signal })).rejects.toThrow("stop");
    expect((await opened.memory.list({ limit: 5 })).total).toBe(3);
  });
});
