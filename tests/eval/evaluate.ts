import { setTimeout } from "node:timers/promises";
import { FunctionDetail, FunctionPromoted } from "@metahuman/core/contract/answers";
import type { Run, Usage } from "@metahuman/core/contract/run";
import type { Client } from "../support/client.ts";
import { carryOut, readRun, type CarriedOut } from "./carry-out.ts";
import { holds, numbersIn, stateOf, type State } from "./effects.ts";
import { addPerson, prepare, readState, succeeded, type Person } from "./profile.ts";
import type { Asking, Check, EvalTask, Phase, TaskKind } from "./task-schema.ts";

/** The result of one request of a task. */
export interface AskingResult {
  phase: Phase;
  isRight: boolean;
  /** Checks that failed. */
  failed: Check[];
  /** Forbidden effects that happened. */
  violated: Check[];
  request: string;
  answer: string;
  runs: RunResult[];
  usage: Usage;
  approvals: CarriedOut["approvals"];
  questions: string[];
  steps: number;
  isOverBudget: boolean;
  /** Whether a learned recipe decided at least one call. */
  isReplay: boolean;
  /**
   * The number of sentences that the run marked as unconfirmed, and of numbers without a source in an answer with a
   * wrong number.
   */
  inventions: number;
  /** Why the request could not be executed. */
  problem?: string;
}

type RunResult = Pick<Run, "id" | "goal" | "outcome" | "planner" | "warnings" | "functionsUsed"> & {
  calls: { tool: string; args: Record<string, unknown>; isSuccess: boolean }[];
};

/** What was learned from the first request, and whether it could be promoted. */
export interface LearnedFunction {
  id: string;
  title: string;
  kind: string;
  isPromoted: boolean;
  problem?: string;
}

export interface TaskResult {
  id: string;
  kind: TaskKind;
  askings: AskingResult[];
  lesson?: LearnedFunction;
}

export interface EvaluateOptions {
  /** The owner of the server's data. */
  owner: Client;
  /** The server's data root. */
  home: string;
  /** How long to wait after a run for its lesson, in milliseconds. */
  learningMs: number;
}

const NOTHING_USED: Usage = {
  planningCalls: 0,
  modelCalls: 0,
  promptTokens: 0,
  completionTokens: 0,
  durationMs: 0,
};

/**
 * Sends a request, promotes what was learned, sends it again with other values, and sends a request that only looks
 * similar.
 */
export async function evaluate(task: EvalTask, options: EvaluateOptions): Promise<TaskResult> {
  const person = await addPerson(task.id, options.owner, options.home);
  const first = await ask("first", task.first, person);
  const learned = await promoteLearned(first, person, options.learningMs);
  const again = await ask("again", task.again, person);
  const nearMiss = await ask("nearMiss", task.nearMiss, person);
  return {
    id: task.id,
    kind: task.kind,
    askings: [first, again, nearMiss],
    ...(learned && { lesson: learned }),
  };
}

async function ask(phase: Phase, asking: Asking, person: Person): Promise<AskingResult> {
  const carried: CarriedOut[] = [];
  try {
    await prepare(person, asking.setup);
    const before = { ...(await readState(person)), answer: "", asked: false };
    for (const turn of asking.setup.conversation) await say(turn, asking, person, carried);
    await say(asking.request, asking, person, carried);
    // A question in plain text ends the run; the reply becomes the next request of the conversation.
    if (
      asking.reply !== undefined &&
      !carried.some(({ questions }) => questions.length > 0) &&
      endsAsking(carried)
    ) {
      carried.at(-1)?.questions.push(answerOf(carried));
      await say(asking.reply, asking, person, carried);
    }
    const after = {
      ...(await readState(person)),
      answer: answerOf(carried),
      asked: carried.some(({ questions }) => questions.length > 0) || endsAsking(carried),
    };
    return resultOf(phase, asking, carried, { before, after });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const nothing = stateOf(asking.setup);
    const result = resultOf(phase, asking, carried, { before: nothing, after: nothing });
    return { ...result, isRight: false, problem: error.message };
  }
}

async function say(goal: string, asking: Asking, { client }: Person, carried: CarriedOut[]): Promise<void> {
  carried.push(await carryOut(client, goal, asking, carried.at(-1)?.run.conversationId));
}

const answerOf = (carried: readonly CarriedOut[]): string => carried.at(-1)?.run.result ?? "";
const endsAsking = (carried: readonly CarriedOut[]): boolean => /[?？]["”»)*\s]*$/u.test(answerOf(carried));

function resultOf(
  phase: Phase,
  asking: Asking,
  carried: readonly CarriedOut[],
  { before, after }: { before: State; after: State },
): AskingResult {
  const failed = asking.checks.filter((check) => !holds(check, before, after));
  const violated = asking.mustNot.filter((check) => holds(check, before, after));
  const last = carried.at(-1)?.run;
  const steps = last?.scratchpad.length ?? 0;
  return {
    phase,
    isRight: failed.length === 0 && violated.length === 0,
    failed,
    violated,
    request: asking.request,
    answer: answerOf(carried),
    runs: carried.map(({ run }) => runResult(run)),
    usage: carried.reduce((sum, { run }) => plus(sum, run.usage), NOTHING_USED),
    approvals: carried.flatMap(({ approvals }) => approvals),
    questions: carried.flatMap(({ questions }) => questions),
    steps,
    isOverBudget: asking.maxSteps !== undefined && steps > asking.maxSteps,
    isReplay: carried.some(({ replayedCalls }) => replayedCalls > 0),
    inventions: inventionsIn(asking, carried, failed),
  };
}

function runResult({ id, goal, outcome, planner, warnings, functionsUsed, scratchpad }: Run): RunResult {
  const calls = scratchpad.flatMap(({ action, observation }) =>
    action ? [{ ...action, isSuccess: observation?.success === true }] : [],
  );
  return { id, goal, outcome, planner, warnings, functionsUsed, calls };
}

function plus(one: Usage, other: Usage): Usage {
  return {
    planningCalls: one.planningCalls + other.planningCalls,
    modelCalls: one.modelCalls + other.modelCalls,
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    durationMs: one.durationMs + other.durationMs,
  };
}

function inventionsIn(asking: Asking, carried: readonly CarriedOut[], failed: readonly Check[]): number {
  const marked = carried.reduce(
    (sum, { run }) => sum + (run.result?.match(/not confirmed/giu)?.length ?? 0),
    0,
  );
  const isNumberWrong = failed.some((check) => "answer" in check && check.answer.numbers !== undefined);
  if (!isNumberWrong) return marked;
  // All readable values and the right ones. The number of a citation is not part of the answer.
  const known = numbersIn(
    JSON.stringify([asking.setup, stateOf(asking.setup).files, asking.request, asking.checks]),
  );
  const answered = [...numbersIn(answerOf(carried).replaceAll(/\[\d+\]/gu, ""))];
  return marked + (answered.some((number) => !known.has(number)) ? 1 : 0);
}

/** Waits for the lesson of the first request and promotes it, as a satisfied person would. */
async function promoteLearned(
  { runs, isRight }: AskingResult,
  { client }: Person,
  learningMs: number,
): Promise<LearnedFunction | undefined> {
  const last = runs.at(-1);
  const couldTeach = last?.outcome === "answered" && last.calls.filter((call) => call.isSuccess).length > 1;
  if (!last || !couldTeach) return undefined;
  let { learnedFunction } = await readRun(client, last.id);
  for (const end = Date.now() + learningMs; !learnedFunction && Date.now() < end; await setTimeout(100))
    ({ learnedFunction } = await readRun(client, last.id));
  if (!learnedFunction) return undefined;

  const { id, title } = learnedFunction;
  const detail = await client.get(`/api/functions/${id}`);
  const { kind } = FunctionDetail.parse(succeeded(detail)).function;
  const learned = { id, title, kind, isPromoted: false };
  // Nothing is promoted after a wrong result.
  if (!isRight)
    return { ...learned, problem: "It was learned from a request that was not carried out rightly." };
  const answer = await client.post("/api/functions/promote", { id });
  if (answer.status !== 200) return { ...learned, problem: JSON.stringify(answer.body) };
  return { ...learned, isPromoted: FunctionPromoted.parse(answer.body).function.trust === "verified" };
}
