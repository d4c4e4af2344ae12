import type { ModelRole } from "@metahuman/core/contract/models";
import type { ContextSectionName, ConversationContext } from "@metahuman/core/contract/context";
import { identifyingStems } from "@metahuman/core/policy/target-words";
import { citedSteps } from "@metahuman/core/contract/citation";
import { fenceData, withFenceClosed } from "@metahuman/core/context/fenced";
import {
  formatContextForPrompt,
  formatConversation,
} from "@metahuman/core/context/format-context-for-prompt";
import { parseJson } from "@metahuman/core/contract/parse-json";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { askForJson } from "@metahuman/models/structured-reply";
import { ModelError } from "@metahuman/models/model-error";
import type { ChatMessage } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import { z } from "zod";
import { observedWithin } from "../tools/observed-within.ts";
import type { PlanState } from "../planner.ts";
import { earlierResults, plannerContext } from "../planners/model/planner-context.ts";
import { momentFor, workspaceLine } from "../planners/model/messages.ts";
import { clipToTokens } from "@metahuman/core/contract/tokens";
import { promptBudget, REPLY_TOKENS } from "../planners/model/prompt-budget.ts";
import { ABOUT_PRODUCT, prompt } from "../prompts/load-prompt.ts";
import { actionsIn } from "./action-claims.ts";
import { withoutMarked } from "./answer-gate.ts";
import { type ActionKind, kindOf, kindsOfTool } from "./action-words.ts";
import { isObserved } from "./evidence.ts";
import { blank, CITATION, withoutNames } from "./mentions.ts";
import { isVerbatim, verbatimQuotesIn } from "./name-claims.ts";
import { SMALL } from "./number-arithmetic.ts";
import { entriesOf } from "./observed-calls.ts";
import { withoutRepaired } from "./open-failures.ts";
import { hasFoundFigures, resultsWithoutOwnTexts, withoutOwnTexts } from "./own-texts.ts";
import { type Quantities, quantitiesIn } from "./quantities.ts";
import { isAboutProduct } from "./turn-without-call.ts";
import { ordersAction } from "./unbacked-claims.ts";
import { FROM_TODAY, HAPPENED, NEGATION, STANDS } from "./vocabulary.ts";
import { oneLine } from "@metahuman/core/text/format";
import { plainWords } from "@metahuman/core/text/words";

/** Has a model check an answer against the observations of its run. */
export interface Critic {
  /**
   * Compares sentences with the evidence in one short call of a model. Returns verdicts by the index of the sentence:
   * - none if the model did not judge it;
   * - "unsupported" also if the model quotes words that the evidence does not contain or that lack the figures of the sentence;
   * - "own text" if its figures are only in earlier answers of the operator or in texts that it wrote into files, unless the
   *   person asked for a proposal.
   * Returns no verdicts if the model fails or finds no sentence supported.
   */
  verdicts(
    sentences: readonly string[],
    state: PlanState,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Verdict | "unsupported" | "own text">>;
  /** The claims that no observation shows, each in a few words; empty if all are shown. */
  unsupported(answer: string, state: PlanState, signal: AbortSignal): Promise<string[]>;
}

/** `general` is a sentence that needs no evidence. */
const Verdict = z.enum(["shown", "worked out", "general", "not shown"]);
export type Verdict = z.infer<typeof Verdict>;

/** The maximum number of checked claims, and the maximum length of each in the prompt, in characters. */
const MAX_CLAIMS = 20;
const CLAIM_LENGTH = 200;

/** How many sentences are checked in one call, and the tokens of a reply about one. */
export const MAX_SENTENCES = 40;
const VERDICT_TOKENS = 50;

/**
 * A reply that calls this many sentences unsupported, and no sentence supported, is ignored as a mistake, if calls found something:
 * an answer without any may be invented as a whole.
 */
const ALL_UNSHOWN = 3;

const SentenceVerdict = z.object({ number: z.int(), evidence: z.string(), verdict: Verdict });
type SentenceVerdict = z.infer<typeof SentenceVerdict>;

const Verdicts = z.object({ sentences: z.array(SentenceVerdict) });

const Claims = z.object({
  claims: z.array(z.object({ claim: z.string().trim().min(1), support: z.int() })).max(200),
});

/**
 * Asks the planner's model for problems that the check by code cannot find. If the model fails, the answer says that it
 * was not checked.
 */
export function createCritic(router: ModelRouter, role: () => ModelRole): Critic {
  return {
    async verdicts(sentences, state, signal) {
      const asked = sentences.slice(0, MAX_SENTENCES).map((sentence) => sentence.replaceAll("\n", " "));
      const { evidence, independent, material, observed, given } = await compare(asked, state, signal);
      const calls = state.scratchpad.filter(isObserved);
      const hasOnlyFailed = calls.length > 0 && calls.every(({ observation }) => !observation?.success);
      const isOwnProposal =
        PROPOSES.test(state.request) && !hasFoundFigures([...entriesOf(state.earlierCalls ?? []), ...calls]);
      const unsupported = new Map<number, "unsupported" | "own text">();
      const usable = given.flatMap((one): SentenceVerdict[] => {
        const sentence = asked[one.number - 1];
        if (sentence === undefined) return [];
        const supporting = hasOnlyFailed && !NEGATION.test(sentence) ? material : evidence;
        if (!hasSupport(sentence, one, supporting)) {
          unsupported.set(one.number, "unsupported");
          return [];
        }
        if (!isOwnProposal && statesFigure(sentence) && !hasSupport(sentence, one, independent)) {
          unsupported.set(one.number, "own text");
          return [];
        }
        // A request for something does not show that it was done.
        const isDone =
          !claimsOutcome(sentence, state.request) ||
          hasSupport(sentence, one, observed) ||
          isWordedFromSteps(sentence, state);
        return [isDone ? one : { ...one, verdict: "not shown" }];
      });
      const hasResults = state.scratchpad.some(isObserved) || (state.earlierCalls ?? []).length > 0;
      if (
        hasResults &&
        usable.length >= ALL_UNSHOWN &&
        usable.every(({ verdict }) => verdict === "not shown")
      ) {
        state.onWarning?.("The model marked no sentence as supported, so its check was not used.");
        return new Map();
      }
      return new Map<number, Verdict | "unsupported" | "own text">([
        ...[...unsupported].map(([number, verdict]) => [number - 1, verdict] as const),
        ...usable.map(({ number, verdict }) => [number - 1, verdict] as const),
      ]);
    },

    async unsupported(answer, state, signal) {
      const reply = await review(answer, state, signal);
      if (reply === undefined) return [];
      if (!reply.ok) {
        state.onWarning?.("The answer could not be checked against the observations.");
        return [];
      }
      const observed = new Set(state.scratchpad.filter(isObserved).map(({ step }) => step));
      return reply.value.claims
        .slice(0, MAX_CLAIMS)
        .filter(({ support }) => !observed.has(support))
        .map(({ claim }) => claim.slice(0, CLAIM_LENGTH).toWellFormed());
    },
  };

  async function review(answer: string, state: PlanState, signal: AbortSignal) {
    const { onModelCall, onWarning } = state;
    const budget = await promptBudget(router, role());
    const known = plannerContext(state);
    const part = Math.floor(budget / PARTS);
    const content = [evidenceText(state, known, budget), `Answer:\n${fenceData(clipToTokens(answer, part))}`];
    const messages = promptOf("review", content);
    try {
      return await askForJson(
        Claims,
        { messages, temperature: 0, maxTokens: REPLY_TOKENS },
        { router, role: role(), purpose: "review", signal, onModelCall, onWarning },
      );
    } catch (error) {
      if (!isModelFailure(error)) throw error;
      onWarning?.(`${error.message} The answer was not checked against the observations.`);
      return undefined;
    }
  }

  async function compare(sentences: readonly string[], given: PlanState, signal: AbortSignal) {
    const state = withConversation(given, confirmedTurns(given.conversation));
    const maxTokens = Math.max(REPLY_TOKENS, sentences.length * VERDICT_TOKENS);
    const budget = (await promptBudget(router, role())) - (maxTokens - REPLY_TOKENS);
    const numbered = sentences.map((sentence, index) => `${String(index + 1)}. ${sentence}`).join("\n");
    const evidence = evidenceText(state, knownFor(sentences, state), budget);
    const withoutOwn = {
      ...withConversation(state, messagesOfPerson(state.conversation)),
      earlierCalls: resultsWithoutOwnTexts(state.earlierCalls ?? []),
      scratchpad: withoutOwnTexts(state.scratchpad),
    };
    const independent = evidenceText(withoutOwn, knownFor(sentences, withoutOwn), budget);
    const observed = evidence.slice(requestText(state, budget).length);
    const withoutCalls = evidenceText({ ...state, scratchpad: [] }, knownFor(sentences, state), budget);
    const material = withoutCalls.slice(requestText(state, budget).length);
    const content = [
      evidence,
      `Sentences:\n${fenceData(clipToTokens(numbered, Math.floor(budget / PARTS)))}`,
      `(Now: ${momentFor(state)}.)`,
    ];
    const messages = promptOf("check-sentences", content);
    try {
      const reply = await askForJson(
        Verdicts,
        { messages, temperature: 0, maxTokens },
        { router, role: role(), purpose: "review", signal, onModelCall: state.onModelCall, retry: false },
      );
      return {
        evidence,
        independent,
        material,
        observed,
        given: reply.ok ? reply.value.sentences : verdictsWithin(reply.reply.text),
      };
    } catch (error) {
      if (!isModelFailure(error)) throw error;
      return { evidence, independent, material, observed, given: [] };
    }
  }
}

/** The given material with which sentences are compared. */
function knownFor(sentences: readonly string[], state: PlanState): string {
  const { context, conversation, timeZone } = state;
  const results = earlierResults(state);
  const without: ContextSectionName[] = [
    ...sectionsWithoutEvidence(sentences, state),
    ...(results === "" ? [] : ["tools" as const]),
  ];
  const material = context
    ? formatContextForPrompt(context, { timeZone, without })
    : formatConversation(conversation);
  const addressee =
    context?.person === undefined
      ? ""
      : `The sentences speak to ${oneLine(context.person).slice(0, NAME_LENGTH)}: that is "you". "I" is the operator.`;
  const ofProduct = sentences.some((text) =>
    isAboutProduct(text, { request: state.request, turns: conversation.turns }),
  )
    ? `${ABOUT_PRODUCT} Nothing else is known about its pages and settings.`
    : "";
  return [addressee, ofProduct, material, results, workspaceLine(state)]
    .filter((text) => text !== "")
    .join("\n\n");
}

/**
 * The person asks for something with figures of the operator's own: "plan a weekend for me", "make a plan"; unlike "the plan" and
 * "plan.md", which are there already.
 */
const PROPOSES =
  /(?<!(?<!\p{L})(?:the|this|that|my|our|your|his|her|their|\p{L}+['’]s) (?:\p{L}+ )?)\b(?:plan|suggest|propose|draft|invent|come up with|brainstorm)\b(?!\.\p{L})/iu;

/** The maximum length of a person's name in a prompt, in characters. */
const NAME_LENGTH = 100;

const withConversation = (state: PlanState, conversation: ConversationContext): PlanState => ({
  ...state,
  ...(state.context && { context: { ...state.context, conversation } }),
  conversation,
});

/** A conversation without the sentences of the operator that are marked as not confirmed. */
const confirmedTurns = (conversation: ConversationContext): ConversationContext => ({
  ...conversation,
  turns: conversation.turns
    .map((turn) => ({ ...turn, text: turn.role === "operator" ? withoutMarked(turn.text) : turn.text }))
    .filter(({ text }) => text !== ""),
});

/** A conversation without the answers of the operator. */
const messagesOfPerson = (conversation: ConversationContext): ConversationContext => ({
  ...conversation,
  turns: conversation.turns.filter(({ role }) => role === "person"),
});

/** True for a number that is too large to occur in a text by chance. */
const statesFigure = (sentence: string): boolean =>
  numbersOf(sentence).some(({ values }) => values.some((value) => value > SMALL || !Number.isInteger(value)));

/** True for "I noted it", in any words for an action of the operator, and for "A task was added" where the request orders something. */
const claimsOutcome = (sentence: string, request: string): boolean =>
  actionsIn(sentence).some(({ isOwn }) => isOwn) ||
  (ordersAction(request) &&
    (STANDS.test(sentence) || HAPPENED.test(sentence)) &&
    !NEGATION.test(sentence) &&
    plainWords(sentence).some((word) => CHANGES.has(kindOf(word, sentence))));

/**
 * True when the successful calls that a sentence cites, or all without a citation, have all of its words and figures except those for
 * actions: "I added 5 km to running.md [2]". A model may quote the request for it, which says the same.
 */
function isWordedFromSteps(sentence: string, { scratchpad }: Pick<PlanState, "scratchpad">): boolean {
  const cited = citedSteps(sentence);
  const entries = scratchpad.filter(
    (entry) => isObserved(entry) && (cited.length === 0 || cited.includes(entry.step)),
  );
  if (entries.length === 0 || entries.some(({ observation }) => observation?.success !== true)) return false;
  const observed = entries
    .map(({ action, observation }) => `${JSON.stringify(action?.args)} ${observation?.content ?? ""}`)
    .join("\n");
  const known = new Set(identifyingStems(observed));
  const figures = new Set(quantitiesIn(observed).numbers.flatMap(({ values }) => values));
  const made = new Set(entries.flatMap(({ action }) => kindsOfTool(action?.tool ?? "")));
  const words = plainWords(sentence.replaceAll(CITATION, blank));
  const kinds = words.map((word) => kindOf(word, sentence));
  const things = words.filter((_word, index) => kinds[index] === undefined).flatMap(identifyingStems);
  return (
    things.length > 0 &&
    things.every((stem) => known.has(stem)) &&
    kinds.every((kind) => kind === undefined || made.has(kind)) &&
    numbersOf(sentence).every(({ values }) => values.some((value) => figures.has(value)))
  );
}

/** The kinds of actions that leave something changed in the workspace. */
const CHANGES: ReadonlySet<ActionKind | undefined> = new Set<ActionKind>([
  "write",
  "delete",
  "move",
  "update",
  "cancel",
  "schedule",
]);

/** The complete verdicts of a reply that was cut off or has another outer form. */
function verdictsWithin(reply: string): SentenceVerdict[] {
  return (reply.match(/\{[^{}]*\}/gu) ?? []).flatMap((text) => {
    const verdict = SentenceVerdict.safeParse(parseJson(text));
    return verdict.success ? [verdict.data] : [];
  });
}

/**
 * True for a verdict that may be used: "shown" and "worked out" need words that the evidence contains, and "shown" the
 * larger numbers of the sentence among them. That nothing was found needs no words, and a sentence that cites is not general.
 */
function hasSupport(
  sentence: string,
  { verdict, evidence: quote }: SentenceVerdict,
  evidence: string,
): boolean {
  if (verdict === "not shown") return true;
  if (verdict === "general") return citedSteps(sentence).length === 0;
  const places = quote.split(/…|\.{3}/u).map(spacedWords);
  const quoted = places.filter((words) => words.trim() !== "");
  if (quoted.length === 0) return NEGATION.test(sentence);
  const all = spacedWords(evidence);
  if (!quoted.every((words) => all.includes(words))) return false;
  // Other words about the same thing show no quotation.
  if (verbatimQuotesIn(sentence).some((words) => isChanged(words, evidence))) return false;
  // A figure is calculated from figures, or by counting several passages; a day from another day.
  if (verdict === "worked out")
    return (
      (numbersOf(sentence).length === 0 || quoted.length > 1 || hasFigure(quote)) &&
      (hasTimesAndDays(quote, { times: [], days: quantitiesIn(sentence).days }) || hasDay(quote))
    );
  const digits = spacedWords(quote);
  const inQuote = new Set(numbersOf(quote).flatMap(({ values }) => values));
  if (!hasTimesAndDays(quote, quantitiesIn(sentence))) return false;
  return numbersOf(sentence).every(({ values }) =>
    // "#88" and the day of a date are not quantities, but the quotation contains them.
    values.some((value) => value <= SMALL || inQuote.has(value) || digits.includes(` ${String(value)} `)),
  );
}

/** True for a quotation that is not in the evidence, which has half of its words; a translated one has other words. */
function isChanged(quote: string, evidence: string): boolean {
  const known = new Set(plainWords(evidence));
  const words = plainWords(quote);
  return !isVerbatim(quote, evidence) && words.filter((word) => known.has(word)).length * 2 >= words.length;
}

/** True when a quotation has every time and every day of a sentence, in any form. */
function hasTimesAndDays(quote: string, { times, days }: Pick<Quantities, "times" | "days">): boolean {
  const quoted = quantitiesIn(quote);
  return (
    times.every(({ minutes }) => quoted.times.some((time) => time.minutes === minutes)) &&
    days.every(
      ({ month, day }) =>
        month === undefined ||
        day === undefined ||
        quoted.days.some((other) => other.month === month && other.day === day),
    )
  );
}

/** True for digits, and for a number, a day or a weekday in words. */
function hasFigure(text: string): boolean {
  if (/\d/u.test(text)) return true;
  const { numbers, monthsNamed, weekdays, shortWeekdays, relative } = quantitiesIn(text);
  return [numbers, monthsNamed, weekdays, shortWeekdays, relative].some(({ length }) => length > 0);
}

/** True for a day, a month or a weekday, and for a distance from today: "in 3 weeks". */
function hasDay(text: string): boolean {
  const { days, monthsNamed, weekdays, shortWeekdays, relative } = quantitiesIn(text);
  const found = [days, monthsNamed, weekdays, shortWeekdays, relative];
  return found.some(({ length }) => length > 0) || FROM_TODAY.test(text);
}

/** A text as its words and figures between spaces, in lower case. */
const spacedWords = (text: string): string => ` ${plainWords(text.replaceAll(/\\[nrt"]/gu, " ")).join(" ")} `;

const numbersOf = (text: string) => quantitiesIn(withoutNames(text.replaceAll(CITATION, blank))).numbers;

/**
 * The sections of the context that cannot show one of the sentences. What was observed tells more than earlier tool uses; the persona
 * matters to what is said without a call, and the open tasks to a sentence about tasks or with a word of a title.
 */
function sectionsWithoutEvidence(
  sentences: readonly string[],
  { context, scratchpad }: Pick<PlanState, "context" | "scratchpad">,
): ContextSectionName[] {
  if (!scratchpad.some(isObserved)) return ["functions"];
  const words = new Set(sentences.flatMap(identifyingStems));
  const isAboutTasks =
    sentences.some((sentence) => OF_TASKS.test(sentence)) ||
    (context?.activeTasks ?? []).some(({ title }) => identifyingStems(title).some((stem) => words.has(stem)));
  return ["functions", "persona", "tools", "patterns", ...(isAboutTasks ? [] : ["tasks" as const])];
}

const OF_TASKS =
  /(?<!\p{L})(?:tasks?|to-?dos?|lists?|open|due|aufgaben?|liste|offen|fällig|tâches?|tareas?|pendientes?)(?!\p{L})/iu;

/** Calls whose results are about tools or functions, not about what an answer says. */
const ABOUT_TOOLS: ReadonlySet<string> = new Set(["skill_search", "function_search", "function_load"]);

const isModelFailure = (error: unknown): error is ModelError | ModelUnavailableError =>
  error instanceof ModelError || error instanceof ModelUnavailableError;

const promptOf = (name: "review" | "check-sentences", content: readonly string[]): ChatMessage[] => [
  { role: "system", content: prompt(name) },
  { role: "user", content: content.join("\n\n") },
];

/** The parts of a prompt: request, known material, observations (two), answer. */
const PARTS = 5;

const requestText = ({ request }: PlanState, budgetTokens: number): string =>
  `Request: ${clipToTokens(request, Math.floor(budgetTokens / PARTS))}`;

/** The request, what is known and what was observed, within three fifths of the budget and the request. */
function evidenceText(state: PlanState, known: string, budgetTokens: number): string {
  const part = Math.floor(budgetTokens / PARTS);
  const observed = state.scratchpad.filter(
    (entry) => isObserved(entry) && !ABOUT_TOOLS.has(entry.action?.tool ?? ""),
  );
  return [
    requestText(state, budgetTokens),
    known === "" ? "" : `Given material:\n${withFenceClosed(clipToTokens(known, part))}`,
    observed.length === 0 ? "" : `Observations:\n${observedWithin(withoutRepaired(observed), 2 * part)}`,
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}
