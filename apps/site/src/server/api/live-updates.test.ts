import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CountedBrain, openCountedBrain } from "@metahuman/boot/testing/counted-brain";
import type { LiveUpdate } from "@metahuman/core/contract/live-updates";
import { profileUpdates } from "./live-updates.ts";

let counted: CountedBrain;
const stop = new AbortController();
const updates: LiveUpdate[] = [];
let reading: Promise<void>;

beforeAll(async () => {
  counted = await openCountedBrain({ runsAgents: false });
  await counted.addPeople(["ada"]);
  const profile = await counted.brain.profile("ada");
  reading = (async () => {
    for await (const update of profileUpdates(profile, stop.signal)) updates.push(update);
  })();
}, 60_000);
afterAll(async () => {
  stop.abort();
  await reading;
  await counted.close();
});

const types = () => new Set(updates.map(({ type }) => type));

/** Waits for three more polls of the open profiles. */
async function threePolls(): Promise<void> {
  counted.reset();
  const polls = () =>
    counted.sent().filter(({ statements }) => statements.some((text) => text.includes("unnest"))).length;
  await expect.poll(polls, { timeout: 30_000, interval: 100 }).toBeGreaterThanOrEqual(3);
}

describe("the updates of an open page on a database", () => {
  it("tell everything once, and nothing of memories that nobody has used", async () => {
    await expect
      .poll(() => [...types()].sort())
      .toEqual(["agents", "approvals", "changes", "latest-runs", "notices", "runs"]);
  });

  it("send no statement of their own while nothing changes", async () => {
    do await threePolls();
    while (counted.sentOfProfiles().length > 0);
    expect(counted.sentOfProfiles()).toEqual([]);
  }, 90_000);

  it("tell what changed afterwards", async () => {
    updates.length = 0;
    const { notices, memory } = await counted.brain.profile("ada");
    await notices.send([{ title: "The oven is hot.", body: "", urgency: "normal" }]);
    await expect.poll(() => updates.find(({ type }) => type === "notices")).toMatchObject({ unread: 1 });
    await memory.list({ limit: 1 });
    await expect.poll(() => types().has("index")).toBe(true);
  });
});
