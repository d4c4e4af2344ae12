import type { FunctionCode, FunctionParameter } from "@metahuman/core/contract/function";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openSandbox, sandbox } from "../open-sandbox.ts";
import { inspectCode } from "./inspect-code.ts";
import { codeTools as tools } from "./open-code-tools.ts";
import { verifyCode } from "./verify-code.ts";

const skills = [
  {
    id: "fs_read",
    summary: "Read a text file",
    input: z.strictObject({ path: z.string(), maxBytes: z.int().default(64_000) }),
    output: z.strictObject({ path: z.string(), content: z.string(), truncated: z.boolean() }),
  },
  {
    id: "task_list",
    summary: "List tasks",
    input: z.strictObject({ status: z.enum(["todo", "done"]).optional() }),
    output: z.strictObject({ tasks: z.array(z.strictObject({ title: z.string() })), total: z.int() }),
  },
];

const word: FunctionParameter = { name: "word", type: "string", description: "A word", required: true };

/** The failed checks by name, with their messages; `ok` if none failed. */
async function verify(code: Partial<FunctionCode>, parameters: FunctionParameter[] = [word]) {
  const checks = await verifyCode(
    {
      code: { language: "typescript", entry: "main", source: "", tests: "", grants: [], ...code },
      parameters,
    },
    { tools, sandbox, skills, limits: { wallMs: 25_000 } },
  );
  const failing = checks.filter(({ ok }) => !ok);
  return failing.length === 0
    ? "ok"
    : Object.fromEntries(failing.map(({ name, detail }) => [name, detail ?? ""]));
}

const source = `interface Parameters { word: string }

/** Prints it twice. */
export function main({ word }: Parameters): { twice: string } {
  return { twice: word + word };
}`;
const tests = `assert.deepEqual(main({ word: "ha" }), { twice: "haha" });`;

describe("verifyCode", () => {
  it("accepts typed, tested code", async () => {
    expect(await verify({ source, tests })).toBe("ok");
  });

  it("is inconclusive if the sandbox crashes", async () => {
    const gone = openSandbox();
    await gone.close();
    const code: FunctionCode = { language: "typescript", entry: "main", source, tests, grants: [] };
    const checks = await verifyCode({ code, parameters: [word] }, { tools, sandbox: gone, skills });
    expect(checks.filter(({ ok }) => !ok)).toEqual([
      { name: "tests", ok: false, detail: "The sandbox is closed.", inconclusive: true },
    ]);
  });

  it("reports the start and end of each check, and stops after a syntax error", async () => {
    const messagesOf = async (code: Partial<FunctionCode>) => {
      const messages: string[] = [];
      await verifyCode(
        {
          code: { language: "typescript", entry: "main", source: "", tests: "", grants: [], ...code },
          parameters: [word],
        },
        {
          tools,
          sandbox,
          skills,
          limits: { wallMs: 25_000 },
          onEvent: (event) =>
            messages.push(
              event.type === "check-started" ? `${event.name}…` : `${event.check.name} ${event.check.ok}`,
            ),
        },
      );
      return messages;
    };
    expect(await messagesOf({ source, tests })).toEqual([
      ...["syntax…", "syntax true", "types…", "types true", "lint…", "lint true"],
      ...["grants…", "grants true", "tests…", "tests true"],
    ]);
    expect(await messagesOf({ source: "export function main( {", tests })).toEqual([
      "syntax…",
      "syntax false",
    ]);
  });

  it("types the skills by their schemas, and lets tests replace them", async () => {
    const reading = `export async function main({ word }: { word: string }) {
      const { content } = await skills.fs_read({ path: word });
      const { tasks } = await skills.task_list();
      return { content: content.trim(), titles: tasks.map((task) => task.title) };
    }`;
    const faked = `fake("fs_read", ({ path }) => ({ path, content: " text of " + path, truncated: false }));
      fake("task_list", () => ({ tasks: [{ title: "milk" }], total: 1 }));
      assert.deepEqual(await main({ word: "a.md" }), { content: "text of a.md", titles: ["milk"] });`;
    expect(await verify({ source: reading, tests: faked, grants: ["fs_read", "task_list"] })).toBe("ok");
    expect(await verify({ source: reading, tests: faked, grants: ["fs_read"] })).toEqual({
      grants: "line 3: The code calls task_list, which it is not granted.",
    });
  });

  it.each([
    ["no tests at all", { source, tests: " \n" }, { tests: "no tests" }],
    ["tests that assert nothing", { source, tests: "main({ word: 'x' });" }, { tests: "assert nothing" }],
    [
      "a test that fails",
      { source, tests: `assert.equal(main({ word: "ha" }).twice, "haha");\nassert.equal(1, 2);` },
      { tests: "expected 2, got 1 (tests line 2)" },
    ],
    [
      "tests that never end",
      { source, tests: `assert.ok(1); await new Promise(() => {});` },
      { tests: "waits for a promise that never settles" },
    ],
    [
      "an unfinished comment that would swallow the tests",
      { source: `${source}\n/*`, tests: `*/ assert.ok(1);` },
      { syntax: "line 7" },
    ],
    ["tests that do not parse", { source, tests: "assert.ok(" }, { syntax: "tests line 1" }],
    [
      "a wrong type in the source",
      {
        source:
          "export function main({ word }: { word: string }) {\n  const n: number = word;\n  return n;\n}",
        tests,
      },
      { types: "line 2: Type 'string' is not assignable to type 'number'" },
    ],
    [
      "a main that takes something else than the parameters",
      {
        source: "export function main({ count }: { count: number }) { return count; }",
        tests: "assert.ok(main({ count: 1 }));",
      },
      { types: "does not take the declared parameters" },
    ],
    [
      "an import",
      { source: `import "node:fs";\n${source}`, tests },
      { lint: "line 1: A function cannot import modules" },
    ],
    [
      "no main",
      { source: source.replace("main", "other"), tests: "assert.ok(1);" },
      { lint: "does not export a function called main" },
    ],
    ["another export", { source: `${source}\nexport const more = 1;`, tests }, { lint: "It exports more" }],
    [
      "a silenced type check",
      { source: `// @ts-nocheck\n${source}`, tests },
      { lint: "line 1: @ts-nocheck disables type checks" },
    ],
    [
      "code made from text",
      { source: source.replace("word + word", "eval(word)"), tests },
      { lint: "eval creates code" },
    ],
    [
      "a hidden skill",
      { source: source.replace("word + word", "String(Object.keys(skills))"), tests },
      { lint: "Call skills by name" },
    ],
    [
      "a skill's call that is not awaited",
      {
        source: source.replace("return", "skills.fs_read({ path: word });\n  return"),
        tests,
        grants: ["fs_read"],
      },
      { lint: "line 5: This promise is not awaited" },
    ],
    [
      "a grant that is none",
      { source, tests, grants: ["shell_everything"] },
      { grants: "is not a skill that code may call" },
    ],
    [
      "arguments that a skill does not take",
      {
        source: `export const main = ({ word }: { word: string }) => skills.fs_read({ file: word });`,
        tests: "assert.ok(main);",
        grants: ["fs_read"],
      },
      { types: "'file' does not exist" },
    ],
  ])("rejects %s with its position", async (_what, code, expected) => {
    const failing = await verify(code);
    for (const [name, detail] of Object.entries(expected))
      expect(failing).toEqual(expect.objectContaining({ [name]: expect.stringContaining(detail) }));
  });

  describe("code whose tests leave work behind", () => {
    const late = `export async function main({ word }: { word: string }): Promise<{ twice: string }> {
  await Promise.resolve();
  if (word === "") throw new Error("no word");
  return { twice: word };
}`;
    const held = `assert.ok((await main({ word: "ha" })).twice);\n`;

    it.each([
      ["a rejection that nobody awaits", `assert.ok(true); assert.rejects(main({ word: "ha" }));`],
      [
        "an assertion in .then",
        `assert.ok(true); main({ word: "ha" }).then(({ twice }) => assert.equal(twice, "haha"));`,
      ],
      [
        "an assertion in an async function that is not awaited",
        `assert.ok(true); (async () => { assert.equal((await main({ word: "ha" })).twice, "haha"); })();`,
      ],
      [
        "an assertion in forEach(async …)",
        `assert.ok(true); ["ha"].forEach(async (word) => { assert.equal((await main({ word })).twice, "haha"); });`,
      ],
      [
        "an assertion that is swallowed",
        `${held}try { assert.equal((await main({ word: "ha" })).twice, "haha"); } catch (error) { console.log(error); }`,
      ],
    ])("reports failing tests: %s", async (_what, tests) => {
      expect(await verify({ source: late, tests })).toMatchObject({
        tests: expect.stringMatching(/expected "haha", got "ha"|nothing failed/u),
      });
    });

    it.each([
      ["a rejection", `${held}const all = [main({ word: "" })];\nassert.equal(all.length, 1);`, "rejected"],
      [
        "a rejection of its own",
        `${held}const run = async () => { throw new Error("x"); };\nassert.ok(run());`,
        "rejected",
      ],
      [
        "something that never comes",
        `${held}const never = new Promise<number>(() => {});\nassert.ok(never);`,
        "still pending",
      ],
    ])("fails if %s is left at the end", async (_what, tests, message) => {
      expect(await verify({ source: late, tests })).toEqual({ tests: expect.stringContaining(message) });
    });

    it.each([
      ["never call main", "assert.equal(1, 1);"],
      ["assert before main has returned", `assert.ok(main);\nawait main({ word: "ha" });`],
      ["assert only that it fails", `await assert.rejects(main({ word: "" }), /no word/);`],
    ])("fails tests that %s", async (_what, tests) => {
      expect(await verify({ source: late, tests })).toEqual({
        tests: expect.stringContaining("No assertion ran after main returned"),
      });
    });

    it("accepts tests of failures if they also check a result of main", async () => {
      const all = `${held}await assert.rejects(main({ word: "" }), /no word/);
const both = await Promise.all(["a", "b"].map(async (word) => main({ word })));
assert.deepEqual(both, [{ twice: "a" }, { twice: "b" }]);
for await (const { twice } of [main({ word: "c" })]) assert.equal(twice, "c");`;
      expect(await verify({ source: late, tests: all })).toBe("ok");
    });

    it("detects a forged end of the tests", async () => {
      expect(
        await verify({ source: late, tests: `${held}if (1 + 1 === 2) return;\nassert.ok(false);` }),
      ).toMatchObject({
        tests: expect.stringContaining("end of the tests was not reached"),
      });
    });
  });

  it("does not provide assert and fake to the function", async () => {
    const probing = `export function main({ word }: { word: string }): { twice: string } {
  const isTest = Reflect.has(globalThis, "assert") || Reflect.has(globalThis, "fake");
  return { twice: isTest ? word + word : "gone" };
}`;
    expect(await verify({ source: probing, tests })).toEqual({
      tests: expect.stringContaining(`got {"twice":"gone"}`),
    });
    const named = source.replace("word + word", "assert ? word + word : word");
    expect(await verify({ source: named, tests })).toMatchObject({
      types: expect.stringContaining("Cannot find name 'assert'"),
    });
  });

  it("does not suggest to install what functions cannot have", async () => {
    const tests = 'test("doubles", async () => {});';
    const verdict = await verify({ source, tests });
    expect(verdict).toMatchObject({
      types: expect.stringMatching(/^(?!.*npm).*Cannot find name 'test'\. \(TS2593\)/su),
    });
  });

  it.each([
    [
      "an unused local",
      source.replace("return", "const unused = 1;\n  return"),
      "line 5: 'unused' is declared but",
    ],
    [
      "any",
      source.replace("return {", "const it: any = word;\n  return { twice: it + word } ?? {"),
      "line 5: any ",
    ],
    ["==", source.replace("word + word", `word == "" ? word : word + word`), "line 5: == "],
    ["!=", source.replace("word + word", `word != "" ? word + word : word`), "line 5: != "],
    [
      "var",
      source.replace("return", "var twice = word + word;\n  return twice ? { twice } :"),
      "line 5: var ",
    ],
    [
      "a promise that nobody awaits",
      source.replace("return", "Promise.resolve(word).then((it) => console.log(it));\n  return"),
      "line 5: This promise is not awaited",
    ],
    [
      "a promise thrown away with void",
      source.replace("return", "void Promise.resolve(word);\n  return"),
      "line 5: This promise is not awaited",
    ],
    [
      "a list of promises that nobody awaits",
      source.replace("return", "[word].map(async (it) => it + it);\n  return"),
      "line 5: These promises are not awaited",
    ],
    [
      "an async callback whose promise is dropped",
      source.replace("return", "[word].forEach(async (it) => console.log(it));\n  return"),
      "line 5: The results of this async function are not awaited",
    ],
    [
      "a look at the call stack",
      source.replace("word + word", `(new Error("x").stack ?? "") + word`),
      "line 5: A function cannot read the call stack",
    ],
  ])("rejects %s", async (_what, faulty, message) => {
    expect(await verify({ source: faulty, tests })).toMatchObject({ lint: expect.stringContaining(message) });
  });

  it("accepts unused parameters and handled promises", async () => {
    const quiet = `export async function main({ word }: { word: string }, ): Promise<{ twice: string }> {
  const twice = [word].map((it, _at) => it + it).join("");
  Promise.resolve(1).then(console.log, console.error);
  Promise.resolve(1).catch(console.error);
  return { twice };
}`;
    expect(
      await verify({
        source: quiet,
        tests: `assert.deepEqual(await main({ word: "ha" }), { twice: "haha" });`,
      }),
    ).toBe("ok");
  });

  it("accepts grants of secrets", async () => {
    expect(await verify({ source, tests, grants: ["secret:WEATHER_KEY"] })).toBe("ok");
  });
});

describe("inspectCode", () => {
  const inspect = (code: Partial<FunctionCode>) =>
    inspectCode({ code: { source, tests: "", grants: [], ...code }, parameters: [word] }, { tools, skills });

  it("reports nothing for valid code, without running it or requiring tests", async () => {
    const endless = source.replace("return", "for (;;) if (word === '') break;\n  return");
    expect(await inspect({ source: endless })).toEqual({
      syntax: [],
      types: [],
      lint: [],
      grants: [],
      ungranted: [],
    });
  });

  it("reports the exact range of each problem in source and tests", async () => {
    const found = await inspect({
      source: source.replace("word + word", "word.size"),
      tests: `assert.ok(1);\n  assert.equal(main({ word: 7 }).twice, "77");`,
    });
    expect(found.types.map(({ at }) => at)).toEqual([
      { part: "source", line: 5, column: 24, endLine: 5, endColumn: 28 },
      { part: "tests", line: 2, column: 23, endLine: 2, endColumn: 27 },
    ]);
  });

  it("lists skills without a grant, with the position of the first call", async () => {
    const reading = `export async function main({ word }: { word: string }) {
  await skills.fs_read({ path: word });
  return (await skills.fs_read({ path: word })).content;
}`;
    const { grants, ungranted } = await inspect({ source: reading });
    expect(ungranted).toEqual(["fs_read"]);
    expect(grants).toMatchObject([{ at: { line: 2, column: 9, endColumn: 23 } }]);
    expect((await inspect({ source: reading, grants: ["fs_read"] })).ungranted).toEqual([]);
  });
});

describe("compileSnippet", () => {
  const run = async (code: string, parameters = {}) => {
    const { result } = await sandbox.run({
      ...(await tools.compileSnippet(code)),
      parameters,
      skills: [],
      callSkill: async () => ({}),
      limits: { wallMs: 25_000 },
    });
    return result;
  };

  it.each([
    ["1 + 1", 2],
    ["const a: number = 2;\na * 3", 6],
    ["return [1].map((n: number) => n + 1);", [2]],
    ["await Promise.resolve('later')", "later"],
    ["({ a: 1 })", { a: 1 }],
    ["parameters.a", 4],
    ["export const main = ({ a }: { a: number }) => a * 2", 8],
    ["const quiet = 1;", null],
  ])("accepts %s", async (code, result) => {
    expect(await run(code, { a: 4 })).toEqual(result);
  });

  it("reports the position of an error in the original text", async () => {
    await expect(
      run("const a: number = 1;\n\ninterface Gone { a: 1 }\nthrow new Error('x');"),
    ).rejects.toThrow("(line 4)");
    await expect(run("const a = ;")).rejects.toMatchObject({
      code: "FUNCTION_ERROR",
      message: expect.stringContaining("line 1"),
    });
  });
});
