import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { OperatorPending } from "@metahuman/core/contract/http";
import type { Run } from "@metahuman/core/contract/run";
import {
  act,
  finish,
  lastMessage,
  openModelHarness,
  purposeOf,
  type ModelHarness,
} from "../support/model-harness.ts";
import type { Answer, ChatScript, SeenRequest } from "../support/model-server/script.ts";

// Runs that are queued, stopped or killed at each step while they use a model.

let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness({ etc: { operator: { runs: { maxConcurrent: 1 } } } });
});
afterAll(() => harness.close());

const patient = { timeout: 30_000, interval: 50 };
const file = (path: string) => readFile(join(harness.profile, "out", path), "utf8");

async function begin(goal: string): Promise<string> {
  const { status, body } = await harness.owner.post("/api/operator", { goal, background: true });
  expect(status).toBe(202);
  return OperatorPending.parse(body).runId;
}

async function reaches(runId: string, status: Run["status"]): Promise<Run> {
  await expect.poll(async () => (await harness.run(runId)).status, patient).toBe(status);
  return harness.run(runId);
}

/** Appends a line, then answers; a script in `held` replaces the reply at that step. */
function appending(path: string, held: Partial<Record<"second plan" | "answer", ChatScript>>): Answer {
  return (request) => {
    if (purposeOf(request) !== "plan") return held.answer ?? { say: "It is noted [1]." };
    if (!lastMessage(request).startsWith("Observation 1")) return act("fs_append", { path, text: "once\n" });
    return held["second plan"] ?? finish;
  };
}

/** Sends no reply about the first thing, and ends any other run at once. */
function takingCare(request: SeenRequest): ChatScript {
  if (JSON.stringify(request.messages).includes("the first thing")) return { fault: "silent" };
  return purposeOf(request) === "plan" ? finish : { say: "It is taken care of." };
}

describe("a profile with one slot for runs", () => {
  it("executes queued runs after a kill", async () => {
    await harness.separate();
    harness.models.script(takingCare);
    const first = await begin("take care of the first thing somehow");
    const second = await begin("take care of the second thing somehow");
    expect((await harness.run(second)).status).toBe("queued");
    await harness.kill();
    expect(await reaches(second, "ended")).toMatchObject({ outcome: "answered" });
    expect((await harness.run(first)).status).toBe("interrupted");
  });
});

describe("a run that is stopped while a model", () => {
  it.each([
    ["is silent", "silent"],
    ["writes the answer", "silent-midway"],
  ] as const)("%s ends at once, and the model call is aborted", async (_name, fault) => {
    harness.models.requests.splice(0);
    harness.models.script(appending(`stopped-${fault}.md`, { answer: { fault } }));
    const runId = await begin("note that down somewhere");
    await expect
      .poll(
        () =>
          harness.models
            .chats()
            .filter((chat) => purposeOf(chat) === "answer")
            .at(-1)?.aborted,
        patient,
      )
      .toBe(false);
    const asked = Date.now();
    const { body } = await harness.owner.post(`/api/runs/${runId}/cancel`);
    expect(body).toMatchObject({ status: "ended", outcome: "cancelled" });
    const { endedAt = "" } = await harness.run(runId);
    // Far below the time limits of a silent model, and enough for a busy machine.
    expect(Date.parse(endedAt) - asked).toBeLessThan(5_000);
    await expect.poll(() => harness.models.chats().at(-1)?.aborted, patient).toBe(true);
    expect(await file(`stopped-${fault}.md`)).toBe("once\n");
  });
});

describe("a server killed while a model", () => {
  const scenes = [
    { name: "plans", word: "foxglove", when: "second plan", script: { fault: "silent" }, calls: 2 },
    {
      name: "has begun its plan",
      word: "larkspur",
      when: "second plan",
      script: { fault: "silent-midway" },
      calls: 2,
    },
    {
      name: "is asked for the answer",
      word: "bluebell",
      when: "answer",
      script: { fault: "silent" },
      calls: 3,
    },
    {
      name: "writes the answer",
      word: "snowdrop",
      when: "answer",
      script: { fault: "silent-midway" },
      calls: 3,
    },
  ] as const;
  const pathOf = ({ word }: (typeof scenes)[number]) => `killed-by-the-${word}.md`;
  const isAbout = (word: string) => (request: SeenRequest) => JSON.stringify(request.messages).includes(word);
  const runs = new Map<string, string>();

  // All four runs have reached their step when their server is killed.
  beforeAll(async () => {
    await harness.configure("operator", { runs: { maxConcurrent: scenes.length } });
    await harness.separate();
    harness.models.requests.splice(0);
    harness.models.script((request, index) => {
      const scene = scenes.find(({ word }) => isAbout(word)(request));
      if (!scene) throw new Error("no scene asks for this");
      return appending(pathOf(scene), { [scene.when]: scene.script })(request, index);
    });
    for (const { name, word } of scenes)
      runs.set(name, await begin(`note that down somewhere by the ${word}`));
    const calls = () => scenes.map(({ word }) => harness.models.chats().filter(isAbout(word)).length);
    await vi.waitFor(() => expect(calls()).toEqual(scenes.map((scene) => scene.calls)), patient);
    await harness.kill();
  });

  it.each(scenes)("$name leaves a run that continues from there, with nothing done twice", async (scene) => {
    const runId = runs.get(scene.name) ?? "";
    harness.models.script(appending(pathOf(scene), {}));
    expect((await reaches(runId, "interrupted")).scratchpad[0]?.observation?.success).toBe(true);
    expect((await harness.owner.post(`/api/runs/${runId}/resume`)).status).toBe(200);
    const run = await reaches(runId, "ended");
    expect(run).toMatchObject({ outcome: "answered", result: "It is noted [1]." });
    expect(await file(pathOf(scene))).toBe("once\n");
    expect((await harness.owner.post(`/api/runs/${runId}/resume`)).status).toBe(409);
  });
});
