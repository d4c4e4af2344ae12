import { asksHow, skillsAskedAbout } from "./grammar/asked-about.ts";
import { boundaries, type Boundary } from "./tokens/boundaries.ts";
import { REPEATING, takeApart, type Clause, type OrderClause } from "./grammar/clauses.ts";
import type { Clock } from "./dates/clock.ts";
import { dateSpans, type DateSpan } from "./dates/dates.ts";
import type { Earlier } from "./references/earlier-calls.ts";
import { elliptic, repeated } from "./references/follow-up.ts";
import { compileGrammar, rulesFrom, type Grammar } from "./grammar/grammar.ts";
import { joint } from "./grammar/joint-clauses.ts";
import { link, type Order, type Unlinked } from "./grammar/link-clauses.ts";
import { matchClause, type Match, type InterpretationContext } from "./grammar/match.ts";
import { notUnderstood, wordsOf } from "./grammar/not-understood.ts";
import type { SkillGrammar } from "./grammar/phrase.ts";
import type { PlannedCall, Interpretation, SmallTalkTopic } from "./grammar/plan.ts";
import { recallFor } from "./references/recall-question.ts";
import { tokenise } from "./tokens/tokens.ts";

export interface InterpretationOptions {
  /** When the request was made: relative dates count from here. */
  now: Date;
  /** An IANA name; missing: the zone of the process. */
  timeZone?: string;
  /** What was asked before in the same conversation, the newest first; a reading that lacks it is `dangling`. */
  earlier?: readonly Earlier[];
}

/** Steps of matching for one request: enough for every sentence a person writes, and an end to hostile ones. */
const MOST_STEPS = 30_000;
/** What taking a request apart in another way costs. */
const STEPS_TO_TAKE_APART = 400;

const grammars = new WeakMap<readonly SkillGrammar[], Grammar>();

function grammarOf(speech: readonly SkillGrammar[]): Grammar {
  const known = grammars.get(speech) ?? compileGrammar(speech);
  grammars.set(speech, known);
  return known;
}

/**
 * Says what a request means, as far as the phrases of the skills go. A plan explains every content word of the request;
 * anything less is `not-understood` with what was missing. The same request, speech and options give the same reading.
 * The work is bounded however long the request is. Throws `TemplateError` when a skill's phrases cannot be compiled.
 */
export function readRequest(
  request: string,
  speech: readonly SkillGrammar[],
  { now, timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone, earlier = [] }: InterpretationOptions,
): Interpretation {
  const tokens = tokenise(request);
  const clock: Clock = { now, timeZone };
  let dates: DateSpan[] | undefined;
  const context: InterpretationContext = {
    request,
    tokens,
    grammar: grammarOf(speech),
    dates: () => (dates ??= dateSpans(request, tokens, clock)),
    earlier,
    clock,
    budget: { steps: MOST_STEPS },
  };
  if (tokens.every((token) => token.kind === "mark")) {
    const isAsking = tokens.some((token) => token.text === "?");
    return isAsking ? { kind: "capabilities", about: [] } : { kind: "empty" };
  }
  const reading = conclude(context, boundaries(context));
  // A search that was cut short may have missed the right reading: then there is none.
  return context.budget.steps > 0 ? reading : notUnderstood(context, { unexplained: [wholeOf(context)] });
}

const wholeOf = (context: InterpretationContext): string =>
  wordsOf(context, { from: 0, to: context.tokens.length });

/** What the clauses mean together when the request is taken apart at some of these places. */
function conclude(context: InterpretationContext, places: readonly Boundary[]): Interpretation {
  context.budget.steps -= STEPS_TO_TAKE_APART;
  const clauses = afterCancel(takeApart(context, places));
  const orders = clauses.filter((clause) => clause.kind === "order");
  const unclear = clauses.filter(
    (clause) =>
      clause.kind === "question" ||
      clause.kind === "unknown" ||
      // Beside an order it is unclear which of the two is to be done again, and a question would stay unanswered.
      (clause.kind === "talk" && (REPEATING.has(clause.topic) || isClock(clause.topic)) && orders.length > 0),
  );
  if (unclear.length > 0) return concludeUnclear(context, orders, unclear);
  const forbidden = clauses.find((clause) => clause.kind === "prohibition");
  if (forbidden !== undefined) {
    const covered = coveredBy(context, forbidden, orders);
    if (covered === "all" || orders.length === 0)
      return { kind: "refrain", clause: wordsOf(context, forbidden) };
    if (covered === "perhaps") return notUnderstood(context, { unexplained: [wholeOf(context)] });
  }
  return orders.length === 0 ? concludeTalk(context, clauses) : concludeOrders(context, orders, places);
}

/** Orders, unless what looks like a clause of its own may be the end of the text before it. */
function concludeOrders(
  context: InterpretationContext,
  orders: readonly OrderClause[],
  places: readonly Boundary[],
): Interpretation {
  const plans = plansFor(context, orders);
  if ("words" in plans) return concludeUnlinked(context, orders, plans);
  const [calls = [], ...others] = plans;
  for (const [index, order] of orders.entries()) {
    const before = orders[index - 1];
    if (before === undefined || order.before === undefined) continue;
    const verdict = joint(context, before, order);
    if (verdict === "apart") continue;
    const whole = conclude(
      context,
      places.filter((place) => place !== order.before),
    );
    if (whole.kind !== "plan" && whole.kind !== "ambiguous") continue;
    if (verdict === "together") return whole;
    const together = whole.kind === "plan" ? whole.calls : (whole.plans[0] ?? []);
    if (changesSomething(context.grammar, [...calls, ...together]))
      return { kind: "ambiguous", plans: [together, calls] };
  }
  if (others.length > 0) return { kind: "ambiguous", plans };
  return { kind: "plan", calls, readOnly: !changesSomething(context.grammar, calls) };
}

/** The calls of the best matches; a second plan when another skill fits as well and one of the two changes something. */
function plansFor(
  context: InterpretationContext,
  orders: readonly OrderClause[],
): PlannedCall[][] | Unlinked {
  let chosen: Order[] = [];
  let other: Order[] | undefined;
  for (const clause of orders) {
    const words = wordsOf(context, clause);
    const fitting: Order[] = [];
    let unlinked: Unlinked | undefined;
    // Where "it" stands for nothing, the same order read in another way would only hide that.
    const dangling = new Set<string>();
    for (const match of clause.matches) {
      if (dangling.has(match.rule.skill.id)) continue;
      const order = { match, clause: words };
      const linked = link([...chosen, order], context);
      if (!("words" in linked)) {
        fitting.push(order);
        continue;
      }
      unlinked ??= linked;
      if (!linked.describes) dangling.add(match.rule.skill.id);
    }
    const best = fitting[0];
    if (best === undefined) return unlinked ?? { words };
    const rival = fitting.find(
      ({ match }) => match.score > best.match.score - 0.01 && areRivals(match, best.match),
    );
    if (other !== undefined) other = [...other, best];
    else if (rival !== undefined) other = [...chosen, rival];
    chosen = [...chosen, best];
  }
  return [chosen, ...(other === undefined ? [] : [other])].flatMap((orders) => {
    const plan = link(orders, context);
    return "words" in plan ? [] : [plan];
  });
}

/** Whether a prohibition reaches the orders beside it: "don't delete a.md and delete b.md" may forbid both. */
function coveredBy(
  context: InterpretationContext,
  forbidden: Clause,
  orders: readonly OrderClause[],
): "all" | "perhaps" | "none" {
  const { tokens, grammar } = context;
  const earlier = orders.filter((order) => order.from < forbidden.from);
  for (let at = forbidden.from + 1; at < forbidden.to; at++) {
    const token = tokens[at];
    if (token === undefined || rulesFrom(grammar, token).length === 0) continue;
    const inner = matchClause(context, at, forbidden.to)[0]?.rule.skill.id;
    if (inner !== undefined && earlier.some((order) => order.matches[0]?.rule.skill.id === inner))
      return "all";
  }
  const next = orders.filter((order) => order.from > forbidden.from);
  const end = next.findIndex((order) => order.before?.strength === "sentence");
  const inReach = end < 0 ? next : next.slice(0, end);
  return inReach.some((order) => order.matches[0]?.rule.skill.reads === false) ? "perhaps" : "none";
}

function concludeTalk(context: InterpretationContext, clauses: readonly Clause[]): Interpretation {
  const topics = new Set(clauses.map((clause) => (clause.kind === "talk" ? clause.topic : "")));
  if (topics.has("refrain")) return { kind: "refrain", clause: wholeOf(context) };
  if ([...topics].some((topic) => REPEATING.has(topic))) {
    const { clock, grammar } = context;
    const again = repeated(context, (request, earlier) =>
      readRequest(request, grammar.skills, { ...clock, earlier }),
    );
    return again ?? notUnderstood(context, { unexplained: [wholeOf(context)], dangling: wholeOf(context) });
  }
  const asks = [...topics].find(isClock);
  if (asks !== undefined) return { kind: "clock", asks };
  if (topics.has("capabilities")) return { kind: "capabilities", about: [] };
  const topic = SMALL_TALK.find((candidate) => topics.has(candidate));
  if (topic === undefined) return notUnderstood(context, { unexplained: [wholeOf(context)] });
  return { kind: "small-talk", topic };
}

function concludeUnclear(
  context: InterpretationContext,
  orders: readonly OrderClause[],
  unclear: readonly Clause[],
): Interpretation {
  const { tokens, grammar } = context;
  const only = orders.length === 0 && unclear.length === 1 ? unclear[0] : undefined;
  if (only?.kind === "question" && asksHow(tokens, only)) {
    const about = skillsAskedAbout(grammar, tokens.slice(only.from, only.to));
    if (about.length > 0) return { kind: "capabilities", about };
  }
  const named = only && elliptic(context, only);
  if (named && "dangling" in named)
    return notUnderstood(context, { unexplained: [named.dangling], dangling: named.dangling });
  if (named) return named;
  const recall = only && recallFor(context, only);
  if (recall) return notUnderstood(context, { unclear, recall });
  // Taken apart at every connecting word, it shows best which parts were understood.
  const parts = takeApart(context, boundaries(context, { everywhere: true }));
  const gaps = parts.filter((clause) => clause.kind === "question" || clause.kind === "unknown");
  const understood = parts.filter((clause) => clause.kind === "order");
  return gaps.length > 0
    ? notUnderstood(context, { understood, unclear: gaps })
    : notUnderstood(context, { understood: orders, unclear });
}

function concludeUnlinked(
  context: InterpretationContext,
  orders: readonly OrderClause[],
  { words, describes }: Unlinked,
): Interpretation {
  const understood = orders.filter((order) => !wordsOf(context, order).includes(words));
  const unclear = orders.filter((order) => !understood.includes(order));
  // Words that describe what is yet to be made are work for a model; a pronoun for nothing is not.
  if (describes) return notUnderstood(context, { understood, unclear });
  return notUnderstood(context, { understood, unexplained: [words], dangling: words });
}

const isClock = (topic: string): topic is "date" | "time" => topic === "date" || topic === "time";

/** What small talk is about when it is about several things: the first of these. */
const SMALL_TALK: readonly SmallTalkTopic[] = [
  "undo",
  "who-are-you",
  "how-are-you",
  "farewell",
  "thanks",
  "greeting",
];

/** What was said before "never mind" is taken back; what comes after it counts. */
function afterCancel(clauses: readonly Clause[]): readonly Clause[] {
  const last = clauses.findLastIndex((clause) => clause.kind === "talk" && clause.topic === "refrain");
  const after = clauses.slice(last + 1);
  return last < 0 || after.some((clause) => clause.kind !== "talk") ? after : clauses.slice(last);
}

function changesSomething(grammar: Grammar, calls: readonly PlannedCall[]): boolean {
  return calls.some((call) => grammar.skills.find((skill) => skill.id === call.skill)?.reads !== true);
}

function areRivals(one: Match, other: Match): boolean {
  return one.rule.skill.id !== other.rule.skill.id && !(one.rule.skill.reads && other.rule.skill.reads);
}
