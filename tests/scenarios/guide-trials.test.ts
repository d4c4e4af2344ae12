import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FunctionAnswer, FunctionProposalPage, VerificationAnswer } from "@metahuman/core/contract/answers";
import type { OperatorAnswer } from "@metahuman/core/contract/http";
import type { Verification } from "@metahuman/core/contract/function";
import { functionNow } from "../support/code-samples.ts";
import type { Answer, ChatScript } from "../support/model-server/script.ts";
import { act, finish, openModelHarness, purposeOf, type ModelHarness } from "../support/model-harness.ts";

// How a model tests guides: by runs with and without the guide, and by its reasons when one failed.

let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness();
});
afterAll(() => harness.close());

const guide = {
  title: "Make a kitchen file",
  summary: "A file about food goes to the kitchen folder.",
  steps: ["Make the file in out/kitchen/, named after the dish"],
  skillsUsed: ["fs_write"],
  kind: "guide",
  parameters: [],
  examples: [
    { prompt: "make soup file", resultPath: "out/kitchen/soup.md" },
    { prompt: "make sandwich file", resultPath: "out/kitchen/sandwich.md" },
  ],
};

const load = (id: string) => functionNow(harness.owner, id);
async function create(content: object): Promise<string> {
  const { status, body } = await harness.owner.post("/api/functions", content);
  expect([status, body]).toMatchObject([201, {}]);
  return FunctionAnswer.parse(body).function.id;
}
async function verify(id: string): Promise<Verification> {
  const { body } = await harness.owner.post(`/api/functions/${id}/verify`);
  return VerificationAnswer.parse(body).verification;
}
const trialsOf = ({ checks }: Verification) => checks.filter(({ name }) => name.startsWith("paired trial"));

/** Plans by the number of calls in this run, and by whether its prompt contains the guide. */
function reads(guided: readonly ChatScript[], alone: readonly ChatScript[]): Answer {
  return (request) => {
    if (purposeOf(request) !== "plan") return { say: "It is there [1]." };
    const done = request.messages.filter(({ role }) => role === "assistant").length;
    const prompt = request.messages.map(({ content }) => content).join("\n");
    return (prompt.includes("Make the file in out/kitchen/") ? guided : alone)[done] ?? finish;
  };
}
const named = (script: ChatScript, functionId: string): ChatScript =>
  "json" in script ? { json: Object.assign({ functionId }, script.json) } : script;
const write = (path: string): ChatScript => act("fs_write", { path, content: "" });
const wandering = [act("fs_list", { path: "out" }), act("memory_search", { query: "food" }), write("s.md")];

describe("a guide that is verified", () => {
  it("is not tried without a model, which leaves it undecided", async () => {
    await harness.set({ models: [] });
    const report = await verify(await create({ ...guide, name: "untried" }));
    expect(report.ok).toBe(true);
    expect(trialsOf(report)).toEqual([
      {
        name: "paired trial",
        ok: true,
        detail: "Not tried: no model. This does not affect the verdict.",
        inconclusive: true,
      },
    ]);
  });

  it("is tried with and without itself in scratch environments, and the report contains both", async () => {
    await harness.set({
      answer: reads([named(write("out/kitchen/sandwich.md"), "func-20000101-trial0")], wandering),
    });
    const report = await verify(await create({ ...guide, name: "tried" }));
    expect(report.ok).toBe(true);
    const [trial] = trialsOf(report);
    expect(trial).toMatchObject({ name: "paired trial 1", ok: true });
    expect(trial?.detail).toMatch(
      /With the guide \(followed\): answered, 1 step, 2 planning calls, 2 of 2 expectations met/,
    );
    expect(trial?.detail).toMatch(/Without it: answered, 3 steps, 4 planning calls, 1 of 2 expectations met/);
    // The example's own result would give the answer away.
    for (const { messages } of harness.models.requests) {
      const prompt = messages.map(({ content }) => content).join();
      const tried = prompt.includes("Request: make soup file") ? "soup" : "sandwich";
      expect(prompt).not.toContain(`→ out/kitchen/${tried}.md`);
    }
    const files = await readdir(join(harness.profile, "out"), { recursive: true });
    expect(files.filter((path) => /s\.md|sandwich/.test(path))).toEqual([]);
  });

  it("is not tried with one example alone, nor with one whose result it contains", async () => {
    await harness.set({ answer: reads([write("out/elsewhere.md")], [write("out/kitchen/sandwich.md")]) });
    const [example] = guide.examples;
    const alone = await verify(await create({ ...guide, name: "alone", examples: [example] }));
    expect(trialsOf(alone)[0]?.detail).toMatch(/^Not tried: a trial needs two examples/);
    const steps = ["Make out/kitchen/soup.md or out/kitchen/sandwich.md"];
    const holding = await verify(await create({ ...guide, name: "holding", steps }));
    expect(trialsOf(holding)[0]?.detail).toMatch(/^Not tried: it contains the result of each/);
    expect([alone.ok, holding.ok]).toEqual([true, true]);
  });

  it("fails if it saves no call, and is offered only if an owner gives a reason", async () => {
    const same = [write("out/kitchen/sandwich.md")];
    await harness.set({ answer: reads(same, same) });
    const id = await create({ ...guide, name: "useless" });
    const report = await verify(id);
    expect(report.ok).toBe(false);
    expect(trialsOf(report)[0]?.detail).toContain("it saved no call");
    expect((await harness.owner.post("/api/functions/promote", { id })).status).toBe(409);
    const knowing = await harness.owner.post("/api/functions/promote", { id, reason: "I want it this way." });
    expect(knowing.status).toBe(200);
  });

  it("fails if the result with it is worse than without it", async () => {
    await harness.set({ answer: reads([write("out/elsewhere.md")], [write("out/kitchen/sandwich.md")]) });
    const id = await create({ ...guide, name: "harmful" });
    const report = await verify(id);
    expect(report.ok).toBe(false);
    expect(trialsOf(report)[0]?.detail).toContain("the result was worse with the guide than without");
    // Against the report only with a reason.
    expect((await harness.owner.post("/api/functions/promote", { id })).status).toBe(409);
    expect((await load(id)).trust).toBe("draft");
  });

  it("changes nothing outside of the scratch environment, and stops after a few steps", async () => {
    const endless = Array.from({ length: 30 }, (_, index) =>
      index === 0 ? act("http_get", { url: "https://example.com/" }) : act("fs_list", { path: "out" }),
    );
    await harness.set({ answer: reads(endless, endless) });
    const report = await verify(await create({ ...guide, name: "endless" }));
    expect(report.ok).toBe(true);
    expect(trialsOf(report)[0]?.detail).toBe(
      "Not tried: a run ended as stopped, without a result. This does not affect the verdict.",
    );
    const shown = harness.models.requests.map(({ messages }) => messages.at(-1)?.content ?? "").join("\n");
    expect(shown).toContain("http_get is not available here");
  });

  it("is not judged by a model that stops early", async () => {
    await harness.set({ answer: () => ({ fault: "server-error" }) });
    const report = await verify(await create({ ...guide, name: "broken-off" }));
    expect(report.ok).toBe(true);
    expect(trialsOf(report)[0]?.detail).toMatch(/^Not tried: .+ This does not affect the verdict\.$/);
  });
});

describe("a guide in service that was followed and failed", () => {
  const kitchenGuide = {
    ...guide,
    title: "Tidy the shelf list",
    summary: "Reads the shelf list.",
    steps: ["Make the file in out/kitchen/ by reading out/shelf.md"],
    skillsUsed: ["fs_read"],
    examples: [{ prompt: "please tidy up the shelf list for me" }],
  };
  let id = "";

  async function fails(call: ChatScript): Promise<OperatorAnswer> {
    await harness.set({
      roles: { curator: ["ollama/plans:4b"] },
      answer: (request) => {
        if (request.messages[0]?.content.startsWith("A function (steps"))
          return {
            json: {
              reason: "The list moved to out/lists.",
              summary: "Reads the list where it is now.",
              steps: ["Read out/lists/shelf.md"],
            },
          };
        return reads([named(call, id)], [])(request, 0);
      },
    });
    const answer = await harness.ask("please tidy up the shelf list for me");
    expect(answer.functionsUsed).toContainEqual({ id, title: kitchenGuide.title, followed: true });
    return answer;
  }
  const proposals = async () =>
    FunctionProposalPage.parse((await harness.owner.get(`/api/functions/${id}/proposals`)).body).items;

  beforeAll(async () => {
    await harness.set({ models: [] });
    id = await create(kitchenGuide);
    expect((await harness.owner.post("/api/functions/promote", { id })).status).toBe(200);
    const always = { skillOverrides: { http_get: "always" } };
    expect((await harness.owner.send("PUT", "/api/trust", always)).status).toBe(200);
  });

  it("learns nothing from a temporary failure", async () => {
    // A name that does not exist (RFC 6761): an error of the network, not of the guide.
    const { scratchpad } = await fails(act("http_get", { url: "https://nowhere.invalid/" }));
    expect(scratchpad[0]?.observation?.error?.code).toBe("NETWORK_ERROR");
    expect((await load(id)).stats).toMatchObject({ executions: 0, failures: 0 });
    expect(await proposals()).toEqual([]);
  });

  it("learns nothing from a placeholder that the model copied", async () => {
    const { scratchpad } = await fails(act("fs_read", { path: "${path}" }));
    expect(scratchpad[0]?.observation?.error?.code).toBe("INVALID_ARGS");
    expect((await load(id)).stats).toMatchObject({ executions: 0, failures: 0 });
    expect(await proposals()).toEqual([]);
  });

  it("has the failure in its evidence, and a revision proposed next to the live version", async () => {
    await fails(act("fs_read", { where: "out/shelf.md" }));
    expect((await load(id)).stats).toMatchObject({ executions: 1, failures: 1 });
    await expect.poll(proposals, { timeout: 20_000 }).toHaveLength(1);
    const [proposal] = await proposals();
    expect(proposal).toMatchObject({
      status: "pending",
      origin: "failure",
      reason: "The list moved to out/lists.",
      content: { steps: ["Read out/lists/shelf.md"] },
    });
    expect((await load(id)).steps).toEqual(kitchenGuide.steps);
  });
});
