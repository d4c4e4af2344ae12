import { NO_CONVERSATION } from "@metahuman/core/context/build-context-package";
import type { ContextPackage } from "@metahuman/core/contract/context";
import type { FunctionContent, FunctionExample, FunctionFixture } from "@metahuman/core/contract/function";
import type { Action, Observation, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { Region } from "@metahuman/core/contract/region";
import { isOpenStatus } from "@metahuman/core/contract/task";
import { charactersFor } from "@metahuman/core/contract/tokens";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { SkillNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { ModelError } from "@metahuman/models/model-error";
import { WaitForPerson, type Skill } from "@metahuman/skills/define-skill";
import { observe, observeFailure, defaultObservationMode } from "../operator/tools/execute-call.ts";
import type { Planner, PlanState } from "../operator/planner.ts";
import { ANSWER_SKILL } from "../operator/answer/answer-writer.ts";
import { openScratchEnvironment, type ScratchEnvironment } from "./scratch-environment.ts";
import { callInScratch, SCRATCH_RUN } from "./scratch-call.ts";

/** The number of calls after which a trial is stopped. */
const MAX_STEPS = 8;
const OBSERVATION_TOKENS = 1_000;
/** The id of the guide in the prompts of a trial. */
const GUIDE_ID = "func-20000101-trial0";

/** The result of one run of an example. */
export interface TrialRun {
  outcome: "answered" | "stuck" | "stopped" | "asked" | "failed";
  steps: number;
  planningCalls: number;
  durationMs: number;
  /** True when a step names the guide. */
  followed: boolean;
  /** The number of expectations of the example that are met at the end. */
  met: number;
  expected: number;
}

export interface Trial {
  example: FunctionExample;
  fixture: FunctionFixture;
  region: Region;
  /** Missing in the run without the guide. */
  guide?: FunctionContent;
  planner: Planner;
  /** The skills that may be called; all of them act inside the scratch environment only. */
  skills: readonly Skill[];
  embedder: Embedder;
}

/**
 * Runs an example with a planner in a new scratch environment, within `MAX_STEPS` calls. An error of the planner or of a
 * skill is part of the outcome; throws `ModelError` when the model cannot be called, or the reason of the signal.
 */
export async function runTrial(trial: Trial, signal: AbortSignal): Promise<TrialRun> {
  const { fixture, example, embedder } = trial;
  const scratch = await openScratchEnvironment({ fixture, usesMemory: true, embedder });
  try {
    const began = performance.now();
    const { outcome, scratchpad, planningCalls } = await planAndExecute(trial, scratch, signal);
    const expectations = [outcome === "answered"];
    if (example.resultPath !== undefined)
      expectations.push(await exists(example.resultPath, scratch, signal));
    return {
      outcome,
      steps: scratchpad.length,
      planningCalls,
      durationMs: performance.now() - began,
      followed: scratchpad.some(({ functionId }) => functionId === GUIDE_ID),
      met: expectations.filter(Boolean).length,
      expected: expectations.length,
    };
  } finally {
    await scratch.close();
  }
}

async function planAndExecute(
  trial: Trial,
  scratch: ScratchEnvironment,
  signal: AbortSignal,
): Promise<Pick<TrialRun, "outcome" | "planningCalls"> & { scratchpad: ScratchpadEntry[] }> {
  const { example, fixture, planner, skills } = trial;
  const scratchpad: ScratchpadEntry[] = [];
  let planningCalls = 0;
  const context = contextOf(trial);
  const ended = (outcome: TrialRun["outcome"]) => ({ outcome, scratchpad, planningCalls });
  for (;;) {
    signal.throwIfAborted();
    const state: PlanState = {
      runId: SCRATCH_RUN,
      request: example.prompt,
      requestedAt: new Date(fixture.at),
      ...trial.region,
      scratchpad,
      context,
      conversation: NO_CONVERSATION,
      stepsLeft: MAX_STEPS - scratchpad.length,
      skills,
      onModelCall: () => (planningCalls += 1),
    };
    let move;
    try {
      move = await planner.next(state, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelError || !(error instanceof MetahumanError)) throw error;
      return ended("failed");
    }
    if (move.kind === "answer") return ended(move.outcome ?? "answered");
    if (move.action.tool === ANSWER_SKILL) return ended("answered");
    if (scratchpad.length >= MAX_STEPS) return ended("stopped");
    const { thought, action, functionId } = move;
    const observation = await observedCall(action, scratchpad.length + 1, trial, scratch, signal);
    if (observation === "asks") return ended("asked");
    scratchpad.push({
      step: scratchpad.length + 1,
      thought,
      action,
      observation,
      ...(functionId !== undefined && { functionId }),
      timestamp: fixture.at,
    });
  }
}

/** The observation of a call, rendered as in any run. */
async function observedCall(
  { tool, args }: Action,
  step: number,
  { example, fixture, region, skills }: Trial,
  { ports }: ScratchEnvironment,
  signal: AbortSignal,
): Promise<Observation | "asks"> {
  try {
    const skill = skills.find(({ id }) => id === tool);
    if (!skill) throw new SkillNotFoundError(`${tool} is not available here.`);
    const outputs = await callInScratch(skill, args, {
      step,
      request: example.prompt,
      now: new Date(fixture.at),
      region,
      ports,
      signal,
    });
    return observe(skill, outputs, {
      mode: defaultObservationMode(skill),
      maxCharacters: charactersFor(OBSERVATION_TOKENS),
    });
  } catch (error) {
    if (error instanceof WaitForPerson) return "asks";
    signal.throwIfAborted();
    return observeFailure(toErrorDetail(error));
  }
}

async function exists(path: string, { ports }: ScratchEnvironment, signal: AbortSignal): Promise<boolean> {
  try {
    return (await ports.files.state(path, signal)).kind !== "absent";
  } catch (error) {
    // For example a path outside the workspace.
    if (error instanceof MetahumanError && !signal.aborted) return false;
    throw error;
  }
}

/** The context package of an empty profile, with or without the guide. */
function contextOf({ example, fixture, guide }: Trial): ContextPackage {
  return {
    request: example.prompt,
    memories: [],
    relevantFunctions: guide
      ? [
          {
            id: GUIDE_ID,
            title: guide.title,
            score: 1,
            rank: 1,
            matchReason: "semantic",
            reason: "It is tried.",
            guide: {
              title: guide.title,
              summary: guide.summary,
              kind: guide.kind,
              skillsUsed: guide.skillsUsed,
              steps: guide.steps,
              parameters: guide.parameters,
              // The example under trial would reveal the answer.
              examples: guide.examples.filter(({ prompt }) => prompt !== example.prompt),
            },
          },
        ]
      : [],
    recentTools: [],
    persona: { name: "MetaHuman", role: "", values: [], voice: "", goals: [] },
    activeTasks: fixture.tasks.filter(({ status }) => isOpenStatus(status)),
    recentTopics: [],
    patterns: [],
    mode: "dual",
    budget: { tokens: 0, used: 0 },
    explanation: { memories: [], functions: [], patterns: [], warnings: [], timingsMs: {} },
  };
}
