import { dayOfOrdinal, ORDINAL_DAY } from "../../language/dates/date-words.ts";
import { isTypo } from "../../language/tokens/spelling.ts";
import { sensesOf } from "../word-senses/word-senses.ts";

/** Words that name one day, in a form that the date library misreads or does not know. */
export interface DayForm {
  text: string;
  /** Offset into the request, in UTF-16 code units. */
  index: number;
  /** In words that the library knows, or as days after today. */
  means: string | { daysFromToday: number } | { dayOfMonth: number };
  /** The number of days after the day that `means` names. */
  plusDays?: number;
}

const MONTHS =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const WEEKDAYS =
  "mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?";
/** "Fri 27 nov" is one day. */
const WEEKDAY_BEFORE = `(?:\\b(?:(?:next|this|coming) )?(?:${WEEKDAYS}),? (?:the )?)?`;

/** What may follow "the 27th" when it is a day: anything but a noun, as in "the 3rd round". */
const NO_NOUN_FOLLOWS =
  "(?=\\s*(?:$|[.,;:!?)])|\\s+(?:please|pls|for|at|in|with|from|to|until|till|and|as|because)\\b)";

const FORMS: readonly [RegExp, (match: RegExpMatchArray) => Omit<DayForm, "text" | "index">][] = [
  [/\b(?:the )?day after tomorrow\b/giu, () => ({ means: { daysFromToday: 2 } })],
  [/\b(?:the )?day before yesterday\b/giu, () => ({ means: { daysFromToday: -2 } })],
  [
    new RegExp(`\\b(?:a )?week (?:on|from) (${WEEKDAYS})\\b|\\b(${WEEKDAYS}) week\\b`, "giu"),
    ([, after = "", before = ""]) => ({ means: after === "" ? before : after, plusDays: 7 }),
  ],
  // With dots, the day comes first.
  [
    /(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d|\.\d)/gu,
    ([, day = "", month = "", year = ""]) => ({
      means: `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`,
    }),
  ],
  // "Room 3 until 2 December": the library takes it for a range.
  [
    new RegExp(
      `(?<=\\b(?:from|between) )(\\d{1,2})(?:st|nd|rd|th)?(?= (?:to|until|till|and|-|–) \\d{1,2}(?:st|nd|rd|th)?(?: of)? (${MONTHS})\\b)`,
      "giu",
    ),
    ([, day = "", month = ""]) => ({ means: `${day} ${month}` }),
  ],
  [
    new RegExp(
      `${WEEKDAY_BEFORE}(?<![\\d.,:/-])(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTHS})\\b\\.?(?:,? (\\d{4})\\b)?`,
      "giu",
    ),
    ([, day = "", month = "", year = ""]) => ({ means: `${day} ${month} ${year}`.trim() }),
  ],
  [
    new RegExp(
      `${WEEKDAY_BEFORE}\\b(${MONTHS}) (?:the )?(\\d{1,2})(?:st|nd|rd|th)\\b(?:,? (\\d{4})\\b)?`,
      "giu",
    ),
    ([, month = "", day = "", year = ""]) => ({ means: `${day} ${month} ${year}`.trim() }),
  ],
  [
    new RegExp(
      `\\b(?:the )?(${ORDINAL_DAY}) of (${MONTHS})\\b|\\b(${MONTHS}) (?:the )?(${ORDINAL_DAY})\\b`,
      "giu",
    ),
    ([, day, month, otherMonth, otherDay]) => ({
      means: `${String(dayOfOrdinal(day ?? otherDay ?? ""))} ${month ?? otherMonth ?? ""}`,
    }),
  ],
  [
    new RegExp(`\\b(?:(?:${WEEKDAYS}),? )?the (\\d{1,2})(?:st|nd|rd|th)${NO_NOUN_FOLLOWS}`, "giu"),
    ([, day = ""]) => ({ means: { dayOfMonth: Number(day) } }),
  ],
];

const DAY_WORDS =
  "today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday january february september october november december".split(
    " ",
  );
const SHORT_FORMS: ReadonlyMap<string, string> = new Map([
  ["weds", "wednesday"],
  ["tmrw", "tomorrow"],
  ["tmr", "tomorrow"],
  ["tomoz", "tomorrow"],
  ["2moro", "tomorrow"],
]);

/** "Tomorow", "todays": a day word with a typing error or a possessive. */
function dayWordOf(word: string): string | undefined {
  const short = SHORT_FORMS.get(word);
  if (short !== undefined) return short;
  if (/^(?:today|tomorrow)['’]?s$/u.test(word)) return word.replace(/['’]?s$/u, "");
  const owner = /^(.+)['’]s$/u.exec(word)?.[1];
  if (owner !== undefined) return dayWordOf(owner);
  if (word.length < 5 || DAY_WORDS.some((day) => word.startsWith(day)) || sensesOf(word) !== undefined)
    return undefined;
  const meant = DAY_WORDS.filter((day) => isTypo(word, day));
  return meant.length === 1 ? meant[0] : undefined;
}

/** "Mondays lesson page", "for saturdays training": the day of something; "on mondays" recurs. */
const DAY_OF =
  /(?<!\b(?:on|every|each|all|most)\s)\b(mon|tues|wednes|thurs|fri|satur|sun)days(?=\s(?!(?:and|or|at|in|on|from|to|until|till|for|is|are|was|were|please|pls)\b)\p{L})/giu;

/** Finds the days in such forms, in order; they do not overlap. */
export function findDayForms(request: string): DayForm[] {
  const found: DayForm[] = [];
  const claim = (form: DayForm): void => {
    const end = form.index + form.text.length;
    if (!found.some((one) => one.index < end && form.index < one.index + one.text.length)) found.push(form);
  };
  for (const [pattern, meaning] of FORMS)
    for (const match of request.matchAll(pattern))
      claim({ text: match[0], index: match.index, ...meaning(match) });
  for (const { 0: text, 1: day = "", index } of request.matchAll(DAY_OF))
    claim({ text, index, means: `${day}day` });
  for (const { 0: text, index } of request.matchAll(/[\p{L}\d]+(?:['’]s)?/gu)) {
    const dayWord = dayWordOf(text.toLowerCase());
    if (dayWord !== undefined) claim({ text, index, means: dayWord });
  }
  return found.toSorted((one, other) => one.index - other.index);
}
