import type { Clock } from "./dates/clock.ts";
import { readDateText } from "./dates/dates.ts";
import type { Interpretation, PlannedCall } from "./grammar/plan.ts";

const CREATE = "task_create";
/** Words with which a date at the end of a title begins. */
const DATE_BEGINS =
  /^(?:by|on|at|before|until|till|for|in|next|this|tomorrow|today|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2}(?:st|nd|rd|th)?\s)/iu;
const MAX_DATE_WORDS = 5;

/**
 * Gives each of several tasks its own date: "order ropes by 10 December, ask the town, close the books by 15 January". The date at the
 * end then is that of the last one. Without another date it is that of all, and the interpretation is returned unchanged.
 */
export function withOwnDates(interpretation: Interpretation, clock: Clock): Interpretation {
  if (interpretation.kind !== "plan") return interpretation;
  const { calls } = interpretation;
  const made = calls.filter(({ skill }) => skill === CREATE);
  const [first] = made;
  const isOneOrder = made.length > 1 && made.every(({ clause }) => clause === first?.clause);
  const read = isOneOrder ? new Map(made.map((call) => [call, ownDate(call, clock)])) : undefined;
  if (read === undefined || ![...read.values()].some((own) => own !== undefined)) return interpretation;
  const last = made.at(-1);
  return {
    ...interpretation,
    calls: calls.map((call) => {
      const own = read.get(call);
      if (!read.has(call) || (own === undefined && call === last)) return call;
      const { due: _shared, ...args } = call.args;
      if (own === undefined) return { ...call, args };
      const { title, due } = own;
      const requested = {
        title: { from: "request", value: title },
        due: { from: "request", value: due },
      } as const;
      return { ...call, args: { ...args, ...requested } };
    }),
  };
}

/** The title without the date at its end, and this date; undefined for a title without one. */
function ownDate({ args }: PlannedCall, clock: Clock): { title: string; due: string } | undefined {
  const given = args["title"];
  if (given?.from !== "request" || typeof given.value !== "string") return undefined;
  const words = given.value.split(/\s+/u);
  for (let count = Math.min(MAX_DATE_WORDS, words.length - 1); count > 0; count--) {
    const tail = words.slice(-count).join(" ");
    if (!DATE_BEGINS.test(`${tail} `)) continue;
    const read = readDateText(tail.replace(/^(?:by|before|for)\s+/iu, ""), clock);
    if (read.kind === "date") return { title: words.slice(0, -count).join(" "), due: read.value };
  }
  return undefined;
}
