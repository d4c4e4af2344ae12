import type { Clock } from "../../language/dates/clock.ts";
import { NEGATIONS } from "../../language/grammar/small-talk.ts";
import { readDays } from "./days.ts";
import { numberOfWord, numbersInWords } from "./number-words.ts";
import { type Token, tokenize } from "../../language/tokens/tokens.ts";
import { normalize } from "../../language/tokens/words.ts";
import { isTypo } from "../../language/tokens/spelling.ts";
import { DETERMINERS, kindsOfVerb, VERB_PHRASES, type VerbKind } from "./families.ts";
import { HARMLESS } from "./harmless-phrases.ts";

export type UnitKind = "word" | "quoted" | "path" | "url" | "email" | "number" | "date" | "time" | "mark";

/** A part of a request that is read as one: a word, a mark, or a typed value. */
export interface Unit {
  kind: UnitKind;
  /** Normalized; for a quotation, the text between the marks. */
  text: string;
  /** Offsets into the request, in UTF-16 code units. */
  start: number;
  end: number;
  /** The value of a number or date. */
  value: string | number | undefined;
  /** False for a date that could be another day: "nov 23" after that day has passed. */
  isSure: boolean;
  /** A word within a proper name: of "Not Just Pizza", "not" denies nothing. */
  isProper: boolean;
  /** A word that is written with a capital. */
  isCapital: boolean;
  /** Politeness, hesitation, a reason: does not change the request. */
  isHarmless: boolean;
  /** Withdrawn by a correction: "20 no wait" of "20 no wait 25". */
  isWithdrawn: boolean;
}

/** Units with a joint meaning: "get rid of", "on hold". */
export interface VerbPhrase {
  kind: VerbKind;
  from: number;
  to: number;
}

export interface ReadableRequest {
  text: string;
  units: readonly Unit[];
  phrases: readonly VerbPhrase[];
  /** True if the person corrected a value while talking: "20, no sorry, 35". The first one is ignored. */
  isCorrected: boolean;
}

/** Short spellings of everyday words. */
const SHORT_FORMS: ReadonlyMap<string, string> = new Map([
  ["w/", "with"],
  ["em", "them"],
  ["n", "and"],
  ["nd", "and"],
  ["u", "you"],
  ["ur", "your"],
  ["ya", "you"],
]);

/** A longer request is text to work on, not a repeated request. */
export const MAX_UNITS = 80;

const URL_SPAN = /\bhttps?:\/\/[^\s"'<>]+[^\s"'<>.,;:!?)\]]/giu;
const EMAIL_SPAN = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/giu;
const NUMBER_SPAN =
  /(?<![\p{L}\p{N}.,/_-])(?:[$€£]\s?)?\d+(?:[.,]\d+)*(?![\p{L}\p{N}/_-]|[.,]\d)(?:\s?(?:[€%]|°\s?C\b|°(?!\s?\p{L})))?/giu;

/** "0.5mm": a number and its unit. Other letters may be a part of a code: "9d". */
const NUMBER_WITH_UNIT =
  /(?<![\p{L}\p{N}.,/_-])(?<number>\d+(?:[.,]\d+)*)(?<unit>[mcdk]m|[km]g|[mcd]l|kwh?|mins?|hrs?|deg|eur(?:os?)?|usd|gbp|pcs|lbs?|oz|kmh|mph)(?![\p{L}\p{N}/_-]|[.,]\d)/giu;

const NUMBER_PAIR = /(?<![\p{L}\p{N}.,/_-])\d{2,4}\/\d{2,4}(?![\p{L}\p{N}/_.-])/gu;

/** "18:30", "6:30 pm": a time of the day. */
const TIME_SPAN = /(?<![\p{L}\p{N}.,:/_-])(?:[01]?\d|2[0-3]):[0-5]\d(?:\s?[ap]m\b)?(?![\p{N}/_-]|[:.,]\d)/giu;

/** Splits a request into units; undefined for one that is too long to be repeated. */
export function readUnits(request: string, clock: Clock): ReadableRequest | undefined {
  const tokens = tokenize(request);
  if (tokens.length > MAX_UNITS) return undefined;
  const quoted = tokens.filter(({ kind }) => kind === "quoted");
  const typed: Unit[] = [];
  const claim = (unit: UnitOfForm): void => {
    const overlaps = (one: { start: number; end: number }): boolean =>
      one.start < unit.end && unit.start < one.end;
    if (!quoted.some(overlaps) && !typed.some(overlaps)) typed.push(unitOf(unit));
  };
  for (const [kind, pattern] of [
    ["url", URL_SPAN],
    ["email", EMAIL_SPAN],
  ] as const)
    for (const { 0: text, index } of request.matchAll(pattern))
      claim({ kind, text, start: index, end: index + text.length, isSure: true });
  for (const token of tokens)
    if (token.kind === "path" && token.text !== "w/")
      claim({ kind: "path", text: token.text, start: token.start, end: token.end, isSure: true });
  for (const { 0: text, index } of request.matchAll(TIME_SPAN)) {
    const end = index + text.length;
    claim({ kind: "time", text: normalize(text), start: index, end, value: timeOf(text), isSure: true });
  }
  // A day next to a time is still a day.
  const withoutTimes = typed
    .filter(({ kind }) => kind === "time")
    .reduce(
      (rest, { start, end }) => rest.slice(0, start) + "_".repeat(end - start) + rest.slice(end),
      request,
    );
  for (const { text, index, day, isSure } of readDays(withoutTimes, clock))
    claim({
      kind: "date",
      text: normalize(text),
      start: index,
      end: index + text.length,
      value: day,
      isSure,
    });
  // "128/82": two numbers.
  for (const { 0: text, index } of request.matchAll(NUMBER_PAIR)) {
    const [first = "", second = ""] = text.split("/");
    const middle = index + first.length;
    claim({ kind: "number", text: first, start: index, end: middle, value: Number(first), isSure: true });
    claim({ kind: "mark", text: "/", start: middle, end: middle + 1, isSure: true });
    const start = middle + 1;
    claim({
      kind: "number",
      text: second,
      start,
      end: start + second.length,
      value: Number(second),
      isSure: true,
    });
  }
  for (const { 0: text, index } of request.matchAll(NUMBER_SPAN)) {
    const value = numberOf(text);
    if (value !== undefined)
      claim({ kind: "number", text, start: index, end: index + text.length, value, isSure: true });
  }
  for (const { groups, index } of request.matchAll(NUMBER_WITH_UNIT)) {
    const { number = "", unit = "" } = groups ?? {};
    const [value, middle] = [numberOf(number), index + number.length];
    if (value === undefined) continue;
    claim({ kind: "number", text: number, start: index, end: middle, value, isSure: true });
    claim({ kind: "word", text: unit.toLowerCase(), start: middle, end: middle + unit.length, isSure: true });
  }
  const words = tokens
    .flatMap((token, index, all) => withoutShortHas(token, all[index + 1]))
    .filter(({ start, end }) => !typed.some((unit) => unit.start < end && start < unit.end))
    .map((token, index, all) =>
      isDictatedColon(token, all[index - 1], all[index + 1]) ? { ...token, ...COLON } : token,
    )
    .map(({ kind, text, start, end }) =>
      unitOf({
        kind: kind === "quoted" || kind === "mark" ? kind : kind === "symbol" ? "mark" : "word",
        text: kind === "word" || text === "w/" ? (SHORT_FORMS.get(text) ?? text) : text,
        start,
        end,
        isSure: true,
        isProper: isProperAt(request, start, end),
        isCapital: kind !== "quoted" && kind !== "mark" && /^\p{Lu}/u.test(request.slice(start, end)),
      }),
    );
  for (const unit of [...titledNames(words, request), ...numberMarks(words, typed)]) typed.push(unit);
  for (const unit of numberWords(words)) typed.push(unit);
  const units = [
    ...typed,
    ...words.filter(({ start, end }) => !typed.some((unit) => unit.start < end && start < unit.end)),
  ].toSorted((one, other) => one.start - other.start);
  // "The shift sheet 4 saturday": for.
  for (const [index, unit] of units.entries())
    if (
      unit.kind === "number" &&
      unit.text === "4" &&
      index > 0 &&
      /^\p{L}/u.test(units[index + 1]?.kind === "date" ? (units[index + 1]?.text ?? "") : "")
    )
      units[index] = { ...unit, kind: "word", text: "for" };
  const corrected = correctedUnits(units);
  const marked = units.map((unit, index) =>
    corrected.has(index) ? { ...unit, isHarmless: true, isWithdrawn: true } : unit,
  );
  return { text: request, ...withSpans(marked), isCorrected: corrected.size > 0 };
}

type UnitOfForm = Pick<Unit, "kind" | "text" | "start" | "end" | "isSure"> &
  Partial<Pick<Unit, "value" | "isProper" | "isCapital">>;

/** Every unit has the same properties in the same order, because each word is looked at thousands of times. */
const unitOf = ({
  kind,
  text,
  start,
  end,
  value,
  isSure,
  isProper = false,
  isCapital = false,
}: UnitOfForm): Unit => ({
  kind,
  text,
  start,
  end,
  value,
  isSure,
  isProper,
  isCapital,
  isHarmless: false,
  isWithdrawn: false,
});

/** The time of the day as `HH:MM`. */
function timeOf(written: string): string {
  const [hours = "", minutes = ""] = written.replace(/\s?[ap]m$/iu, "").split(":");
  const half = /([ap])m$/iu.exec(written)?.[1]?.toLowerCase();
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === "p" ? 12 : 0);
  return `${String(hour).padStart(2, "0")}:${minutes}`;
}

/** "Theo's got an allergy": the short form of "has" is a word of its own. */
function withoutShortHas(token: Token, next: Token | undefined): Token[] {
  const [name] = /^.+(?=['’]s$)/u.exec(token.text) ?? [];
  if (token.kind !== "word" || name === undefined || !/^(?:got|been)$/u.test(next?.text ?? ""))
    return [token];
  const end = token.start + name.length;
  return [
    { ...token, text: name, end },
    { ...token, text: "has", start: end, spaced: false },
  ];
}

const COLON = { kind: "mark", text: ":" } as const;

/** "Hive log colon saw eggs": the punctuation in words, as in dictation. */
const isDictatedColon = (
  { kind, text }: Token,
  before: Token | undefined,
  next: Token | undefined,
): boolean =>
  kind === "word" &&
  text === "colon" &&
  before !== undefined &&
  before.kind !== "mark" &&
  !DETERMINERS.has(before.text) &&
  next?.kind === "word";

const CORRECTING = /^(?:no|nope|sorry|wait|oops|actually|i|mean|make|that|rather|um+|uh+|er+m?)$/u;
const IS_CORRECTION = /^(?:no|nope|sorry|wait|oops|mean)$/u;

/** The withdrawn part of a request: a value and the words up to its replacement of the same form. */
function correctedUnits(units: readonly Unit[]): ReadonlySet<number> {
  const withdrawn = new Set<number>();
  for (const [index, first] of units.entries()) {
    if (first.kind === "mark") continue;
    let next = index + 1;
    while (
      units[next]?.kind === "mark" ||
      (units[next]?.kind === "word" && CORRECTING.test(units[next]?.text ?? ""))
    )
      next += 1;
    const [between, second] = [units.slice(index + 1, next), units[next]];
    // "8 no sorry 9": for two values of one form, the words alone are sufficient. "No" alone may mean "number", too.
    const hasCorrectionWord = between.some(({ text }) => /^(?:sorry|wait|oops|mean)$/u.test(text));
    const isCorrection =
      (between[0]?.kind === "mark" || (hasCorrectionWord && /^(?:number|date)$/u.test(first.kind))) &&
      between.some(({ kind, text }) => kind === "word" && IS_CORRECTION.test(text));
    if (!isCorrection || second?.kind !== first.kind) continue;
    // A word replaces another one only if it is not an order: "stop. no, delete it" withdraws nothing.
    if (first.kind === "word" && (between.at(-1)?.kind !== "mark" || kindsOfVerb(second.text).size > 0))
      continue;
    for (let position = index; position < next; position += 1) withdrawn.add(position);
  }
  return withdrawn;
}

/**
 * The number in any common format: `1.250,00`, `1,250.00`, `15,50` and `15.5`; undefined if it can be read in two ways.
 */
export function numberOf(written: string): number | undefined {
  const digits = written.replaceAll(/[^\d.,]/gu, "");
  const marks: readonly string[] = digits.match(/[.,]/gu) ?? [];
  const last = marks.at(-1);
  if (last === undefined) return Number(digits);
  const after = digits.length - digits.lastIndexOf(last) - 1;
  const isDecimal = marks.indexOf(last) === marks.length - 1 && (after !== 3 || marks.length > 1);
  if (!isDecimal && marks.some((mark) => mark !== last)) return undefined;
  const whole = isDecimal ? digits.slice(0, digits.lastIndexOf(last)) : digits;
  const number = Number(whole.replaceAll(/[.,]/gu, "") + (isDecimal ? `.${digits.slice(-after)}` : ""));
  return Number.isFinite(number) ? number : undefined;
}

const CAPITALISED = /^\p{Lu}\p{Ll}/u;

/** "Fjell AS", "Moreno IT": initials after a name, which may be written like another word. */
const INITIALS = /^\p{Lu}{2,3}$/u;

/** A capitalized word next to another one, not at the start of a sentence; a short word between two of them; initials after one. */
function isProperAt(request: string, start: number, end: number): boolean {
  if (INITIALS.test(request.slice(start, end)))
    return /[^.!?:]\s\p{Lu}\p{Ll}+\s+$/u.test(request.slice(0, start));
  if (/^(?:not|no|without|or|but|never|all|only)$/u.test(request.slice(start, end)))
    return (
      /[^.!?:]\s\p{Lu}\p{Ll}+\s+$/u.test(request.slice(0, start)) &&
      /^\s+\p{Lu}\p{Ll}/u.test(request.slice(end))
    );
  if (!CAPITALISED.test(request.slice(start, end))) return false;
  const before = request.slice(0, start);
  if (/(?:^|[.!?:]\s*)$/u.test(before)) return false;
  const next = /^\s+(\S+)/u.exec(request.slice(end))?.[1] ?? "";
  const previous = /(?:^|.)(?:^|\s)(\S+)\s+$/su.exec(before);
  const isFirst =
    previous?.[1] !== undefined &&
    /(?:^|[.!?]\s+)$/u.test(before.slice(0, before.length - previous[0].trimStart().length));
  return CAPITALISED.test(next) || (CAPITALISED.test(previous?.[1] ?? "") && !isFirst);
}

/** Finds harmless phrases and verb phrases. They contain no typed values or quotations, but may enclose one. */
function withSpans(units: readonly Unit[]): Pick<ReadableRequest, "units" | "phrases"> {
  let plain = "";
  const places = units.map((unit) => {
    const from = plain.length;
    // The words of a quotation are not words of the request.
    const text = unit.kind === "word" && isTypo(unit.text, "please") ? "please" : unit.text;
    plain += unit.kind === "word" || unit.kind === "mark" ? `${text} ` : "\u0000 ";
    return { from, to: plain.length - 1 };
  });
  const spansOf = (pattern: RegExp): { from: number; to: number }[] =>
    [...plain.matchAll(pattern)].flatMap(({ 0: text, index }) => {
      const [start, end] = [index, index + text.trimEnd().length];
      const first = places.findIndex(({ from, to }) => start <= from && to <= end);
      const last = places.findLastIndex(({ from, to }) => start <= from && to <= end);
      return first < 0 ? [] : [{ from: first, to: last + 1 }];
    });
  const harmless = HARMLESS.flatMap(spansOf);
  const phrases: VerbPhrase[] = [];
  for (const [kind, pattern] of VERB_PHRASES)
    for (const { from, to } of spansOf(pattern)) phrases.push({ kind, from, to });
  const marked: Unit[] = [];
  for (const [index, unit] of units.entries()) {
    const isHarmless = harmless.some(({ from, to }) => from <= index && index < to);
    marked.push(isHarmless && unit.kind === "word" && !unit.isProper ? { ...unit, isHarmless } : unit);
  }
  return { units: marked, phrases };
}

/** True if the request contains a negation that is not harmless, as "not" in "don't forget" is. */
export const isNegated = ({ units }: ReadableRequest): boolean =>
  units.some(({ kind, text, isHarmless }) => kind === "word" && !isHarmless && NEGATIONS.has(text));

export const isNumberWord = ({ kind, text }: Unit): boolean =>
  kind === "word" && numberOfWord(text) !== undefined;

function numberWords(words: readonly Unit[]): Unit[] {
  return numbersInWords(words.map(({ text }) => text)).flatMap(({ from, to, value }): Unit[] => {
    const [first, last] = [words[from], words[to - 1]];
    const text = words.slice(from, to).map((word) => word.text);
    return first && last
      ? [{ ...first, kind: "number", text: text.join(" "), end: last.end, value, isCapital: false }]
      : [];
  });
}

/** "No. 1300": the word means "number". */
function numberMarks(words: readonly Unit[], typed: readonly Unit[]): Unit[] {
  return words.flatMap((first, index): Unit[] => {
    const mark = words[index + 1]?.text === "." ? words[index + 1] : undefined;
    const end = (mark ?? first).end;
    const isNumbered = typed.some(
      ({ kind, start }) => kind === "number" && start > end - 1 && start <= end + 1,
    );
    return first.text === "no" && isNumbered ? [{ ...first, text: "number", end }] : [];
  });
}

const TITLE = /^(?:dr|mr|mrs|ms|prof|st)$/u;
/** A title that nothing but a name follows, also with a small letter: "mr. o'brien", but "st. 12". */
const TITLE_OF_PERSON = /^(?:dr|mr|mrs|ms|prof)$/u;

/** "Dr. Haas" is one word: the mark after a title does not end a sentence. */
function titledNames(words: readonly Unit[], request: string): Unit[] {
  return words.flatMap((first, index): Unit[] => {
    const [mark, last] = [words[index + 1], words[index + 2]];
    const isTitle = first.kind === "word" && TITLE.test(first.text) && mark?.text === ".";
    if (!isTitle || last?.kind !== "word") return [];
    const isName = /^\p{Lu}/u.test(request.slice(last.start, last.end)) || TITLE_OF_PERSON.test(first.text);
    if (!isName) return [];
    return [{ ...first, text: request.slice(first.start, last.end), end: last.end, isProper: true }];
  });
}

/** The text as written. */
export function sourceText(text: string, first: Unit, last: Unit = first): string {
  return text.slice(first.start, last.end);
}

/** The same for several units, without withdrawn ones: "20 no wait 25 euros" is 25. */
export function textOfUnits({ text, units, isCorrected }: ReadableRequest, from: number, to: number): string {
  const [first, last] = [units[from], units[to - 1]];
  if (!isCorrected && first && last && from < to) return sourceText(text, first, last);
  const span = units.slice(from, to);
  const kept = span.flatMap((unit, index) => (unit.isWithdrawn ? [] : [{ unit, index }]));
  return kept
    .map(({ unit, index }, position) => {
      const before = kept[position - 1];
      const gap =
        before === undefined
          ? ""
          : before.index === index - 1
            ? text.slice(before.unit.end, unit.start)
            : " ";
      return `${gap}${sourceText(text, unit)}`;
    })
    .join("");
}
