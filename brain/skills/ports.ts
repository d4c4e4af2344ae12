import type { CalledFunction } from "@metahuman/core/functions/called-functions";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import type {
  FunctionCode,
  FunctionMemory,
  FunctionParameter,
  Verification,
} from "@metahuman/core/contract/function";
import type { AgentsPort } from "@metahuman/core/agents/agents-port";
import type { ArchivePort } from "@metahuman/core/workspace/archive";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { Git } from "@metahuman/sandbox/git/git";
import type { WebSearch } from "@metahuman/sandbox/network/searxng";
import type { Web } from "@metahuman/sandbox/network/web";
import type { Programs } from "@metahuman/sandbox/programs/programs";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { Curator } from "./support/curation.ts";
import type { ResponseStyle, ScratchpadEntry } from "@metahuman/core/contract/run";

/** Words an answer; the built-in one composes it from observations alone, a model-backed one comes with models. */
export interface AnswerPort {
  respond(
    request: { goal: string; context: string; style: ResponseStyle; scratchpad: readonly ScratchpadEntry[] },
    signal: AbortSignal,
  ): Promise<string>;
}

/** Says in few words what a text says. */
export interface Summarizer {
  /**
   * A model's summary, and how many characters of the text it covers: a long text is summarized part by part, with a
   * limited number of calls. Undefined when no model can be asked, and the text's own sentences have to do.
   */
  summarize(
    text: string,
    options: { maxWords: number; signal: AbortSignal },
  ): Promise<{ text: string; covered: number } | undefined>;
}

/** What code in the sandbox came to. */
export interface CodeOutcome {
  /** JSON; `null` when it returned nothing. */
  result: unknown;
  /** What it said with `console`. */
  logs: string[];
}

/**
 * Runs TypeScript in the sandbox, for the call that asks. Both throw `FunctionError` and the sandbox's typed errors.
 */
export interface CodePort {
  /**
   * One-off code. It may call the skills that it was granted, as a function may. The text of `files` is handed to it as
   * `parameters.files`, by path.
   */
  execute(
    code: string,
    parameters: Record<string, unknown>,
    signal: AbortSignal,
    uses?: { grants: readonly string[]; files: readonly string[] },
  ): Promise<CodeOutcome>;
  /**
   * Runs the code of a function. Its calls of skills and functions are checked against its grants, then executed as
   * nested calls of the run. `self` is the function; without it the code cannot call functions.
   */
  run(
    code: FunctionCode,
    parameters: Record<string, unknown>,
    signal: AbortSignal,
    self?: Pick<FunctionMemory, "name" | "scope">,
  ): Promise<CodeOutcome>;
  /**
   * The functions that a function's code or one-off code calls, and those that they call in turn. Throws as
   * `allCalledFunctions` does, and `InvalidArgsError` where one-off code calls a function that the run has not loaded.
   */
  calledFunctions(
    caller: { source: string; isSaved?: boolean } | Pick<FunctionMemory, "name" | "scope" | "code">,
  ): Promise<CalledFunction[]>;
  /** What the host finds out about a function's code by itself: syntax, types, rules, grants, tests to their end. */
  check(
    code: FunctionCode,
    parameters: readonly FunctionParameter[],
    signal: AbortSignal,
    name?: string,
  ): Promise<Verification["checks"]>;
}

/** Runs recipes inside a call of a run. */
export interface RecipePort {
  /**
   * Executes the actions in order as nested calls of the run and checks their expectations. Resolves to `{steps}`, the
   * outputs in order, and a sentence for each. Throws `InvalidArgsError` for wrong parameters, and `FunctionError` at the
   * first action that fails or deviates.
   */
  run(
    followed: Pick<FunctionMemory, "recipe" | "parameters">,
    parameters: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<CodeOutcome>;
}

/** What the process was started with. */
export interface EnvironmentPort {
  /** True when the variable is there and not empty; what it holds is nobody's business. */
  has(name: string): boolean;
}

/** Powers that are made for each run anew: they tell it what they cost. */
export type RunPorts = Pick<
  SkillPorts,
  "responder" | "summarizer" | "code" | "recipes" | "functions" | "curator"
>;
/** Powers that are the same for every run of a profile. */
export type ProfilePorts = Omit<SkillPorts, keyof RunPorts>;

/** The powers a skill may be handed; it has no others. */
export interface SkillPorts {
  files: WorkspaceFiles;
  archive: ArchivePort;
  tasks: TasksPort;
  memory: MemoryPort;
  agents: AgentsPort;
  responder: AnswerPort;
  summarizer: Summarizer;
  code: CodePort;
  recipes: RecipePort;
  /** The functions of the agent whose run it is. */
  functions(): FunctionsPort;
  curator: Curator;
  environment: EnvironmentPort;
  web: Web;
  webSearch: WebSearch;
  programs: Programs;
  git: Git;
  /** The cards of every installed skill. */
  catalog(): readonly SkillCard[];
}
