import { NUMBERS_TO_TWELVE } from "./number-words.ts";

const HOUR = `(?:${NUMBERS_TO_TWELVE.slice(1).join("|")}|1[0-2]|[1-9])(?: o['’]?clock)?(?![\\w:.]*\\d)\\b`;
const MINUTES: Readonly<Record<string, number>> = { five: 5, ten: 10, twenty: 20, "twenty-five": 25 };

/** A time that only a clock has: "half past nine", "a quarter to seven". */
export const CLOCK_PHRASE = `(?:half past|(?:a )?quarter (?:past|to)) ${HOUR}`;
/** A time that could also be a range of numbers, "ten to five"; a preposition before it shows that it is a time. */
export const MINUTES_PHRASE = `(?:five|ten|twenty|twenty[- ]five)(?: minutes)? (?:past|to) ${HOUR}`;

const PARTS = /^(half|(?:a )?quarter|five|ten|twenty|twenty[- ]five)(?: minutes)? (past|to) (\w+)/iu;

/** The time of a `CLOCK_PHRASE` or a `MINUTES_PHRASE` on a clock of twelve hours; undefined for any other text. */
export function readClockPhrase(text: string): { hour: number; minute: number } | undefined {
  const [, distance = "", direction = "", named = ""] = PARTS.exec(text) ?? [];
  const hour = Number(named) || NUMBERS_TO_TWELVE.indexOf(named.toLowerCase());
  if (hour < 1) return undefined;
  const minutes = /half$/iu.test(distance)
    ? 30
    : /quarter$/iu.test(distance)
      ? 15
      : (MINUTES[distance.toLowerCase().replace(" ", "-")] ?? 0);
  return direction.toLowerCase() === "past"
    ? { hour, minute: minutes }
    : { hour: hour === 1 ? 12 : hour - 1, minute: 60 - minutes };
}
