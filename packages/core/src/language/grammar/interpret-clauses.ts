import { reverseLastRequest } from "../references/undo.ts";
import { interpretEllipsis, repeatLastRequest } from "../references/follow-up.ts";
import { recallCallFor } from "../references/recall-question.ts";
import { type Boundary, findBoundaries } from "../tokens/boundaries.ts";
import { isBackground } from "./background.ts";
import { asksAboutCapability, skillsInQuestion } from "./capability-question.ts";
import {
  type Clause,
  clausesAfterCancel,
  type CommandClause,
  isForOperator,
  REPEAT_TOPICS,
  splitIntoClauses,
} from "./clauses.ts";
import {
  doubtIn,
  lastCondition,
  prohibitionScope,
  recurringTask,
  restrictedLookUp,
  secondOrder,
  sharesVerb,
  textWithUnreadTime,
} from "./restrictions.ts";
import { changesSomething, startsCommand } from "./grammar.ts";
import { type Command, linkClauses, type UnresolvedWords } from "./link-clauses.ts";
import {
  areAmbiguous,
  type InterpretationContext,
  type Match,
  matchClause,
  haveSameReferent,
} from "./match.ts";
import { clauseText, notUnderstood } from "./not-understood.ts";
import type { Interpretation, PlannedCall, PlannedValue, SmallTalkTopic } from "./plan.ts";

/** The cost of splitting a request in another way, in steps. */
const SPLIT_STEPS = 400;

/** All words of a request. */
export const wholeRequest = (context: InterpretationContext): string =>
  clauseText(context, { from: 0, to: context.tokens.length });

/** Interprets a request that may be split at any of these boundaries. */
export function interpretClauses(
  context: InterpretationContext,
  boundaries: readonly Boundary[],
): Interpretation {
  context.budget.steps -= SPLIT_STEPS;
  const clauses = clausesAfterCancel(splitIntoClauses(context, boundaries));
  const commands = clauses.filter((clause) => clause.kind === "command");
  const unclear = clauses.filter(
    (clause) =>
      clause.kind === "question" ||
      (clause.kind === "unknown" &&
        !(
          commands.length > 0 &&
          (isBackground(context, clause) || leavesOtherUnchanged(context, clause, commands))
        )) ||
      // Next to a command it is unclear which request to repeat, and a question would remain unanswered.
      (clause.kind === "talk" &&
        (REPEAT_TOPICS.has(clause.topic) || isClock(clause.topic) || clause.topic === "undo") &&
        commands.length > 0),
  );
  if (unclear.length > 0) return reportUnclear(context, commands, unclear);
  const forbidden = clauses.find((clause) => clause.kind === "prohibition");
  if (forbidden !== undefined) {
    // "I do not want that, put it back": what is forbidden was done already.
    if (commands.length === 0 && clauses.some((clause) => clause.kind === "talk" && clause.topic === "undo"))
      return interpretSmallTalk(context, clauses);
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
        textWithUnreadTime(interpretation.calls))
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
    const reminder = context.read(recurring.reminder);
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

/** True for "the advertisement can stay where it is" beside orders about named files, which do not have its words. */
function leavesOtherUnchanged(
  { tokens }: InterpretationContext,
  clause: Clause,
  commands: readonly CommandClause[],
): boolean {
  const stays = tokens
    .slice(clause.from, clause.to)
    .filter(({ kind }) => kind !== "mark")
    .map(({ text }) => text)
    .join(" ");
  const [, noun = ""] = STAYS.exec(stays) ?? [];
  const words = commands.flatMap(({ from, to }) => tokens.slice(from, to));
  const isNamed = commands.every(({ matches: [match] }) =>
    match?.bindings.every(({ value }) => value.kind === "given" || value.kind === "several"),
  );
  return noun !== "" && isNamed && words.every(({ text }) => !text.includes(noun));
}

const STAYS =
  /^(?:the|my|our|this|that) (?:\S+ ){0,2}?(\S+) (?:(?:can|may|should|shall|must) )?(?:stays?|remains?)(?: (?:where|as) it is| there| in place)?$/u;

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
    const unsplit = interpretClauses(
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
): PlannedCall[][] | UnresolvedWords {
  let chosen: Command[] = [];
  let other: Command[] | undefined;
  for (const clause of commands) {
    const words = clauseText(context, clause);
    const fitting: Command[] = [];
    let unlinked: UnresolvedWords | undefined;
    // If "it" has no antecedent, other matches of the same skill are skipped because they would only hide that.
    const dangling = new Map<string, Match>();
    for (const match of clause.matches) {
      // A missing value can be asked for, once no earlier request contains it.
      const isAsked = match.rule.phrase.asks !== undefined;
      if (isAsked && !context.knowsEarlier && dangling.size > 0) continue;
      const unlinkedMatch = dangling.get(match.rule.skill.id);
      if (unlinkedMatch !== undefined && !isAsked && !haveSameReferent(match, unlinkedMatch)) continue;
      const command = { match, clause: words };
      const linked = linkClauses([...chosen, command], context);
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
    const plan = linkClauses(commands, context);
    return "words" in plan ? [] : [plan];
  });
}

function interpretSmallTalk(context: InterpretationContext, clauses: readonly Clause[]): Interpretation {
  const topics = new Set(clauses.map((clause) => (clause.kind === "talk" ? clause.topic : "")));
  // "Oh no, undo that" is not a refusal.
  if (topics.has("undo")) return reverseLastRequest(context) ?? { kind: "small-talk", topic: "undo" };
  if (topics.has("refrain")) return { kind: "refrain", clause: wholeRequest(context) };
  if ([...topics].some((topic) => REPEAT_TOPICS.has(topic))) {
    const again = repeatLastRequest(context);
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
  { words, describes }: UnresolvedWords,
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
  "permissions",
  "reasons",
  "privacy",
  "models",
  "who-are-you",
  "how-are-you",
  "farewell",
  "thanks",
  "greeting",
];

/** "Check it", "send it to Bob": the text itself contains nothing that "it" refers to. */
const LEADING_IT = /^((?:(?!(?:and|or|but)\b)[\p{L}'’-]+\s+){1,3})it\b(?!['’])/iu;

/** Names the file that an earlier call of the request writes or reads in a title with "it": "check k3.txt". */
function withNamedFile(
  { grammar, tokens }: InterpretationContext,
  calls: readonly PlannedCall[],
): PlannedCall[] {
  const isQuoted = (words: string): boolean =>
    tokens.some(({ kind, text }) => kind === "quoted" && text === words);
  /** The path of a call, if the request names it. */
  const pathOf = ({ skill: id, args }: PlannedCall): string | undefined => {
    const name = grammar.skills.find((skill) => skill.id === id)?.results?.path;
    const value = name === undefined ? undefined : args[name];
    return value?.from === "request" && typeof value.value === "string" ? value.value : undefined;
  };
  const named = (value: PlannedValue | undefined, path: string): PlannedValue | undefined => {
    if (value?.from !== "request" || typeof value.value !== "string") return undefined;
    if (isQuoted(value.value) || !LEADING_IT.test(value.value)) return undefined;
    return { from: "request", value: value.value.replace(LEADING_IT, (_, before: string) => before + path) };
  };
  return calls.map((call, index) => {
    const path = calls
      .slice(0, index)
      .flatMap((earlier) => pathOf(earlier) ?? [])
      .at(-1);
    const slots = grammar.skills.find(({ id }) => id === call.skill)?.slots ?? {};
    const titles = call.freeText.filter((name) => {
      const slot = slots[name];
      return (typeof slot === "string" ? slot : slot?.type) === "title";
    });
    if (path === undefined || titles.length === 0) return call;
    const changed = titles.flatMap((name) => {
      const value = named(call.args[name], path);
      return value ? [[name, value] as const] : [];
    });
    return changed.length === 0 ? call : { ...call, args: { ...call.args, ...Object.fromEntries(changed) } };
  });
}

const TEXT_TYPES: ReadonlySet<string> = new Set(["text", "wording", "title"]);

/** Returns the unquoted text at the end of a command, if there is any. */
function trailingText(command: CommandClause): { from: number; to: number } | undefined {
  const match = command.matches[0];
  const last = match?.bindings.toSorted((one, other) => one.to - other.to).at(-1);
  const type = last === undefined ? undefined : match?.rule.slots[last.slot]?.type;
  return last !== undefined && last.free > 0 && TEXT_TYPES.has(type ?? "") ? last : undefined;
}

/** Text that begins on its own line extends to the end of the request. */
function isBlock({ tokens }: InterpretationContext, { from, to }: { from: number; to: number }): boolean {
  const first = tokens.slice(from, to).find((token) => token.kind !== "mark" || token.onNewLine);
  return first?.onNewLine === true;
}

/** Returns where a text contains a command: at its start, inside it, or nowhere. */
function embeddedCommand(
  context: InterpretationContext,
  text: { from: number; to: number },
): "start" | "inside" | undefined {
  for (let index = text.from; index < text.to; index++) {
    const token = context.tokens[index];
    if (token === undefined || !startsCommand(context.grammar, token)) continue;
    // Within a text, a question that names no file is a statement: "the tuner is called Igor".
    const isCommand = ({ rule: { phrase } }: Match): boolean =>
      phrase.lastResort !== true || phrase.implies === undefined;
    if (matchClause(context, index, text.to).some(isCommand)) return index === text.from ? "start" : "inside";
  }
  return undefined;
}

const hasReferent = (match: Match | undefined): boolean =>
  match?.bindings.some((binding) => binding.value.kind === "referent") ?? false;

/**
 * Decides whether two adjacent commands are separate or whether the second belongs to the text of the first. "add a
 * task to buy milk and list my tasks" is two commands; "add a task to read a.md and delete b.md" is one task; "add a
 * task to buy milk and delete b.md" is unclear.
 */
function classifyAdjacent(
  context: InterpretationContext,
  before: CommandClause,
  after: CommandClause,
): "apart" | "together" | "unclear" {
  if (isForOperator(context, after)) return "apart";
  const text = trailingText(before);
  if (text === undefined || hasReferent(after.matches[0])) return "apart";
  if (isBlock(context, text)) return "together";
  // After "append to a.md: no more milk;" the rest may be text as well.
  const isIntroduced = context.tokens[text.from - 1]?.text === ":" || context.tokens[text.from]?.text === ":";
  if (isIntroduced && context.tokens[after.before?.end ?? 0]?.text === ";") return "unclear";
  if (after.before?.strength === "sentence") return "apart";
  const embedded = embeddedCommand(context, text);
  if (embedded === "start") return "together";
  return embedded === undefined && (after.matches[0]?.literals ?? 0) >= 2 ? "apart" : "unclear";
}
