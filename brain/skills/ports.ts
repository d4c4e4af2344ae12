import type { AgentsPort } from "@metahuman/core/agents/agents-port";
import type { ArchivePort } from "@metahuman/core/workspace/archive";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { TasksPort } from "@metahuman/core/memory/tasks-port";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { ResponseStyle, ScratchpadEntry } from "@metahuman/core/contract/run";

/** Words an answer; the built-in one composes it from observations alone, a model-backed one comes with models. */
export interface Responder {
  respond(
    request: { goal: string; context: string; style: ResponseStyle; scratchpad: readonly ScratchpadEntry[] },
    signal: AbortSignal,
  ): Promise<string>;
}

/** The powers a skill may be handed; it has no others. */
export interface SkillPorts {
  files: WorkspaceFiles;
  archive: ArchivePort;
  tasks: TasksPort;
  memory: MemoryPort;
  agents: AgentsPort;
  responder: Responder;
  /** The cards of every installed skill. */
  catalog(): readonly SkillCard[];
}
