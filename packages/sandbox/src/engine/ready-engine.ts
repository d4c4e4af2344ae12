import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { QuickJSHandle } from "quickjs-emscripten-core";
import type { SandboxLimits } from "../sandbox.ts";
import { type Engine, openEngine } from "./open-engine.ts";

/** The handles of an engine's prelude. */
export interface Prelude {
  /** `(main, parameters as JSON) → promise of JSON`. */
  readonly invoke: QuickJSHandle;
  /** `(thrown value) → JSON of its description`. */
  readonly describe: QuickJSHandle;
  /** `(the tests' export, main) → promise of what the tests resolve to`. */
  readonly runTests: QuickJSHandle;
  assertions(): number;
  afterMain(): number;
  /** Returns JSON of test failures that were not thrown, or an empty string. */
  problem(): string;
}

export interface PreludeOptions {
  skills: readonly string[];
  call: QuickJSHandle;
  log(line: string): void;
}

/** An engine with its prelude loaded. `begin` defines the code's capabilities. */
export interface ReadyEngine extends Engine {
  begin(options: PreludeOptions): Prelude;
}

const SOURCE = readFileSync(join(import.meta.dirname, "prelude.js"), "utf8");

export async function readyEngine(
  limits: Pick<SandboxLimits, "memoryBytes" | "stackBytes">,
): Promise<ReadyEngine> {
  const engine = await openEngine(limits);
  const { context } = engine;
  const createPrelude = context.unwrapResult(
    context.evalCode(SOURCE, "prelude.js", { type: "global", strict: true }),
  );
  return {
    ...engine,
    begin({ skills, call, log }) {
      const host = context.newObject();
      const ids = context.newArray();
      skills.forEach((id, index) => context.setProp(ids, index, context.newString(id)));
      context.setProp(host, "skills", ids);
      context.setProp(host, "call", call);
      const logFunction = context.newFunction("log", (line) => log(context.getString(line)));
      context.setProp(host, "log", logFunction);
      const prelude = context.unwrapResult(context.callFunction(createPrelude, context.undefined, host));
      const callPrelude = (name: string) =>
        context.unwrapResult(context.callFunction(context.getProp(prelude, name), context.undefined));
      return {
        invoke: context.getProp(prelude, "invoke"),
        describe: context.getProp(prelude, "describe"),
        runTests: context.getProp(prelude, "runTests"),
        assertions: () => context.getNumber(callPrelude("assertions")),
        afterMain: () => context.getNumber(callPrelude("afterMain")),
        problem: () => context.getString(callPrelude("problem")),
      };
    },
  };
}
