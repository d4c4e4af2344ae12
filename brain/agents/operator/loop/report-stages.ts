import type { CallStage } from "@metahuman/core/contract/run";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import { InterruptedError } from "./run-context.ts";

/** Does work; `reached` may be called at any time until it ends, `signal` says when to stop. */
type StagedWork<Result> = (reached: (stage: CallStage) => void, signal: AbortSignal) => Promise<Result>;

/**
 * Does the work of a call, yields each stage it tells of while it goes on, and returns or throws what the work does. Stages
 * told before the work ends are yielded before its end. Left early, the work is aborted.
 */
export async function* reportStages<Result>(
  step: number,
  work: StagedWork<Result>,
  signal: AbortSignal,
): AsyncGenerator<StoredEventBody, Result> {
  const told: CallStage[] = [];
  let moved = Promise.withResolvers<void>();
  const ended = { yet: false };
  const left = new AbortController();
  const done = work(
    (stage) => {
      told.push(stage);
      moved.resolve();
    },
    AbortSignal.any([signal, left.signal]),
  ).finally(() => {
    ended.yet = true;
    moved.resolve();
  });
  // It may fail while a stage is being committed; that is when nobody is waiting for it yet.
  done.catch(() => undefined);
  try {
    for (;;) {
      for (let stage = told.shift(); stage; stage = told.shift())
        yield { type: "stage-reached", step, stage };
      if (ended.yet) return await done;
      await moved.promise;
      moved = Promise.withResolvers();
    }
  } finally {
    if (!ended.yet) left.abort(new InterruptedError("Nobody carries the run on here any more."));
  }
}
