import { yieldToEventLoop } from "@metahuman/core/async/yield-to-event-loop";
import { citedSteps } from "@metahuman/core/contract/citation";
import { actionsIn, isChange, undoneOrders, unsupportedActions } from "./action-claims.ts";
import { unknownDays, wrongWeekdays } from "./day-claims.ts";
import {
  type AnswerEvidence,
  evidenceWithWorkspace,
  isReview,
  memoize,
  type PreparedEvidence,
  prepareEvidence,
} from "./evidence.ts";
import {
  evidenceWithoutOwnTexts,
  guessedCalculations,
  type GuessedCalculations,
  hasFoundFigures,
  independentSources,
  totalsOfSomeRows,
} from "./own-texts.ts";
import {
  ADDRESS,
  CITATION,
  blank,
  contentWords,
  filesIn,
  stem,
  withoutKnownDigits,
  withoutNames,
} from "./mentions.ts";
import {
  isRightCalculation,
  onlyAmountIn,
  wrongCalculations,
  wrongTotalOfList,
} from "./arithmetic-claims.ts";
import { unsupportedAttributions } from "./attribution-claims.ts";
import { unappliedFigures, unshownChanges } from "./change-claims.ts";
import { wrongDifference, wrongRise, wrongChangeOverTime, wrongTotalOfParts } from "./difference-claims.ts";
import { withOverlookedDifferences } from "./comparison-claims.ts";
import { unsupportedContent } from "./content-claims.ts";
import { unsavedPromises } from "./memory-claims.ts";
import { citedFailures, unmadeChanges } from "./failed-call-claims.ts";
import { incompleteWork } from "./completeness-claims.ts";
import { ungroundedContent } from "./grounding.ts";
import { problemsOfNamedRows, wrongProduct } from "./group-claims.ts";
import { mismatchedCells, wrongLabels } from "./record-claims.ts";
import { isOfJoined, wrongJoinedFigure } from "./joined-figures.ts";
import { lostRows } from "./merged-tables.ts";
import {
  asksAboutKnownFacts,
  asksForLetter,
  claimsNothing,
  concernsThePerson,
  impliesClaim,
  statesMoreThanMemories,
  isWithinLetter,
  statesFigureOfKnownTopic,
} from "./checked-sentences.ts";
import { isKnownFile, unsupportedUrls, unsupportedNames, wrongPairs } from "./name-claims.ts";
import {
  addLast,
  type AnswerSoFar,
  MAX_SAMPLE_LENGTH,
  SMALL,
  factorsIn,
  isFigure,
  orderedFactors,
} from "./number-arithmetic.ts";
import { isKnownNumber, wrongWordCount } from "./number-claims.ts";
import { doubted, type Problem, refuted } from "./problem.ts";
import { type NumberMention, quantitiesIn } from "./quantities.ts";
import { failedChecks, incompleteSets, unlistedTasks } from "./outcome-claims.ts";
import { unsetReminders } from "./reminder-claims.ts";
import { numericColumns } from "./records.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";
import { totalInsteadOfPart, wrongOverTables, wrongSum, wrongSumSeenElsewhere } from "./table-claims.ts";
import { wrongStatuses } from "./task-claims.ts";
import { continuesResults, disputedTotals, isAboutProduct, totalsOfRecalled } from "./turn-without-call.ts";
import {
  answersOrderWithoutCall,
  DECLINES,
  PRESENTS,
  problemOfWholeAnswer,
  unbackedClaims,
} from "./unbacked-claims.ts";
import { measureOf } from "./units.ts";
import {
  BARE_DONE,
  FILLER,
  FOLDERS,
  GENERAL,
  INSTRUCTION,
  NEGATION,
  OFFER,
  OWN_THINGS,
  SECOND_PERSON_POSSESSIVE,
} from "./vocabulary.ts";

/** A sentence of an answer, with its unsupported claims. */
export interface CheckedSentence {
  text: string;
  /** Position in the answer, in UTF-16 code units. */
  start: number;
  end: number;
  /** True for a sentence that claims an action, cites, or refers to the person's files, tasks or memory. */
  isChecked: boolean;
  /** Its unsupported claims. */
  problems: Problem[];
  /**
   * True when it claims something and has no problem. Code does not confirm it: words and figures of the evidence may be
   * joined, compared or narrowed to say something else, so only a model or a person can tell.
   */
  isUndecided: boolean;
}

/** Checks the sentences of one answer in order; each is judged together with the previous ones. */
export interface ClaimChecker {
  check(sentence: Sentence): CheckedSentence;
}

/** Checks the claims of an answer against what was said, remembered and observed. */
export function checkAnswer(answer: string, evidence: AnswerEvidence): CheckedSentence[] {
  const checker = createClaimChecker(evidence);
  return sentencesOf(answer).map((sentence) => checker.check(sentence));
}

/** The number of sentences that are checked before yielding to the event loop, which is less where one is long. */
const SENTENCES_PER_TURN = 25;

/**
 * As `checkAnswer`, and yields to the event loop between sentences. If an answer ignores an order, its first sentence
 * has that problem, too. Rejects with the signal's reason.
 */
export async function checkAnswerAsync(
  answer: string,
  evidence: AnswerEvidence,
  signal: AbortSignal,
): Promise<CheckedSentence[]> {
  const checker = createClaimChecker(evidence);
  const checked: CheckedSentence[] = [];
  for (const sentence of sentencesOf(answer)) {
    checked.push(checker.check(sentence));
    if (checked.length % SENTENCES_PER_TURN > 0 && sentence.text.length < 10 * SHORT) continue;
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
  const [first, ...others] = withOverlookedDifferences(checked, answer, evidence);
  const problem = first && problemOfWholeAnswer(answer, prepareEvidence(evidence));
  if (!first || !problem) return first ? [first, ...others] : [];
  return [{ ...first, problems: [...first.problems, problem], isUndecided: false }, ...others];
}

export function createClaimChecker(source: AnswerEvidence): ClaimChecker {
  const prepared = prepareEvidence(source);
  const withWorkspace = memoize(() => evidenceWithWorkspace(source) ?? prepared);
  const asked = quantitiesIn(source.request);
  const before: AnswerSoFar = {
    sample: "",
    hasDeclined: false,
    hasAsked: false,
    hasPresented: false,
    isChecked: false,
    lengths: new Set(),
    topic: new Set(),
    isInsideList: false,
    isInsideLetter: false,
    operands: [],
    listed: [],
    factors: [
      ...factorsIn(source.request, asked.numbers, prepared),
      ...orderedFactors(asked.numbers, prepared),
    ],
  };
  const refersBack = asksAboutKnownFacts(prepared);
  const isRetry = source.scratchpad.some(isReview);
  const mayHoldLetter = asksForLetter(source);
  const withoutOwnTexts = memoize(() => evidenceWithoutOwnTexts(source));
  const independent = memoize(() => {
    const sources = independentSources(source);
    return sources && prepareEvidence(sources);
  });
  const guesses = memoize(() => guessedCalculations(source));
  const judged = new Map<string, CheckedSentence>();
  return {
    check(sentence) {
      const { text, start, end } = sentence;
      // A model that repeats itself says nothing new.
      const known = judged.get(text);
      if (known && text.length > SHORT) return { ...known, problems: [...known.problems], start, end };
      before.isInsideLetter = mayHoldLetter && isWithinLetter(text, before.isInsideLetter, source);
      const evidence = source.workspace !== undefined && FOLDERS.test(text) ? withWorkspace() : prepared;
      const isChecked =
        !sentence.isQuoted &&
        (claimsWithoutCall(sentence, evidence, before).length > 0 ||
          concernsThePerson(sentence, evidence, before) ||
          (refersBack &&
            !claimsNothing(sentence, before) &&
            !GENERAL.test(text) &&
            statesFigureOfKnownTopic(text, evidence)));
      const others = isChecked && mentionsOwnThings(sentence, before) ? withoutOwnTexts() : undefined;
      const unchanged = copyOf(before);
      const problems = isChecked ? distinct(problemsOf(sentence, evidence, before)) : [];
      if (isChecked && problems.length === 0)
        problems.push(...sumsOfWrittenTexts(sentence, withoutOwnTexts(), copyOf(unchanged)));
      if (isChecked && problems.length === 0)
        problems.push(
          ...figuresOfOwnTexts(text, independent(), copyOf(unchanged)),
          ...figuresOfGuesses(text, guesses(), copyOf(unchanged)),
        );
      if (others && problems.length === 0)
        problems.push(
          ...problemsOf(sentence, others, unchanged).map(({ text: problem }) => doubted(problem)),
        );
      const ofProduct = isAboutProduct(text, { request: source.request, turns: source.conversation });
      const mayClaim =
        !sentence.isQuoted &&
        (isChecked ||
          isRetry ||
          evidence.calls.length > 0 ||
          (refersBack && !GENERAL.test(text)) ||
          statesMoreThanMemories(text, evidence) ||
          ofProduct ||
          continuesResults(text, evidence) ||
          answersOrderWithoutCall(text, evidence, before));
      // The line under the head of a table has no words.
      const isClaim =
        /[\p{L}\p{N}]/u.test(text) &&
        !isFiller(text, evidence) &&
        !isRightCalculation(text) &&
        (!claimsNothing(sentence, before) || impliesClaim(text) || (ofProduct && !text.endsWith("?")));
      const isUndecided = mayClaim && isClaim && problems.length === 0;
      // An offer does not change the subject.
      if (!claimsNothing(sentence, before)) before.isChecked = isChecked;
      before.sample = `${before.sample} ${text}`.slice(-MAX_SAMPLE_LENGTH);
      before.hasDeclined ||= DECLINES.test(text);
      before.hasAsked ||= text.includes("?");
      before.hasPresented ||= PRESENTS.test(text);
      if (!before.isInsideList && sentence.isListItem) before.listed = [];
      if (sentence.isListItem) addLast(before.listed, onlyAmountIn(text));
      before.lengths.add(wordsIn(text));
      before.isInsideList =
        isChecked &&
        (/:[\s*_]*(?:\[[\d, ]+\])?[\s:.*_]*$/u.test(text) || (sentence.isListItem && before.isInsideList));
      if (isChecked) for (const word of contentWords(text)) before.topic.add(stem(word));
      const checked = { text, start, end, isChecked, problems, isUndecided };
      judged.set(text, checked);
      return checked;
    },
  };
}

/** Shorter sentences, such as "It is open.", may refer to something else each time; in characters. */
const SHORT = 20;
/** A copy to which numbers can be added; the rest changes only after a sentence is judged. */
const copyOf = (before: AnswerSoFar): AnswerSoFar => ({
  ...before,
  operands: [...before.operands],
  factors: [...before.factors],
});

/**
 * "Your rope is 70 m long", which a file that the operator wrote does not show; unlike "Your list has a rope", and "All
 * four of your ingredients are used", which counts what the file names.
 */
function mentionsOwnThings({ text, isListItem }: Sentence, { isInsideList }: AnswerSoFar): boolean {
  if (!SECOND_PERSON_POSSESSIVE.test(text) || OWN_THINGS.test(text) || (isListItem && isInsideList))
    return false;
  const { numbers } = quantitiesIn(withoutNames(text.replaceAll(CITATION, blank)));
  const isCount = ({ values, unit }: NumberMention): boolean =>
    measureOf(unit) === "" && values.every((value) => value <= SMALL);
  return !numbers.some(isCount) && filesIn(text).length === 0 && actionsIn(text).length === 0;
}

/** Wrong sums over a table that was read, or over figures of the sentence, which only a text has that the operator wrote itself. */
function sumsOfWrittenTexts(
  { text }: Sentence,
  evidence: PreparedEvidence | undefined,
  before: AnswerSoFar,
): Problem[] {
  if (evidence === undefined) return [];
  const isOverTable = evidence.tables.some(({ rows }) => numericColumns(rows).length > 0);
  const plain = text.replaceAll(CITATION, blank).replaceAll(ADDRESS, blank);
  const { numbers } = quantitiesIn(withoutNames(withoutKnownDigits(plain, evidence)));
  return numbers
    .filter((mention) => !isKnownNumber(mention, { text: plain, numbers }, evidence, before))
    .flatMap(
      (mention) =>
        (isOverTable ? wrongSum(mention, plain, evidence) : undefined) ??
        wrongTotalOfParts(mention, { text: plain, numbers }, evidence) ??
        [],
    );
}

/**
 * Figures that only the operator's own texts have, though calls have found figures from which they should follow. What is
 * written without such a source, such as a plan, may have any figures.
 */
function figuresOfOwnTexts(
  text: string,
  evidence: PreparedEvidence | undefined,
  before: AnswerSoFar,
): Problem[] {
  if (evidence === undefined) return [];
  const plain = text.replaceAll(CITATION, blank).replaceAll(ADDRESS, blank);
  const { numbers } = quantitiesIn(withoutNames(withoutKnownDigits(plain, evidence)));
  const figures = numbers.filter(isFigure);
  if (figures.length === 0 || !hasFoundFigures(evidence.source.scratchpad)) return [];
  const quantified = { text: plain, numbers };
  return figures.flatMap(
    (mention) =>
      totalInsteadOfPart(mention, quantified, evidence) ??
      (isKnownNumber(mention, quantified, evidence, before) || isOfJoined(mention, evidence)
        ? []
        : doubted(
            `${mention.text} stands only in a text that the operator wrote itself. Find it out, or work it out with calculate.`,
          )),
  );
}

/** Figures that only a calculation has whose operands nothing shows. */
function figuresOfGuesses(
  text: string,
  guesses: GuessedCalculations | undefined,
  before: AnswerSoFar,
): Problem[] {
  if (guesses === undefined) return [];
  const { evidence, operands } = guesses;
  const plain = text.replaceAll(CITATION, blank).replaceAll(ADDRESS, blank);
  const { numbers } = quantitiesIn(withoutNames(withoutKnownDigits(plain, evidence)));
  return numbers
    .filter((mention) => !isKnownNumber(mention, { text: plain, numbers }, evidence, before))
    .map((mention) =>
      refuted(`${mention.text} was calculated from ${operands.join(", ")}, which nothing shows.`),
    );
}

/** Each problem once; a refutation counts rather than a doubt with the same text. */
function distinct(problems: readonly Problem[]): Problem[] {
  const byText = new Map<string, Problem>();
  for (const problem of problems)
    if (byText.get(problem.text)?.isRefuted !== true) byText.set(problem.text, problem);
  return [...byText.values()];
}

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0;

/** True for a filler phrase, and for "Done." where a call changed something. */
const isFiller = (text: string, { calls }: PreparedEvidence): boolean =>
  FILLER.test(text) || (BARE_DONE.test(text) && calls.some(isChange));

/**
 * A claim that something is done or promised, without a call; a question may follow it: "It is paid, anything else?"
 */
const claimsWithoutCall = (
  sentence: Sentence,
  evidence: PreparedEvidence,
  before: AnswerSoFar,
): Problem[] => [
  ...unsetReminders(sentence.text, evidence),
  ...unsavedPromises(sentence.text, evidence),
  ...wrongCalculations(sentence.text, evidence),
  ...wrongTotalOfList(sentence, before.listed),
  ...unshownChanges(sentence.text, evidence),
  ...unlistedTasks(sentence.text, evidence),
  ...failedChecks(sentence.text, evidence),
  ...disputedTotals(sentence.text, evidence),
  ...totalsOfRecalled(sentence.text, evidence),
  ...unsupportedAttributions(sentence.text, evidence, before),
  ...(OFFER.test(sentence.text) || INSTRUCTION.test(sentence.text)
    ? []
    : undoneOrders(sentence.text, evidence)),
  ...unbackedClaims(sentence, evidence, before),
];

/** Wrong claims of a sentence about the calls of the run. */
const wrongActionClaims = (
  { text }: Sentence,
  plain: string,
  numbers: readonly NumberMention[],
  evidence: PreparedEvidence,
): Problem[] => [
  ...unmadeChanges(text, evidence),
  ...unsupportedActions(plain, evidence, citedSteps(text)),
  ...wrongStatuses(plain, evidence, citedSteps(text)),
  ...unappliedFigures(plain, numbers, evidence),
  ...lostRows(plain, evidence),
  ...incompleteWork(plain, numbers, evidence),
  ...incompleteSets(plain, numbers, evidence),
];

function problemsOf(sentence: Sentence, evidence: PreparedEvidence, before: AnswerSoFar): Problem[] {
  const { text } = sentence;
  const problems = citedSteps(text)
    .filter((step) => !evidence.steps.has(step))
    .map((step) => refuted(`There is no observation ${String(step)}, and the answer cites it.`));
  if (!before.isInsideLetter) problems.push(...claimsWithoutCall(sentence, evidence, before));
  if (claimsNothing(sentence, before)) return problems;
  problems.push(...citedFailures(text, evidence));
  const plain = text.replaceAll(CITATION, blank).replaceAll(ADDRESS, blank);
  const isDenied = NEGATION.test(plain);
  problems.push(...unsupportedUrls(text, evidence).map(refuted));
  for (const file of filesIn(plain)) {
    if (!isKnownFile(file, evidence) && !isDenied)
      problems.push(refuted(`${file} is named, and nothing observed shows it.`));
  }
  const read = quantitiesIn(withoutNames(withoutKnownDigits(plain, evidence)));
  const contradictions = [
    ...mismatchedCells(plain, evidence),
    ...wrongLabels(plain, evidence),
    ...wrongOverTables(plain, evidence),
    ...problemsOfNamedRows(plain, evidence),
    ...wrongRise(plain, evidence),
    ...wrongPairs(sentence, plain, evidence),
    ...wrongWeekdays(plain, read, evidence),
  ];
  const unshown = [
    ...unsupportedContent(plain, evidence, before),
    ...ungroundedContent(plain, evidence, before),
    ...unsupportedNames(sentence, plain, evidence, before),
    ...unknownDays(plain, read, evidence),
  ];
  if (!before.isInsideLetter) problems.push(...wrongActionClaims(sentence, plain, read.numbers, evidence));
  problems.push(...contradictions.map(refuted), ...unshown.map(doubted));
  addLast(before.factors, factorsIn(plain, read.numbers, evidence));
  const quantified = { text: plain, numbers: read.numbers };
  problems.push(...totalsOfSomeRows(quantified, evidence));
  for (const mention of read.numbers) {
    const wrong =
      wrongDifference(mention, quantified, evidence) ??
      wrongChangeOverTime(mention, quantified, evidence) ??
      wrongWordCount(mention, quantified, evidence, before) ??
      wrongSumSeenElsewhere(mention, quantified, evidence) ??
      totalInsteadOfPart(mention, quantified, evidence) ??
      wrongJoinedFigure(mention, plain, evidence);
    if (wrong) problems.push(wrong);
    else if (isKnownNumber(mention, quantified, evidence, before))
      addLast(before.operands, mention.values.slice(0, 1));
    else
      problems.push(
        wrongSum(mention, plain, evidence) ??
          wrongProduct(mention, plain, evidence) ??
          doubted(`${mention.text} is stated, and nothing shows it.`),
      );
  }
  return problems;
}
