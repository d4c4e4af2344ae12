import { recurrenceAt } from "../text/recurrence.ts";
import { withoutTrailing } from "../text/words.ts";
import type { SkillGrammar } from "./grammar/phrase.ts";
import type { Interpretation, PlannedCall } from "./grammar/plan.ts";

/** The skills that carry out what recurs. */
const CREATE = "schedule_create";
const REMIND = "remind";

const POLITE = /^(?:please|could you|can you|would you|i want you to|i would like you to)\s+/iu;
/** "remind me", "set a reminder": what the reminder says follows. */
const REMINDER =
  /^(?:remind me|(?:set|create|add|make) (?:me )?an? (?:recurring |daily |weekly )?reminder)\b\s*/iu;
const LINK = /^(?:to|about|of|that|for)\s+/iu;
/** Other words for a recurrence are as often part of a name: "daily report", "Fridays". */
/** A longer request says how often at its beginning, or is a text. */
const MAX_LENGTH = 1_000;
const OPENER = /^(?:every|each|on)\s/iu;

/**
 * Reads a request that says how often something is to be done: "every weekday at 7:30 summarize a.md into b.md", "remind me
 * every Friday to call mum", "list my tasks every morning". Undefined for any other request. A recurrence at the end counts
 * only when `isPlan` says that what is before it is a request by itself.
 */
export function readScheduledRequest(
  request: string,
  skills: readonly SkillGrammar[],
  isPlan: (goal: string) => boolean,
): Interpretation | undefined {
  const offers = (id: string) => skills.some((skill) => skill.id === id);
  const text = withoutTrailing(request.trim().replace(POLITE, ""), /[.!\s]/u);
  const reminder = REMINDER.exec(text);
  if (reminder) {
    const found = split(text.slice(reminder[0].length).replace(/^(?:for\s+)(?=every|each)/iu, ""));
    return found && offers(REMIND)
      ? plan(request, REMIND, { text: found.rest.replace(LINK, ""), when: found.when }, "text")
      : undefined;
  }
  if (!offers(CREATE)) return undefined;
  const leading = OPENER.test(text) ? atBeginning(text) : undefined;
  if (leading) return plan(request, CREATE, { goal: leading.rest, when: leading.when }, "goal");
  const trailing = atEnd(text);
  return trailing && isPlan(trailing.rest)
    ? plan(request, CREATE, { goal: trailing.rest, when: trailing.when }, "goal")
    : undefined;
}

interface Split {
  when: string;
  rest: string;
}

const split = (text: string): Split | undefined => atBeginning(text) ?? atEnd(text);

function atBeginning(text: string): Split | undefined {
  const found = recurrenceAt(text);
  if (!found) return undefined;
  const when = text.slice(0, found.length);
  const after = text.slice(found.length);
  const rest = after.replace(/^[\s,:–—-]+/u, "");
  return rest === "" || !/^[\s,:]/u.test(after) ? undefined : { when, rest };
}

function atEnd(text: string): Split | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  for (const { index } of text.matchAll(/(?<=\S)\s+(?=\S)/gu)) {
    const tail = text.slice(index).trimStart();
    if (recurrenceAt(tail)?.length !== tail.length) continue;
    const rest = withoutTrailing(text.slice(0, index), /[\s,]/u);
    return rest === "" ? undefined : { when: tail, rest };
  }
  return undefined;
}

function plan(
  clause: string,
  skill: string,
  args: Readonly<Record<string, string>>,
  freeText: string,
): Interpretation {
  const call: PlannedCall = {
    skill,
    args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { from: "request", value }])),
    clause,
    invented: [],
    freeText: [freeText],
    lookup: undefined,
  };
  return { kind: "plan", calls: [call], readOnly: false };
}
