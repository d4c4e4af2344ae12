import type { CallStage } from "@metahuman/core/contract/run";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import { InterruptedError } from "./run-context.ts";

/** Work that may call `reached` until it ends and stops when `signal` is aborted. */
type StagedWork<Result> = (reached: (stage: CallStage) => void, signal: AbortSignal) => Promise<Result>;

/**
 * Yields each stage that the work reports while it runs, then returns its result or throws its error. When the generator
 * is closed early, the work is aborted.
 */
export async function* reportStages<Result>(
  step: number,
  work: StagedWork<Result>,
  signal: AbortSignal,
): AsyncGenerator<StoredEventBody, Result> {
  const stages: CallStage[] = [];
  let changed = Promise.withResolvers<void>();
  const state = { isSettled: false };
  const abandoned = new AbortController();
  const done = work(
    (stage) => {
      stages.push(stage);
      changed.resolve();
    },
    AbortSignal.any([signal, abandoned.signal]),
  ).finally(() => {
    state.isSettled = true;
    changed.resolve();
  });
  // The work may fail while a stage is being committed, before its result is awaited.
  done.catch(() => undefined);
  try {
    for (;;) {
      for (let stage = stages.shift(); stage; stage = stages.shift())
        yield { type: "stage-reached", step, stage };
      if (state.isSettled) return await done;
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    if (!state.isSettled) abandoned.abort(new InterruptedError("This process no longer executes the run."));
  }
}
