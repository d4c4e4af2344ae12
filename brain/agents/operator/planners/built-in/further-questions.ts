import { dayOf } from "@metahuman/core/language/dates/clock";
import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";
import { lastFile, lastWithCalls, TABLE } from "./last-request.ts";

// Short questions that continue the conversation, and the same questions in full.

/** What a question in full is; undefined for one that continues nothing. */
export async function inFull(state: PlanState): Promise<string | undefined> {
  return (
    severalTasks(state) ??
    (await furtherCalculation(state)) ??
    (await aboutLastFile(state)) ??
    (await aboutLastStatement(state)) ??
    (await anotherReminder(state))
  );
}

const BEFORE = String.raw`^(?:(?:and|now|then|ok|okay|so)[,\s]+)*`;
const AFTER = String.raw`(?:\s+(?:now|in total|altogether|please|pls))*[\s?.!]*$`;
const WHAT_IS = String.raw`what(?:['’]s|\s+is)\s+`;
const whole = (words: string): RegExp => new RegExp(`${BEFORE}(?:${words})${AFTER}`, "iu");

/** "Todo: send the invoice, chase Lena, book the train" lists tasks. */
const TASK_LIST =
  /^(?:(?:my\s+)?to-?\s?dos?|to do|to-?\s?do list|tasks)\s*:\s*(?<items>[^,\n]+,[^,\n]+,[^\n]+)$/iu;

function severalTasks(state: PlanState): string | undefined {
  const items = TASK_LIST.exec(state.request.trim())?.groups?.["items"];
  if (items === undefined) return undefined;
  // "Todo: fetch the kids, 5 April, twenty past three" is one task with its day.
  const reading = interpretAlone(state);
  const isDated = reading.kind === "plan" && reading.calls.some(({ args }) => Object.hasOwn(args, "due"));
  return isDated ? undefined : `add tasks: ${items}`;
}

const YES = String.raw`(?:(?:yes|yeah|yep|sure|ok|okay|right)[,.!]?\s+)?(?:please\s+)?`;
const AS_TASK = whole(
  String.raw`${YES}(?:(?:make|turn)\s+(?:it|them|that|those)(?:\s+all)?\s+(?:into\s+)?(?:an?\s+)?(?:tasks?|to-?dos?)|(?:as\s+)?(?:an?\s+)?tasks?|(?:add|put)\s+(?:it|them|that|those)\s+(?:to|on|in)\s+(?:my|the)\s+(?:to-?do\s+list|list|tasks))`,
);
const REMEMBERS = whole(
  String.raw`${YES}(?:remember|note|memori[sz]e|keep|save|store)\s+(?:that|it|this)(?:\s+(?:for me|down|in mind))?`,
);
const ONLY_YES = /^(?:yes|yeah|yep|sure|ok|okay|please do|yes please|do that)[\s.!]*$/iu;
const OBLIGATION =
  /^(?:(?:so|ok|okay|today|tomorrow)[,\s]+)?(?:i|we)(?:['’]ve|\s+have)?\s+(?:(?:still|also|really)\s+)?(?:(?:got|have|need|ought|want)\s+to|to|must|should)\s+(?<what>\S.*?)[\s.!]*$/iu;
const QUESTION =
  /\?\s*$|^(?:what|who|whose|when|where|which|why|how|is|are|do|does|did|can|could|will|would|should)\s/iu;

/** "Next Friday dinner with Lena at 7pm" as an order to add a task; undefined without a day. */
function asDatedTask(words: string, state: PlanState): string | undefined {
  const request = `add a task: ${words}`;
  const reading = interpretAlone({ ...state, request });
  const isDated = reading.kind === "plan" && reading.calls.every(({ args }) => Object.hasOwn(args, "due"));
  return isDated ? request : undefined;
}

/** "Make them tasks" and "remember that" after a statement with which nothing was done. */
async function aboutLastStatement(state: PlanState): Promise<string | undefined> {
  const asked = state.request.trim();
  const isTask = AS_TASK.test(asked);
  if (!isTask && !REMEMBERS.test(asked) && !ONLY_YES.test(asked)) return undefined;
  const [last] = (await state.earlier?.()) ?? [];
  const isDone = last?.calls.some(
    ({ skill: id }) => state.skills.find((skill) => skill.id === id)?.effects !== "read",
  );
  if (last === undefined || isDone === true || QUESTION.test(last.request)) return undefined;
  // What was understood needs no second request.
  if (interpretAlone({ ...state, request: last.request }).kind !== "not-understood") return undefined;
  const what = OBLIGATION.exec(last.request)?.groups?.["what"];
  const task =
    what === undefined
      ? asDatedTask(last.request, state)
      : /,/u.test(what)
        ? `add tasks: ${what}`
        : `add a task to ${what}`;
  if (isTask) return task;
  if (REMEMBERS.test(asked)) return `remember that ${last.request}`;
  // A bare "yes" answers the one question that such a statement leads to.
  return what === undefined ? (task ?? `remember that ${last.request}`) : undefined;
}

/** "And at 9 to call the school" after a reminder: when, and what for. */
const ANOTHER_REMINDER =
  /^(?:and|also|plus)\s+(?<when>(?:at\s+\S+(?:\s?[ap]m)?|in\s+\S+\s+(?:minutes?|hours?|days?|weeks?)|(?:on\s+)?\p{L}+day(?:\s+at\s+\S+)?|tomorrow(?:\s+at\s+\S+)?))\s+to\s+(?<what>\S.*?)[\s.!]*$/iu;

async function anotherReminder(state: PlanState): Promise<string | undefined> {
  const { when = "", what } = ANOTHER_REMINDER.exec(state.request.trim())?.groups ?? {};
  if (what === undefined) return undefined;
  const last = await lastWithCalls(state);
  if (last === undefined || !/\bremind\b/iu.test(last.request)) return undefined;
  const due = last.calls.map(({ args }) => args["due"]).findLast((one) => typeof one === "string");
  // A time alone is on the day of the reminder before.
  const day =
    typeof due === "string" && /^at\s/iu.test(when)
      ? `on ${due.includes("T") ? dayOf({ now: new Date(due), timeZone: state.timeZone }) : due} `
      : "";
  return `remind me ${day}${when} to ${what}`;
}

/** Questions about the file of the request before. */
const SHOWS_LIST = whole(
  String.raw`(?:${WHAT_IS}(?:now\s+)?on|what\s+(?:do\s+i\s+have|have\s+i\s+got)\s+on|(?:show|read)(?:\s+me|\s+out)?|see|open)\s+(?:the|that|my|this)\s+list(?:\s+(?:so far|again))?`,
);
const SHOWS_FILE = whole(String.raw`${WHAT_IS}(?:in|on)\s+(?:there|it)|what\s+does\s+it\s+say`);
const LOCATES = whole(
  String.raw`where\s+(?:(?:did|have)\s+you\s+(?:put|save|saved|store|stored|write|written)\s+(?:it|that)|is\s+(?:it|that))`,
);
const COUNTS = whole(
  String.raw`how\s+many(?:\s+(?:things|items|entries|points|lines|rows))?\s+(?:(?:are|is|do\s+i\s+have|have\s+i\s+got)\s+)?(?:there\s+)?(?:(?:on|in)\s+(?:it|there|that|the\s+list)|is\s+that|are\s+(?:that|those|there))`,
);
const FIGURE = whole(String.raw`(?:${WHAT_IS})?(?:the\s+)?(?:new\s+)?(?<figure>total|sum|average)`);
const EXTREME = whole(
  String.raw`(?:what|which|who)(?:['’]s|\s+is|\s+was|\s+one\s+is)?\s+(?:the\s+)?(?:(?<high>biggest|largest|highest|most\s+expensive)|smallest|lowest|cheapest)(?:\s+(?:one|row|entry|amount|of\s+(?:them|these|those)))?`,
);

/** The path of the file that "where did you put it?" asks for; undefined for another request, and without such a file. */
export async function placeAsked(state: PlanState): Promise<string | undefined> {
  return LOCATES.test(state.request.trim()) ? lastFile(state) : undefined;
}

async function aboutLastFile(state: PlanState): Promise<string | undefined> {
  const asked = state.request.trim();
  const kind = [SHOWS_LIST, SHOWS_FILE, COUNTS, FIGURE, EXTREME].find((one) => one.test(asked));
  const path = kind && (await lastFile(state));
  if (path === undefined) return undefined;
  const isTable = TABLE.test(path);
  switch (kind) {
    case SHOWS_LIST:
      return /list/iu.test(path) ? `show ${path}` : undefined;
    case SHOWS_FILE:
      return `show ${path}`;
    case COUNTS:
      // Of a table, the rows that the question before showed may be meant.
      return isTable ? undefined : `how many items are in ${path}`;
    case FIGURE:
      return isTable ? `what is the ${FIGURE.exec(asked)?.groups?.["figure"] ?? ""} of ${path}` : undefined;
    default: {
      const isHigh = EXTREME.exec(asked)?.groups?.["high"] !== undefined;
      return isTable ? `what is the ${isHigh ? "highest" : "lowest"} in ${path}` : undefined;
    }
  }
}

const AMOUNT = String.raw`(?<amount>[€$£]?\d[\d.,]*(?<!,)(?:\s?(?:%|percent|per cent))?)`;
const IT = "(?:it|that|this|the result)";
const OPERATORS: readonly (readonly [words: string, operator: string])[] = [
  [String.raw`(?:plus|\+)`, "+"],
  ["(?:minus|less|-)", "-"],
  [String.raw`(?:times|multiplied by|x|\*|×)`, "*"],
  ["(?:divided by|over|/|÷)", "/"],
];
/** Orders to calculate with the last result, and the expressions that they mean. */
const CALCULATIONS: readonly (readonly [words: RegExp, expression: string])[] = [
  ...OPERATORS.map(
    ([words, operator]) =>
      [
        whole(String.raw`(?:(?:${WHAT_IS})?${IT}\s+)?${words}\s*${AMOUNT}`),
        `{value} ${operator} {amount}`,
      ] as const,
  ),
  [whole(String.raw`add\s+${AMOUNT}(?:\s+to\s+${IT})?`), "{value} + {amount}"],
  [
    whole(
      String.raw`(?:subtract|deduct|take away|take)\s+${AMOUNT}(?:\s+(?:from|off|away from)\s+${IT}|\s+(?:off|away))?`,
    ),
    "{value} - {amount}",
  ],
  [whole(String.raw`multiply\s+${IT}\s+by\s+${AMOUNT}`), "{value} * {amount}"],
  [
    whole(
      String.raw`(?:divide|split)\s+${IT}\s+(?:by|between|among)\s+${AMOUNT}(?:\s+(?:people|persons|ways))?`,
    ),
    "{value} / {amount}",
  ],
  [whole(String.raw`(?:${WHAT_IS})?${AMOUNT}\s+of\s+${IT}`), "{amount} of {value}"],
  [whole(String.raw`(?:${WHAT_IS})?half(?:\s+of)?\s+${IT}|halve\s+${IT}`), "{value} / 2"],
  [whole(String.raw`double\s+${IT}`), "{value} * 2"],
];
/** "And 15 %?" after a calculation with another one. */
const ANOTHER_AMOUNT = new RegExp(
  String.raw`^(?:(?:and|what about|how about|and what about)\s+)(?:for\s+)?${AMOUNT}${AFTER}`,
  "iu",
);
const SHARE = /\d[\d.,]*\s?(?:%|per cent|percent)/giu;
const QUANTITY = /[€$£]?\d[\d.,]*(?![\d.,]*\s?(?:%|per ?cent))/giu;
/** A result that is a number and has no unit. */
const NUMBER = /^-?\d[\d,]*(?:\.\d+)?$/u;

/** Numbers and operators of a division, which its result rounds. */
const ARITHMETIC = /^(?=.*\/)[\d\s.+*/()-]{1,80}$/u;
const IN_UNIT = whole(
  String.raw`(?:how\s+much|what)(?:['’]s|\s+is)\s+${IT}\s+in\s+(?<unit>[\p{L}°/²³ ]{1,30}?)`,
);

async function furtherCalculation(state: PlanState): Promise<string | undefined> {
  const asked = state.request.trim();
  const unit = IN_UNIT.exec(asked)?.groups?.["unit"];
  if (unit !== undefined) {
    const result = (await lastResult(state)) ?? "";
    return /^-?[\d.,]+\s*\p{L}/u.test(result) ? `convert ${result} to ${unit}` : undefined;
  }
  const another = ANOTHER_AMOUNT.exec(asked)?.groups?.["amount"];
  if (another !== undefined) {
    const last = await lastWithCalls(state);
    const isShare = /%|percent/iu.test(another);
    const [place, ...others] = [...(last?.request ?? "").matchAll(isShare ? SHARE : QUANTITY)];
    if (
      last === undefined ||
      place === undefined ||
      others.length > 0 ||
      (await lastResult(state)) === undefined
    )
      return undefined;
    return `${last.request.slice(0, place.index)}${another}${last.request.slice(place.index + place[0].length)}`;
  }
  for (const [words, expression] of CALCULATIONS) {
    const found = words.exec(asked);
    if (found === null) continue;
    const result = await lastResult(state);
    if (result === undefined || !NUMBER.test(result)) return undefined;
    const written = (await lastWithCalls(state))?.calls.at(-1)?.args["expression"];
    // A third is calculated with as it is, not as its rounded result.
    const isExact = typeof written === "string" && ARITHMETIC.test(written);
    const value = isExact ? `(${written.trim()})` : result.replaceAll(",", "");
    const amount = found.groups?.["amount"] ?? "";
    return `calculate ${expression.replace("{value}", value).replace("{amount}", amount)}`;
  }
  return undefined;
}

/** The result of the last calculation, if the request before made one. */
async function lastResult(state: PlanState): Promise<string | undefined> {
  const last = (await lastWithCalls(state))?.calls.at(-1);
  const result = last?.skill === "calculate" ? last.outputs?.["result"] : undefined;
  return typeof result === "string" ? result : undefined;
}
