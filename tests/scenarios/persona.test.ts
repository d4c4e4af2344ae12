import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OWNER } from "../support/server.ts";
import { harnessBeforeAll } from "../support/before-all.ts";
import { act, finish, type ModelHarness, play, purposeOf } from "../support/model-harness.ts";

// The operator answers, and the person asks.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const REQUEST = "get my camping notes into shape somehow";

async function prompts() {
  await harness.set({ answer: play([act("task_list"), finish]) });
  await harness.ask(REQUEST);
  const shown = (purpose: string) => {
    const chat = harness.models.chats().findLast((seen) => purposeOf(seen) === purpose);
    return chat?.messages.map(({ content }) => content).join("\n") ?? "";
  };
  return { plan: shown("plan"), answer: shown("answer") };
}

const core = (name: string, voice = "") =>
  writeFile(
    join(harness.profile, "persona/core.json"),
    JSON.stringify({ name, role: "a careful helper", values: [], voice, goals: [] }),
  );

describe("the persona in a prompt", () => {
  it("is the operator's from the start, and states who asks", async () => {
    const { plan, answer } = await prompts();
    expect(plan).toContain("You are MetaHuman.");
    expect(plan).toMatch(/^You work for Ada\.$/imu);
    expect(plan).not.toMatch(/You are ada\b/iu);
    expect(answer).not.toMatch(/You are ada\b/iu);
  });

  it("is not the person's name if an older profile named the persona after them", async () => {
    await core("ada");
    const { plan, answer } = await prompts();
    expect(plan).toContain("You are MetaHuman.");
    expect(plan).toContain("a careful helper");
    expect(answer).not.toMatch(/You are ada\b/iu);
  });

  it("has its voice once in each prompt", async () => {
    await core("Mila", "dry as old bread");
    const { plan, answer } = await prompts();
    for (const shown of [plan, answer]) expect(shown.split("dry as old bread")).toHaveLength(2);
  });

  it("is used for a guest, who learns nothing else about the profile", async () => {
    await core("Mila");
    await harness.owner.post("/api/memories", { type: "curated", content: "The attic key is under the mat" });
    await harness.owner.send("PATCH", "/api/settings", { publicProfile: true });
    const guest = harness.server.client();
    await guest.post("/api/auth/login", { guestOf: OWNER.username });
    await harness.set({ answer: () => ({ say: "Hello, guest." }) });
    const answer = await guest.post("/api/operator", { goal: "where is the attic key?" });
    expect(answer).toMatchObject({ status: 200, body: { result: "Hello, guest." } });
    const prompt = JSON.stringify(harness.models.chats().at(-1)?.messages);
    expect(prompt).toContain("You are Mila, a careful helper,");
    expect(prompt).not.toContain("under the mat");
  });

  it("has the name that the person gave it", async () => {
    await core("Mila");
    const { plan, answer } = await prompts();
    expect(plan).toContain("You are Mila.");
    expect(answer).toContain("You are Mila");
  });
});
