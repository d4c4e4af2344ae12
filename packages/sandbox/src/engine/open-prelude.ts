import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";

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

const SOURCE = readFileSync(join(import.meta.dirname, "prelude.js"), "utf8");

export function openPrelude(
  context: QuickJSContext,
  { skills, testing, call, log }: PreludeOptions,
): Prelude {
  const host = context.newObject();
  const ids = context.newArray();
  skills.forEach((id, at) => context.setProp(ids, at, context.newString(id)));
  context.setProp(host, "skills", ids);
  context.setProp(host, "testing", testing ? context.true : context.false);
  context.setProp(host, "call", call);
  context.setProp(
    host,
    "log",
    context.newFunction("log", (line) => log(context.getString(line))),
  );
  const setUp = context.unwrapResult(
    context.evalCode(SOURCE, "prelude.js", { type: "global", strict: true }),
  );
  const made = context.unwrapResult(context.callFunction(setUp, context.undefined, host));
  const assertions = context.getProp(made, "assertions");
  return {
    invoke: context.getProp(made, "invoke"),
    describe: context.getProp(made, "describe"),
    assertions: () =>
      context.getNumber(context.unwrapResult(context.callFunction(assertions, context.undefined))),
  };
}
