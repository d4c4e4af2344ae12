import type { Run } from "@metahuman/core/contract/run";
import { truncateLine } from "@metahuman/core/text/format";

const MAX_LENGTH = 80;

/**
 * The arguments in which a run differs from what was offered for the same request in the run before it: a person changed
 * these values before they accepted. Each as "text “35 litres”".
 */
export function changedValues(
  before: Pick<Run, "goal" | "offers"> | undefined,
  run: Pick<Run, "goal" | "scratchpad" | "functionsUsed">,
): string[] {
  if (before?.goal !== run.goal) return [];
  const offer = before.offers?.find(({ functionId }) =>
    run.functionsUsed.some(({ id, followed }) => followed && id === functionId),
  );
  const calls = run.scratchpad.flatMap(({ action }) => action ?? []);
  const changed = (offer?.calls ?? []).flatMap(({ args }, index) =>
    Object.entries(args).flatMap(([name, offered]) => {
      const used = calls[index]?.args[name];
      // A value that only an earlier call yields cannot be changed.
      const isValue = typeof offered === "string" && !offered.includes("${");
      return isValue && typeof used === "string" && used !== offered
        ? [`${name} “${truncateLine(used, MAX_LENGTH)}”`]
        : [];
    }),
  );
  return [...new Set(changed)];
}
