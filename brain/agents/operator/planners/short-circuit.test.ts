import { readFileSync } from "node:fs";
import { OperatorConfig, RuntimeConfig } from "@metahuman/core/contract/config";
import { installedSkills } from "@metahuman/skills/installed";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { RuleInMemory } from "@metahuman/core/context/relevant-memories";
import type { Planner } from "../planner.ts";
import { createBuiltInPlanner } from "./built-in.ts";
import { interpretRequest } from "./built-in/interpret-request.ts";
import { choosePlanner, type Planners } from "./choose-planner.ts";

/** Requests of five kinds; a read names the skill whose output answers it. */
const FIXTURES = new URL("../../../../tests/fixtures/short-circuit/requests.jsonl", import.meta.url);
const Labelled = z.strictObject({
  say: z.string(),
  kind: z.enum(["read", "write", "question", "negation", "talk"]),
  skill: z.string().optional(),
});
const requests = readFileSync(FIXTURES, "utf8")
  .trim()
  .split("\n")
  .map((line) => Labelled.parse(JSON.parse(line)));

const NOW = new Date("2026-11-18T10:00:00Z");
const named = (name: Planner["name"]): Planner => ({
  name,
  next: () => Promise.reject(new Error("only the choice counts here")),
});
const planners: Planners = {
  builtIn: createBuiltInPlanner(),
  structured: named("structured"),
  toolCalling: named("tool-calling"),
  conversation: named("conversation"),
  noModelConversation: named("conversation"),
};

/**
 * The skills that are called without the available model, in order; undefined if the model is asked or nothing is
 * called.
 */
async function callsWithoutModel(
  goal: string,
  verbatim = true,
  rules: readonly RuleInMemory[] = [],
  earlier?: readonly EarlierRequest[],
): Promise<string | undefined> {
  const planner = await choosePlanner(
    {
      request: { goal },
      conversationOnly: false,
      agentId: "operator",
      requestedAt: NOW,
      ...(earlier && { earlier: async () => earlier }),
    },
    {
      planners,
      router: {
        modelsFor: async (role) => ({ role, models: ["ollama/any:4b"], configured: false }),
        info: async () => undefined,
      },
      skills: installedSkills,
      rulesInMemory: async () => rules,
      flags: async () => RuntimeConfig.parse({}).operator,
      config: () => OperatorConfig.parse({ scratchpad: { enableVerbatimMode: verbatim } }),
    },
  );
  if (planner.name !== "built-in") return undefined;
  const reading = await interpretRequest({
    request: goal,
    requestedAt: NOW,
    timeZone: "Europe/Oslo",
    skills: installedSkills,
    ...(earlier && { earlier: async () => earlier }),
  });
  return reading.kind === "plan" ? reading.calls.map(({ skill }) => skill).join(" ") : undefined;
}

describe("requests that are answered without calling an available model", () => {
  it("is measured on enough requests of each kind", () => {
    expect(requests.length).toBeGreaterThanOrEqual(150);
    const kinds = Map.groupBy(requests, ({ kind }) => kind);
    for (const list of kinds.values()) expect(list.length).toBeGreaterThanOrEqual(20);
  });

  it.each(requests.map((request) => [request.kind, request.say, request] as const))(
    "is never a wrong action (%s): %s",
    async (_kind, _say, { say, skill }) => {
      expect([undefined, skill]).toContain(await callsWithoutModel(say));
    },
  );

  it("include nine of ten reads", async () => {
    const reads = requests.filter(({ kind }) => kind === "read");
    const called = await Promise.all(reads.map(({ say }) => callsWithoutModel(say)));
    const missed = reads.filter((_read, index) => called[index] === undefined).map(({ say }) => say);
    expect(missed.length / reads.length, missed.join("\n")).toBeLessThanOrEqual(0.1);
  });

  it.each([
    ["every friday at 6 pm remind me to check who said yes for the birthday", "remind"],
    ["every monday at 8 remind me to water the plants and tell Bo about it", undefined],
    ["every monday at 8 remind me to water the plants, the ones on the balcony too", undefined],
  ])("include a reminder at regular times whose text is one clause: %s", async (goal, skill) => {
    expect(await callsWithoutModel(goal)).toBe(skill);
  });

  it("include a read of what an earlier request of the conversation made, if there was one", async () => {
    const written = {
      request: 'write "rope" into out/trip.md',
      calls: [
        {
          skill: "fs_write",
          args: { path: "out/trip.md", content: "rope" },
          outputs: { path: "out/trip.md", created: true, bytes: 4 },
        },
      ],
    };
    expect(await callsWithoutModel("read it", true, [], [written])).toBe("fs_read");
    expect(await callsWithoutModel("read it", true, [], [])).toBeUndefined();
    expect(await callsWithoutModel("read it")).toBeUndefined();
  });

  it("are no reminders about which the memory has a rule", async () => {
    const rule = { text: "Reminders are always set for 7 pm.", since: NOW.toISOString(), isOwn: true };
    expect(await callsWithoutModel("every friday at 6 pm remind me to call", true, [rule])).toBeUndefined();
  });

  it("are none if the person has switched it off", async () => {
    expect(await callsWithoutModel("list my tasks")).toBe("task_list");
    expect(await callsWithoutModel("list my tasks", false)).toBeUndefined();
  });
});
