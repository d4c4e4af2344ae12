import { asksAboutCapability, skillsInQuestion } from "./grammar/capability-question.ts";
import { findBoundaries, type Boundary } from "./tokens/boundaries.ts";
import {
  doubtIn,
  prohibitionScope,
  recurringTask,
  restrictedLookUp,
  secondOrder,
  sharesVerb,
  unreadTime,
} from "./grammar/restrictions.ts";
import {
  clausesAfterCancel,
  REPEAT_TOPICS,
  splitIntoClauses,
  type Clause,
  type CommandClause,
} from "./grammar/clauses.ts";
import type { Clock, DateSpan } from "./dates/clock.ts";
import { dateSpans } from "./dates/dates.ts";
import type { EarlierRequest } from "./references/earlier-calls.ts";
import { interpretEllipsis, repeatLastRequest } from "./references/follow-up.ts";
import { isOneMore, interpretOneMore } from "./references/one-more.ts";
import { lastRequestOnlyRead, requestsWithCalls } from "./references/antecedent.ts";
import { followUpOf, reverseLastRequest } from "./references/correction.ts";
import { changesSomething, grammarOf } from "./grammar/grammar.ts";
import { classifyAdjacent } from "./grammar/adjacent-commands.ts";
import { link, type Command, type Unlinked } from "./grammar/link-clauses.ts";
import { areAmbiguous, type Match, type InterpretationContext, refersAlike } from "./grammar/match.ts";
import { conditionalOrder, lastCondition } from "./grammar/condition.ts";
import { withNewIndexes } from "./grammar/merge-calls.ts";
import { callOf, fromRequest, planOf } from "./references/planned.ts";
import { readPastedText } from "./pasted-text.ts";
import { withNamedFile } from "./grammar/named-file.ts";
import { isBackground } from "./grammar/background.ts";
import { notUnderstood, clauseText } from "./grammar/not-understood.ts";
import type { SkillGrammar } from "./grammar/phrase.ts";
import type { PlannedCall, Interpretation, SmallTalkTopic } from "./grammar/plan.ts";
import { readRepaired } from "./references/repair.ts";
import { recallCallFor } from "./references/recall-question.ts";
import {
  isCertainPlan,
  readLaterRequest,
  readScheduledRequest,
  readScheduleEnd,
} from "./scheduled-request.ts";
import { inOrder, withFileLast, withRepeatedVerbs } from "./tokens/reorder.ts";
import { withoutHesitation, withoutSignOff, withDictatedMarks } from "./tokens/dictation.ts";
import { tokenize } from "./tokens/tokens.ts";

export interface InterpretationOptions {
  /** When the request was made; relative dates count from here. */
  now: Date;
  /** An IANA name. Default: the time zone of the process. */
  timeZone?: string;
  /**
   * Earlier requests of the conversation, newest first. Without them, an interpretation that needs one is `dangling`.
   */
  earlier?: readonly EarlierRequest[];
  /** True for the rest of a request that repeats a time: "tomorrow at 5 tomorrow at 5 read a.md" contains it once. */
  isPostponed?: boolean;
}

/** Matching steps per line of a request, and the most lines: enough for real sentences, and a bound for hostile input. */
const MAX_STEPS = 20_000;
const MAX_LINES = 8;
/** The cost of splitting a request in another way, in steps. */
const SPLIT_STEPS = 400;

/** Marks of a saying or a joke after it: "remember to breathe, they say. haha". */
const NOT_MEANT =
  /\b(?:(?:as )?(?:they|people) (?:always )?say|as the saying goes|just kidding|only joking)\b\W*(?:ha(?:ha)+\W*)?$/iu;

/** "…, right?" asks whether something is so. */
const TAG_QUESTION =
  /,\s*(?:right|correct|no|huh|(?:is|are|has|have|does|do|did|was|were)n['’]?t (?:it|they|that|he|she|you|i))\s*\?\W*$/iu;

/** A request as its tokens are read: spoken signs written, "X should be …" put in the order of a command. */
export function inReadingOrder(request: string): string {
  return withRepeatedVerbs(inOrder(withDictatedMarks(withoutSignOff(withoutHesitation(request)))));
}

/**
 * Interprets a request with the phrases of the skills. A plan explains every content word of the request; anything
 * else is `not-understood` and lists what is missing. Deterministic for the same request, skills and options, with
 * bounded work for any length. Throws `TemplateError` if the phrases of a skill cannot be compiled.
 */
export function readRequest(
  written: string,
  skillGrammars: readonly SkillGrammar[],
  {
    now,
    timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
    earlier,
    isPostponed = false,
  }: InterpretationOptions,
): Interpretation {
  const pasted = readPastedText(written, skillGrammars);
  if (pasted !== undefined) return pasted;
  const request = inReadingOrder(written);
  const readGoal = (goal: string): Interpretation =>
    readRequest(goal, skillGrammars, { now, timeZone, isPostponed: true });
  const scheduled = isPostponed
    ? undefined
    : (readScheduleEnd(request, skillGrammars, readGoal) ??
      readScheduledRequest(request, skillGrammars, (goal) => isCertainPlan(readGoal(goal))));
  if (scheduled) return scheduled;
  const tokens = tokenize(request);
  const clock: Clock = { now, timeZone };
  let dates: DateSpan[] | undefined;
  const context: InterpretationContext = {
    request,
    tokens,
    grammar: grammarOf(skillGrammars),
    dates: () => (dates ??= dateSpans(request, tokens, clock)),
    earlier: earlier ?? [],
    knowsEarlier: earlier !== undefined,
    clock,
    budget: { steps: MAX_STEPS * Math.min(MAX_LINES, request.split("\n").length) },
  };
  if (tokens.every((token) => token.kind === "mark")) {
    const isAsking = tokens.some((token) => token.text === "?");
    return isAsking ? { kind: "capabilities", about: [] } : { kind: "empty" };
  }
  if (TAG_QUESTION.test(request)) return notUnderstood(context, { unexplained: [wholeRequest(context)] });
  if (NOT_MEANT.test(request)) return { kind: "refrain", clause: request };
  const repaired = readRepaired(context, (request) =>
    readRequest(request, skillGrammars, { now, timeZone, isPostponed, ...(earlier && { earlier }) }),
  );
  if (repaired === "undetermined") return notUnderstood(context, { unexplained: [wholeRequest(context)] });
  if (repaired) return repaired;
  const alone = interpretConditional(context) ?? interpret(context, findBoundaries(context));
  const fileLast = alone.kind === "not-understood" ? withFileLast(request) : undefined;
  if (fileLast !== undefined) {
    const reading = readRequest(fileLast, skillGrammars, {
      now,
      timeZone,
      isPostponed,
      ...(earlier && { earlier }),
    });
    if (reading.kind === "plan") return reading;
  }
  const later =
    alone.kind === "not-understood" && !isPostponed ? readLaterRequest(context, readGoal) : undefined;
  const interpretation = withLastRequest(context, later ?? withEarlier(context, alone));
  // A search that ran out of steps may have missed the right interpretation, so its result is not used.
  return context.budget.steps > 0
    ? interpretation
    : notUnderstood(context, { unexplained: [wholeRequest(context)] });
}

/** Interprets "if x.md exists, …": a check, and calls that depend on it. Undefined for any other request. */
function interpretConditional(context: InterpretationContext): Interpretation | undefined {
  const conditional = conditionalOrder(context.request);
  if (conditional === undefined) return undefined;
  const { skills } = context.grammar;
  const { path, words, whenMet, otherwise } = conditional;
  const checker = skills.find(
    ({ checks }) => checks && (checks.words !== undefined) === (words !== undefined),
  );
  if (checker?.checks === undefined) return undefined;
  const check = callOf(
    checker.id,
    fromRequest({
      [checker.checks.path]: path,
      ...(checker.checks.words !== undefined && { [checker.checks.words]: words }),
    }),
    path,
  );
  const calls: PlannedCall[] = [{ ...check, lookup: path }];
  for (const [order, isThere] of [[whenMet, true] as const, [otherwise, false] as const]) {
    if (order === undefined) continue;
    const reading = readRequest(order, skills, {
      ...context.clock,
      ...(context.knowsEarlier && { earlier: context.earlier }),
    });
    if (reading.kind !== "plan") return reading.kind === "not-understood" ? reading : undefined;
    const offset = calls.length;
    calls.push(
      ...reading.calls.map((call) => ({
        ...withNewIndexes(call, (index) => index + offset),
        only: { call: 0, isThere },
      })),
    );
  }
  return calls.length > 1 ? planOf(calls, skills) : undefined;
}

/** Adds the last request to a refusal, if its change is still in place: "actually don't" comes too late. */
function withLastRequest(context: InterpretationContext, interpretation: Interpretation): Interpretation {
  const [last] = requestsWithCalls(context);
  if (interpretation.kind !== "refrain" || last === undefined || lastRequestOnlyRead(context))
    return interpretation;
  return { ...interpretation, appliedRequest: last.request };
}

/** Interprets a request that depends on an earlier one, such as a correction. */
function withEarlier(context: InterpretationContext, alone: Interpretation): Interpretation {
  const read = (request: string, earlier: readonly EarlierRequest[]): Interpretation =>
    readRequest(request, context.grammar.skills, { ...context.clock, earlier });
  if (alone.kind !== "refrain" && alone.kind !== "not-understood")
    return (isOneMore(context.request) ? interpretOneMore(context, read) : undefined) ?? alone;
  return followUpOf(context, read) ?? alone;
}

const wholeRequest = (context: InterpretationContext): string =>
  clauseText(context, { from: 0, to: context.tokens.length });

/** Interprets a request that may be split at any of these boundaries. */
function interpret(context: InterpretationContext, boundaries: readonly Boundary[]): Interpretation {
  context.budget.steps -= SPLIT_STEPS;
  const clauses = clausesAfterCancel(splitIntoClauses(context, boundaries));
  const commands = clauses.filter((clause) => clause.kind === "command");
  const unclear = clauses.filter(
    (clause) =>
      clause.kind === "question" ||
      (clause.kind === "unknown" && !(commands.length > 0 && isBackground(context, clause))) ||
      // Next to a command it is unclear which request to repeat, and a question would remain unanswered.
      (clause.kind === "talk" &&
        (REPEAT_TOPICS.has(clause.topic) || isClock(clause.topic) || clause.topic === "undo") &&
        commands.length > 0),
  );
  if (unclear.length > 0) return reportUnclear(context, commands, unclear);
  const forbidden = clauses.find((clause) => clause.kind === "prohibition");
  if (forbidden !== undefined) {
    const covered = prohibitionScope(context, forbidden, commands);
    if (covered === "all" || commands.length === 0)
      return { kind: "refrain", clause: clauseText(context, forbidden) };
    if (covered === "perhaps") return notUnderstood(context, { unexplained: [wholeRequest(context)] });
  }
  if (commands.length === 0) return interpretSmallTalk(context, clauses);
  const isWhole = commands.some(({ matches }) => matches[0]?.rule.phrase.isWhole === true);
  if (isWhole && commands.length > 1) return notUnderstood(context, { unexplained: [wholeRequest(context)] });
  const shared = commands.find((command, index) => sharesVerb(context, command, commands[index - 1]));
  if (shared !== undefined)
    return notUnderstood(context, {
      understood: commands.filter((command) => command !== shared),
      unexplained: [clauseText(context, shared)],
    });
  const doubt = doubtIn(context, commands) ?? lastCondition(context.request);
  if (doubt !== undefined) return notUnderstood(context, { unexplained: [doubt] });
  const interpretation = withFilesNamed(context, interpretCommands(context, commands, boundaries));
  const restricted =
    interpretation.kind === "plan" && !interpretation.readOnly
      ? (restrictedLookUp(context, interpretation.calls) ??
        secondOrder(context, interpretation.calls) ??
        unreadTime(interpretation.calls))
      : undefined;
  if (restricted !== undefined) return notUnderstood(context, { unexplained: [restricted] });
  const planned =
    interpretation.kind === "plan"
      ? interpretation.calls
      : interpretation.kind === "ambiguous"
        ? interpretation.plans.flat()
        : [];
  const recurring = recurringTask(context, planned);
  // "Remind me to take the bins out every Thursday" says the same in another order.
  if (recurring !== undefined && recurring.isReminder && commands.length === 1) {
    const { clock, grammar, knowsEarlier, earlier } = context;
    const reminder = readRequest(recurring.reminder, grammar.skills, {
      ...clock,
      ...(knowsEarlier && { earlier }),
    });
    if (reminder.kind === "plan") return reminder;
  }
  if (recurring !== undefined)
    return notUnderstood(context, {
      unexplained: [recurring.words],
      ...(commands.length === 1 && { instead: [recurring.reminder] }),
    });
  const remarks = clauses
    .filter((clause) => clause.kind === "unknown")
    .map((clause) => clauseText(context, clause));
  return interpretation.kind === "plan" && remarks.length > 0
    ? { ...interpretation, remarks }
    : interpretation;
}

function withFilesNamed(context: InterpretationContext, interpretation: Interpretation): Interpretation {
  switch (interpretation.kind) {
    case "plan":
      return { ...interpretation, calls: withNamedFile(context, interpretation.calls) };
    case "ambiguous":
      return {
        ...interpretation,
        plans: interpretation.plans.map((calls) => withNamedFile(context, calls)),
      };
    default:
      return interpretation;
  }
}

/** Interprets commands, including the case that a clause belongs to the text of the clause before it. */
function interpretCommands(
  context: InterpretationContext,
  commands: readonly CommandClause[],
  boundaries: readonly Boundary[],
): Interpretation {
  const plans = plansFor(context, commands);
  if ("words" in plans) return reportUnlinked(context, commands, plans);
  const [calls = [], ...others] = plans;
  for (const [index, command] of commands.entries()) {
    const before = commands[index - 1];
    if (before === undefined || command.before === undefined) continue;
    const verdict = classifyAdjacent(context, before, command);
    if (verdict === "apart") continue;
    const unsplit = interpret(
      context,
      boundaries.filter((place) => place !== command.before),
    );
    if (unsplit.kind !== "plan" && unsplit.kind !== "ambiguous") continue;
    if (verdict === "together") return unsplit;
    const together = unsplit.kind === "plan" ? unsplit.calls : (unsplit.plans[0] ?? []);
    if (changesSomething(context.grammar, [...calls, ...together]))
      return { kind: "ambiguous", plans: [together, calls] };
  }
  if (others.length > 0) return { kind: "ambiguous", plans };
  return { kind: "plan", calls, readOnly: !changesSomething(context.grammar, calls) };
}

/**
 * Returns the calls of the best matches, and a second plan if another skill matches as well and one of them changes
 * something.
 */
function plansFor(
  context: InterpretationContext,
  commands: readonly CommandClause[],
): PlannedCall[][] | Unlinked {
  let chosen: Command[] = [];
  let other: Command[] | undefined;
  for (const clause of commands) {
    const words = clauseText(context, clause);
    const fitting: Command[] = [];
    let unlinked: Unlinked | undefined;
    // If "it" has no antecedent, other matches of the same skill are skipped because they would only hide that.
    const dangling = new Map<string, Match>();
    for (const match of clause.matches) {
      // A missing value can be asked for, once no earlier request contains it.
      const isAsked = match.rule.phrase.asks !== undefined;
      if (isAsked && !context.knowsEarlier && dangling.size > 0) continue;
      const unlinkedMatch = dangling.get(match.rule.skill.id);
      if (unlinkedMatch !== undefined && !isAsked && !refersAlike(match, unlinkedMatch)) continue;
      const command = { match, clause: words };
      const linked = link([...chosen, command], context);
      if (!("words" in linked)) {
        fitting.push(command);
        continue;
      }
      unlinked ??= linked;
      if (!linked.describes) dangling.set(match.rule.skill.id, match);
    }
    const best = fitting[0];
    if (best === undefined) return unlinked ?? { words };
    const rival = fitting.find(
      ({ match }) => match.score > best.match.score - 0.01 && areAmbiguous(match, best.match),
    );
    if (other !== undefined) other = [...other, best];
    else if (rival !== undefined) other = [...chosen, rival];
    chosen = [...chosen, best];
  }
  return [chosen, ...(other === undefined ? [] : [other])].flatMap((commands) => {
    const plan = link(commands, context);
    return "words" in plan ? [] : [plan];
  });
}

function interpretSmallTalk(context: InterpretationContext, clauses: readonly Clause[]): Interpretation {
  const topics = new Set(clauses.map((clause) => (clause.kind === "talk" ? clause.topic : "")));
  // "Oh no, undo that" is not a refusal.
  if (topics.has("undo")) return reverseLastRequest(context) ?? { kind: "small-talk", topic: "undo" };
  if (topics.has("refrain")) return { kind: "refrain", clause: wholeRequest(context) };
  if ([...topics].some((topic) => REPEAT_TOPICS.has(topic))) {
    const { clock, grammar } = context;
    const again = repeatLastRequest(context, (request, earlier) =>
      readRequest(request, grammar.skills, { ...clock, earlier }),
    );
    return (
      again ??
      notUnderstood(context, { unexplained: [wholeRequest(context)], dangling: wholeRequest(context) })
    );
  }
  const asks = [...topics].find(isClock);
  if (asks !== undefined) return { kind: "clock", asks };
  if (topics.has("capabilities")) return { kind: "capabilities", about: [] };
  if (topics.has("undo-help")) return { kind: "small-talk", topic: "undo-help" };
  const topic = TOPIC_PRIORITY.find((candidate) => topics.has(candidate));
  if (topic === undefined) return notUnderstood(context, { unexplained: [wholeRequest(context)] });
  return { kind: "small-talk", topic };
}

function reportUnclear(
  context: InterpretationContext,
  commands: readonly CommandClause[],
  unclear: readonly Clause[],
): Interpretation {
  const { tokens, grammar } = context;
  const only = commands.length === 0 && unclear.length === 1 ? unclear[0] : undefined;
  if (only?.kind === "question" && asksAboutCapability(tokens, only)) {
    const about = skillsInQuestion(grammar, tokens.slice(only.from, only.to));
    if (about.length > 0) return { kind: "capabilities", about };
  }
  const named = only && interpretEllipsis(context, only);
  if (named && "dangling" in named)
    return notUnderstood(context, { unexplained: [named.dangling], dangling: named.dangling });
  if (named) return named;
  const recall = only && recallCallFor(context, only);
  if (recall) return notUnderstood(context, { unclear, recall });
  // Splitting at every connector shows best which parts were understood.
  const parts = splitIntoClauses(context, findBoundaries(context, { atEveryConnector: true }));
  const gaps = parts.filter((clause) => clause.kind === "question" || clause.kind === "unknown");
  const understood = parts.filter((clause) => clause.kind === "command");
  return gaps.length > 0
    ? notUnderstood(context, { understood, unclear: gaps })
    : notUnderstood(context, { understood: commands, unclear });
}

function reportUnlinked(
  context: InterpretationContext,
  commands: readonly CommandClause[],
  { words, describes }: Unlinked,
): Interpretation {
  const understood = commands.filter((command) => !clauseText(context, command).includes(words));
  const unclear = commands.filter((command) => !understood.includes(command));
  // A description of something to create needs a model; a pronoun without an antecedent does not.
  if (describes) return notUnderstood(context, { understood, unclear });
  // A question about something that was not shown before may be one about what is remembered.
  const [only] = commands;
  const isImplied = only?.matches.some(({ rule }) => rule.phrase.implies !== undefined) ?? false;
  const recall =
    only && commands.length === 1 && isImplied
      ? recallCallFor(context, { ...only, kind: "question", asksAbility: false })
      : undefined;
  if (recall && isQuestionWord(context.tokens[only?.from ?? 0]?.text))
    return notUnderstood(context, { unclear: commands, recall });
  return notUnderstood(context, { understood, unexplained: [words], dangling: words });
}

const isQuestionWord = (word = ""): boolean =>
  /^(?:how|what|which|who|when|where|why|is|are|was|were|has|have|had|did|does|do)$/u.test(word);

const isClock = (topic: string): topic is "date" | "time" => topic === "date" || topic === "time";

/** Small-talk topics by priority, for a request with several. */
const TOPIC_PRIORITY: readonly SmallTalkTopic[] = [
  "who-are-you",
  "how-are-you",
  "farewell",
  "thanks",
  "greeting",
];
