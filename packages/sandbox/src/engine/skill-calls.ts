import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle } from "quickjs-emscripten-core";
import type { FromEngine } from "../protocol.ts";
import type { SandboxLimits } from "../sandbox.ts";

/** The skill calls of the code that the host has not answered. */
export interface SkillCalls {
  /** `(skill, args as JSON) → promise of JSON`, as the prelude uses it. */
  readonly function: QuickJSHandle;
  answer(call: number, value: string): void;
  refuse(call: number, error: string): void;
  /** True if a call is unanswered. */
  isWaiting(): boolean;
  /** Resolves to true at the next answer, or after `withinMs` milliseconds; to false at once if no call is open. */
  nextAnswer(withinMs: number): Promise<boolean>;
  /** Waits for calls that the code did not await, because their effects belong to the run. */
  settled(drive: () => Promise<boolean>): Promise<void>;
}

export interface SkillCallsOptions {
  limits: SandboxLimits;
  post(message: FromEngine): void;
  onLimitExceeded(kind: "calls" | "output"): void;
}

export function openSkillCalls(
  context: QuickJSContext,
  { limits, post, onLimitExceeded }: SkillCallsOptions,
): SkillCalls {
  const open = new Map<number, QuickJSDeferredPromise>();
  let made = 0;
  let notify: (() => void) | undefined;

  function settle(call: number, settlePromise: (promise: QuickJSDeferredPromise) => void): void {
    const promise = open.get(call);
    if (!promise) return;
    open.delete(call);
    settlePromise(promise);
    notify?.();
  }

  return {
    function: context.newFunction("call", (skillHandle, argsHandle) => {
      const promise = context.newPromise();
      made += 1;
      const length = context.getProp(argsHandle, "length").consume((handle) => context.getNumber(handle));
      if (made > limits.hostCalls) onLimitExceeded("calls");
      else if (length > limits.outputLength) onLimitExceeded("output");
      else {
        open.set(made, promise);
        const skill = context.getString(skillHandle);
        post({ kind: "call", call: made, skill, args: context.getString(argsHandle) });
      }
      return promise.handle;
    }),
    answer: (call, value) => settle(call, (promise) => promise.resolve(context.newString(value))),
    refuse: (call, error) => settle(call, (promise) => promise.reject(context.newString(error))),
    isWaiting: () => open.size > 0,
    async nextAnswer(withinMs) {
      if (open.size === 0) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, withinMs));
        notify = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      notify = undefined;
      return true;
    },
    async settled(drive) {
      while (open.size > 0) await drive();
    },
  };
}
