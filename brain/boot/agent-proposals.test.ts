import { afterEach, beforeEach, expect, it } from "vitest";
import { AlreadyExistsError } from "@metahuman/core/errors/request-errors";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import {
  ADA,
  createTestFunctions,
  failureOf,
  SANDWICH,
  type TestFunctions,
} from "@metahuman/core/functions/testing/open-test-functions";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { PatternFacts } from "@metahuman/core/memory/patterns/pattern-memory";
import {
  createTestProfile,
  type TestProfile,
  USER_ORIGIN,
} from "@metahuman/core/memory/testing/open-test-memory";
import { type AgentProposalDependencies, createAgentProposals } from "./agent-proposals.ts";

let profile: TestProfile;
let stored: TestFunctions;
let memory: MemoryPort;
let functions: FunctionsPort;

beforeEach(async () => {
  profile = await createTestProfile();
  stored = await createTestFunctions();
  ({ memory } = await profile.open());
  functions = (await stored.open()).functions.of();
});
afterEach(async () => {
  await profile.remove();
  await stored.remove();
});

const open = (learnFrom: AgentProposalDependencies["learnFrom"]) =>
  createAgentProposals({
    memory,
    functions,
    summaryOf: (skill) => skill,
    learnFrom,
    audit: { append: async () => undefined },
    actor: "ada",
  });

/** Adds a pattern of the requests that these runs carried out. Returns its id. */
async function addPattern(runIds: readonly string[]): Promise<string> {
  const examples: PatternFacts["examples"] = [];
  for (const runId of runIds) {
    const source = { kind: "operator", runId } as const;
    const { id } = await memory.add(
      { type: "observation", content: `Asked in ${runId}` },
      { source, trust: "trusted" },
    );
    examples.push({ id, request: "make sandwich file" });
  }
  const pattern: PatternFacts = {
    key: "0123456789abcdef",
    template: "make {words} file",
    kind: "request",
    slots: [],
    skills: ["fs_write"],
    examples,
    occurrences: 4,
    confidence: 0.7,
    firstSeen: "2026-11-20T10:00:00.000Z",
    lastSeen: "2026-11-21T10:00:00.000Z",
    context: {},
    countedThrough: "evt-1",
  };
  return (
    await memory.add({ type: "pattern", content: pattern.template, metadata: { pattern } }, USER_ORIGIN)
  ).id;
}

const learnsNothing = async () => ({ kind: "nothing", reason: "The run is gone." }) as const;

it("creates one function of a pattern, although two people ask at once", async () => {
  const { makeFunction } = open(learnsNothing);
  const pattern = await addPattern([]);
  const attempts = await Promise.all([
    failureOf(makeFunction(pattern, ADA)),
    failureOf(makeFunction(pattern, ADA)),
  ]);
  // Either of the two may come first.
  expect(attempts.filter((error) => error instanceof AlreadyExistsError)).toHaveLength(1);
  expect(attempts.filter((error) => error === undefined)).toHaveLength(1);
  expect((await functions.listFunctions({ limit: 9 })).items).toHaveLength(1);
});

it("learns from the other runs of a pattern when somebody edits the function during one of them", async () => {
  const { id } = await functions.saveFunction(SANDWICH, ADA);
  const learnFrom: AgentProposalDependencies["learnFrom"] = async (runId) => {
    const { version } = await functions.loadFunction(id);
    if (runId === "run-1") await functions.updateFunction(id, { version, summary: "Edited meanwhile." }, ADA);
    await functions.updateFunction(id, { version, tags: [runId] }, ADA);
    return { kind: "example", id, title: "Kitchen", proposed: false };
  };
  const made = await open(learnFrom).makeFunction(await addPattern(["run-1", "run-2"]), ADA);
  expect(made).toMatchObject({ id, tags: ["run-2", "pattern:0123456789abcdef"] });
});
