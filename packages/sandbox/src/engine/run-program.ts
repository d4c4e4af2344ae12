import { setImmediate } from "node:timers/promises";
import type { QuickJSHandle } from "quickjs-emscripten-core";
import type { FailureKind, FromEngine, Program } from "../protocol.ts";
import { openSkillCalls, type SkillCalls } from "./skill-calls.ts";
import type { ReadyEngine } from "./ready-engine.ts";

/** The number of pending jobs executed between two checks of the deadline. */
const JOBS = 100;

type Ending = Extract<FromEngine, { kind: "done" | "failed" }>;

/** Executes a program until it ends or fails. Reports skill calls and exceeded limits with `post`. */
export async function runProgram(
  program: Program,
  engine: ReadyEngine,
  post: (message: FromEngine) => void,
  started: (calls: SkillCalls) => void,
): Promise<Ending> {
  const logs: string[] = [];
  const { context, runtime, memoryRefused } = engine;
  const { limits } = program;
  const deadline = performance.now() + limits.wallMs;
  const isTimeUp = () => performance.now() >= deadline;
  const exceeded = createExceededLimit((failure) =>
    post({ kind: "failed", failure, memoryRefused: memoryRefused(), logs }),
  );
  const countOutput = createOutputCounter(limits.outputLength, exceeded.report);
  runtime.setInterruptHandler(() => exceeded.fault() !== undefined || isTimeUp());
  const calls = openSkillCalls(context, {
    limits,
    post,
    onLimitExceeded: exceeded.report,
  });
  started(calls);

  try {
    return { kind: "done", ...(await execute()), logs };
  } catch (error) {
    const { kind, thrown } = error instanceof RunFailure ? error : engineFailure(error, memoryRefused());
    return { kind: "failed", failure: kind, ...(thrown && { thrown }), memoryRefused: memoryRefused(), logs };
  }

  async function execute() {
    const prelude = engine.begin({
      skills: program.skills,
      call: calls.function,
      log: (line) => {
        countOutput(line.length);
        if (logs.length >= limits.logLines) exceeded.report("output");
        if (!exceeded.fault()) logs.push(line);
      },
    });
    const evaluated = context.evalCode(program.module, "function.js", { type: "module" });
    const namespace = await resolveHandle(unwrap(evaluated));
    let result = "null";
    if (program.parameters !== undefined) {
      const main = context.getProp(namespace, "main");
      const parameters = context.newString(program.parameters);
      const text = await resolveHandle(
        unwrap(context.callFunction(prelude.invoke, context.undefined, main, parameters)),
      );
      // The size is checked before anything is copied out of the engine.
      countOutput(context.getProp(text, "length").consume((length) => context.getNumber(length)));
      if (!exceeded.fault()) result = context.getString(text);
    }
    if (program.tests) await test(namespace, program.tests);
    await calls.settled(runPendingJobs);
    exceeded.throwIfAny();
    return { result, assertions: prelude.assertions(), afterMain: prelude.afterMain() };

    /** Runs the tests until no job is pending. */
    async function test(module: QuickJSHandle, { name, end }: { name: string; end: string }): Promise<void> {
      const [tests, main] = [context.getProp(module, name), context.getProp(module, "main")];
      const reached = await resolveHandle(
        unwrap(context.callFunction(prelude.runTests, context.undefined, tests, main)),
      );
      while (await runPendingJobs());
      const problem = prelude.problem();
      if (problem !== "") throw new RunFailure("function", problem);
      if (context.typeof(reached) !== "string" || context.getString(reached) !== end)
        throw functionFailure("TestError", "the end of the tests was not reached");
    }

    /**
     * Returns the result of a promise. Throws the code's error, or an error if nothing can settle the promise any more.
     */
    async function resolveHandle(promise: QuickJSHandle): Promise<QuickJSHandle> {
      for (;;) {
        const state = context.getPromiseState(promise);
        if (state.type === "fulfilled") return state.value;
        if (state.type === "rejected") throw classifyError(state.error);
        if (!(await runPendingJobs()))
          throw functionFailure("Error", "it waits for a promise that never settles");
      }
    }

    /** Executes some pending jobs. Resolves to false if nothing is left that could change anything. */
    async function runPendingJobs(): Promise<boolean> {
      const done = runtime.executePendingJobs(JOBS);
      if (done.error) throw classifyError(done.error);
      exceeded.throwIfAny();
      if (isTimeUp()) throw new RunFailure("timeout");
      if (runtime.hasPendingJob() || done.value > 0) {
        // Yields to receive answers while the code is busy.
        if (calls.isWaiting()) await setImmediate();
        return true;
      }
      return calls.nextAnswer(deadline - performance.now());
    }

    function unwrap(result: ReturnType<typeof context.evalCode>): QuickJSHandle {
      if (result.error) throw classifyError(result.error);
      return result.value;
    }

    function classifyError(error: QuickJSHandle): RunFailure {
      const fault = exceeded.fault();
      if (fault) return fault;
      if (isTimeUp()) return new RunFailure("timeout");
      const described = context.callFunction(prelude.describe, context.undefined, error);
      if (described.error)
        return new RunFailure(memoryRefused() ? "memory" : isTimeUp() ? "timeout" : "stack");
      return new RunFailure("function", context.getString(described.value));
    }
  }
}

/** An error of the engine itself. */
function engineFailure(error: unknown, isMemoryRefused: boolean): RunFailure {
  if (isMemoryRefused) return new RunFailure("memory");
  return new RunFailure(error instanceof RangeError ? "stack" : "crashed");
}

/**
 * The first limit that a run exceeds and the host counts; the code cannot catch it. It is posted at once, because code that
 * makes calls or log lines in a loop may run long before the engine checks.
 */
function createExceededLimit(post: (failure: FailureKind) => void) {
  let fault: RunFailure | undefined;
  return {
    fault: (): RunFailure | undefined => fault,
    throwIfAny(): void {
      if (fault) throw fault;
    },
    report(failure: FailureKind): void {
      if (fault) return;
      fault = new RunFailure(failure);
      post(failure);
    },
  };
}

/** Counts the length of all output. */
function createOutputCounter(
  limit: number,
  report: (failure: FailureKind) => void,
): (length: number) => void {
  let total = 0;
  return (length) => {
    total += length;
    if (total > limit) report("output");
  };
}

/** Ends a run. */
class RunFailure extends Error {
  override readonly name = "RunFailure";
  readonly kind: FailureKind;
  /** The error that the code threw, as JSON. */
  readonly thrown: string | undefined;
  constructor(kind: FailureKind, thrown?: string) {
    super(kind);
    this.kind = kind;
    this.thrown = thrown;
  }
}

/** An error of the code. */
function functionFailure(name: string, message: string): RunFailure {
  return new RunFailure("function", JSON.stringify({ name, message }));
}
