import type { Run } from "@metahuman/core/contract/run";
import type { Earlier } from "@metahuman/core/language/references/earlier-calls";
import type { RunStore } from "@metahuman/core/runs/run-store";

/** How far back words such as "it" can reach, in runs. */
const MOST_EARLIER = 6;

/**
 * What was asked before a run in its conversation, and what was done for it, the newest first. Only what had ended when
 * the run was asked for: so a run that is carried on later reads the same.
 */
export async function earlierRuns(run: Run, store: Pick<RunStore, "run" | "runs">): Promise<Earlier[]> {
  const { conversationId } = run;
  const { items } = await store.runs({ conversationId, limit: MOST_EARLIER + 1 });
  const before = items.filter(
    ({ id, endedAt }) => id !== run.id && endedAt !== undefined && endedAt <= run.createdAt,
  );
  const runs = await Promise.all(before.slice(0, MOST_EARLIER).map(({ id }) => store.run(id)));
  return runs.map(({ goal, scratchpad }) => ({
    request: goal,
    calls: scratchpad.flatMap(({ action, observation }) =>
      action && observation
        ? [
            {
              skill: action.tool,
              args: action.args,
              outputs: observation.success ? observation.outputs : undefined,
            },
          ]
        : [],
    ),
  }));
}
