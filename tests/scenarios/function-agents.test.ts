import { FunctionSearchAnswer } from "@metahuman/core/contract/function-search";
import { describe, expect, it } from "vitest";
import { FunctionPage } from "@metahuman/core/contract/answers";
import { harnessBeforeAll } from "../support/before-all.ts";
import { functionNow, LONGEST, WORD } from "../support/code-samples.ts";
import { act, finish, play, purposeOf, type ModelHarness } from "../support/model-harness.ts";

// Functions of agents other than the operator, and code as a planner sees it.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const list = async (query: string) =>
  FunctionPage.parse((await harness.owner.get(`/api/functions?${query}`)).body).items;
const register = (name: string) =>
  act("function_register", {
    name,
    description: "Finds the longest word of a list.",
    code: LONGEST.source,
    parameters: [WORD],
    examplePrompts: ["which of these words is the longest"],
    tests: LONGEST.tests,
  });

describe("a function of another agent", () => {
  it("belongs to that agent, and is accessible to a person: listed, read, approved, run, deleted and restored", async () => {
    await harness.set({ answer: play([register("gardener-longest"), finish]) });
    await harness.ask("keep what you know about words somehow", { agentId: "gardener" });
    const [found] = await list("agentId=gardener");
    expect(found).toMatchObject({ name: "gardener-longest", scope: { agentId: "gardener" } });
    expect((await list("")).map(({ name }) => name)).toContain("gardener-longest");
    expect(await list("agentId=operator")).toEqual([]);
    const id = found?.id ?? "";
    expect((await functionNow(harness.owner, id)).id).toBe(id);
    expect((await harness.owner.post(`/api/functions/${id}/approve`)).status).toBe(200);
    const ran = await harness.owner.post(`/api/functions/${id}/run`, { parameters: { words: ["a", "bcd"] } });
    expect(ran).toMatchObject({ status: 200, body: { result: { longest: "bcd" } } });
    expect((await harness.owner.send("DELETE", `/api/functions/${id}`)).status).toBe(200);
    expect(await list("agentId=gardener")).toEqual([]);
    expect((await harness.owner.post(`/api/functions/${id}/undelete`)).status).toBe(200);
    expect(await functionNow(harness.owner, id)).toMatchObject({
      trust: "verified",
      scope: { agentId: "gardener" },
    });
  });

  it("is found by a person's search over all agents, and by that of its agent alone", async () => {
    const found = async (agent: string) =>
      FunctionSearchAnswer.parse(
        (await harness.owner.get(`/api/functions/search?query=longest%20word%20of%20a%20list${agent}`)).body,
      ).items.map((item) => item.function.name);
    expect(await found("")).toContain("gardener-longest");
    expect(await found("&agentId=gardener")).toContain("gardener-longest");
    expect(await found("&agentId=operator")).not.toContain("gardener-longest");
  });

  it("is not found by the operator", async () => {
    await harness.set({
      answer: play([act("function_run", { id: "gardener-longest", parameters: {} }), finish]),
    });
    const { scratchpad } = await harness.ask("run that function somehow");
    expect(scratchpad[0]?.observation?.error?.code).toBe("FUNCTION_NOT_FOUND");
  });
});

describe("a matching code function", () => {
  it("reaches the planner with its kind, its signature and the call that runs it", async () => {
    await harness.set({ answer: play([register("longest-of-words"), finish]) });
    await harness.ask("keep what you know about words somehow");
    const [found] = await list("agentId=operator");
    await harness.owner.post(`/api/functions/${found?.id ?? ""}/approve`);
    await harness.set({ answer: play([finish]) });
    await harness.ask("which of these words is the longest: ox, horse");
    const plan = harness.models.chats().find((request) => purposeOf(request) === "plan");
    const shown = (plan?.messages ?? []).map(({ content }) => content).join("\n");
    expect(shown).toContain(`run with function_run {id: "${found?.id ?? ""}", parameters: {words: <list>}}`);
    expect(shown).toContain("main(words: list) → { longest: string }");
  });
});
