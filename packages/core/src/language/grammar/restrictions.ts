import { oneOf } from "../../text/patterns.ts";
import { clauseText } from "./not-understood.ts";
import type { Clause, CommandClause } from "./clauses.ts";
import { type Grammar, rulesFrom } from "./grammar.ts";
import { type InterpretationContext, matchClause } from "./match.ts";
import type { PlannedCall } from "./plan.ts";
import { splitRecurrence } from "../scheduled-request.ts";
import type { Token } from "../tokens/tokens.ts";
import { PATH, withPathFor } from "../tokens/reorder.ts";
import { outsideQuotations } from "../tokens/rewritable-text.ts";

/**
 * Restrictions of a command: prohibitions, exceptions, doubts and conditions. A request that would change something is
 * executed only if each of them is observed.
 */

/**
 * Returns whether a prohibition covers the commands next to it: "don't delete a.md and delete b.md" may forbid both.
 */
export function prohibitionScope(
  context: InterpretationContext,
  forbidden: Clause,
  commands: readonly CommandClause[],
): "all" | "perhaps" | "none" {
  const { tokens, grammar } = context;
  const earlier = commands.filter((command) => command.from < forbidden.from);
  if (earlier.length === commands.length && namesOtherFiles(tokens, forbidden, commands)) return "none";
  // "Delete a.md and keep it" contradicts itself.
  if (earlier.length > 0 && /^(?:keep|leave)$/u.test(tokens[forbidden.from]?.text ?? "")) return "all";
  for (let index = forbidden.from + 1; index < forbidden.to; index++) {
    const token = tokens[index];
    if (token === undefined || rulesFrom(grammar, token).length === 0) continue;
    const inner = matchClause(context, index, forbidden.to)[0]?.rule.skill.id;
    if (inner !== undefined && earlier.some((command) => command.matches[0]?.rule.skill.id === inner))
      return "all";
  }
  const next = commands.filter((command) => command.from > forbidden.from);
  // "Don't delete a.md, delete b.md": the second order is for another file, and nothing joins it to what is forbidden.
  const isApart = next.every(
    ({ before }) => before !== undefined && !JOINED.test(textOf(context, before.end, before.start)),
  );
  const isForbidding = FORBIDDING.test(tokens[forbidden.from]?.text ?? "");
  if (earlier.length === 0 && isForbidding && isApart && namesOtherFiles(tokens, forbidden, commands))
    return "none";
  // "Don't create a task, just write …" names the replacement.
  const [first] = next;
  const isInPlace =
    first !== undefined &&
    tokens.slice(first.from, first.from + 2).some(({ text }) => /^(?:just|only|instead|rather)$/u.test(text));
  if (isInPlace && !forbidsSkill(context, forbidden, first.matches[0]?.rule.skill.id)) return "none";
  const end = next.findIndex((command) => command.before?.strength === "sentence");
  const inReach = end < 0 ? next : next.slice(0, end);
  if (inReach.some((command) => command.matches[0]?.rule.skill.reads === false)) return "perhaps";
  // "…, but don't read it" leaves out what nobody ordered. An exception that no call observes may be about a command:
  // "delete all done tasks but not the old one".
  const isHarmless = commands.every((command) => command.matches[0]?.rule.skill.reads === true);
  return isHarmless ||
    earlier.length === 0 ||
    isAboutRead(context, forbidden) ||
    isContrast(context, forbidden) ||
    excludesAnother(context, forbidden, earlier)
    ? "none"
    : "perhaps";
}

/** The first word of a prohibition that the person says, and nobody is quoted with. */
const FORBIDDING = /^(?:do|never|not|please)$/u;
const JOINED = /\b(?:and|or|nor)\b|&/iu;
const textOf = ({ tokens }: InterpretationContext, from: number, to: number): string =>
  tokens
    .slice(from, to)
    .map(({ text }) => text)
    .join(" ");

/** True for "meets on Thursdays, not on Tuesdays": it repeats the word before what it denies. */
function isContrast({ tokens }: InterpretationContext, { from, to }: Clause): boolean {
  const [not, preposition] = tokens.slice(from, to);
  const before = tokens.slice(Math.max(0, from - MAX_CONTRAST_DISTANCE), from);
  return (
    not?.text === "not" &&
    /^(?:on|at|in|by|to|for|with|from)$/u.test(preposition?.text ?? "") &&
    before.some(({ text }) => text === preposition?.text)
  );
}

/** True for "mark buy milk as done, not call mum": the commands name single things, and the prohibition another one. */
function excludesAnother(
  { tokens }: InterpretationContext,
  { from, to }: Clause,
  commands: readonly CommandClause[],
): boolean {
  const isSingle = commands.every(({ matches }) =>
    matches[0]?.bindings.some(({ value }) => value.kind === "look-up"),
  );
  const words = new Set(
    commands.flatMap((command) => tokens.slice(command.from, command.to)).map(({ stem }) => stem),
  );
  const excluded = tokens.slice(from + 1, to).filter(({ kind }) => kind === "word");
  return isSingle && tokens[from]?.text === "not" && excluded.every(({ stem }) => !words.has(stem));
}

/** The maximum distance between a contrast and its counterpart before it, in words and marks. */
const MAX_CONTRAST_DISTANCE = 4;

/** True if a prohibition names only something to look at. */
function isAboutRead(context: InterpretationContext, { from, to }: Clause): boolean {
  for (let index = from + 1; index < to; index++) {
    const [match] = matchClause(context, index, to);
    if (match !== undefined) return match.rule.skill.reads;
  }
  return false;
}

/** True if a prohibition is about named files, and no command names one of them. */
function namesOtherFiles(
  tokens: readonly Token[],
  forbidden: Clause,
  commands: readonly CommandClause[],
): boolean {
  const pathsIn = ({ from, to }: Clause): string[] =>
    tokens
      .slice(from, to)
      .flatMap(({ kind, text }) => (kind === "path" ? [text.replace(/^out\//u, "")] : []));
  const excludedPaths = pathsIn(forbidden);
  const used = commands.flatMap(pathsIn);
  return (
    excludedPaths.length > 0 &&
    used.length > 0 &&
    excludedPaths.every((path) =>
      used.every((other) => other !== path && !path.startsWith(`${other.replace(/\/$/u, "")}/`)),
    )
  );
}

/** True if a prohibition names what this skill does. */
function forbidsSkill(
  context: InterpretationContext,
  { from, to }: Clause,
  skill: string | undefined,
): boolean {
  for (let index = from + 1; index < to; index++)
    if (matchClause(context, index, to).some(({ rule }) => rule.skill.id === skill)) return true;
  return false;
}

const SHOW: Token = {
  kind: "word",
  start: 0,
  end: 0,
  text: "show",
  stem: "show",
  onNewLine: false,
  spaced: true,
};

/**
 * True for a noun without a verb after a command that changes something: in "delete all done tasks and files", the verb
 * is that of the command, and nobody asks to see the files. Possible objects of "show" are nouns.
 */
export function sharesVerb(
  context: InterpretationContext,
  { matches: [match], before, from, to }: CommandClause,
  previous: CommandClause | undefined,
): boolean {
  if (match?.rule.skill.reads !== true || previous === undefined || before?.strength !== "and") return false;
  if (previous.matches[0]?.rule.skill.reads !== false || context.tokens[to - 1]?.text === "?") return false;
  const withShow = { ...context, tokens: [SHOW, ...context.tokens.slice(from, to)] };
  return matchClause(withShow, 0, to - from + 1).some(({ rule }) => rule.skill.id === match.rule.skill.id);
}

/** Words that do not occur in the name of an item: "pay rent but not call mum", "n't called mum yet". */
const RESTRICTS = /\b(?:but|except|unless|apart from|other than)\b|^not\b|n['’]t\b/iu;

/** The words that restrict a look-up. No look-up applies such a restriction. */
export function restrictedLookUp(
  { tokens }: InterpretationContext,
  calls: readonly PlannedCall[],
): string | undefined {
  const isQuoted = (words: string): boolean =>
    tokens.some(({ kind, text }) => kind === "quoted" && text.includes(words));
  return calls
    .flatMap(({ lookup }) => lookup ?? [])
    .find((words) => RESTRICTS.test(words) && !isQuoted(words));
}

const DOUBT = /^(?:maybe|perhaps|possibly)$/u;
/** "Maybe you could …" is a polite request. */
const POLITE = /^(?:you|we|can|could|would|will|please)$/u;

/** The word that makes an order a doubt: "maybe delete a.md", "delete a.md maybe". */
export function doubtIn(
  context: InterpretationContext,
  commands: readonly CommandClause[],
): string | undefined {
  const { tokens } = context;
  for (const { from, to, matches } of commands) {
    const [match] = matches;
    if (match === undefined || match.rule.skill.reads) continue;
    const isBound = (index: number): boolean =>
      match.bindings.some((binding) => binding.free > 0 && binding.from <= index && index < binding.to);
    for (let index = from; index < to; index++) {
      if (
        DOUBT.test(tokens[index]?.text ?? "") &&
        !POLITE.test(tokens[index + 1]?.text ?? "") &&
        !isBound(index)
      )
        return clauseText(context, { from: index, to: index + 1 });
    }
  }
  return undefined;
}

/** The free texts of what can have a day: the titles of tasks. */
function datedTexts(grammar: Grammar, calls: readonly PlannedCall[]): string[] {
  const hasDay = (skill: string): boolean => {
    const slot = grammar.skills.find(({ id }) => id === skill)?.slots?.["due"];
    return (typeof slot === "string" ? slot : slot?.type) === "date";
  };
  return calls.flatMap(({ skill, args, freeText }) =>
    hasDay(skill)
      ? freeText.flatMap((name) => (args[name]?.from === "request" ? String(args[name].value) : []))
      : [],
  );
}

/** Words that only say how often, unlike "Mondays" in "plan the lessons for Mondays". */
const HOW_OFTEN =
  /^(?:every|each|daily|weekly|monthly|yearly|hourly|nightly|fortnightly|quarterly|once|twice|\w+ times|on\s+\w+days)\b/iu;

const REMINDS = /^\W*(?:(?:please|pls|can|could|would|will|you|kindly|hey|hi|and)\W+){0,4}remind me to\b/iu;

/**
 * The words of a task that say how often, with the reminder that recurs. A task is done once, so that these words would be
 * a part of its title.
 */
export function recurringTask(
  { request, tokens, grammar }: InterpretationContext,
  calls: readonly PlannedCall[],
): { words: string; reminder: string; isReminder: boolean } | undefined {
  for (const title of datedTexts(grammar, calls)) {
    if (tokens.some(({ kind, text }) => kind === "quoted" && text === title)) continue;
    const found = splitRecurrence(title);
    if (!found || !HOW_OFTEN.test(found.when)) continue;
    const what = found.rest.replace(/\s+(?:for|on)$/iu, "");
    return {
      words: found.when,
      reminder: `remind me ${found.when} to ${what}`,
      isReminder: REMINDS.test(request),
    };
  }
  return undefined;
}

/**
 * The text of a task or a reminder that contains another order with a day of its own: "call Bob on Friday and pay rent"
 * of "remind me to call Bob on Friday and pay rent on Monday".
 */
export function secondOrder(
  { request, tokens, dates, grammar }: InterpretationContext,
  calls: readonly PlannedCall[],
): string | undefined {
  const texts = datedTexts(grammar, calls);
  const joined = dates().flatMap((date) => {
    const and = date.to;
    const isDay = dates().some(({ from }) => from === and + 1 || from === and + 2);
    const isOther = tokens[and]?.text === "and" && tokens[and + 1]?.kind === "word" && !isDay;
    return isOther ? [request.slice(tokens[date.from]?.start, tokens[and + 1]?.end)] : [];
  });
  return texts.find((text) => joined.some((words) => text.includes(words)));
}

const TIME_FIRST_WORDS = oneOf(
  "not|at|on|in|by|before|after|until|around|tomorrow|today|tonight|next|this|every|half|noon",
  String.raw`(?:\w+ )?(?:days?|weeks?|hours?|minutes?) (?:before|after|from)`,
);
const TIME_FIRST = new RegExp(String.raw`^${TIME_FIRST_WORDS}\b`, "iu");

/** "Two days before the bill is due to pay it": a time that depends on what has no date here. */
const BEFORE_EVENT = new RegExp(
  [
    String.raw`^(?:the (?:day|evening|morning|night|week|weekend) (?:before|after)\b.*\sto\s`,
    String.raw`(?:\d+|an?|one|two|three|four|five|six|seven|ten|half an?|a few|a couple of|some) (?:days?|weeks?|hours?|minutes?|months?) (?:before|after)\b)`,
  ].join("|"),
  "iu",
);

const NAMES_REMINDER = /\b(?:remind(?:er)?|(?:nudge|ping) me)\b/iu;

/** A time relative to something that is not said. */
const BEFORE_THAT =
  /\b(?:days?|weeks?|hours?|minutes?|months?|the day|the week|right|shortly) (?:before|after|ahead of) (?:that|this|it|then|them)$/iu;

/** Nothing but such a time: "the evening before". */
const ONLY_RELATIVE =
  /^(?:(?:on|in) )?(?:the |an? |one |two |\d+ )?(?:evening|morning|night|day|week|afternoon|hour|minute|month)s? (?:before|after|earlier|later|ahead)(?: (?:that|this|it|then))?$/iu;

/** The text of a reminder that begins with the rest of a time, or has no day: nobody would be reminded. */
export function textWithUnreadTime(calls: readonly PlannedCall[]): string | undefined {
  for (const { args, freeText, clause } of calls) {
    const texts = freeText.flatMap((name) =>
      args[name]?.from === "request" ? String(args[name].value) : [],
    );
    const before = texts.find((text) => BEFORE_EVENT.test(text));
    if (before !== undefined && "title" in args) return before;
    const relative = texts.find((text) => BEFORE_THAT.test(text) || ONLY_RELATIVE.test(text));
    if (relative !== undefined && "title" in args) return relative;
    const isDated = Object.keys(args).length > freeText.length;
    const rest = texts.find((text) => /^(?:and|but|or)\b/iu.test(text));
    const reminds = NAMES_REMINDER.test(clause);
    if (reminds && rest !== undefined) return rest;
    if (reminds && !isDated && texts.some((text) => TIME_FIRST.test(text)))
      return texts.find((text) => TIME_FIRST.test(text));
  }
  return undefined;
}

/** A condition on a file, and the orders that depend on it. */
interface Conditional {
  /** The file or folder that must exist, or that must contain the words. */
  path: string;
  /** Words that the file is to contain; undefined if it only has to be there. */
  words?: string;
  /** The orders if the condition is met, and otherwise; at least one of them. */
  whenMet?: string;
  otherwise?: string;
}

const NAMED = `(?:the |a |an )?(?:file |folder )?(?:called |named )?(${PATH}|(?:[\\p{L}\\p{N}_.-]+/)+[\\p{L}\\p{N}_.-]*)`;
const IT = "(?:it|the file|that file|this file|that|this|one)";
const THERE = "(?:already |still )?(?:exists?|is there|is present|is (?:already|still) there|is available)";
const ABSENT =
  "(?:does not|doesn't|doesnt|do not|is not|isn't|isnt) (?:already |yet |still )?(?:exist|there|present)(?: yet| already| anymore)?|is missing";
const MENTIONS = "(?:mentions|contains|says|includes|has|lists) (?:the words? |the text |anything about )?";

const FOUND_CONDITION = new RegExp(`^${NAMED} (?:${THERE})$`, "iu");
const NOT_FOUND_CONDITION = new RegExp(`^${NAMED} (?:${ABSENT})$`, "iu");
const THERE_IS = new RegExp(
  `^(?:there is|there's|there already is|I have|I've got) (?:already |still )?(?:a |an )?${NAMED}$`,
  "iu",
);
const THERE_IS_NO = new RegExp(
  `^(?:there is|there's|I have|I've got) (?:no|not a|not any) ${NAMED}(?: yet)?$|^(?:there isn't|there is not) (?:a |any )?${NAMED}(?: yet)?$`,
  "iu",
);
const MENTIONED = new RegExp(`^${NAMED} ${MENTIONS}(.+)$`, "iu");
const IT_IS_FOUND = new RegExp(
  `^(?:${IT} ${THERE}|there is (?:one|such a file)|present|possible|there)$`,
  "iu",
);
const IT_IS_NOT_FOUND = new RegExp(`^(?:${IT} (?:${ABSENT})|there is (?:none|no such file)|missing)$`, "iu");

const FIRST =
  /^(?<lead>(?:please|and|so|ok|okay|hey|,|\s)*)(?<word>if|unless) (?<condition>.+?)(?:\s*,\s*(?:then\s+)?|\s+then\s+)(?<then>.+)$/isu;
/** Without a comma, a condition ends after the words that say that something is there. */
const FIRST_UNMARKED = new RegExp(
  `^(?<lead>(?:please|and|so|ok|okay|hey|,|\\s)*)(?<word>if|unless) (?<condition>.+? (?:${THERE}|${ABSENT})) (?<then>.+)$`,
  "isu",
);
const LAST = /^(?<then>.+?)\s*,?\s+(?:but )?(?:only |just )?(?<word>if|unless) (?<condition>[^,]+?)\W*$/isu;
const OTHERWISE = /^(?<then>.+?)\s*[,;.]?\s*(?:otherwise|or else|else|if not)\s*,?\s*(?<otherwise>.+)$/isu;
const NOTHING = /^(?:please )?(?:do nothing|nothing|leave it|skip it|forget it|ignore it)\W*$/iu;

const ASKS_WORDS = oneOf(
  "check|see|tell me|find out|look|know|ask|wonder|wondering|say|test|verify|show me|let me know",
  "confirm|make sure",
);
/** "Check if x.md exists" asks a question. */
const ASKS = new RegExp(String.raw`\b${ASKS_WORDS}\W*$`, "iu");

/** The condition on a file; `isMet` is false if the file must not exist. */
function readCondition(
  condition: string,
  order: string,
): { path: string; words?: string; isMet: boolean } | undefined {
  const found = (pattern: RegExp): string | undefined => pattern.exec(condition)?.slice(1).find(Boolean);
  const there = found(FOUND_CONDITION) ?? found(THERE_IS);
  if (there !== undefined) return { path: there, isMet: true };
  const absent = found(NOT_FOUND_CONDITION) ?? found(THERE_IS_NO);
  if (absent !== undefined) return { path: absent, isMet: false };
  const mentioned = MENTIONED.exec(condition);
  if (mentioned?.[1] !== undefined && mentioned[2] !== undefined)
    return { path: mentioned[1], words: mentioned[2], isMet: true };
  const isFound = IT_IS_FOUND.test(condition);
  // "Append 'hello' to a.md unless it is already there" refers to the text.
  if (/^\W*(?:append|add|insert|put|write|note)\b/iu.test(order) && /^(?:it|that|this)\b/iu.test(condition))
    return undefined;
  if (!isFound && !IT_IS_NOT_FOUND.test(condition)) return undefined;
  const path = new RegExp(PATH, "u").exec(order)?.[0];
  return path === undefined ? undefined : { path, isMet: isFound };
}

/**
 * Splits "if x.md exists, delete it" and "delete x.md unless it is missing" into the condition and the orders. Undefined
 * for a request without a condition on a file.
 */
export function conditionalOrder(request: string): Conditional | undefined {
  if (!/\b(?:if|unless)\b/iu.test(request)) return undefined;
  let found: Conditional | undefined;
  outsideQuotations(request, (masked, unmask) => {
    const parts = (FIRST_UNMARKED.exec(masked) ?? FIRST.exec(masked) ?? LAST.exec(masked))?.groups;
    if (parts === undefined) return masked;
    const { word = "", condition = "" } = parts;
    if (ASKS.test(parts.then ?? "")) return masked;
    const branches = OTHERWISE.exec(parts.then ?? "")?.groups;
    const then = branches?.then ?? parts.then ?? "";
    const otherwise = branches?.otherwise ?? "";
    const parsed = readCondition(condition.trim(), then);
    if (parsed === undefined) return masked;
    const order = (text: string): string | undefined =>
      text === "" || NOTHING.test(text) ? undefined : unmask(withPathFor(text, parsed.path));
    const isMet = word.toLowerCase() === "unless" ? !parsed.isMet : parsed.isMet;
    const [whenMet, whenNot] = isMet ? [order(then), order(otherwise)] : [order(otherwise), order(then)];
    found = {
      path: parsed.path,
      ...(parsed.words !== undefined && { words: unmask(parsed.words).replace(/^["“](.*)["”]$/u, "$1") }),
      ...(whenMet !== undefined && { whenMet }),
      ...(whenNot !== undefined && { otherwise: whenNot }),
    };
    return masked;
  });
  return found;
}

const CHANGES_WORDS = oneOf(
  "delete|remove|erase|discard|throw|move|rename|replace|overwrite|complete|finish|mark|tick|cancel",
  "clear|archive",
);
/** Orders that remove or change something, so that a condition on them must not be lost. */
const CHANGES = new RegExp(
  String.raw`^(?:please |(?:can|could|would|will) you (?:please )?)*${CHANGES_WORDS}\b`,
  "iu",
);

/**
 * The condition at the end of orders that begin with a change: "delete a and b if c is empty". It may apply to all of
 * them, so none is executed unless the condition is understood. Undefined if there is none.
 */
export function lastCondition(request: string): string | undefined {
  let found: string | undefined;
  outsideQuotations(request, (masked, unmask) => {
    const { then = "", word = "", condition = "" } = LAST.exec(masked)?.groups ?? {};
    if (word !== "" && CHANGES.test(then) && !ASKS.test(then)) found = unmask(`${word} ${condition}`);
    return masked;
  });
  return found;
}
