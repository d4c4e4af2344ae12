import { setImmediate } from "node:timers/promises";
import type { QuickJSHandle } from "quickjs-emscripten-core";
import type { FromEngine, Program } from "../protocol.ts";
import { Thrown } from "../protocol.ts";
import { failureOf, RunFailure } from "./failure.ts";
import { type Engine, openEngine } from "./open-engine.ts";
import { openPrelude } from "./open-prelude.ts";
import { openSkillCalls, type SkillCalls } from "./skill-calls.ts";

/** How many waiting jobs of the code are carried out before the clock is looked at. */
const JOBS = 100;

/** Carries one program out, to its end or its failure; `post` is told of calls of skills meanwhile. */
export async function runProgram(
  program: Program,
  post: (message: FromEngine) => void,
  started: (calls: SkillCalls) => void,
): Promise<Extract<FromEngine, { kind: "done" | "failed" }>> {
  const logs: string[] = [];
  let engine: Engine | undefined;
  try {
    engine = await openEngine(program.limits);
    return { kind: "done", ...(await carryOut(engine)), logs };
  } catch (error) {
    const { kind, thrown } = error instanceof RunFailure ? error : hostFailure(error, engine);
    return { kind: "failed", failure: kind, ...(thrown && { thrown }), logs };
  }

  async function carryOut({ context, runtime, memoryRefused }: Engine) {
    const { limits } = program;
    const deadline = performance.now() + limits.wallMs;
    /** Set by a limit that the host counts; the code cannot catch it. */
    let fault: RunFailure | undefined;
    let said = 0;
    const output = (length: number): void => {
      said += length;
      if (said > limits.outputLength) fault = new RunFailure("output");
    };
    const timeIsUp = () => performance.now() >= deadline;
    runtime.setInterruptHandler(() => fault !== undefined || timeIsUp());

    const calls = openSkillCalls(context, {
      limits,
      post,
      exceeded: (kind) => {
        fault = new RunFailure(kind);
      },
    });
    started(calls);
    const prelude = openPrelude(context, {
      skills: program.skills,
      testing: program.marker !== undefined,
      call: calls.function,
      log: (line) => {
        output(line.length);
        if (!fault) logs.push(line);
      },
    });

    const namespace = await settled(
      unwrap(context.evalCode(program.module, "function.js", { type: "module" })),
    );
    let result = "null";
    if (program.parameters !== undefined) {
      const main = context.getProp(namespace, "main");
      const text = await settled(
        unwrap(
          context.callFunction(
            prelude.invoke,
            context.undefined,
            main,
            context.newString(program.parameters),
          ),
        ),
      );
      const length = context.getProp(text, "length").consume((handle) => context.getNumber(handle));
      // Nothing is copied out before its size is known.
      output(length);
      if (!fault) result = context.getString(text);
    }
    await calls.settled(drive);
    if (fault) throw fault;
    if (
      program.marker !== undefined &&
      context.typeof(context.getProp(namespace, program.marker)) !== "boolean"
    )
      throw new RunFailure("function", {
        name: "TestError",
        message: "the end of the tests was not reached",
      });
    return { result, assertions: prelude.assertions() };

    /** The value a promise ends with; throws as the code did, or because nothing can settle it any more. */
    async function settled(promise: QuickJSHandle): Promise<QuickJSHandle> {
      for (;;) {
        const state = context.getPromiseState(promise);
        if (state.type === "fulfilled") return state.value;
        if (state.type === "rejected") throw classified(state.error);
        if (await drive()) continue;
        throw new RunFailure("function", {
          name: "Error",
          message: "it waits for something that never comes",
        });
      }
    }

    /** Carries out some of what waits; false when nothing is left that could change anything. */
    async function drive(): Promise<boolean> {
      const done = runtime.executePendingJobs(JOBS);
      if (done.error) throw classified(done.error);
      if (fault) throw fault;
      if (timeIsUp()) throw new RunFailure("timeout");
      if (runtime.hasPendingJob() || done.value > 0) {
        // Code that is busy while it waits would otherwise never see the answer arrive.
        if (calls.waiting()) await setImmediate();
        return true;
      }
      return calls.nextAnswer(deadline - performance.now());
    }

    function unwrap(evaluated: ReturnType<typeof context.evalCode>): QuickJSHandle {
      if (evaluated.error) throw classified(evaluated.error);
      return evaluated.value;
    }

    function classified(error: QuickJSHandle): RunFailure {
      if (fault) return fault;
      if (timeIsUp()) return new RunFailure("timeout");
      const described = context.callFunction(prelude.describe, context.undefined, error);
      if (described.error)
        return new RunFailure(memoryRefused() ? "memory" : timeIsUp() ? "timeout" : "stack");
      return failureOf(Thrown.parse(JSON.parse(context.getString(described.value))), memoryRefused());
    }
  }
}

/** The engine itself broke under the code. */
function hostFailure(error: unknown, engine: Engine | undefined): RunFailure {
  if (engine?.memoryRefused()) return new RunFailure("memory");
  return new RunFailure(error instanceof RangeError ? "stack" : "crashed");
}
