import { NUMBER_WORDS } from "./vocabulary.ts";

/** A weekday in a text; Sunday is 0. */
export interface WeekdayMention {
  text: string;
  weekday: number;
  start: number;
  end: number;
}

/** A day relative to today in a text: "yesterday" is -1. */
export interface RelativeDay {
  text: string;
  days: number;
}

const MONTHS: readonly string[] = [
  "january jan januar janvier janv enero ene jänner gennaio januari",
  "february feb februar février févr febrero febbraio februari",
  "march mar märz mrz mars marzo maart",
  "april apr avril avr abril abr aprile",
  "may mai mayo maggio mei",
  "june jun juni juin junio giugno",
  "july jul juli juillet juil julio luglio",
  "august aug août agosto ago augustus",
  "september sep sept septembre septiembre settembre",
  "october oct oktober okt octobre octubre ottobre",
  "november nov novembre noviembre",
  "december dec dezember dez décembre déc diciembre dic dicembre",
];

/** Languages whose month and weekday names come from `Intl`. */
const MORE_LANGUAGES = ["pt", "it", "nl", "sv", "da", "nb", "fi", "pl", "cs"] as const;

/** Names of one kind in those languages. A month next to a day may have another form. */
function namesInMoreLanguages(format: Intl.DateTimeFormatOptions, day: number): string[] {
  const type = format.month === undefined ? "weekday" : "month";
  return MORE_LANGUAGES.flatMap((language) =>
    [format, { ...format, day: "numeric" as const }].flatMap((options) =>
      new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" })
        .formatToParts(day * 86_400_000)
        .filter((part) => part.type === type)
        .map(({ value }) => value.toLowerCase())
        .filter((name) => /^[\p{L}-]{4,}$/u.test(name)),
    ),
  );
}

const MONTH_NAMES: readonly string[][] = MONTHS.map((names, index) => [
  ...new Set([...names.split(" "), ...namesInMoreLanguages({ month: "long" }, index * 30.44 + 14)]),
]);

export const monthNumbers = new Map(
  MONTH_NAMES.flatMap((names, index) => names.map((name): [string, number] => [name, index + 1])),
);

export const MONTH = [...monthNumbers.keys()].sort((a, b) => b.length - a.length).join("|");

const WEEKDAYS: readonly string[] = [
  "sunday sonntag dimanche domingo domenica zondag",
  "monday montag lundi lunes lunedì maandag",
  "tuesday dienstag mardi martes martedì dinsdag",
  "wednesday mittwoch mercredi miércoles mercoledì woensdag",
  "thursday donnerstag jeudi jueves giovedì donderdag",
  "friday freitag vendredi viernes venerdì vrijdag",
  "saturday samstag sonnabend samedi sábado sabato zaterdag",
];

const weekdayNumbers = new Map(
  WEEKDAYS.flatMap((names, index) =>
    // The fourth of January 1970 is a Sunday.
    [...names.split(" "), ...namesInMoreLanguages({ weekday: "long" }, 3 + index)].map(
      (name): [string, number] => [name, index],
    ),
  ),
);

const WEEKDAY = new RegExp(`(?<![\\p{L}])(${[...weekdayNumbers.keys()].join("|")})s?(?![\\p{L}])`, "giu");

type WordKind = "month" | "weekday" | "number" | "relative" | "shortWeekday";

/** Words for days relative to today. */
const RELATIVE: readonly (readonly [days: number, words: RegExp])[] = [
  [1, /(?<!\p{L})(?:tomorrow|demain|mañana|domani)(?!\p{L})|(?<!guten |heute )(?<!\p{L})morgen(?!\p{L})/giu],
  [2, /(?<!\p{L})(?:day after tomorrow|übermorgen|après-demain|pasado mañana)(?!\p{L})/giu],
  [-1, /(?<!\p{L})(?:yesterday|gestern|hier soir|ayer)(?!\p{L})/giu],
  [-2, /(?<!\p{L})(?:vorgestern|avant-hier|anteayer)(?!\p{L})/giu],
  [0, /(?<!\p{L})(?:today|tonight|heute|aujourd['’]hui|hoy)(?!\p{L})/giu],
];

let kindsOfWord: ReadonlyMap<string, WordKind> | undefined;

function wordKinds(): ReadonlyMap<string, WordKind> {
  return (kindsOfWord ??= new Map<string, WordKind>([
    ..."sun so mon mo tue tues di wed mi thu thur thurs do fri fr sat sa"
      .split(" ")
      .map((word) => [word, "shortWeekday"] as const),
    ...[...NUMBER_WORDS.keys()].flatMap((word) => word.split("-")).map((word) => [word, "number"] as const),
    ..."tomorrow demain mañana domani morgen übermorgen pasado yesterday gestern vorgestern hier ayer anteayer avant après today tonight heute aujourd hoy"
      .split(" ")
      .map((word) => [word, "relative"] as const),
    ...[...weekdayNumbers.keys()]
      .flatMap((word) => [...word.split("-"), word, `${word}s`])
      .map((word) => [word, "weekday"] as const),
    ...[...monthNumbers.keys()].map((word) => [word, "month"] as const),
  ]));
}

/** The kinds of expressions that a text contains. Most texts contain few, and each search reads the whole text. */
export function kindsIn(text: string): Set<WordKind> {
  const known = wordKinds();
  const kinds = new Set<WordKind>();
  for (const word of text.toLowerCase().split(/[^a-zà-ž]+/)) {
    const kind = known.get(word);
    if (kind) kinds.add(kind);
  }
  return kinds;
}

export const FULL_MONTH = new RegExp(
  `(?<![\\p{L}])(${MONTH_NAMES.flat()
    .filter((name) => name.length > 3 || name === "mai")
    .join("|")})(?![\\p{L}])`,
  "giu",
);

/** True for the name of a month, with or without punctuation after it. */
export const isMonth = (word: string): boolean =>
  monthNumbers.has(word.toLowerCase().replace(/[^\p{L}]+$/u, ""));

/** Abbreviations of weekdays in tables and plans. */
const SHORT_WEEKDAY =
  /(?<![\p{L}\p{N}])(?:(Sun|So)|(Mon|Mo)|(Tue|Tues|Di)|(Wed|Mi)|(Thu|Thur|Thurs|Do)|(Fri|Fr)|(Sat|Sa))(?![\p{L}\p{N}])/gu;

/** The abbreviated weekdays in a text; Sunday is 0. */
export const shortWeekdaysIn = (text: string): number[] =>
  [...text.matchAll(SHORT_WEEKDAY)].map((match) => match.slice(1).findIndex((part) => part));

const ANY_MONTH = new RegExp(`(?<![\\p{L}])(?:${MONTH})(?![\\p{L}])`, "giu");

/** The months that a text names or abbreviates. Ambiguous words such as "may" and "mar" count. */
export const monthsNamedIn = (text: string): number[] =>
  [...text.matchAll(ANY_MONTH)].flatMap(([name]) => monthNumbers.get(name.toLowerCase()) ?? []);

export function weekdaysIn(text: string): WeekdayMention[] {
  return [...text.matchAll(WEEKDAY)].map((match) => ({
    text: match[0],
    weekday: weekdayNumbers.get((match[1] ?? "").toLowerCase()) ?? 0,
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The days of a text that are counted from today: "tomorrow", "in two days". */
export function relativeDaysIn(text: string): RelativeDay[] {
  return RELATIVE.flatMap(([days, pattern]) =>
    [...text.matchAll(pattern)].map(([words]) => ({ text: words, days })),
  );
}

/** All words for months, weekdays and numbers. */
export const quantityWords = (): string[] => [
  ...monthNumbers.keys(),
  ...weekdayNumbers.keys(),
  ...NUMBER_WORDS.keys(),
];
