import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Args, Run } from "@metahuman/core/contract/run";
import { memorySearch } from "@metahuman/skills/memory-search/skill";
import { type Ended, creditMemories } from "./remember.ts";
import { openTestPorts, type TestPorts } from "../testing/test-ports.ts";
import { testSkills } from "../testing/test-skills.ts";

let ports: TestPorts;
beforeAll(async () => {
  ports = await openTestPorts();
});
afterAll(() => ports.close());

const skills = [...testSkills("/nowhere"), memorySearch];
let number = 0;

const entry = (tool: string, args: Args, outputs?: Args): Run["scratchpad"][number] => ({
  step: 1,
  thought: "",
  timestamp: "2026-01-01T00:00:00.000Z",
  action: { tool, args },
  observation: { mode: "narrative", content: "done", success: true, ...(outputs && { outputs }) },
});

/** A run with one memory in its context. */
async function ended(
  memory: string,
  {
    answer,
    planner = "structured",
    args,
    asked,
    ...more
  }: Partial<Ended> & { planner?: Run["planner"]; args?: object; asked?: string },
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
    scratchpad: [
      ...(args ? [entry("write_down", { ...args })] : []),
      // What the search of a question finds.
      ...(asked === undefined
        ? []
        : [
            entry(
              "memory_search",
              { query: asked },
              { results: [{ id, content: memory, type: "observation" }] },
            ),
          ]),
    ],
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

  it("is counted if the built-in planner answers a question with it, in its words or a sentence of them", async () => {
    const built = { planner: "built-in", asked: "garage code" } as const;
    expect(await usesAfter(CODE, { ...built, answer: `${CODE}.` })).toEqual([1, 0]);
    const long = `${CODE}.\n${"The bicycle stands in the cellar, behind the boiler and the old wardrobe. ".repeat(6)}`;
    expect(await usesAfter(long, { ...built, answer: "The garage code is 48-15-16." })).toEqual([1, 0]);
    const listed = `Nothing saved about this. Related conversations:\n\n- ${CODE}.`;
    expect(await usesAfter(CODE, { ...built, asked: "colour of the boat", answer: listed })).toEqual([0, 0]);
  });

  it("may be deleted meanwhile", async () => {
    const { id, ending } = await ended(CODE, { answer: "It is 48-15-16." });
    await ports.memory.forget(id);
    await creditMemories(ports.memory, ending);
    expect((await ports.memory.usesOf(id)).cited).toBe(0);
  });
});
