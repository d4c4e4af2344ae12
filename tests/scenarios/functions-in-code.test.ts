import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FunctionPromoted, FunctionUpdated } from "@metahuman/core/contract/answers";
import { harnessBeforeAll } from "../support/before-all.ts";
import { createCode, functionNow } from "../support/code-samples.ts";
import { act, finish, play, type ModelHarness } from "../support/model-harness.ts";

// Functions that code calls as skills.function.<name>(args), over real HTTP, in the real sandbox.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const run = (id: string, parameters: object = { words: ["ox", "horse"] }) =>
  harness.owner.post(`/api/functions/${id}/run`, { parameters });
const promote = (id: string) => harness.owner.post("/api/functions/promote", { id });

/** A verified function that finds the longest word. */
async function verified(name: string, code: object = {}): Promise<string> {
  const { id } = await createCode(harness.owner, name, code);
  const { status, body } = await promote(id);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return id;
}

/** A function that calls another and returns its result. */
const calls = (callable: string) => ({
  source: `export async function main({ words }: { words: string[] }): Promise<{ found: string }> {
  const { longest } = await skills.function.${callable}({ words });
  return { found: longest };
}`,
  tests: `fake("function.${callable}", () => ({ longest: "abc" }));
assert.deepEqual(await main({ words: ["a", "abc"] }), { found: "abc" });`,
});

/** The failed checks of a function that is not promoted. */
async function refusal(id: string): Promise<string> {
  const { status, body } = await promote(id);
  expect(status).toBe(409);
  return JSON.stringify(body);
}

/** A function that writes a file. */
const WRITES = {
  source: `export async function main({ words }: { words: string[] }): Promise<{ longest: string }> {
  await skills.fs_write({ path: "called.md", content: words.join(" ") });
  return { longest: "" };
}`,
  tests: `fake("fs_write", () => ({ path: "out/called.md", bytes: 3, created: true }));
assert.deepEqual(await main({ words: ["a"] }), { longest: "" });`,
  grants: ["fs_write"],
};

describe("a function that calls another", () => {
  it("is type-checked, verified and run with it, and the use of both counts", async () => {
    const longest = await verified("longest-word");
    const caller = await createCode(harness.owner, "calls-longest", calls("longestWord"));
    const promoted = FunctionPromoted.parse((await promote(caller.id)).body);
    expect(promoted.verification.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(await run(caller.id)).toMatchObject({ status: 200, body: { result: { found: "horse" } } });
    expect(await functionNow(harness.owner, longest)).toMatchObject({ stats: { successes: 1 } });
    expect(await functionNow(harness.owner, caller.id)).toMatchObject({ stats: { successes: 1 } });
  });

  it("replaces a leading digit by an underscore, and rejects arguments that the other one does not accept", async () => {
    await verified("2nd-longest");
    const caller = await createCode(harness.owner, "calls-second", {
      ...calls("_2ndLongest"),
      source: `export async function main({ words }: { words: string[] }): Promise<unknown> {
  return skills.function._2ndLongest({ words: words.length === 0 ? "none" : words });
}`,
    });
    expect(await refusal(caller.id)).toContain("not assignable");
    expect(await run(caller.id, { words: [] })).toMatchObject({
      status: 422,
      body: { error: { code: "FUNCTION_ERROR", message: expect.stringContaining("words") } },
    });
  });

  it("rejects a name that two functions have", async () => {
    await verified("plan-7");
    await verified("plan7");
    const caller = await createCode(harness.owner, "calls-plan", calls("plan7"));
    expect(await refusal(caller.id)).toContain("plan-7");
    expect(await run(caller.id)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringMatching(/plan-7.*plan7|plan7.*plan-7/u) } },
    });
  });

  it("rejects a function that does not exist, is a draft, or cannot be run as code", async () => {
    const missing = await createCode(harness.owner, "calls-nothing", calls("longestWrod"));
    expect(await refusal(missing.id)).toContain("longestWrod");
    expect(await run(missing.id)).toMatchObject({
      status: 404,
      body: { error: { code: "FUNCTION_NOT_FOUND", suggestions: expect.arrayContaining(["longestWord"]) } },
    });

    await createCode(harness.owner, "longest-draft");
    const caller = await createCode(harness.owner, "calls-draft", calls("longestDraft"));
    expect(await refusal(caller.id)).toContain("not verified");
    // A person may try both out.
    expect(await run(caller.id)).toMatchObject({ status: 200, body: { result: { found: "horse" } } });
  });

  it("grants the other one only what it was granted itself", async () => {
    await verified("writes-file", WRITES);
    const narrow = await createCode(harness.owner, "calls-writer", calls("writesFile"));
    expect(await refusal(narrow.id)).toContain("fs_write");
    expect(await run(narrow.id)).toMatchObject({
      status: 403,
      body: { error: { code: "PERMISSION_DENIED" } },
    });
    expect(await readdir(join(harness.profile, "out")).catch(() => [])).not.toContain("called.md");

    const wide = await createCode(harness.owner, "calls-writer-granted", {
      ...calls("writesFile"),
      grants: ["fs_write"],
    });
    await promote(wide.id);
    expect((await run(wide.id)).status).toBe(200);
    expect(await readdir(join(harness.profile, "out"))).toContain("called.md");
  });

  it("requires approval for what the other one would do, before either runs", async () => {
    const writer = await verified("writes-when-allowed", WRITES);
    const caller = await createCode(harness.owner, "asks-first", {
      ...calls("writesWhenAllowed"),
      grants: ["fs_write"],
    });
    await promote(caller.id);
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "suggest" });
    try {
      expect(await run(caller.id)).toMatchObject({ status: 202, body: { pending: { kind: "approval" } } });
      expect(await functionNow(harness.owner, writer)).toMatchObject({ stats: { executions: 0 } });
    } finally {
      await harness.owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
    }
  });

  it("is rejected if the calls are circular or too deep", async () => {
    const first = await verified("circle-a");
    const second = await createCode(harness.owner, "circle-b", calls("circleA"));
    await promote(second.id);
    const { version } = await functionNow(harness.owner, first);
    const edited = await harness.owner.send("PUT", `/api/functions/${first}`, {
      version,
      code: { language: "typescript", entry: "main", grants: [], ...calls("circleB") },
    });
    const proposalId = FunctionUpdated.parse(edited.body).proposal?.id;
    const accepted = await harness.owner.post(`/api/functions/${first}/proposals`, {
      id: proposalId,
      decision: "accept",
    });
    expect(accepted.status).toBe(409);
    expect(JSON.stringify(accepted.body)).toContain("circle-a → circle-b → circle-a");

    await verified("deep-0");
    const statuses: number[] = [];
    for (let index = 1; index <= 5; index += 1) {
      const { source, tests } = calls(`deep${index - 1}`);
      const { id } = await createCode(harness.owner, `deep-${index}`, {
        source: source.replaceAll("found", "longest"),
        tests: tests.replaceAll("found", "longest"),
      });
      const { status, body } = await promote(id);
      statuses.push(status);
      if (status === 409) expect(JSON.stringify(body)).toContain("nested too deeply");
      if (index === 4) expect(await run(id)).toMatchObject({ body: { result: { longest: "horse" } } });
    }
    expect(statuses).toEqual([200, 200, 200, 200, 409]);
  });
});

describe("the operator's own code", () => {
  const code = `(await skills.function.longestWord({ words: ["ox", "heron"] })).longest`;

  it("calls a function that was loaded in the run, and is asked to load one that was not", async () => {
    await harness.set({
      answer: play([
        act("execute_code", { code }),
        act("function_load", { id: "longest-word" }),
        act("execute_code", { code }),
        finish,
      ]),
    });
    const { scratchpad } = await harness.ask("work on the words somehow");
    expect(scratchpad[0]?.observation?.error?.suggestions?.join(" ")).toContain("longest-word");
    expect(scratchpad[1]?.observation?.outputs).toMatchObject({
      function: { callAs: "skills.function.longestWord({ words })" },
    });
    expect(scratchpad[2]?.observation?.outputs).toMatchObject({ result: "heron" });
  });

  it("tells what its calls changed, also when it fails afterwards, and *undo that* finds them", async () => {
    const create =
      'for (const title of ["Feed the heron", "Brush the ox"]) await skills.task_create({ title });';
    const tasks = async () => JSON.stringify((await harness.owner.get("/api/tasks")).body);
    await harness.set({ answer: play([act("execute_code", { code: `${create} "done"` }), finish]) });
    const { scratchpad, conversationId } = await harness.ask("make the two animal tasks in one go");
    const { content, outputs } = scratchpad[0]?.observation ?? {};
    expect(content).toContain("2 calls changed something:");
    expect(content).toMatch(/^- task_create: .*Feed the heron/mu);
    expect(outputs).toMatchObject({ calls: [{ skill: "task_create" }, { args: { title: "Brush the ox" } }] });
    await harness.set({ models: [] });
    const undone = await harness.ask("undo that", { conversationId });
    expect(undone.actions).toEqual(["task_delete", "task_delete"]);
    expect(await tasks()).not.toContain("Feed the heron");

    await harness.set({
      answer: play([act("execute_code", { code: `${create} throw new Error("no more animals");` }), finish]),
    });
    const failed = await harness.ask("make the two animal tasks once more");
    expect(failed.scratchpad[0]?.observation?.content).toMatch(
      /no more animals[\s\S]*2 calls changed something before that:\n- task_create: .*Feed the heron/u,
    );
  });

  it("tells what the calls of a saved function changed, and *undo that* finds them", async () => {
    const tasks = async () => JSON.stringify((await harness.owner.get("/api/tasks")).body);
    const id = await verified("groom-animals", {
      source: `export async function main({ words }: { words: string[] }): Promise<number> {
  for (const word of words) await skills.task_create({ title: "Groom " + word });
  return words.length;
}`,
      tests: `fake("task_create", ({ title }) => ({ id: "task-1", task: { title } }));
assert.equal(await main({ words: ["ox"] }), 1);`,
      grants: ["task_create"],
    });
    const groom = act("function_run", { id, parameters: { words: ["the ox", "the heron"] } });
    await harness.set({ answer: play([groom, finish]) });
    const { scratchpad, conversationId } = await harness.ask("groom the animals in one go");
    const { content, outputs } = scratchpad[0]?.observation ?? {};
    expect(content).toContain("Groom the heron");
    expect(outputs).toMatchObject({
      calls: [{ skill: "task_create" }, { args: { title: "Groom the heron" } }],
    });
    await harness.set({ models: [] });
    const undone = await harness.ask("undo that", { conversationId });
    expect(undone.actions).toEqual(["task_delete", "task_delete"]);
    expect(await tasks()).not.toContain("Groom");
  });

  it("is told how to read files, and what a skill returns, when it expects something else", async () => {
    const found = 'const found = await skills.task_find({ query: "heron" });';
    await harness.owner.post("/api/tasks", { title: "Paint the heron" });
    await harness.set({
      answer: play([
        act("execute_code", { code: 'files["out/october.csv"].length' }),
        act("execute_code", { code: `${found} found.tasks.map((task) => task.id)` }),
        finish,
      ]),
    });
    const { scratchpad } = await harness.ask("count the lines and the heron tasks");
    const [files, shape] = scratchpad.map(({ observation }) => observation?.error?.suggestions?.join("\n"));
    expect(files).toContain("read each text as parameters.files[");
    expect(shape).toMatch(/^task_find returns \{id, task: \{id, title, .*matches: \[\{task: /mu);
  });

  it("requires approval for what a loaded function would do, as for what the code itself does", async () => {
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "suggest" });
    try {
      await harness.set({
        answer: play([
          act("function_load", { id: "writes-file" }),
          act("execute_code", { code: `await skills.function.writesFile({ words: ["a"] })` }),
          finish,
        ]),
      });
      const { status, body } = await harness.owner.post("/api/operator", {
        goal: "write the words down somehow",
      });
      expect(status).toBe(202);
      expect(body).toMatchObject({ pending: { kind: "approval", tool: "execute_code" } });
    } finally {
      await harness.owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
    }
  });
});
