import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newRecords } from "@metahuman/core/memory/testing/test-record";
import { type CountedBrain, openCountedBrain } from "./testing/counted-brain.ts";

const TEA = { title: "Make tea", summary: "", steps: ["Boil water."], skillsUsed: [] };

let counted: CountedBrain;
beforeAll(async () => {
  counted = await openCountedBrain({ runsAgents: false });
  await counted.addPeople(["ada"]);
}, 60_000);
afterAll(() => counted.close());

/** Yields to background work until it sends no more statements. */
async function settled(): Promise<void> {
  for (let before = -1; before < counted.sentOfProfiles().length;) {
    before = counted.sentOfProfiles().length;
    for (let turn = 0; turn < 50; turn += 1) {
      await counted.brain.requireReady();
      await nextTurn();
    }
  }
}

/** The copies and indexes that the server has made of the records of its people. */
async function madeHere(): Promise<string[]> {
  const all = await readdir(counted.brain.home, { recursive: true });
  const names = new Set([".memories.position", ".functions.position", "memory.db", "functions.db"]);
  return all
    .map((path) => basename(path))
    .filter((name) => names.has(name))
    .sort();
}

describe("a profile in a database", () => {
  it("copies and indexes neither memories nor functions for requests that need none of them", async () => {
    const profile = await counted.brain.profile("ada");
    await profile.tasks.create({ title: "Water the plants" });
    await profile.runs.list({ limit: 5 });
    await settled();
    expect(await madeHere()).toEqual([]);
    expect(profile.functions.reverification()).toBeUndefined();
  });

  it("opens its memories when they are first read, and its functions only when there are any", async () => {
    const profile = await counted.brain.profile("ada");
    expect((await profile.memory.list({ limit: 1 })).total).toBe(0);
    expect(await profile.functions.of().listFunctions({ limit: 1 })).toMatchObject({ items: [], total: 0 });
    await settled();
    expect(await madeHere()).toEqual([".functions.position", ".memories.position", "memory.db"]);
    const actor = { by: "ada", isPerson: true, isOwner: true };
    const { id } = await profile.functions.of().saveFunction(TEA, actor);
    expect((await profile.functions.of().listFunctions({ limit: 1 })).items).toMatchObject([{ id }]);
    expect(await madeHere()).toContain("functions.db");
  });

  it("opens many memories in the background, because the first read would not wait for all of them", async () => {
    const { memory } = await counted.brain.profile("ada");
    await memory.importMany(Array.from({ length: 600 }, newRecords.memory));
    await counted.brain.closeIdleProfiles(0);
    const { index } = await counted.brain.profile("ada");
    await expect.poll(() => index.statusIfOpen()).toMatchObject({ items: 600 });
  });
});
