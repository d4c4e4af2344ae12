import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CurationRequest } from "@metahuman/core/contract/curation";
import { ModelsConfig } from "@metahuman/core/contract/models";
import type { CallStage } from "@metahuman/core/contract/run";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import {
  createTestFunctions,
  type TestFunctions,
} from "@metahuman/core/functions/testing/open-test-functions";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { openProvider } from "@metahuman/models/open-provider";
import { createRouter } from "@metahuman/models/router";
import { codeTools } from "@metahuman/sandbox/code/open-code-tools";
import { readCalledSkills } from "@metahuman/sandbox/code/inspect-code";
import { verifyCode } from "@metahuman/sandbox/code/verify-code";
import { sandbox } from "@metahuman/sandbox/open-sandbox";
import type { CodePort } from "@metahuman/skills/ports";
import { createCurator } from "./curator.ts";
import { openStaging } from "./staging.ts";

const RUN = "run-01jd0000000000000000000000";
let home: TestFunctions;
let functions: FunctionsPort;
let folder: string;
beforeAll(async () => {
  home = await createTestFunctions();
  functions = (await home.open()).functions.of();
  folder = join(home.paths.memory.functions, "staging");
});
afterAll(() => home.remove());

/** Code of a person, which needs no model. */
const request = (functionName: string): CurationRequest => ({
  userRequest: "double a number",
  functionName,
  draft: {
    description: "Doubles a number.",
    code: "export function main({ n }: { n: number }): number {\n  return n * 2;\n}\n",
    tests: "assert.equal(main({ n: 2 }), 4);",
    parameters: [{ name: "n", type: "number", description: "The number", required: true }],
    examplePrompts: [],
  },
});

/** Makes the call of step 1, as often as a run that is resumed would. */
async function curate(functionName: string, callKey = `${RUN}/1`) {
  const messages: string[] = [];
  let checks = 0;
  const code: CodePort = {
    execute: () => Promise.reject(new Error("a curation executes nothing")),
    run: () => Promise.reject(new Error("a curation runs nothing but tests")),
    calledSkills: (source, signal) => readCalledSkills(codeTools, source, signal),
    calledFunctions: async () => [],
    check(draft, parameters, signal) {
      checks += 1;
      return verifyCode({ code: draft, parameters }, { sandbox, tools: codeTools, skills: [] }, signal);
    },
  };
  const models = ModelsConfig.parse({ providers: {} });
  const router = createRouter({
    config: () => models,
    useSingleModel: () => false,
    open: (id, entry, limits) => openProvider(id, entry, limits, {}),
  });
  const curator = createCurator({
    functions: () => functions,
    code,
    skills: [],
    callSkill: () => Promise.reject(new Error("a person's code needs no look")),
    embedder: createBuiltInEmbedder(),
    clock: { now: new Date("2026-11-22T09:00:00.000Z"), timeZone: "UTC", locale: "en-GB" },
    staging: openStaging(folder),
    router,
    onModelCall: undefined,
    onWarning: undefined,
  });
  const reached = ({ name, state }: CallStage) => messages.push(`${name} ${state}`);
  const { signal } = new AbortController();
  const outcome = await curator.curate(request(functionName), {
    runId: RUN,
    callKey,
    isDirect: true,
    reached,
    signal,
  });
  return { outcome, messages, checks };
}

/** The staged attempt before its last recorded inspection. */
async function forget(name: string, field: "published" | "verification"): Promise<void> {
  const path = join(folder, `${name}.json`);
  const { [field]: _forgotten, ...rest } = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify(rest));
}

const published = async (name: string) => {
  const found = await functions.findByName(name);
  if (!found) throw new Error(`${name} is not there`);
  return { version: found.version, proposals: (await functions.listProposals(found.id)).length };
};

describe("a curation whose process ended", () => {
  it.each([
    ["after it was published", "doubled-after", undefined],
    ["between publishing and noting so", "doubled-between", "published"],
  ] as const)("%s is not published again when its call is made again", async (_when, name, lost) => {
    const first = await curate(name);
    expect(first.outcome.published).toMatchObject({ name, trust: "draft", status: "pending_approval" });
    if (lost) await forget(name, lost);
    const again = await curate(name);
    expect(again.outcome.published).toEqual(first.outcome.published);
    expect(again.checks).toBe(0);
    expect(await published(name)).toEqual({ version: 1, proposals: 0 });
  });

  it("before its draft was verified verifies the staged draft without asking a model", async () => {
    await curate("doubled-unchecked");
    await forget("doubled-unchecked", "published");
    await forget("doubled-unchecked", "verification");
    const { messages, checks } = await curate("doubled-unchecked");
    expect(checks).toBe(1);
    expect(messages).toEqual([
      "gather begun",
      "gather done",
      "verify begun",
      "verify done",
      "publish begun",
      "publish done",
    ]);
    expect(await published("doubled-unchecked")).toEqual({ version: 1, proposals: 0 });
  });

  it("does not affect another call, which starts with its own draft", async () => {
    await curate("doubled-by-two");
    const { messages, outcome } = await curate("doubled-by-two", `${RUN}/2`);
    expect(messages).toContain("write begun");
    expect(outcome.published).toMatchObject({ name: "doubled-by-two" });
  });
});
