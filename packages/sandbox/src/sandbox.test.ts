import { TaskNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { describe, expect, it } from "vitest";
import { codeTools } from "./code/open-code-tools.ts";
import { openSandbox, sandbox } from "./open-sandbox.ts";
import type { CallSkill, FunctionRun } from "./sandbox.ts";

function call(main: string, more: Partial<FunctionRun> = {}) {
  const callSkill: CallSkill = async (skill, args) => ({ skill, args });
  const module = `export const main = async (parameters) => { ${main} };`;
  return sandbox.run({
    module,
    parameters: {},
    skills: ["fs_read", "fs_write"],
    callSkill,
    ...more,
    limits: { wallMs: 25_000, ...more.limits },
  });
}

describe("run", () => {
  it("returns the result of main, its log lines, and the number of skill calls", async () => {
    const outcome = await call(
      "console.log('adding', { to: parameters.a }); const { args } = await skills.fs_read({ path: 'x' }); return { sum: parameters.a + 1, args };",
      { parameters: { a: 1 } },
    );
    expect(outcome).toMatchObject({
      result: { sum: 2, args: { path: "x" } },
      logs: ['adding {"to":1}'],
      hostCalls: 1,
    });
  });

  it("returns null if nothing was returned", async () => {
    expect(await call("")).toMatchObject({ result: null });
  });

  it("throws typed errors of skills to the code", async () => {
    const outcome = await call(
      "try { await skills.fs_read({}) } catch (e) { return [e.name, e.code, e.message, e.suggestions] }",
      {
        callSkill: async () => {
          throw new TaskNotFoundError("There is no such task.", { suggestions: ["task-1"] });
        },
      },
    );
    expect(outcome.result).toEqual(["SkillError", "TASK_NOT_FOUND", "There is no such task.", ["task-1"]]);
  });

  it("reports an error of the code with its position", async () => {
    await expect(call("\n\nthrow new RangeError('too far');")).rejects.toMatchObject({
      code: "FUNCTION_ERROR",
      message: "The code failed with RangeError: too far (line 3)",
    });
  });

  it("waits for calls that the code did not await", async () => {
    const written: unknown[] = [];
    const answer = Promise.withResolvers<void>();
    const running = call("skills.fs_write({ path: 'a' }); return 1", {
      callSkill: async (_skill, args) => {
        await answer.promise;
        written.push(args);
        return {};
      },
    });
    answer.resolve();
    await running;
    expect(written).toEqual([{ path: "a" }]);
  });

  it("runs other code of the function during a skill call", async () => {
    const outcome = await call(
      "let ticks = 0; let open = true; const waiting = skills.fs_read({}).then(() => { open = false }); while (open) { ticks += 1; await null } await waiting; return ticks > 0",
    );
    expect(outcome.result).toBe(true);
  });

  it("aborts running skills when the run ends", async () => {
    const aborted = Promise.withResolvers<void>();
    const running = call("await skills.fs_read({})", {
      limits: { wallMs: 200 },
      callSkill: (_skill, _args, signal) => {
        signal.addEventListener("abort", () => aborted.resolve());
        return new Promise(() => undefined);
      },
    });
    await expect(running).rejects.toMatchObject({ code: "SANDBOX_TIMEOUT" });
    await aborted.promise;
  });

  it("keeps an answer that comes after the code failed from the next run", async () => {
    const late = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const failing = call("skills.fs_read({ path: 'slow' }); throw new Error('early')", {
      callSkill: async () => {
        await late.promise;
        answered.resolve();
        return { path: "late" };
      },
    });
    await expect(failing).rejects.toMatchObject({ code: "FUNCTION_ERROR" });
    late.resolve();
    await answered.promise;
    const { result } = await call("return (await skills.fs_read({ path: 'x' })).args");
    expect(result).toEqual({ path: "x" });
  });

  it("is stopped by its caller at any time", async () => {
    const controller = new AbortController();
    const running = call("await skills.fs_read({}); new Array(1e9).join('x')", {
      signal: controller.signal,
      callSkill: async () => {
        controller.abort(new Error("enough"));
        return {};
      },
    });
    await expect(running).rejects.toThrow("enough");
  });

  it("does not mistake an error message for an exceeded limit", async () => {
    await expect(
      call("throw Object.assign(new Error('constructor'), { name: 'InternalError' })"),
    ).rejects.toMatchObject({ code: "FUNCTION_ERROR" });
  });

  it("is stopped by its caller while its process starts", async () => {
    const fresh = openSandbox({ softLimit: 1 });
    const controller = new AbortController();
    const running = fresh.run({
      module: "export const main = async () => 1;",
      parameters: {},
      skills: [],
      callSkill: async () => ({}),
      signal: controller.signal,
    });
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await fresh.close();
  });

  it("enforces the given memory limit", async () => {
    const fill =
      "const a = []; for (let i = 0; i < 40; i++) a.push(new Uint8Array(1e6).fill(1)); return a.length";
    expect(await call(fill)).toMatchObject({ result: 40 });
    await expect(call(fill, { limits: { memoryBytes: 32 * 1024 * 1024 } })).rejects.toMatchObject({
      code: "SANDBOX_MEMORY",
    });
  });

  it("executes fifty concurrent runs without mixing them", async () => {
    const many = Array.from({ length: 50 }, (_, n) =>
      call("return parameters.n + (await skills.fs_read({ n: 1 })).args.n", { parameters: { n } }),
    );
    expect((await Promise.all(many)).map(({ result }) => result)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 1),
    );
  });

  it("limits the number of log lines, including empty ones", async () => {
    expect((await call("for (let i = 0; i < 1000; i++) console.log('')")).logs).toHaveLength(1_000);
    await expect(call("for (;;) console.log('')")).rejects.toMatchObject({
      code: "SANDBOX_OUTPUT",
      message: expect.stringContaining("1000 log lines"),
    });
  });

  it("has no environment and no globals of browsers or Node", async () => {
    const { result } = await call(
      "return ['process', 'require', 'module', 'fetch', 'setTimeout', 'navigator', 'window', 'Deno', 'Atomics', 'SharedArrayBuffer', 'WebAssembly', 'assert', 'fake'].filter((name) => name in globalThis)",
    );
    expect(result).toEqual([]);
  });
});

describe("test", () => {
  const test = async (tests: string) =>
    sandbox.test({
      ...(await codeTools.compile({ source: "export const main = () => 1;", tests })),
      skills: ["fs_read"],
      callSkill: async () => ({ from: "host" }),
      limits: { wallMs: 25_000 },
    });

  it("counts assertions that passed", async () => {
    expect(
      await test(`
        assert(true); assert.ok(1); assert.equal(1, 1); assert.notEqual(1, 2); assert.match("abc", /b/);
        assert.deepEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }); assert.notDeepEqual([1], [2]);
        assert.deepEqual(new Set([1, [2]]), new Set([[2], 1])); assert.deepEqual(new Map([[1, 2]]), new Map([[1, 2]]));
        assert.throws(() => { throw new TypeError("x") }, TypeError);
        await assert.rejects(async () => { throw new Error("late") }, /late/);
      `),
    ).toMatchObject({ assertions: 11 });
  });

  it.each([
    ["assert.equal(1, 2)", "expected 2, got 1"],
    ["assert.deepEqual([1, 2], [2, 1], 'order')", "order: expected [2,1], got [1,2]"],
    ["assert.deepEqual({ a: undefined }, {})", "expected {}"],
    ["assert.deepEqual([], {})", "expected {}, got []"],
    ["assert.deepEqual(new Set([1]), new Set([2]))", "expected"],
    ["assert.throws(() => 1)", "expected an error"],
    ["assert.throws(() => { throw new TypeError('x') }, RangeError)", "threw another error"],
    ["await assert.rejects(Promise.resolve(1))", "expected an error"],
    ["assert.fail()", "should not have been reached"],
  ])("fails if %s fails, with the difference", async (module, message) => {
    await expect(test(module)).rejects.toMatchObject({
      code: "FUNCTION_ERROR",
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ["assert.ok(1); await new Promise(() => {}); assert.ok(0)"],
    ["assert.ok(1); throw 0"],
    ["Array.prototype.every = () => true; assert.deepEqual([1], [2])"],
    [
      "Object.is = () => true; Reflect.get = () => 1; Object.hasOwn = () => true; assert.deepEqual({ a: 1 }, { a: 2 })",
    ],
    ["assert.deepEqual = () => 1; assert.deepEqual(1, 2)"],
    ["globalThis.assert = { ok() {} }; assert.ok(0)"],
  ])("fails if the tests stop early or forge their end: %s", async (module) => {
    await expect(test(module)).rejects.toMatchObject({ code: "FUNCTION_ERROR" });
  });

  it("counts no assertions if there are none", async () => {
    expect(await test("const unused = 1;")).toMatchObject({ assertions: 0 });
  });

  it("replaces skills by fakes", async () => {
    const tested = await test(
      `fake("fs_read", ({ path }) => ({ content: "of " + path }));
       assert.deepEqual(await skills.fs_read({ path: "a.md" }), { content: "of a.md" });
       assert.throws(() => fake("nothing", () => 1), TypeError);`,
    );
    expect(tested.assertions).toBe(2);
  });
});
