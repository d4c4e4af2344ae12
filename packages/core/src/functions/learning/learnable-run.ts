import type { FunctionFixture } from "../../contract/function.ts";

/** What generalizing has to know of a skill. */
export interface SkillFacts {
  id: string;
  summary: string;
  /** Steers the run (asking, answering) instead of doing something. */
  controlsRun: boolean;
  reads: boolean;
  /** It looks something up, in the workspace or on a server. */
  finds: boolean;
  /** Its arguments' defaults: what is said with them says nothing. */
  defaults: Readonly<Record<string, unknown>>;
  /** Arguments that are one of a few words, or yes and no: never a value of somebody's own. */
  fixedArgs: readonly string[];
  /** Arguments that are places in the workspace. */
  pathArgs: readonly string[];
  /** Arguments that are text for people to read. */
  textArgs: readonly string[];
  /** The output that says where its result is. */
  resultPath?: string;
}

export interface MadeCall {
  skill: string;
  args: Record<string, unknown>;
  success: boolean;
  outputs: Record<string, unknown>;
}

/** A run as learning sees it. */
export interface LearnableRun {
  request: string;
  /** Every call with its observation, in order. */
  calls: readonly MadeCall[];
  /** When the request was made, and where. */
  now: Date;
  timeZone: string;
  /** False for a planner that makes no detours: then every successful call was asked for. */
  explores: boolean;
  executionTimeMs?: number;
  fixture?: FunctionFixture;
}

export type FactsOf = (skill: string) => SkillFacts | undefined;
