import type { Run, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import { MemoryNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { showsUse } from "@metahuman/core/memory/evolution/evidence";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { Skill } from "@metahuman/skills/define-skill";

export interface Ended {
  run: Run;
  answer: string | undefined;
  mode: CognitiveMode;
  skills: readonly Skill[];
}

/**
 * Records which memories in the context of a run were used: those whose words appear in its answer, and those whose paths
 * and names appear in its calls. Being in the context is no use, nor is being listed by a search.
 */
export async function creditMemories(
  memory: MemoryPort,
  { run, answer, mode, skills }: Ended,
): Promise<void> {
  const told = run.context?.memories ?? [];
  if (mode === "emulation" || told.length === 0) return;
  const said = run.planner === "built-in" ? "" : (answer ?? "");
  const done = run.scratchpad.filter((entry) => changedTheWorld(entry, skills)).map(argumentsOf);
  const cited: string[] = [];
  const followed: string[] = [];
  for (const { id } of told) {
    const content = await contentOf(memory, id);
    if (content === undefined) continue;
    if (said !== "" && showsUse(content, said, run.goal)) cited.push(id);
    if (done.some((args) => showsUse(content, args, run.goal))) followed.push(id);
  }
  if (cited.length > 0) await memory.used(cited, { kind: "cited", runId: run.id });
  if (followed.length > 0) await memory.used(followed, { kind: "followed", runId: run.id });
}

/** The memory; undefined if it was deleted meanwhile. */
async function contentOf(memory: MemoryPort, id: string): Promise<string | undefined> {
  try {
    return (await memory.get(id)).content;
  } catch (error) {
    if (error instanceof MemoryNotFoundError) return undefined;
    throw error;
  }
}

/** Calls that only read do not count as uses. */
function changedTheWorld({ action, observation }: ScratchpadEntry, skills: readonly Skill[]): boolean {
  const skill = skills.find(({ id }) => id === action?.tool);
  return observation?.success === true && skill !== undefined && skill.effects !== "read";
}

function argumentsOf({ action }: ScratchpadEntry): string {
  return JSON.stringify(action?.args ?? {});
}
