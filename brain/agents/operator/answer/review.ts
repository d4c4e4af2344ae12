import { formatContextForPrompt } from "@metahuman/core/context/format-context-for-prompt";
import { regionOf } from "@metahuman/core/contract/region";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { oneLine, truncate } from "@metahuman/core/text/format";
import { nextStep, type RunContext, type Yielded } from "../loop/run-context.ts";
import { stepsTaken } from "../loop/end-run.ts";
import type { PlannerDecision, PlanState } from "../planner.ts";
import { PlanInvalidError } from "@metahuman/core/errors/run-errors";
import { workspaceLine } from "../planners/model/messages.ts";
import { earlierResults } from "../planners/model/planner-context.ts";
import { observeNote } from "../tools/execute-call.ts";
import { isInOtherThanEnglish } from "./answer-language.ts";
import { withoutMarked, withoutUnconfirmed, withUnconfirmedMarked } from "./answer-gate.ts";
import { type Answer, ANSWER_SKILL } from "./answer-writer.ts";
import { checkAnswerAsync, type CheckedSentence } from "./check-claims.ts";
import { MAX_SENTENCES } from "./critic.ts";
import { type AnswerEvidence, isObserved, isReview } from "./evidence.ts";
import { significantWords, withoutNames } from "./mentions.ts";
import { SMALL } from "./number-arithmetic.ts";
import { doubted } from "./problem.ts";
import { quantitiesIn } from "./quantities.ts";
import { DECLINES } from "./unbacked-claims.ts";
import { unmentionedChanges, unmentionedFailures } from "./unmentioned-changes.ts";
import { BEFORE, NEGATION } from "./vocabulary.ts";

/** The planners whose answers come from a model, so that they may claim more than was observed. */
const MODEL_PLANNERS: ReadonlySet<string> = new Set(["structured", "tool-calling", "conversation"]);

function isSuccess({ action, observation }: ScratchpadEntry): boolean {
  return action !== undefined && action.tool !== ANSWER_SKILL && observation?.success === true;
}

const NO_CALL_SUCCEEDED =
  "None of the calls succeeded: nothing was found out or done, whatever the answer says.";

/** The findings of the latest review; `""` when there is none. */
export function findingsOfReview(scratchpad: readonly ScratchpadEntry[]): string {
  return scratchpad.findLast(isReview)?.observation?.content ?? "";
}

/** The evidence for the answer of a run. */
export function evidenceOf({ context, conversation, ...state }: PlanState): AnswerEvidence {
  const workspace = workspaceLine(state);
  const results = earlierResults(state);
  return {
    request: state.request,
    conversation: conversation.turns.map(({ role, text }) => ({ role, text: withoutMarked(text) })),
    memories: context?.memories.map(({ memory }) => memory.content) ?? [],
    known: [
      ...(context
        ? [
            formatContextForPrompt(context, {
              timeZone: state.timeZone,
              without: ["conversation", "functions", "tools"],
            }),
          ]
        : []),
      ...[conversation.summary, conversation.taskContext].filter((text) => text !== undefined),
    ],
    ...(workspace !== "" && { workspace }),
    scratchpad: state.scratchpad,
    ...(state.earlierCalls && { earlierCalls: state.earlierCalls }),
    ...(results !== "" && { earlierResults: results }),
    now: state.requestedAt,
    timeZone: state.timeZone,
  };
}

export const isModelPlanner = ({ name }: Pick<RunContext["planner"], "name">): boolean =>
  MODEL_PLANNERS.has(name);

/** True when a model may have written the answer. Text by the built-in writer needs no check. */
export function isWordedByModel({ planner, usage }: Pick<RunContext, "planner" | "usage">): boolean {
  return isModelPlanner(planner) || (planner.name === "replay" && usage().modelCalls > 0);
}

/**
 * Checks the claims of an answer by code, and by the critic where it is switched on. The first answer with claims that
 * code or the whole review refutes, or that the critic does not find shown, becomes a step of the run and is `rejected`. In an answer that is kept, unsupported sentences are marked, not remembered, and reported as a
 * warning. A later answer that gives up most of a long text does not replace it. Changes of the run that the answer
 * leaves out are added; the first answer in another language than English is rejected for them instead. Answers without a model's text pass unchanged.
 */
export async function* review(
  written: Answer,
  context: RunContext,
): AsyncGenerator<Yielded, Answer | "rejected"> {
  const { scratchpad } = context.run();
  if (!isWordedByModel(context) || written.style === "strict" || written.verbatim) return written;
  const { signal } = context;
  const answer = { ...written, text: await completeText(written.text, context.state(), signal) };
  const hasActed = stepsTaken(scratchpad) > 0;
  const hasResult = scratchpad.some(isSuccess);
  const isFirst = !scratchpad.some(isReview);
  const checked = await checkAnswerAsync(answer.text, evidenceOf(context.state()), signal);
  const found = hasActed && !hasResult ? checked.map(doubtResult) : checked;
  const reviewed = await claimsFoundByCritic(answer, context, hasResult);
  yield* context.takeWarnings();
  const refuted = [...problemsIn(found.filter(isRefuted)), ...reviewed];
  // The sentences for these changes are English, so a model words them in an answer in another language.
  const left = isFirst && isInOtherThanEnglish(answer.text) ? leftOut(answer, context) : [];
  // The critic is not asked about an answer that is rejected anyway.
  if (refuted.length > 0 && isFirst) {
    const claims = usesCritic(context) ? refuted : [...problemsIn(found), ...reviewed];
    return yield* reject(answer, { claims, left }, context);
  }
  const decided = await withVerdicts(found, context);
  // What nothing shows may be found out: "Hive 3 is in better condition", where the file of hive 5 was not read.
  const unconfirmed = problemsIn(decided);
  if ((unconfirmed.length > 0 && isFirst) || left.length > 0)
    return yield* reject(answer, { claims: unconfirmed, left }, context);
  const all = [...new Set([...reviewed, ...unconfirmed])];
  if (all.length > 0)
    yield {
      type: "warning-raised",
      message: `The answer contains claims that no observation supports:\n${listOf(all)}`,
    };
  if (hasActed && !hasResult && decided.some(statesResult))
    yield { type: "warning-raised", message: NO_CALL_SUCCEEDED };
  return withChanges(
    unconfirmed.length === 0
      ? answer
      : {
          ...answer,
          text: withUnconfirmedMarked(answer.text, decided),
          confirmed: withoutUnconfirmed(answer.text, decided),
        },
    context,
  );
}

/** Doubts a sentence that states a result although every call failed; "the file was there already" may be why it did. */
const doubtResult = (sentence: CheckedSentence): CheckedSentence =>
  sentence.problems.length > 0 || !statesResult(sentence) || BEFORE.test(sentence.text)
    ? sentence
    : { ...sentence, problems: [doubted("Every call failed, and nothing else known shows this.")] };

/** True for a sentence about the run or the person's own things that neither declines nor denies. */
const statesResult = ({ text, isChecked, isUndecided }: CheckedSentence): boolean =>
  (isChecked || isUndecided) && !text.endsWith("?") && !DECLINES.test(text) && !NEGATION.test(text);

/** A sentence for each change of the run that the answer leaves out, and for each that failed. */
function leftOut({ text }: Answer, context: RunContext): string[] {
  const { scratchpad } = context.run();
  const region = regionOf(context.request.request);
  const done = { scratchpad, skills: context.skills, region };
  return [...unmentionedChanges(text, done), ...unmentionedFailures(withoutMarked(text), done)];
}

/** The answer, with a sentence for each change of the run that it leaves out, and for each that failed. */
function withChanges(answer: Answer, context: RunContext): Answer {
  const left = leftOut(answer, context);
  if (left.length === 0) return answer;
  const ending = `\n\n${left.join("\n")}`;
  context.onAnswerText(ending, answer.text.length);
  const { confirmed } = answer;
  return {
    ...answer,
    text: `${answer.text}${ending}`,
    ...(confirmed !== undefined && { confirmed: `${confirmed}${ending}`.trim() }),
  };
}

/** A text of at least this many words is not replaced by one of less than half its length. */
const LONG_TEXT = 40;

/**
 * The rejected answer without what code finds wrong with it, if a model drops most of a long text instead of correcting
 * it; otherwise the new one. Only sentences that need no evidence count: sentences about the person's own things may
 * rightly be dropped.
 */
async function completeText(text: string, state: PlanState, signal: AbortSignal): Promise<string> {
  const { rejectedAnswer } = state;
  if (rejectedAnswer === undefined) return text;
  const evidence = evidenceOf(state);
  const scratchpad = evidence.scratchpad.filter((entry) => !isReview(entry));
  const checked = await checkAnswerAsync(rejectedAnswer, { ...evidence, scratchpad }, signal);
  const free = checked.filter(({ isChecked, isUndecided }) => !isChecked && !isUndecided);
  const remainingWords = significantWords(free.map((sentence) => sentence.text).join("\n")).length;
  return remainingWords >= LONG_TEXT && significantWords(text).length < remainingWords / 2
    ? withoutUnconfirmed(rejectedAnswer, checked)
    : text;
}

/** Makes the answer a step of the run, with the claims that the planner is to find out or leave out, and the changes that it is to tell. */
async function* reject(
  answer: Answer,
  { claims, left }: { claims: readonly string[]; left: readonly string[] },
  context: RunContext,
): AsyncGenerator<Yielded, "rejected"> {
  context.rejectAnswer(answer.text);
  const step = nextStep(context);
  const thought = "Check the answer against the observations.";
  yield { type: "step-planned", step, thought, planner: context.planner.name };
  const found = [
    ...(claims.length > 0
      ? [
          "The answer contains claims that no observation supports. Find it out, or leave it out:",
          listOf(claims),
        ]
      : []),
    ...(left.length > 0
      ? ["The answer leaves out what was done. Say it, too, in the language of the answer:", listOf(left)]
      : []),
    "Then write the whole answer again: it replaces this one.",
  ].join("\n");
  yield { type: "observation-made", step, observation: observeNote(found), durationMs: 0 };
  return "rejected";
}

/**
 * The answer that the review rejected, if the model fails to write it again and nothing was done since: what it says of finished work
 * is worth more than none. The review marks what is not confirmed.
 */
export function answerAsWritten(
  { rejectedAnswer, scratchpad, onWarning }: PlanState,
  problem: string,
): PlannerDecision | undefined {
  const last = scratchpad.at(-1);
  if (rejectedAnswer === undefined || last === undefined || !isReview(last)) return undefined;
  onWarning?.(`${problem} The answer stands as it was first written.`);
  return {
    kind: "answer",
    thought: "The answer was not written again.",
    style: "default",
    text: rejectedAnswer,
  };
}

/** As `answerAsWritten`, after a plan that could not be read. Throws any other error. */
export function answerDespite(error: unknown, state: PlanState): PlannerDecision {
  const written = error instanceof PlanInvalidError ? answerAsWritten(state, error.message) : undefined;
  if (written === undefined) throw error;
  return written;
}

/** The claims that a review names, each once, after the sentence that makes it. */
const problemsIn = (checked: readonly CheckedSentence[]): string[] => [
  ...new Set(
    checked.flatMap(({ text, problems }) =>
      problems.map((problem) =>
        problem.text.includes(text)
          ? problem.text
          : `“${truncate(oneLine(text), QUOTED_LENGTH)}”: ${problem.text}`,
      ),
    ),
  ),
];

/** The part of a sentence that names it, in characters. */
const QUOTED_LENGTH = 60;

const isRefuted = ({ problems }: CheckedSentence): boolean => problems.some((problem) => problem.isRefuted);

const listOf = (claims: readonly string[]): string => claims.map((claim) => `- ${claim}`).join("\n");

/** The findings of a model's review of the whole answer; empty while it is switched off. */
async function claimsFoundByCritic(
  { text }: Answer,
  { critic, flags, signal, state }: RunContext,
  hasResult: boolean,
): Promise<string[]> {
  if (!flags.useReasoningService || !hasResult) return [];
  return critic.unsupported(text, state(), signal);
}

/** The critic decides about single sentences unless the whole answer is reviewed. */
const usesCritic = ({ config, flags }: RunContext): boolean =>
  config.answers.checkWithModel && !flags.useReasoningService;

/** True for a larger number in a sentence whose numbers code did not look up. */
const statesUncheckedFigure = ({ text, isChecked }: CheckedSentence): boolean =>
  !isChecked &&
  quantitiesIn(withoutNames(text)).numbers.some(({ values }) => values.every((value) => value > SMALL));

/**
 * Asks the critic about the sentences that code only doubts, or can neither confirm nor refute. A doubt ends where the
 * critic finds the sentence shown; without a verdict, each sentence stays as code found it. A larger number that code did not look up
 * is doubted where the critic's words do not support it.
 */
async function withVerdicts(checked: CheckedSentence[], context: RunContext): Promise<CheckedSentence[]> {
  const { critic, signal, state } = context;
  const isDoubted = (sentence: CheckedSentence): boolean =>
    sentence.problems.length > 0 && !isRefuted(sentence);
  const doubts = checked.filter(isDoubted);
  const others = checked.filter(({ isUndecided }) => isUndecided);
  // If an answer is too long for one call, doubts come first.
  const first = new Set([...doubts, ...others].slice(0, MAX_SENTENCES));
  const known = shownBefore(context);
  const asked = checked.filter((sentence) => first.has(sentence) && !known.has(sentence.text));
  if (!usesCritic(context) || first.size === 0) return checked;
  const texts = asked.map(({ text }) => text);
  const verdicts = asked.length === 0 ? undefined : await critic.verdicts(texts, state(), signal);
  return checked.map((sentence) => {
    if (first.has(sentence) && known.has(sentence.text)) return { ...sentence, problems: [] };
    const verdict = verdicts?.get(asked.indexOf(sentence));
    if (
      verdict === undefined ||
      verdict === "own text" ||
      (verdict === "unsupported" && !statesUncheckedFigure(sentence))
    ) {
      // The same words would be judged the same way again.
      if (verdict !== undefined && sentence.problems.length === 0) known.add(sentence.text);
      return sentence;
    }
    if (verdict !== "not shown" && verdict !== "unsupported") {
      known.add(sentence.text);
      return { ...sentence, problems: [] };
    }
    if (sentence.problems.length === 0 && OWN_LIMIT.test(sentence.text)) return sentence;
    const unshown = doubted(`“${sentence.text}” is stated, and nothing known shows it.`);
    return sentence.problems.length > 0 ? sentence : { ...sentence, problems: [unshown] };
  });
}

/** "I cannot send email": what the operator is not able to do, which nothing observed can show; unlike "I cannot find it". */
const OWN_LIMIT = new RegExp(
  [
    String.raw`^\W*(?:(?:sorry|leider|désolée?|lo siento)\W+)?`,
    String.raw`(?:i (?:cannot|can['’]?t|am (?:unable|not able) to|have no (?:tool|way))|ich kann(?= .*nicht)|je ne peux pas|no puedo)(?!\p{L})`,
    String.raw`(?!\s(?:find|see|confirm)(?!\p{L}))[^\d;]*$`,
  ].join(""),
  "iu",
);

interface Shown {
  observed: number;
  texts: Set<string>;
}

const shownSentences = new WeakMap<RunContext, Shown>();

/** The sentences of a rejected answer against which the critic found nothing, until something else is observed. */
function shownBefore(context: RunContext): Set<string> {
  const observed = context.run().scratchpad.filter(isObserved).length;
  const last = shownSentences.get(context);
  if (last?.observed === observed) return last.texts;
  const texts = new Set<string>();
  shownSentences.set(context, { observed, texts });
  return texts;
}
