import type { Run } from "@metahuman/core/contract/run";

/** The paths of the files that a run wrote or read and that are still there, as far as the run knows. */
export function filesOf({ scratchpad }: Pick<Run, "scratchpad">): string[] {
  const paths = new Set<string>();
  for (const { action, observation } of scratchpad) {
    const outputs = observation?.success === true ? observation.outputs : undefined;
    if (!outputs || action === undefined) continue;
    const { path, from, to } = outputs;
    if (typeof path === "string" && outputs["removed"] !== undefined) paths.delete(path);
    else if (typeof path === "string" && FILE_SKILLS.has(action.tool)) paths.add(path);
    if (typeof from === "string") paths.delete(from);
    if (typeof to === "string" && action.tool === "fs_move") paths.add(to);
  }
  return [...paths];
}

/** The skills whose `path` names one file. */
const FILE_SKILLS: ReadonlySet<string> = new Set(["fs_write", "fs_append", "fs_read", "json_update"]);
