import { FunctionAnswer, FunctionDetail } from "@metahuman/core/contract/answers";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { Observation } from "@metahuman/core/contract/run";
import type { Client } from "./client.ts";
import { act, finish, type ModelHarness, play } from "./model-harness.ts";

export const WORD = { name: "words", type: "list", description: "The words", required: true };

/** A function that passes every check. */
export const LONGEST = {
  source: `export function main({ words }: { words: string[] }): { longest: string } {
  if (words.length === 0) throw new Error("there are no words");
  return { longest: words.reduce((best, word) => (word.length > best.length ? word : best)) };
}`,
  tests: `assert.deepEqual(main({ words: ["a", "abc", "ab"] }), { longest: "abc" });
assert.throws(() => main({ words: [] }), /no words/);`,
};

/** The call with which an operator registers `LONGEST` under a name. */
export const registerLongest = (name: string) =>
  act("function_register", {
    name,
    description: "Finds the longest word.",
    code: LONGEST.source,
    parameters: [WORD],
    tests: LONGEST.tests,
  });

/** Makes the operator register `LONGEST` under a name and returns its observation. */
export async function registerByOperator(
  harness: ModelHarness,
  name: string,
): Promise<Observation | undefined> {
  await harness.set({ answer: play([registerLongest(name), finish]) });
  const { scratchpad } = await harness.ask(`keep what you know of words as ${name} somehow`);
  return scratchpad[0]?.observation;
}

/** Creates a code function over HTTP, as a draft. */
export async function createCode(
  owner: Client,
  name: string,
  code: Partial<FunctionMemory["code"]> = {},
  more: object = {},
): Promise<FunctionMemory> {
  const { status, body } = await owner.post("/api/functions", {
    name,
    title: `The ${name}`,
    summary: "A function for this test.",
    steps: ["Run it."],
    skillsUsed: [],
    kind: "code",
    parameters: [WORD],
    code: { language: "typescript", entry: "main", ...LONGEST, grants: [], ...code },
    ...more,
  });
  if (status !== 201) throw new Error(`${String(status)}: ${JSON.stringify(body)}`);
  return FunctionAnswer.parse(body).function;
}

/** Returns the current state of a function. */
export async function functionNow(owner: Client, id: string): Promise<FunctionMemory> {
  return FunctionDetail.parse((await owner.get(`/api/functions/${id}`)).body).function;
}
