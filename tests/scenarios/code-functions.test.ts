import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FunctionPromoted } from "@metahuman/core/contract/answers";
import { FunctionRunAnswer } from "@metahuman/core/contract/curation";
import { harnessBeforeAll } from "../support/before-all.ts";
import { createCode, functionNow, LONGEST, WORD } from "../support/code-samples.ts";
import { act, finish, play, purposeOf, type ModelHarness } from "../support/model-harness.ts";

// Code functions from writing to running, over real HTTP, in the real sandbox.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const run = (id: string, parameters: object) =>
  harness.owner.post(`/api/functions/${id}/run`, { parameters });
const load = (id: string) => functionNow(harness.owner, id);

/** A function that writes a file and may not write anything else. */
const NOTE = {
  source: `export async function main({ name }: { name: string }) {
  const { path } = await skills.fs_write({ path: name + ".md", content: "# " + name });
  return { path };
}`,
  tests: `fake("fs_write", ({ path }) => ({ path: "out/" + path, bytes: 3, created: true }));
assert.deepEqual(await main({ name: "a" }), { path: "out/a.md" });`,
  grants: ["fs_write"],
};
const NAMED = {
  parameters: [{ name: "name", type: "string", description: "Its name", required: true }],
  skillsUsed: ["fs_write"],
};

describe("a code function", () => {
  it("is run as a draft by a person, verified by the host, and promoted", async () => {
    const { id } = await createCode(harness.owner, "longest-word");
    const answer = await run(id, { words: ["ox", "horse"] });
    expect(answer.status).toBe(200);
    expect(FunctionRunAnswer.parse(answer.body)).toMatchObject({ result: { longest: "horse" }, logs: [] });
    expect(await load(id)).toMatchObject({ stats: { executions: 1, successes: 1 } });

    const promoted = FunctionPromoted.parse(
      (await harness.owner.post("/api/functions/promote", { id })).body,
    );
    expect(promoted.function.trust).toBe("verified");
    expect(promoted.verification.checks.map(({ name, ok }) => [name, ok])).toEqual(
      expect.arrayContaining([
        ["types", true],
        ["lint", true],
        ["tests", true],
      ]),
    );
  });

  it("rejects unknown parameters, and reports its failure with 422", async () => {
    const { id } = await createCode(harness.owner, "longest-again");
    expect(await run(id, { word: "a" })).toMatchObject({
      status: 422,
      body: { error: { code: "INVALID_ARGS" } },
    });
    expect(await run(id, { words: [] })).toMatchObject({
      status: 422,
      body: {
        error: { code: "FUNCTION_ERROR", message: expect.stringContaining("there are no words (line 2)") },
      },
    });
    expect(await load(id)).toMatchObject({ stats: { failures: 1 } });
  });

  it("is stopped at the configured time limit of code", async () => {
    await harness.set({ etc: { operator: { functions: { timeLimitMs: 200 } } } });
    const { id } = await createCode(harness.owner, "breaks-its-time", {
      source: "export function main({ words }: { words: string[] }): unknown { for (;;) words.length; }",
    });
    expect(await run(id, { words: [] })).toMatchObject({
      status: 422,
      body: {
        error: { code: "SANDBOX_TIMEOUT", message: "The code did not end within 0.2 s and was stopped." },
      },
    });
  });

  it.each([
    ["const all: number[][] = []; for (;;) all.push(new Array(10000).fill(words.length));", "SANDBOX_MEMORY"],
    ["return process.env;", "FUNCTION_ERROR"],
  ])("is stopped if it tries to escape: %s", async (body, code) => {
    const { id } = await createCode(harness.owner, `breaks-${code.toLowerCase().replaceAll("_", "-")}`, {
      source: `export function main({ words }: { words: string[] }): unknown { ${body} }`,
    });
    expect(await run(id, { words: [] })).toMatchObject({ status: 422, body: { error: { code } } });
    expect((await harness.owner.get("/api/health")).status).toBe(200);
  });

  it("is not promoted while its tests fail, its types are wrong, or it has none", async () => {
    const wrong = [
      { tests: `assert.equal(main({ words: ["a"] }).longest, "b");` },
      { source: LONGEST.source.replace(": { longest: string }", ": number") },
      { tests: "" },
    ];
    for (const [index, code] of wrong.entries()) {
      const { id } = await createCode(harness.owner, `wrong-${index}`, code);
      expect((await harness.owner.post("/api/functions/promote", { id })).status).toBe(409);
      expect(await load(id)).toMatchObject({ trust: "draft" });
    }
  });

  it("accesses files only as its grants and the profile allow", async () => {
    const { id } = await createCode(harness.owner, "make-note", NOTE, NAMED);
    expect(await run(id, { name: "fence" })).toMatchObject({
      status: 200,
      body: { result: { path: "out/fence.md" } },
    });
    expect(await readFile(join(harness.profile, "out/fence.md"), "utf8")).toBe("# fence");

    const ungranted = await createCode(harness.owner, "sneaky-note", { ...NOTE, grants: [] }, NAMED);
    expect(await run(ungranted.id, { name: "hidden" })).toMatchObject({
      status: 422,
      body: {
        error: {
          code: "FUNCTION_ERROR",
          message: expect.stringContaining("not in the grants of this function"),
        },
      },
    });
    expect(await readdir(join(harness.profile, "out"))).not.toContain("hidden.md");
    expect((await harness.owner.post("/api/functions/promote", { id: ungranted.id })).status).toBe(409);
  });

  it("waits for a person if the profile requires it, and continues after the approval", async () => {
    const { id } = await createCode(harness.owner, "ask-note", NOTE, NAMED);
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "suggest" });
    try {
      const waiting = await run(id, { name: "asked" });
      expect(waiting).toMatchObject({
        status: 202,
        body: { status: "waiting", pending: { kind: "approval", tool: "function_run" } },
      });
      expect(await readdir(join(harness.profile, "out"))).not.toContain("asked.md");
    } finally {
      await harness.owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
    }
  });
});

describe("the operator", () => {
  const loads = (id: string) =>
    play([act("function_run", { id, parameters: { words: ["ox", "cow"] } }), finish]);

  it("runs verified code and no drafts", async () => {
    const { id, name } = await createCode(harness.owner, "longest-for-operator");
    await harness.set({ answer: loads(name) });
    const refused = await harness.ask("what is the longest of these animals somehow");
    expect(refused.scratchpad[0]?.observation).toMatchObject({ error: { code: "POLICY_DENIED" } });

    await harness.owner.post("/api/functions/promote", { id });
    await harness.set({ answer: loads(name) });
    const answer = await harness.ask("what is the longest of these animals somehow");
    expect(answer.scratchpad[0]?.observation).toMatchObject({
      success: true,
      outputs: { result: { longest: "cow" } },
    });
  });

  it("finds a function, reads all of it, and registers another as a draft that waits", async () => {
    const plan = [
      act("function_search", { query: "longest word of a list" }),
      act("function_load", { id: "longest-for-operator" }),
      act("function_register", {
        name: "shortest-word",
        description: "Finds the shortest word.",
        code: LONGEST.source.replace("length > best", "length < best").replaceAll("longest", "shortest"),
        parameters: [WORD],
        examplePrompts: ["which word is the shortest"],
        tests: `assert.deepEqual(main({ words: ["abc", "a"] }), { shortest: "a" });`,
      }),
      finish,
    ];
    await harness.set({ answer: play(plan) });
    const { scratchpad, actions } = await harness.ask("think about words and keep what you learn somehow");
    expect(actions).toEqual(["function_search", "function_load", "function_register"]);
    // The text of a function costs nothing until it is asked for.
    const shown = harness.models
      .chats()
      .filter((request) => purposeOf(request) === "plan")
      .map(({ messages }) => messages.map(({ content }) => content).join("\n"));
    const holding = shown.map((text) => text.includes("words.reduce((best, word)"));
    expect(holding).toEqual([false, false, true, true]);
    expect(shown[1]).toContain("longest-for-operator");
    expect(scratchpad[1]?.observation?.outputs).toMatchObject({
      function: { code: { source: LONGEST.source } },
    });
    expect(scratchpad[2]?.observation?.outputs).toMatchObject({
      name: "shortest-word",
      trust: "draft",
      status: "pending_approval",
      verification: { ok: true },
    });
  });

  it("computes with its own code, and is offered none of this if functions are switched off", async () => {
    await harness.set({ answer: play([act("execute_code", { code: "6 * 7" }), finish]) });
    const computed = await harness.ask("work something out for me somehow");
    expect(computed.scratchpad[0]?.observation?.outputs).toMatchObject({ result: 42 });

    await harness.set({
      etc: { runtime: { operator: { useFunctions: false } } },
      answer: play([act("execute_code", { code: "6 * 7" }), finish]),
    });
    const without = await harness.ask("work something out for me somehow");
    expect(without.scratchpad[0]?.observation).toMatchObject({ error: { code: "SKILL_NOT_FOUND" } });
    const [plan] = harness.models.chats();
    expect(plan?.messages[0]?.content).not.toMatch(/^- (?:function_|execute_code)/mu);
    expect(JSON.stringify(plan?.format)).not.toMatch(/function_run|execute_code/u);
  });

  it("lets its own code call skills and read files passed to it, with the profile's permissions", async () => {
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
    await writeFile(join(harness.profile, "out/prices.txt"), "3\n4\n5");
    const code = `const sum = parameters.files["out/prices.txt"].split("\\n").map(Number).reduce((a, b) => a + b, 0);
const { path } = await skills.fs_write({ path: "sum.txt", content: String(sum) });
path`;
    await harness.set({ answer: play([act("execute_code", { code, files: ["out/prices.txt"] }), finish]) });
    const { scratchpad } = await harness.ask("work the prices out somehow");
    expect(scratchpad[0]?.observation?.outputs).toMatchObject({ result: "out/sum.txt" });
    expect(await readFile(join(harness.profile, "out/sum.txt"), "utf8")).toBe("12");

    const beyond = `await skills.fs_write({ path: "sum.txt", content: "13", overwrite: true })`;
    await harness.set({ answer: play([act("execute_code", { code: beyond }), finish]) });
    const refused = await harness.ask("work the prices out again somehow");
    expect(refused.scratchpad[0]?.observation?.success).toBe(false);
    expect(await readFile(join(harness.profile, "out/sum.txt"), "utf8")).toBe("12");
  });

  it("asks once for its own code that contacts a host", async () => {
    const code = `(await skills.http_get({ url: "http://tide.example/" })).body`;
    await harness.set({ answer: play([act("execute_code", { code }), finish]) });
    const { status, body } = await harness.owner.post("/api/operator", { goal: "look the tide up somehow" });
    expect(status).toBe(202);
    expect(body).toMatchObject({ pending: { kind: "approval", tool: "execute_code" } });
  });

  it("filters a search for functions by tags, status and score, and receives the types of parameters", async () => {
    const more = { tags: ["animals"], summary: "Finds the longest animal." };
    const { id } = await createCode(harness.owner, "longest-animal", {}, more);
    await harness.owner.post("/api/functions/promote", { id });
    const search = (args: object) => act("function_search", { query: "find the longest animal", ...args });
    await harness.set({
      answer: play([
        search({ tags: ["animals"] }),
        search({ tags: ["plants"] }),
        search({ minSimilarity: 1 }),
        search({ status: "disabled" }),
        finish,
      ]),
    });
    const { scratchpad } = await harness.ask("look at what you know somehow");
    const found = scratchpad.slice(0, 4).map(({ observation }) => observation?.outputs?.["functions"]);
    expect(found).toMatchObject([
      [{ id, parameterTypes: { words: "list" }, status: "active", tags: ["animals"] }],
      [],
      [],
      [],
    ]);
  });

  it("does not see earlier function calls if functions are switched off, and all other calls as before", async () => {
    await harness.owner.post("/api/memories", {
      type: "observation",
      content: "The magpie count is best worked out with execute_code.",
    });
    await harness.owner.post("/api/memories", {
      type: "observation",
      content: "The magpie count began in May.",
    });
    const plan = [
      act("fs_write", { path: "magpies.md", content: "12" }),
      act("execute_code", { code: "12 * 2" }),
      act("function_search", { query: "count magpies" }),
      finish,
    ];
    await harness.set({ answer: play(plan) });
    await harness.ask("work the magpie count out somehow");

    const prompt = async (useFunctions: boolean) => {
      const etc = { runtime: { operator: { useFunctions } } };
      await harness.set({ etc, answer: play([act("fs_list"), finish]) });
      await harness.ask("what of the magpie count, somehow");
      // The function of the run before may be named meanwhile.
      const chat = harness.models.chats().find((seen) => purposeOf(seen) === "plan");
      return (chat?.messages ?? []).map(({ content }) => content).join("\n");
    };
    const off = await prompt(false);
    expect(off).not.toMatch(/function_(?:search|load|run|register|curate)|execute_code/u);
    expect(off).toContain("magpies.md");
    expect(off).toContain("The magpie count began in May.");
    expect(await prompt(true)).toContain("best worked out with execute_code");
  });
});
