import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "@metahuman/core/contract/run";
import { type Ended, creditMemories } from "./remember.ts";
import { openTestPorts, type TestPorts } from "../testing/test-ports.ts";
import { testSkills } from "../testing/test-skills.ts";

let ports: TestPorts;
beforeAll(async () => {
  ports = await openTestPorts();
});
afterAll(() => ports.close());

const skills = testSkills("/nowhere");
let number = 0;

/** A run with one memory in its context. */
async function ended(
  memory: string,
  {
    answer,
    planner = "structured",
    args,
    ...more
  }: Partial<Ended> & { planner?: Run["planner"]; args?: object },
): Promise<{ id: string; ending: Ended }> {
  const { id } = await ports.memory.add(
    { type: "observation", content: memory },
    { source: { kind: "user" }, trust: "trusted" },
  );
  const run: Run = {
    id: `run-${String((number += 1)).padStart(26, "0")}`,
    conversationId: `conv-${"0".repeat(26)}`,
    goal: "what is the garage code?",
    agentId: "operator",
    status: "running",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    lastSeq: 1,
    verbatim: false,
    warnings: [],
    planner,
    scratchpad: args
      ? [
          {
            step: 1,
            thought: "",
            timestamp: "2026-01-01T00:00:00.000Z",
            action: { tool: "write_down", args: { ...args } },
            observation: { mode: "narrative", content: "written", success: true },
          },
        ]
      : [],
    functionsUsed: [],
    usage: { planningCalls: 0, modelCalls: 0, promptTokens: 0, completionTokens: 0, durationMs: 0 },
    context: {
      memories: [{ id, score: 1, rank: 1, reason: "words" }],
      functions: [],
      patterns: [],
      warnings: [],
      timingsMs: {},
    },
  };
  return { id, ending: { run, answer, mode: "dual", skills, ...more } };
}

async function usesAfter(memory: string, ending: Parameters<typeof ended>[1]): Promise<[number, number]> {
  const finished = await ended(memory, ending);
  await creditMemories(ports.memory, finished.ending);
  await creditMemories(ports.memory, finished.ending);
  const { cited, followed } = await ports.memory.usesOf(finished.id);
  return [cited, followed];
}

describe("a memory in the context of a run", () => {
  const CODE = "The garage code is 48-15-16";

  it("is cited once per run if the answer contains it", async () => {
    expect(await usesAfter(CODE, { answer: "It is 48-15-16." })).toEqual([1, 0]);
    expect(await usesAfter(CODE, { answer: "I do not know." })).toEqual([0, 0]);
  });

  it("is counted as followed if an action did what it says", async () => {
    expect(await usesAfter(CODE, { answer: "Done.", args: { text: "48-15-16" } })).toEqual([0, 1]);
  });

  it("is not counted if the built-in planner only lists it, nor in emulation", async () => {
    expect(await usesAfter(CODE, { answer: "It is 48-15-16.", planner: "built-in" })).toEqual([0, 0]);
    expect(await usesAfter(CODE, { answer: "It is 48-15-16.", mode: "emulation" })).toEqual([0, 0]);
  });

  it("may be deleted meanwhile", async () => {
    const { id, ending } = await ended(CODE, { answer: "It is 48-15-16." });
    await ports.memory.forget(id);
    await creditMemories(ports.memory, ending);
    expect((await ports.memory.usesOf(id)).cited).toBe(0);
  });
});
