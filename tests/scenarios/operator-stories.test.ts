import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OperatorPending, TaskPage } from "@metahuman/core/contract/http";
import type { Run } from "@metahuman/core/contract/run";
import {
  act,
  finish,
  openModelHarness,
  play,
  planByObservation,
  type ModelHarness,
} from "../support/model-harness.ts";

// The operator at work with a model, as a person sees it: each story from the request to the answer.

let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness();
});
afterAll(() => harness.close());
beforeEach(() => harness.models.script([{ fault: "garbage" }]));

const out = (path: string) => readFile(join(harness.profile, "out", path), "utf8");
const ids = (text: string) => text.match(/task-\d{8}T\d{9}Z-[a-z0-9-]+/g) ?? [];

async function addTasks(...titles: string[]): Promise<void> {
  for (const title of titles) expect((await harness.owner.post("/api/tasks", { title })).status).toBe(201);
}

async function titles(): Promise<string[]> {
  return TaskPage.parse((await harness.owner.get("/api/tasks?limit=100")).body).items.map(
    ({ title }) => title,
  );
}

async function ended(runId: string): Promise<Run> {
  await expect.poll(async () => (await harness.run(runId)).status, { timeout: 20_000 }).toBe("ended");
  return harness.run(runId);
}

async function askAndWait(goal: string): Promise<OperatorPending> {
  const { status, body } = await harness.owner.post("/api/operator", { goal });
  expect(status).toBe(202);
  return OperatorPending.parse(body);
}

describe("a list of tasks", () => {
  it("is answered with the data itself, without a model", async () => {
    await addTasks("pay the rent");
    const answer = await harness.ask("list my tasks");
    expect(answer).toMatchObject({ verbatim: true, actions: ["task_list"], usage: { modelCalls: 0 } });
    expect(answer.result).toContain("pay the rent");
  });

  it("in strict style is worded by code: the model plans, and does not write the answer", async () => {
    harness.models.script(
      planByObservation((_shown, step) =>
        step === 1
          ? act("task_list")
          : { json: { thought: "(1) lists them.", respond: true, responseStyle: "strict" } },
      ),
    );
    const answer = await harness.ask("give me the bare facts of what I promised to do");
    expect(answer).toMatchObject({ outcome: "answered", usage: { planningCalls: 2, modelCalls: 2 } });
    expect(answer.result).toContain("pay the rent");
  });
});

describe("a chain of three", () => {
  it("finds the unfinished tasks and the one about April among them, and renames it", async () => {
    await addTasks("book the April trip", "water the plants");
    harness.models.script(
      planByObservation((shown, step) => {
        switch (step) {
          case 1:
            return act("task_list", { status: "todo" });
          case 2:
            return act("task_find", { query: "April" });
          case 3:
            return act("task_update", { id: ids(shown)[0] ?? "none was shown", title: "book the May trip" });
          default:
            return finish;
        }
      }, "The April trip is now the May trip [3]."),
    );
    const answer = await harness.ask("look through what I have not finished and move the April thing to May");
    expect(answer).toMatchObject({
      outcome: "answered",
      actions: ["task_list", "task_find", "task_update"],
      result: "The April trip is now the May trip [3].",
    });
    expect(await titles()).toContain("book the May trip");
    expect(await titles()).not.toContain("book the April trip");
  });
});

describe("a request with problems", () => {
  it("a missing file: the suggestion is followed, and the answer comes from the file that is there", async () => {
    await harness.owner.post("/api/operator", { goal: "list my tasks" });
    harness.models.script(play([act("fs_write", { path: "travel/packing.md", content: "tent, lamp" })]));
    await harness.ask("note what to pack somehow");
    harness.models.script(
      planByObservation((shown, step) => {
        if (step === 1) return act("fs_read", { path: "travel/paking.md" });
        if (step > 2) return finish;
        expect(shown).toContain("FILE_NOT_FOUND");
        return act("fs_read", {
          path: /out\/travel\/packing\.md/.exec(shown)?.[0] ?? "nothing was suggested",
        });
      }, "Take a tent and a lamp [2]."),
    );
    const answer = await harness.ask("so what was it that I wanted to pack");
    expect(answer).toMatchObject({ outcome: "answered", result: "Take a tent and a lamp [2]." });
    expect(answer.scratchpad.map(({ observation }) => observation?.error?.code)).toEqual([
      "FILE_NOT_FOUND",
      undefined,
      undefined,
    ]);
  });

  it("two paths that do not exist: the planner receives hints", async () => {
    const seen: string[] = [];
    harness.models.script(
      planByObservation((shown, step) => {
        seen.push(shown);
        return step < 3 ? act("fs_read", { path: `nowhere/${String(step)}.md` }) : finish;
      }),
    );
    await harness.ask("find that thing I wrote the other day");
    expect(seen[1]).not.toContain("fs_list");
    expect(seen[2]).toMatch(/out\/[\s\S]*fs_list[\s\S]*ask_user[\s\S]*function/);
  });

  it("tasks that cannot be read: a typed error, another way, and an answer that hides nothing", async () => {
    const active = join(harness.profile, "memory", "tasks", "active");
    await rename(active, `${active}-aside`);
    await writeFile(active, "not a folder");
    try {
      harness.models.script(
        planByObservation(
          (_shown, step) =>
            step === 1 ? act("task_list") : step === 2 ? act("memory_search", { query: "tasks" }) : finish,
          "Your tasks cannot be read at the moment [1].",
        ),
      );
      const answer = await harness.ask("remind me of what I wanted to get done");
      expect(answer).toMatchObject({ outcome: "answered", actions: ["task_list", "memory_search"] });
      const [failed, other] = answer.scratchpad.map(({ observation }) => observation);
      expect(failed).toMatchObject({ success: false, error: { code: expect.any(String) as unknown } });
      expect(failed?.error?.code).not.toBe("UNEXPECTED_ERROR");
      expect(failed?.content).not.toContain(harness.home);
      expect(other?.success).toBe(true);
    } finally {
      await writeFile(active, "");
      await rename(active, `${active}-file`);
      await rename(`${active}-aside`, active);
    }
    expect((await harness.ask("list my tasks")).result).toContain("water the plants");
  });

  it("a call that keeps failing: refused once with the reason, then stuck, with everything that was found", async () => {
    harness.models.script(
      planByObservation((_shown, step) =>
        step === 1 ? act("task_list") : act("fs_read", { path: "gone.md" }),
      ),
    );
    const answer = await harness.ask("keep looking for the thing that is gone");
    expect(answer.outcome).toBe("stuck");
    expect(answer.scratchpad.map(({ observation }) => observation?.error?.code)).toEqual([
      undefined,
      "FILE_NOT_FOUND",
      "FILE_NOT_FOUND",
      "LOOP_DETECTED",
    ]);
    expect(answer.result).toMatch(/went in circles[\s\S]*Until then:[\s\S]*task/i);
    expect(answer.actions).toEqual(["task_list", "fs_read", "fs_read"]);
  });

  it("a model that makes nonsensical calls for ten steps: stopped, and nothing was changed", async () => {
    const before = await titles();
    harness.models.script(
      planByObservation((_shown, step) =>
        act(`make_${"magic".repeat(step)}`, { wish: [step, { deep: null }] }),
      ),
    );
    const answer = await harness.ask("do something wonderful with all of it");
    expect(answer).toMatchObject({ outcome: "stopped", actions: [], scratchpad: { length: 10 } });
    expect(new Set(answer.scratchpad.map(({ observation }) => observation?.error?.code))).toEqual(
      new Set(["SKILL_NOT_FOUND"]),
    );
    expect(await titles()).toEqual(before);
    await harness.restart();
    expect((await harness.run(answer.runId)).scratchpad).toHaveLength(10);
  });

  it("a model that writes no plan at all: failed with a plain sentence", async () => {
    harness.models.script(planByObservation(() => ({ say: "Lorem { ipsum <think> dolor" })));
    const answer = await harness.ask("do something wonderful with all of it");
    expect(answer).toMatchObject({ outcome: "failed", usage: { planningCalls: 2 } });
    expect(answer.result).toMatch(/could not be/);
  });
});

describe("a denied approval", () => {
  it("gives the planner the reason, which it uses", async () => {
    harness.models.script(play([act("fs_write", { path: "poem.md", content: "rain" })]));
    await harness.ask("write down that poem I like");
    harness.models.script(
      planByObservation((shown, step) => {
        if (step === 1) return act("fs_delete", { path: "poem.md" });
        const wanted = /move it to (\S+)/.exec(shown)?.[1];
        return step === 2 && wanted ? act("fs_move", { from: "poem.md", to: wanted }) : finish;
      }, "It is kept as old/poem.md [2]."),
    );
    const { runId, pending } = await askAndWait("get rid of the poem");
    const approvalId = pending?.kind === "approval" ? pending.approvalId : "";
    await harness.owner.post(`/api/approvals/${approvalId}`, {
      decision: "deny",
      reason: "move it to old/poem.md instead",
    });
    expect(await ended(runId)).toMatchObject({
      outcome: "answered",
      result: "It is kept as old/poem.md [2].",
    });
    expect(await out("old/poem.md")).toBe("rain");
  });
});

describe("a question to the person", () => {
  it("is answered after a restart, and the run continues with the answer", async () => {
    await harness.separate();
    harness.models.script(
      planByObservation((shown, step) => {
        if (step === 1)
          return act("ask_user", { question: "Which trip is it about?", options: ["Oslo", "Rome"] });
        const trip = /Oslo|Rome/.exec(shown)?.[0] ?? "nowhere";
        return shown.includes("Observation 1")
          ? act("fs_write", { path: `trips/${trip.toLowerCase()}.md`, content: trip })
          : finish;
      }, "The note is in trips/rome.md [2]."),
    );
    const { runId, pending } = await askAndWait("start a note for the trip");
    expect(pending).toMatchObject({ kind: "question", question: "Which trip is it about?" });
    await harness.kill();
    expect(await harness.run(runId)).toMatchObject({ status: "waiting", pending: { kind: "question" } });
    expect((await harness.owner.post(`/api/runs/${runId}/answer`, { text: "Rome" })).status).toBe(200);
    expect(await ended(runId)).toMatchObject({
      outcome: "answered",
      result: "The note is in trips/rome.md [2].",
    });
    expect(await out("trips/rome.md")).toBe("Rome");
  });
});
