import type { Profile } from "@metahuman/boot/brain";
import type { Run } from "@metahuman/core/contract/run";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";

/** A run as the page first shows it, without the prompts of its model calls; `undefined` if it does not exist. */
export async function loadRun({ runs }: Profile, id: string): Promise<Run | undefined> {
  try {
    const { modelCalls: _prompts, ...run } = await runs.inspect(id);
    return run;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
