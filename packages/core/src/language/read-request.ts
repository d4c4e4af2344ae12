import { oneOf } from "../text/patterns.ts";
import { readAdvanceReminder, readEventReminder, withOwnDates } from "./task-dates.ts";
import { findBoundaries } from "./tokens/boundaries.ts";
import type { Clock, DateSpan } from "./dates/clock.ts";
import { dateSpans } from "./dates/dates.ts";
import type { EarlierRequest } from "./references/earlier-calls.ts";
import { interpretOneMore, isOneMore } from "./references/one-more.ts";
import { lastRequestOnlyRead, requestsWithCalls } from "./references/antecedent.ts";
import { followUpOf } from "./references/correction.ts";
import { rewriteWithListedThing, contentFirst } from "./grammar/content-first.ts";
import { grammarOf } from "./grammar/grammar.ts";
import { interpretClauses, wholeRequest } from "./grammar/interpret-clauses.ts";
import type { InterpretationContext } from "./grammar/match.ts";
import { conditionalOrder } from "./grammar/restrictions.ts";
import { withNewIndexes } from "./grammar/merge-calls.ts";
import { callOf, fromRequest, planOf } from "./references/planned.ts";
import { MAX_CLIP_LENGTH, notUnderstood } from "./grammar/not-understood.ts";
import type { SkillGrammar } from "./grammar/phrase.ts";
import type { Interpretation, PlannedCall } from "./grammar/plan.ts";
import { readRepaired } from "./references/repair.ts";
import { rewordings } from "./grammar/reworded.ts";
import {
  isCertainPlan,
  readLaterRequest,
  readScheduledRequest,
  readScheduleEnd,
} from "./scheduled-request.ts";
import { inOrder, PATH, withPathFor, withRepeatedReminders, withRepeatedVerbs } from "./tokens/reorder.ts";
import { outsideQuotations, withoutLongGaps } from "./tokens/rewritable-text.ts";
import { withDictatedMarks, withoutHesitation, withoutSignOff } from "./tokens/dictation.ts";
import { truncate } from "../text/format.ts";
import { contentWords } from "../text/words.ts";
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
  /** True for a request in another order of its words, which is not reordered again. */
  isReordered?: boolean;
  /** True for a request in plainer words, which is not reworded again. */
  isReworded?: boolean;
}

/** The options of a reading, and the readings of parts and rewordings that are left to all of them. */
interface ReadingOptions extends InterpretationOptions {
  readings: { left: number };
}

/** Matching steps per line of a request, and the most lines: enough for real sentences, and a bound for hostile input. */
const MAX_STEPS = 20_000;
const MAX_LINES = 8;
/**
 * Readings of parts and rewordings for one request, because each condition in it doubles them. No request of the tests takes
 * more than six.
 */
const MAX_READINGS = 24;

/** Marks of a saying or a joke after it: "remember to breathe, they say. haha". */
const NOT_MEANT =
  /\b(?:(?:as )?(?:they|people) (?:always )?say|as the saying goes|just kidding|only joking)\b\W*(?:ha(?:ha)+\W*)?$/iu;

/** "Overwrite a.md? absolutely not": the person answers it. */
const ANSWERED_NO = new RegExp(
  [
    String.raw`\?\s*(?:oh,? )?(?:(?:absolutely|certainly|definitely|of course|surely|hell|god|better|please|rather|no,?)\s+)*`,
    String.raw`(?:no|not|never|nope|nah|no way|not at all|do not|don['’]?t)(?:\s[^?.!]{1,20})?[\s.!]*$`,
  ].join(""),
  "iu",
);

/** "…, right?" asks whether something is so. */
const TAG_QUESTION =
  /,\s*(?:right|correct|no|huh|(?:is|are|has|have|does|do|did|was|were)n['’]?t (?:it|they|that|he|she|you|i)|or (?:is|are|has|have|does|do|did|was|were|should) (?:it|they|that|he|she|i|we)(?: not)?)\s*\?\W*$/iu;

/** A request as its tokens are read: spoken signs written, "X should be …" put in the order of a command. */
export function inReadingOrder(request: string): string {
  const dictated = withDictatedMarks(withoutSignOff(withoutHesitation(request)));
  return withRepeatedReminders(withRepeatedVerbs(inOrder(dictated)));
}

/**
 * Interprets a request with the phrases of the skills. A plan explains every content word of the request; anything
 * else is `not-understood` and lists what is missing. Deterministic for the same request, skills and options, with
 * bounded work for any length. Throws `TemplateError` if the phrases of a skill cannot be compiled.
 */
export function readRequest(
  written: string,
  skillGrammars: readonly SkillGrammar[],
  options: InterpretationOptions,
): Interpretation {
  const readings = { left: MAX_READINGS };
  const interpretation = readPart(written, skillGrammars, { ...options, readings });
  // Like a search that ran out of steps, it may have missed the right interpretation.
  return readings.left < 0 ? unread(written) : interpretation;
}

const unread = (written: string): Interpretation => ({
  kind: "not-understood",
  understood: [],
  unexplained: [truncate(written, MAX_CLIP_LENGTH)],
  nearest: [],
  needsModel: false,
});

/** Reads a request, a part of one, or a rewording. */
function readPart(
  written: string,
  skillGrammars: readonly SkillGrammar[],
  {
    now,
    timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
    earlier,
    isPostponed = false,
    isReordered = false,
    isReworded = false,
    readings,
  }: ReadingOptions,
): Interpretation {
  if (--readings.left < 0) return unread(written);
  const pasted = readPastedText(written, skillGrammars);
  if (pasted !== undefined) return pasted;
  const request = inReadingOrder(withoutLongGaps(written));
  const readGoal = (goal: string): Interpretation =>
    readPart(goal, skillGrammars, { now, timeZone, isPostponed: true, readings });
  const scheduled = isPostponed
    ? undefined
    : (readScheduleEnd(request, skillGrammars, readGoal) ??
      readScheduledRequest(request, {
        skills: skillGrammars,
        clock: { now, timeZone },
        isPlan: (goal) => isCertainPlan(readGoal(goal)),
      }));
  if (scheduled) return scheduled;
  const clock: Clock = { now, timeZone };
  const ahead = skillGrammars.some(({ id }) => id === "remind")
    ? readAdvanceReminder(request, clock)
    : undefined;
  if (ahead) return ahead;
  const tokens = tokenize(request);
  let dates: DateSpan[] | undefined;
  const context: InterpretationContext = {
    request,
    tokens,
    grammar: grammarOf(skillGrammars),
    dates: () => (dates ??= dateSpans(request, tokens, clock)),
    earlier: earlier ?? [],
    knowsEarlier: earlier !== undefined,
    clock,
    read: (other, before) =>
      readPart(other, skillGrammars, {
        now,
        timeZone,
        readings,
        ...(before === undefined ? { isPostponed, ...(earlier && { earlier }) } : { earlier: before }),
      }),
    budget: { steps: MAX_STEPS * Math.min(MAX_LINES, request.split("\n").length) },
  };
  if (tokens.every((token) => token.kind === "mark")) {
    const isAsking = tokens.some((token) => token.text === "?");
    return isAsking ? { kind: "capabilities", about: [] } : { kind: "empty" };
  }
  if (TAG_QUESTION.test(request)) return notUnderstood(context, { unexplained: [wholeRequest(context)] });
  if (
    NOT_MEANT.test(request) ||
    outsideQuotations(request, (masked) => masked.replace(ANSWERED_NO, "")) !== request
  )
    return { kind: "refrain", clause: request };
  const repaired = readRepaired(context);
  if (repaired === "undetermined") return notUnderstood(context, { unexplained: [wholeRequest(context)] });
  if (repaired) return repaired;
  const listed = isReordered || !context.knowsEarlier ? undefined : rewriteWithListedThing(request);
  if (listed !== undefined) {
    const reading = readPart(listed, skillGrammars, {
      now,
      timeZone,
      isReordered: true,
      readings,
      ...(earlier && { earlier }),
    });
    if (reading.kind === "plan") return reading;
  }
  const alone = interpretConditional(context) ?? interpretClauses(context, findBoundaries(context));
  if (!isReordered && (alone.kind === "not-understood" || alone.kind === "refrain")) {
    for (const text of contentFirst(context)) {
      const options = {
        now,
        timeZone,
        isPostponed,
        isReordered: true,
        readings,
        ...(earlier && { earlier }),
      };
      const reading = readPart(text, skillGrammars, options);
      if (reading.kind === "plan") return reading;
    }
  }
  if (!isReordered && !isReworded && (alone.kind === "not-understood" || alone.kind === "capabilities")) {
    const options = { now, timeZone, isPostponed, isReworded: true, readings, ...(earlier && { earlier }) };
    const reworded = readReworded(request, (text) => readPart(text, skillGrammars, options));
    if (reworded !== undefined && mayStandFor(reworded, alone)) return reworded;
  }
  const other = alone.kind === "not-understood" ? (afterHeading(context) ?? inPlaceOf(context)) : undefined;
  if (other !== undefined) return other;
  const event =
    alone.kind === "not-understood" && !isPostponed && skillGrammars.some(({ id }) => id === "remind")
      ? readEventReminder(request, clock)
      : undefined;
  if (event !== undefined && context.read(event.event).kind !== "plan") return event.reading;
  const later =
    alone.kind === "not-understood" && !isPostponed ? readLaterRequest(context, readGoal) : undefined;
  const interpretation = withOwnDates(withLastRequest(context, later ?? withEarlier(context, alone)), clock);
  // A search that ran out of steps may have missed the right interpretation, so its result is not used.
  return context.budget.steps > 0
    ? interpretation
    : notUnderstood(context, { unexplained: [wholeRequest(context)] });
}

/**
 * Reads a request in plainer words: the order, or a question that memory may answer. Undefined if it is in plain words, or if
 * they are not an order that may be worded so.
 */
function readReworded(request: string, read: (text: string) => Interpretation): Interpretation | undefined {
  let asked: Interpretation | undefined;
  for (const { text, onlyReads } of rewordings(request)) {
    const reading = read(text);
    if (reading.kind === "plan" && (reading.readOnly || !onlyReads)) return reading;
    if (reading.kind === "not-understood" && reading.recall !== undefined) asked ??= reading;
  }
  return asked;
}

/** "Can you delete files?" asks about an ability; "can you do a copy of a.md" names what it is to be done with. */
function mayStandFor(reworded: Interpretation, alone: Interpretation): boolean {
  if (reworded.kind === "not-understood") {
    if (alone.kind !== "not-understood") return false;
    return alone.recall === undefined && alone.dangling === undefined && alone.statement === undefined;
  }
  return (
    alone.kind === "not-understood" ||
    (reworded.kind === "plan" &&
      reworded.calls.every(({ args }) => Object.values(args).every(({ from }) => from === "request")))
  );
}

/** Verbs that only add something. */
const ADDS = /^(?:please\s+)?(?:add|append|enter|insert|log|record|put|note|book)\s/iu;

/** Interprets the order after a heading, if it adds something or is harmless: "Log an expense for the club: append …". */
function afterHeading(context: InterpretationContext): Interpretation | undefined {
  const headed = withoutHeading(context.request);
  const reading = headed && context.read(headed.order);
  if (headed === undefined || reading?.kind !== "plan") return undefined;
  const risky = new Set(context.grammar.skills.flatMap(({ id, isRisky }) => (isRisky === true ? [id] : [])));
  const mayRemove = !ADDS.test(headed.order) && reading.calls.some(({ skill }) => risky.has(skill));
  return mayRemove ? undefined : { ...reading, heading: headed.heading };
}

/** "Don't delete a.md, move it to b.md": something is forbidden, and something else is ordered for the same file. */
const IN_PLACE = new RegExp(
  String.raw`^(?:please\s+)?(?:do not|don['’]?t|never)\s+(?<forbidden>\p{L}+\s+(?:the\s+file\s+)?${PATH})\s*[,;.]\s+(?:(?:but|just|instead|please|rather)\s+)*(?<order>\p{L}+\s+(?:it|that file|the file)\s+\S[^,;]*)$`,
  "iu",
);

function inPlaceOf(context: InterpretationContext): Interpretation | undefined {
  const { forbidden, order } = IN_PLACE.exec(context.request)?.groups ?? {};
  if (forbidden === undefined || order === undefined) return undefined;
  const [denied, reading] = [context.read(forbidden), context.read(withPathFor(order, forbidden))];
  if (denied.kind !== "plan" || reading.kind !== "plan") return undefined;
  const skills = new Set(denied.calls.map(({ skill }) => skill));
  // What may remove something, other than from its place, may be what is forbidden in other words.
  const isOther = reading.calls.every(({ skill: id }) => {
    const skill = context.grammar.skills.find((one) => one.id === id);
    return !skills.has(id) && (skill?.isRisky !== true || skill.moves !== undefined);
  });
  return isOther ? reading : undefined;
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
    const reading = context.read(order);
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

const FORBIDDEN = /(?:\b(?:do not|never)|n['’]t)\s+\p{L}+\s+(?<object>.+)/iu;

/** Adds the last request to a refusal, if its change is still in place: "actually don't" comes too late. */
function withLastRequest(context: InterpretationContext, interpretation: Interpretation): Interpretation {
  const [last] = requestsWithCalls(context);
  if (interpretation.kind !== "refrain" || last === undefined || lastRequestOnlyRead(context))
    return interpretation;
  // "Do not delete sandwich.txt" is about something else.
  const names = contentWords(FORBIDDEN.exec(interpretation.clause)?.groups?.["object"] ?? "");
  const done = new Set(contentWords(last.request));
  if (names.length > 0 && !names.some((word) => done.has(word))) return interpretation;
  return { ...interpretation, appliedRequest: last.request };
}

/** Interprets a request that depends on an earlier one, such as a correction. */
function withEarlier(context: InterpretationContext, alone: Interpretation): Interpretation {
  if (alone.kind !== "refrain" && alone.kind !== "not-understood")
    return (isOneMore(context.request) ? interpretOneMore(context) : undefined) ?? alone;
  return followUpOf(context) ?? alone;
}

/**
 * A heading before an order: "Log an expense for the club: append …". It names the subject of the order. Words are not a heading if
 * they make the rest a text, a question, a condition or an example, or contain a quotation or a file.
 */
const HEADING =
  /^\s*(?<heading>\p{L}[\p{L}\p{N}'’ -]{2,70}?)\s*(?::|\s[–—]|\s-)\s+(?<order>\p{L}\S*\s\S[^]*)$/u;
const MAX_WORDS = 9;
const NO_HEADING_WORDS = oneOf(
  "says?|said|saying|tell|told|ask|asked|asks|write|wrote|written|reads?|quote|repl(?:y|ied)|answer",
  "example|like|remember|remind(?:er)?|idea|question|if|when|whenever|unless|until|before|after|not",
  "never|no|don['’]?t|without|except|instead|what|why|how|who|which|where|is|are|was|were|do|does|did",
  "can|could|would|should|letter|mail|e-?mail|message|note|text|title|subject|call(?:ed)?|named|list",
  "blocked|stuck|waiting|done|finished|rules?|instructions?|step|joke|poem|story|search|find|translate",
  "every|each|always|daily|weekly",
);
const NO_HEADING = new RegExp(String.raw`\b${NO_HEADING_WORDS}\b`, "iu");

/** A request that begins with a heading, without it. */
interface HeadedRequest {
  heading: string;
  order: string;
}

/** Splits a heading off a request; undefined for a request without one. */
function withoutHeading(request: string): HeadedRequest | undefined {
  const { heading, order } = HEADING.exec(request)?.groups ?? {};
  if (heading === undefined || order === undefined) return undefined;
  const isHeading = heading.split(/\s+/u).length <= MAX_WORDS && !NO_HEADING.test(heading);
  return isHeading ? { heading, order } : undefined;
}

/** The skill that stores a text. */
const WRITE = "fs_write";

const NOUN =
  "(?:text|table|list|code|snippet|mail|e-?mail|message|letter|note|log|output|csv|json|recipe|paragraph|lines?|minutes|notes|words|agenda)";
const POLITE = "(?:please |can you |could you |pls )?";
const SAVE = "(?:save|store|write|put|keep|paste)";
const INTO = "(?:as|to|in|into|under)(?: (?:a|the|new|file|called|named))*";
/** "save this table as prices.csv: …": the text follows. */
const TEXT_BELOW = new RegExp(
  String.raw`^${POLITE}${SAVE} (?:down )?(?:this|these|the following|the|my|our) ?(?:${NOUN} )?(?:below )?${INTO} (${PATH})\s*(?::\s*|\n\s*)(\S[^]*)$`,
  "iu",
);
/** "save the mail above as sails.txt" below a text, perhaps with thanks below it. */
const SAVES_TEXT_ABOVE = new RegExp(
  String.raw`^\s*${POLITE}${SAVE} (?:this|that|it|the ${NOUN}|(?:all|everything|what is|what's))(?: ${NOUN})?(?: above)? ${INTO} (${PATH})\s*[.!]?\s*(?:please|pls|thanks|thank you)?\s*[.!]?$`,
  "iu",
);

/** The text above an order on the last line, or on the last but one, and the file that the order names. */
function textAbove(text: string): { above?: string; path?: string } {
  const lines = text.split("\n");
  for (const length of [lines.length - 1, lines.length - 2]) {
    const above = lines.slice(0, Math.max(0, length)).join("\n").trimEnd();
    const path = SAVES_TEXT_ABOVE.exec(lines.slice(length).join("\n"))?.[1];
    if (path !== undefined && above !== "") return { above, path };
  }
  return {};
}

/** Lines between fences, as programs show code. */
const FENCED = /^```[^\n]*\n([^]*?)\n?```\s*$/u;

/**
 * Reads a request that stores the text after or before it, as a pasted mail: "save this as mail.txt: …". Nothing in the text is an
 * order. Undefined for any other request.
 */
export function readPastedText(request: string, skills: readonly SkillGrammar[]): Interpretation | undefined {
  if (!skills.some(({ id }) => id === WRITE)) return undefined;
  const text = request.trim();
  const [, below = "", follows] = TEXT_BELOW.exec(text) ?? [];
  const { above, path = below } = textAbove(text);
  const pasted = follows ?? above;
  if (pasted === undefined || path === "") return undefined;
  const order =
    follows === undefined ? text.slice(text.lastIndexOf("\n") + 1).trim() : text.split(/[:\n]/u, 1)[0];
  const content = FENCED.exec(pasted.trim())?.[1] ?? pasted;
  const call = callOf(WRITE, fromRequest({ path, content }), order ?? text);
  return { kind: "plan", calls: [{ ...call, freeText: ["content"] }], readOnly: false };
}
