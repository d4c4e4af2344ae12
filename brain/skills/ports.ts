import type { CalledFunction } from "@metahuman/core/functions/called-functions";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import type {
  FunctionCode,
  FunctionMemory,
  FunctionParameter,
  Verification,
} from "@metahuman/core/contract/function";
import type { AgentsPort } from "@metahuman/core/agents/agents-port";
import type { ActivityPort } from "@metahuman/core/runs/activity";
import type { ArchivePort } from "@metahuman/core/workspace/archive";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { Region } from "@metahuman/core/contract/region";
import type { Task } from "@metahuman/core/contract/task";
import type { SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import type { WatchedPages } from "@metahuman/core/schedules/watched-pages";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { Git } from "@metahuman/sandbox/git/git";
import type { WebSearch } from "@metahuman/sandbox/network/searxng";
import type { Web } from "@metahuman/sandbox/network/web";
import type { Programs } from "@metahuman/sandbox/programs/programs";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { CallStage, ResponseStyle, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { CurationOutcome, CurationRequest } from "@metahuman/core/contract/curation";

/** Writes an answer: the built-in one from observations alone, others with a model. */
export interface AnswerPort {
  respond(
    request: { goal: string; context: string; style: ResponseStyle; scratchpad: readonly ScratchpadEntry[] },
    signal: AbortSignal,
  ): Promise<string>;
}

/** Summarises a text. */
export interface Summarizer {
  /**
   * Returns a model's summary and the number of characters that it covers. A long text is summarised in parts with a
   * limited number of calls. Undefined without a model; the caller then extracts sentences.
   */
  summarize(
    text: string,
    options: { maxWords: number; maxSentences?: number | undefined; signal: AbortSignal },
  ): Promise<{ text: string; covered: number } | undefined>;
}

/** The result of code in the sandbox. */
export interface CodeOutcome {
  /** JSON; `null` if the code returned nothing. */
  result: unknown;
  /** Output of `console`. */
  logs: string[];
  /** The calls of skills by which one-off code changed something, in order; absent if it made none. */
  calls?: CodeCall[] | undefined;
}

/** A call of a skill that code made. */
export interface CodeCall {
  skill: string;
  args: Record<string, unknown>;
  /** The skill's sentence about its outcome. */
  sentence: string;
  outputs: Record<string, unknown>;
}

/**
 * Runs TypeScript in the sandbox for a call. Both methods throw `FunctionError` and the typed errors of the sandbox.
 */
export interface CodePort {
  /**
   * Runs one-off code, which may call the granted skills. `parameters.files` contains the text of `files` by path.
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
   * Returns the skills that code calls, without running it. Throws `FunctionError` if it does not parse, and
   * `InvalidArgsError` if it uses skills without naming them.
   */
  calledSkills(code: { source: string; isSaved?: boolean }, signal?: AbortSignal): Promise<readonly string[]>;
  /**
   * Returns the functions that code calls, directly or indirectly. Throws as `allCalledFunctions` does, and
   * `InvalidArgsError` if one-off code calls a function that the run has not loaded.
   */
  calledFunctions(
    caller: { source: string; isSaved?: boolean } | Pick<FunctionMemory, "name" | "scope" | "code">,
  ): Promise<CalledFunction[]>;
  /** Verifies the code of a function: syntax, types, rules, grants, tests. */
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

/** The environment of the process. */
export interface EnvironmentPort {
  /** True if the variable is set and not empty. Its value is not accessible. */
  has(name: string): boolean;
}

/** Ports created for each run, which report their usage to it. */
export type RunPorts = Pick<
  SkillPorts,
  "answerWriter" | "summarizer" | "code" | "recipes" | "functions" | "curator"
>;
/** Ports shared by all runs of a profile. */
export type ProfilePorts = Omit<SkillPorts, keyof RunPorts>;

/** All ports that a skill may receive. */
export interface SkillPorts {
  files: WorkspaceFiles;
  archive: ArchivePort;
  tasks: TasksPort;
  memory: MemoryPort;
  agents: AgentsPort;
  activity: ActivityPort;
  schedules: SchedulesPort;
  watchedPages: Pick<WatchedPages, "replace">;
  /** Reminds the person of a task when it is due. Resolves to the moment; undefined if there is no reminder. */
  remindOf(task: Task, region: Region): Promise<string | undefined>;
  answerWriter: AnswerPort;
  summarizer: Summarizer;
  code: CodePort;
  recipes: RecipePort;
  /** The functions of the agent that owns the run. */
  functions(): FunctionsPort;
  curator: Curator;
  patterns: PatternsPort;
  environment: EnvironmentPort;
  web: Web;
  webSearch: WebSearch;
  programs: Programs;
  git: Git;
  /** The cards of every installed skill. */
  catalog(): readonly SkillCard[];
}

/** The patterns that were found in a profile's requests. */
export interface PatternsPort {
  /**
   * Makes a draft of the pattern with the template that the words quote, from its stored runs. Throws
   * `MemoryNotFoundError` if there is no such pattern, `AlreadyExistsError` if a function was made of it, and
   * `ConflictError` if no skills followed its requests.
   */
  makeFunction(template: string, actor: FunctionActor): Promise<FunctionMemory>;
}

/** The call that requests a function. */
export interface CurationCall {
  runId: string;
  /** True if a person requested exactly this call without a planner. */
  isDirect: boolean;
  signal: AbortSignal;
  /** Reports the progress of the call. */
  reached(stage: CallStage): void;
  /** The key of the call; a repeated call with the same key resumes from staging. */
  callKey: string;
}

/** Generates and improves functions. */
export interface Curator {
  /**
   * Runs the workflow: gather, write, verify with one retry, publish. Reports the start and end of each stage. Throws
   * `ModelUnavailableError` if there is neither a draft nor a model.
   */
  curate(request: CurationRequest, call: CurationCall): Promise<CurationOutcome>;
}
