import type { FunctionFixture } from "../../contract/function.ts";

/** The properties of a skill that generalization needs. */
export interface SkillFacts {
  id: string;
  summary: string;
  /** True for skills that control the run (ask, answer) and have no other effect. */
  controlsRun: boolean;
  reads: boolean;
  /** True for skills that search the workspace or a server. */
  finds: boolean;
  /** The defaults of its arguments. An argument equal to its default carries no information. */
  defaults: Readonly<Record<string, unknown>>;
  /** Arguments with few possible values, such as booleans; they never contain values of the person. */
  fixedArgs: readonly string[];
  /** Arguments that are workspace paths. */
  pathArgs: readonly string[];
  /** Arguments that are prose. */
  textArgs: readonly string[];
  /** The outputs that a call may lack, such as the moment of a reminder. */
  optionalOutputs?: readonly string[];
  /** True for skills whose result follows from their arguments alone. */
  calculates?: boolean;
  /** The output with the path of its result. */
  resultPath?: string;
}

export interface MadeCall {
  skill: string;
  args: Record<string, unknown>;
  success: boolean;
  outputs: Record<string, unknown>;
}

/** The parts of a run that learning needs. */
export interface LearnableRun {
  request: string;
  /** Every call with its observation, in order. */
  calls: readonly MadeCall[];
  /** The time of the request, and its time zone. */
  now: Date;
  timeZone: string;
  /** False for a planner that makes no exploratory calls, so that every successful call was requested. */
  explores: boolean;
  executionTimeMs?: number;
  fixture?: FunctionFixture;
}

export type FactsOf = (skill: string) => SkillFacts | undefined;
