import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineSkill } from "@metahuman/skills/define-skill";
import { decideAndWait } from "../testing/decide.ts";
import { ada, type TestOperator } from "../testing/open-operator.ts";
import { operatorHarness } from "../testing/operator-harness.ts";
import {
  type ActDecision,
  call,
  lastObservation,
  say,
  scriptedPlanner,
  type Scripted,
} from "../testing/scripted-planner.ts";
import { executedCalls, testSkills } from "../testing/test-skills.ts";

const harness = operatorHarness();

/** Reads that end only when `party` of them are running, and reads that record how many are. */
function meetings(party: number) {
  const all = Promise.withResolvers<void>();
  const seen = { now: 0, most: 0, met: 0 };
  const shape = {
    category: "files",
    input: z.strictObject({ text: z.string() }),
    output: z.strictObject({ done: z.string() }),
    effects: "read",
    risk: "low",
    idempotent: true,
    narrate: ({ done }: { done: string }) => `Did ${done}.`,
    structure: ({ done }: { done: string }) => `- ${done}`,
    phrases: [],
  } as const;
  const meet = defineSkill({
    ...shape,
    id: "meet",
    summary: "Meet the others",
    run: async ({ text }) => {
      if (++seen.met === party) all.resolve();
      await all.promise;
      return { done: text };
    },
  });
  const count = defineSkill({
    ...shape,
    id: "count",
    summary: "Count who is there",
    run: async ({ text }) => {
      seen.most = Math.max(seen.most, ++seen.now);
      await setImmediate();
      seen.now -= 1;
      return { done: text };
    },
  });
  return { skills: [meet, count], seen };
}

const together = (first: ActDecision, ...parallel: ActDecision[]): ActDecision => ({ ...first, parallel });

async function open(
  moves: readonly Scripted[],
  {
    party = 2,
    parallel = true,
    maxSteps = 10,
  }: { party?: number; parallel?: boolean; maxSteps?: number } = {},
) {
  const etc = join(harness.home.folder, "etc");
  await mkdir(etc, { recursive: true });
  const config = { scratchpad: { maxSteps }, performance: { parallelSkillExecution: parallel } };
  await writeFile(join(etc, "operator.json"), JSON.stringify(config));
  const { skills, seen } = meetings(party);
  const opened = await harness.home.open(scriptedPlanner(moves), {
    skills: [...skills, ...testSkills(harness.home.journal)],
  });
  return { ...opened, opened, seen };
}

async function eventsOf({ operator }: TestOperator, runId: string): Promise<string[]> {
  const signal = new AbortController().signal;
  const events = await Array.fromAsync(operator.events(runId, { from: 0, signal }));
  return events.flatMap((event) => ("step" in event ? [`${event.type} ${String(event.step)}`] : []));
}

describe("independent reads", () => {
  it("run in parallel if configured, and are reported in their planned order", async () => {
    const { ask, opened } = await open(
      [together(call("meet", { text: "a" }), call("meet", { text: "b" }), call("meet", { text: "c" }))],
      { party: 3 },
    );
    const run = await ask("meet");
    expect(run.scratchpad.map(({ observation }) => observation?.outputs?.done)).toEqual(["a", "b", "c"]);
    expect(await eventsOf(opened, run.id)).toEqual([
      "step-planned 1",
      "action-started 1",
      "step-planned 2",
      "action-started 2",
      "step-planned 3",
      "action-started 3",
      "observation-made 1",
      "observation-made 2",
      "observation-made 3",
    ]);
    expect(await opened.audited("skill_called")).toHaveLength(3);
  });

  it("run one after the other otherwise, with a planner call before each", async () => {
    const { ask, seen } = await open(
      [together(call("count", { text: "a" }), call("count", { text: "b" })), call("count", { text: "b" })],
      { parallel: false },
    );
    expect((await ask("count")).scratchpad).toHaveLength(2);
    expect(seen.most).toBe(1);
  });

  it("end at the first call that changes something", async () => {
    const { ask } = await open([
      together(
        call("meet", { text: "a" }),
        call("meet", { text: "b" }),
        call("write_down", { text: "c" }),
        call("count", { text: "d" }),
      ),
      () => say("unreachable"),
      say("Two."),
    ]);
    const run = await ask("meet");
    expect(run.scratchpad.map(({ action }) => action?.tool)).toEqual(["meet", "meet"]);
    expect(await executedCalls(harness.home.journal)).toEqual([]);
  });

  it("do not run in parallel with a call that changes something", async () => {
    const { ask } = await open([
      together(call("write_down", { text: "a" }), call("count", { text: "b" })),
      say("One."),
    ]);
    expect((await ask("write")).scratchpad).toHaveLength(1);
  });

  it("count as one step each, up to the limit of the run", async () => {
    const { ask } = await open(
      [
        together(
          call("meet", { text: "a" }),
          call("meet", { text: "b" }),
          call("meet", { text: "c" }),
          call("meet", { text: "d" }),
        ),
        () => say("unreachable"),
        call("count", { text: "e" }),
      ],
      { maxSteps: 2 },
    );
    expect(await ask("meet")).toMatchObject({ outcome: "stopped", scratchpad: [{ step: 1 }, { step: 2 }] });
  });

  it("exclude duplicates and calls that failed too often", async () => {
    const fails = call("miss", { text: "x" });
    const { ask } = await open([
      fails,
      fails,
      together(call("look", { text: "a" }), call("look", { text: "a" })),
      together(call("look", { text: "b" }), fails),
      say("Enough."),
    ]);
    const { scratchpad } = await ask("try");
    expect(scratchpad.map(({ action }) => action?.args.text)).toEqual(["x", "x", "a", "b"]);
  });

  it("fail independently", async () => {
    const { ask } = await open([
      together(call("miss", { text: "x" }), call("look", { txt: 1 }), call("look", { text: "b" })),
    ]);
    const { scratchpad, outcome } = await ask("look");
    expect(scratchpad.map(({ observation }) => observation?.error?.code)).toEqual([
      "FILE_NOT_FOUND",
      "INVALID_ARGS",
      undefined,
    ]);
    expect(outcome).toBe("answered");
  });

  it("wait for a person at the one that needs approval, and keep the other results", async () => {
    const { ask, opened } = await open([
      together(
        call("meet", { text: "a" }),
        call("meet", { text: "b" }),
        call("count", { text: "c" }),
        call("look"),
      ),
      () => say("unreachable"),
      () => say("unreachable"),
      (state) => say(lastObservation(state)?.content ?? ""),
    ]);
    opened.settle({ skillOverrides: { count: "ask" } });
    const waiting = await ask("meet");
    expect(waiting).toMatchObject({ status: "waiting", pending: { tool: "count" } });
    expect(waiting.scratchpad.map(({ observation }) => observation?.success)).toEqual([
      true,
      true,
      undefined,
    ]);
    const run = await decideAndWait(opened, waiting, "once");
    expect(run.scratchpad).toHaveLength(3);
    expect(run.scratchpad[2]?.observation?.success).toBe(true);
  });

  it("all stop when the person stops the run", async () => {
    const { opened } = await open([together(call("deaf", { text: "a" }), call("deaf", { text: "b" }))]);
    const started = await opened.operator.start({ goal: "wait" }, { identity: ada, surface: "cli" });
    await opened.persistent.feed.until(started.id, ({ scratchpad }) => scratchpad.length === 2);
    await opened.operator.cancel(started.id);
    const run = await opened.operator.settled(started.id);
    expect(run.outcome).toBe("cancelled");
    expect(run.scratchpad.map(({ observation }) => observation?.error?.code)).toEqual([
      "CANCELLED",
      "CANCELLED",
    ]);
  });

  it("are all repeated after their process has ended", async () => {
    const { opened } = await open([together(call("meet", { text: "a" }), call("meet", { text: "b" }))], {
      party: 9,
    });
    const started = await opened.operator.start({ goal: "meet" }, { identity: ada, surface: "cli" });
    await opened.persistent.feed.until(started.id, ({ scratchpad }) => scratchpad.length === 2);
    await opened.close(0);
    const { opened: next } = await open([() => say("unreachable")]);
    expect(await next.persistent.store.run(started.id)).toMatchObject({ status: "interrupted" });
    await next.operator.resume(started.id, { identity: ada, surface: "cli" });
    const run = await next.operator.settled(started.id);
    expect(run).toMatchObject({ outcome: "answered" });
    expect(run.scratchpad.map(({ observation }) => observation?.success)).toEqual([true, true]);
  });
});
