import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { QuickJSHandle } from "quickjs-emscripten-core";
import type { SandboxLimits } from "../sandbox.ts";
import { type Engine, openEngine } from "./open-engine.ts";

/** What was set up in the engine before the code, and what the host keeps of it. */
export interface Prelude {
  /** `(main, parameters as JSON) → promise of JSON`. */
  readonly invoke: QuickJSHandle;
  /** `(anything thrown) → JSON of its description`. */
  readonly describe: QuickJSHandle;
  assertions(): number;
}

export interface PreludeOptions {
  skills: readonly string[];
  testing: boolean;
  call: QuickJSHandle;
  log(line: string): void;
}

/** An engine that has read its prelude; what the code may use is given with `begin`. */
export interface ReadyEngine extends Engine {
  begin(options: PreludeOptions): Prelude;
}

const SOURCE = readFileSync(join(import.meta.dirname, "prelude.js"), "utf8");

export async function readyEngine(
  limits: Pick<SandboxLimits, "memoryBytes" | "stackBytes">,
): Promise<ReadyEngine> {
  const engine = await openEngine(limits);
  const { context } = engine;
  const setUp = context.unwrapResult(
    context.evalCode(SOURCE, "prelude.js", { type: "global", strict: true }),
  );
  return {
    ...engine,
    begin({ skills, testing, call, log }) {
      const host = context.newObject();
      const ids = context.newArray();
      skills.forEach((id, at) => context.setProp(ids, at, context.newString(id)));
      context.setProp(host, "skills", ids);
      context.setProp(host, "testing", testing ? context.true : context.false);
      context.setProp(host, "call", call);
      const said = context.newFunction("log", (line) => log(context.getString(line)));
      context.setProp(host, "log", said);
      const made = context.unwrapResult(context.callFunction(setUp, context.undefined, host));
      const assertions = context.getProp(made, "assertions");
      return {
        invoke: context.getProp(made, "invoke"),
        describe: context.getProp(made, "describe"),
        assertions: () =>
          context.getNumber(context.unwrapResult(context.callFunction(assertions, context.undefined))),
      };
    },
  };
}
