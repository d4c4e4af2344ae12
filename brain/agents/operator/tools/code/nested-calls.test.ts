import { defineSkill } from "@metahuman/skills/define-skill";
import { CodeCalls } from "@metahuman/core/contract/curation";
import type { ProfileSettings } from "@metahuman/core/contract/profile";
import type { Run } from "@metahuman/core/contract/run";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { operatorHarness } from "../../testing/operator-harness.ts";
import { call, say, scriptedPlanner } from "../../testing/scripted-planner.ts";
import { executedCalls, testSkills } from "../../testing/test-skills.ts";

const harness = operatorHarness();

/** Runs code with the given grants; asks a person first if `asks` is true. */
const carry = (asks: boolean) =>
  defineSkill({
    id: "carry",
    summary: "Carry out",
    category: "functions",
    input: z.strictObject({ source: z.string(), grants: z.array(z.string()) }),
    output: z.strictObject({
      result: z.unknown(),
      logs: z.array(z.string()),
      calls: CodeCalls.optional(),
    }),
    // Assesses the call by the grants of the code, which are empty unless a person is asked.
    effects: asks ? "write" : "read",
    risk: asks ? "high" : "low",
    timeoutMs: 60_000,
    phrases: [],
    narrate: ({ result }) => `Got ${JSON.stringify(result)}.`,
    run: ({ source, grants }, { ports: { code }, signal }) =>
      code.run({ language: "typescript", entry: "main", source, tests: "", grants }, {}, signal),
  });

/** Echoes the headers that it was sent, as a careless server would. */
const httpGet = defineSkill({
  id: "http_get",
  summary: "Get",
  category: "web",
  input: z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()) }),
  output: z.strictObject({ body: z.string() }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases: [],
  narrate: () => "Got it.",
  run: async ({ headers }) => ({ body: `you sent ${JSON.stringify(headers)}` }),
});

/** Returns what the person wrote earlier in the conversation. */
const earlierMessages = defineSkill({
  id: "said_before",
  summary: "Said before",
  category: "memory",
  input: z.strictObject({}),
  output: z.strictObject({ texts: z.array(z.string()) }),
  effects: "read",
  risk: "low",
  phrases: [],
  narrate: ({ texts }) => texts.join(", "),
  run: async (_args, call) => ({ texts: [...(call.earlierMessages ?? [])] }),
});

interface Asked {
  asks?: boolean;
  allow?: boolean;
  /** The settings of the profile while the code runs. */
  settings?: Partial<ProfileSettings>;
}

async function carryOut(
  source: string,
  grants: string[],
  { asks = false, allow = false, settings }: Asked = {},
) {
  const skills = [...testSkills(harness.home.journal), carry(asks), httpGet];
  const opened = await harness.home.open(scriptedPlanner([call("carry", { source, grants }), say("Done.")]), {
    skills,
    secrets: { WEATHER_KEY: "sun-and-rain-9", OTHER_KEY: "not-yours" },
  });
  if (settings) opened.settle(settings);
  let run = await opened.ask("carry it out", settings?.trustLevel && { trustLevel: settings.trustLevel });
  if (allow && run.pending?.kind === "approval") {
    await opened.operator.decide(run.pending.approvalId, "once");
    run = await opened.operator.settled(run.id);
  }
  return { run, observation: observationOf(run), audited: await opened.audited("skill_called") };
}

function observationOf(run: Run) {
  return run.scratchpad[0]?.observation;
}

const main = (body: string) => `export async function main() { ${body} }`;

describe("a call that code makes", () => {
  it("is authorized with the function's grants and audited as a call of its own", async () => {
    const { observation, audited } = await carryOut(
      main(`await skills.write_down({ text: "a" }); return (await skills.look({ text: "b" })).done`),
      ["write_down", "look"],
    );
    expect(observation?.outputs).toMatchObject({ result: "b" });
    expect(await executedCalls(harness.home.journal)).toEqual(["a"]);
    expect(audited.map(({ skill, success, step }) => [skill, success, step]).sort()).toEqual([
      ["carry", true, 1],
      ["look", true, 1],
      ["write_down", true, 1],
    ]);
  });

  it.each([
    ["a skill that was not granted", `skills.write_down({ text: "a" })`, ["look"], "PERMISSION_DENIED"],
    [
      "a skill that controls the run",
      `skills.ask_user({ question: "ok?" })`,
      ["ask_user"],
      "PERMISSION_DENIED",
    ],
    [
      "code that runs code",
      `skills.carry({ source: "", grants: ["launch"] })`,
      ["carry"],
      "PERMISSION_DENIED",
    ],
    ["arguments that do not fit", `skills.write_down({ words: "a" })`, ["write_down"], "INVALID_ARGS"],
    ["what needs the approval of a person", `skills.shred({ text: "a" })`, ["shred"], "APPROVAL_DENIED"],
    ["what is critical", `skills.launch({ text: "a" })`, ["launch"], "APPROVAL_DENIED"],
  ])("is refused: %s", async (_what, expression, grants, code) => {
    const { observation } = await carryOut(
      main(`try { return await ${expression} } catch (e) { return e.code }`),
      grants,
    );
    expect(observation?.outputs).toMatchObject({ result: code });
    expect(await executedCalls(harness.home.journal)).toEqual([]);
  });

  it.each<[string, Partial<ProfileSettings>, string]>([
    ["where the profile only observes", { trustLevel: "observe" }, "POLICY_DENIED"],
    ["where the profile wants to be asked", { trustLevel: "suggest" }, "APPROVAL_DENIED"],
    ["in emulation", { mode: "emulation" }, "POLICY_DENIED"],
    [
      "for a skill that is never to be used",
      { trustLevel: "bounded_auto", skillOverrides: { write_down: "never" } },
      "POLICY_DENIED",
    ],
    [
      "for a skill that is always to be asked for",
      { trustLevel: "bounded_auto", skillOverrides: { write_down: "ask" } },
      "APPROVAL_DENIED",
    ],
  ])("is denied what the policy denies, whatever the grants: %s", async (_where, settings, code) => {
    const { observation, audited } = await carryOut(
      main(`try { return await skills.write_down({ text: "a" }) } catch (e) { return e.code }`),
      ["write_down"],
      { settings },
    );
    expect(observation?.outputs).toMatchObject({ result: code });
    expect(await executedCalls(harness.home.journal)).toEqual([]);
    expect(audited).toContainEqual(expect.objectContaining({ skill: "write_down", success: false }));
  });

  it("may have the risk that a person approved for the parent call, and no more", async () => {
    const source = main(
      `await skills.shred({ text: "a" }); try { await skills.launch({ text: "b" }) } catch (e) { return e.code }`,
    );
    const { observation, audited } = await carryOut(source, ["shred", "launch"], { asks: true, allow: true });
    expect(observation?.outputs).toMatchObject({ result: "APPROVAL_DENIED" });
    expect(await executedCalls(harness.home.journal)).toEqual(["shredded a"]);
    expect(audited).toContainEqual(expect.objectContaining({ skill: "carry", allowedBy: "approval" }));
  });

  it("fails the function with its error if nothing catches it", async () => {
    const { observation } = await carryOut(main(`await skills.miss({ text: "gone.txt" })`), ["miss"]);
    expect(observation).toMatchObject({ success: false, error: { code: "FUNCTION_ERROR" } });
  });

  it("is audited with its permission, also if it fails", async () => {
    const { audited } = await carryOut(main(`await skills.miss({ text: "gone.txt" })`), ["miss"]);
    expect(audited).toContainEqual(
      expect.objectContaining({ skill: "miss", success: false, allowedBy: "policy" }),
    );
  });

  it("receives the person's earlier messages, as a call of the run does", async () => {
    const source = main("return (await skills.said_before({})).texts");
    const opened = await harness.home.open(
      scriptedPlanner([call("carry", { source, grants: ["said_before"] }), say("Done.")]),
      { skills: [...testSkills(harness.home.journal), carry(false), earlierMessages] },
    );
    const { conversationId } = await opened.ask("the kiln is in the shed");
    const run = await opened.ask("carry it out", {}, conversationId);
    expect(observationOf(run)?.outputs).toMatchObject({ result: ["the kiln is in the shed"] });
  });

  it("uses granted secrets by name without seeing their values", async () => {
    const source = main(
      "return (await skills.http_get({ url: 'https://weather.example', headers: { key: '${secret:WEATHER_KEY}' } })).body",
    );
    const { run, observation, audited } = await carryOut(source, ["http_get", "secret:WEATHER_KEY"]);
    expect(observation?.outputs).toMatchObject({ result: 'you sent {"key":"${secret:WEATHER_KEY}"}' });
    expect(JSON.stringify([run, audited])).not.toContain("sun-and-rain-9");
  });

  it("cannot use a secret that was not granted", async () => {
    const source = main(
      "try { await skills.http_get({ url: 'https://weather.example', headers: { key: '${secret:OTHER_KEY}' } }) } catch (e) { return [e.code, e.message] }",
    );
    const { observation } = await carryOut(source, ["http_get", "secret:WEATHER_KEY"]);
    expect(observation?.outputs).toMatchObject({
      result: ["PERMISSION_DENIED", "There is no secret OTHER_KEY for this function."],
    });
  });
});
