import { plainOfPast } from "../../language/tokens/irregular-verbs.ts";
import { isTypo } from "../../language/tokens/spelling.ts";
import { normalize } from "../../language/tokens/words.ts";
import { familyOf, kindsOfVerb, MEASURES, namedCurrencies, NEUTRAL, PREPOSITIONS } from "./families.ts";
import type { Slot } from "./function-concepts.ts";
import { isPronounOne, numberOfWord } from "./number-words.ts";
import { isNumberWord, type Unit, sourceText } from "./request-units.ts";
import { isCapital, startEvidence, type AlignedRequest } from "./value-borders.ts";
import { kindOfValue } from "./value-kinds.ts";

/** Units that may be the value of a slot. All have the same properties in the same order, as units have. */
export interface Candidate {
  from: number;
  to: number;
  value: string | number;
  /** The evidence in the words around it and in its form. */
  score: number;
  /** True if its form or the words around it leave no doubt. */
  isSure: boolean;
  /** True if the noun before the value in the templates is missing: another noun of the function replaces it. */
  isOfOther: boolean;
  /** Families of the words for its position in the path: `notes/visa.md` is a note. */
  impliedFamilies: readonly string[];
}

export type FilledSlots = readonly { slot: Slot; candidate: Candidate }[];

/** The slots in the order in which they are filled: those with a typed value first, because a request without one does not match. */
export const typedSlotsFirst = (slots: readonly Slot[]): readonly Slot[] =>
  slots.toSorted((one, other) => Number(isWords(one)) - Number(isWords(other)));

const isWords = ({ type }: Slot): boolean => type === "text" || type === "name";

export function typedCandidates(slot: Slot, aligned: AlignedRequest): Candidate[] {
  return aligned.request.units.flatMap((unit, index): Candidate[] => {
    const spelled = slot.type === "number" ? spelledNumber(slot, aligned, index) : undefined;
    if ((unit.kind !== slot.type && spelled === undefined) || unit.isHarmless) return [];
    if (isOtherMeasure(slot, aligned, index) || isOfOtherThing(slot, aligned, index)) return [];
    const near = startEvidence(aligned, index, slot) / 2;
    const after = slot.after.has(aligned.words[index + 1] ?? "") ? 1 : 0;
    return [
      {
        from: index,
        to: index + 1,
        value: slot.isDigits
          ? digitsOf(unit, spelled ?? unit.value ?? unit.text)
          : (spelled ?? unit.value ?? unit.text),
        score: 4 + near + after,
        isSure: unit.isSure,
        isOfOther: false,
        // An address names a page.
        impliedFamilies: slot.type === "url" ? WEB_WORDS : [],
      },
    ];
  });
}

/** A number that is a name keeps its digits as written: "007". */
export const digitsOf = ({ text }: Unit, number: string | number): string =>
  /^\d+$/u.test(text) ? text : String(number);

const WEB_WORDS = ["page", "site", "website", "address", "link", "url"].map(familyOf);

/** "Nineteen degrees", "for bed three": a number word in the position of a number; elsewhere it counts things. */
function spelledNumber(
  { after, before }: Slot,
  { request: { units }, words, concepts }: AlignedRequest,
  index: number,
) {
  const unit = units[index];
  if (unit === undefined || !isNumberWord(unit) || isPronounOne(words, index)) return undefined;
  const [previous, next] = [words[index - 1] ?? "", words[index + 1] ?? ""];
  const isIntroduced = before.has(previous) && concepts.nouns.has(familyOf(previous));
  const isMeasured = after.has(next) || [...after].some((word) => familyOf(word) === familyOf(next));
  return isMeasured || isIntroduced ? numberOfWord(unit.text) : undefined;
}

/** True for a word of the function's templates, its description or its constant arguments. */
const isKnownAt = ({ words, families, concepts }: AlignedRequest, index: number): boolean =>
  concepts.literals.has(words[index] ?? "") || concepts.known.has(families[index] ?? "");

/**
 * "157 lb" is not a number of kilograms, and "pulse 82" not a temperature: an unknown noun next to the number replaces
 * the noun of the templates.
 */
export function isOtherMeasure(
  { type, before, after }: Slot,
  aligned: AlignedRequest,
  index: number,
): boolean {
  if (type !== "number") return false;
  const {
    request: { units },
    words,
    concepts,
  } = aligned;
  if (MEASURES.has(words[index + 1] ?? "") && !isKnownAt(aligned, index + 1)) return true;
  // "Invoice 2231 … 480 euros": the unit belongs to another number.
  const measure = words[index + 1] ?? "";
  const isOthers = concepts.slots.some((other) => other.type === "number" && other.after.has(measure));
  if (isOthers && !after.has(measure) && MEASURES.has(measure)) return true;
  const sign = /[$€£]/u.exec(units[index]?.text ?? "")?.[0];
  if (sign !== undefined && isOtherCurrency(sign, concepts.literals)) return true;
  const previous = words[index - 1] ?? "";
  // "By 2" is a difference.
  return previous === "by" && !before.has("by");
}

/** "Room 3" for templates with the noun before the number: it counts or names another one. */
export function isOfOtherThing(
  { type, before, labels }: Slot,
  aligned: AlignedRequest,
  index: number,
): boolean {
  if (type !== "number") return false;
  const {
    request: { units },
    words,
    families,
    concepts,
  } = aligned;
  const previous = words[index - 1] ?? "";
  const isNamedByThing = [...before].some((word) => concepts.nouns.has(familyOf(word)));
  const isOtherThing =
    units[index - 1]?.kind === "word" &&
    units[index - 1]?.isHarmless !== true &&
    !isKnownAt(aligned, index - 1) &&
    !labels.has(families[index - 1] ?? "") &&
    !NEUTRAL.has(previous) &&
    !PREPOSITIONS.has(previous) &&
    kindsOfVerb(previous).size === 0 &&
    plainOfPast(previous) === undefined &&
    !isValueOfOther(aligned, index - 1) &&
    !/^(?:no|nr|number|num|to|for|at|and|then|now|sa(?:id|ys)|show(?:s|ed))$/u.test(previous);
  return isNamedByThing && isOtherThing;
}

/** "Gas 4216": the word is the value of another slot. */
const isValueOfOther = (aligned: AlignedRequest, index: number): boolean =>
  aligned.concepts.slots.some((other) => {
    if (other.type !== "text" && other.type !== "name") return false;
    const word = aligned.words[index] ?? "";
    return (
      other.values.some((value) => value.toLowerCase() === word.toLowerCase()) ||
      (other.isProper ? isCapital(aligned, index) : kindOfValue(other, [word]) === "own")
    );
  });

const CURRENCIES: Readonly<Record<string, RegExp>> = {
  $: /^(?:\$|dollars?|usd|bucks)$/u,
  "€": /^(?:€|euros?|eur)$/u,
  "£": /^(?:£|pounds?|gbp|quid)$/u,
};

/** "$12" for templates with euros. */
function isOtherCurrency(sign: string, literals: ReadonlySet<string>): boolean {
  const named = Object.entries(CURRENCIES).filter(([, names]) =>
    [...literals].some((word) => names.test(word)),
  );
  return named.length > 0 && named.every(([own]) => own !== sign);
}

export function pathCandidates(slot: Slot, aligned: AlignedRequest): Candidate[] {
  const { units, text } = aligned.request;
  return units.flatMap((unit, index): Candidate[] => {
    if (unit.kind !== "path" && unit.kind !== "quoted") return [];
    const value = unit.kind === "quoted" ? unit.text : sourceText(text, unit);
    const looksRight = unit.kind === "path" || /[./]/u.test(value) || slot.isFolder;
    // A pattern or a folder is more than the one file that the function takes.
    const isMore = /[*?]/u.test(value) || (!slot.isFolder && value.endsWith("/"));
    return looksRight && !isMore
      ? [
          {
            from: index,
            to: index + 1,
            value,
            score: 4 + startEvidence(aligned, index, slot) / 2,
            isSure: true,
            isOfOther: false,
            impliedFamilies: [],
          },
        ]
      : [];
  });
}

export function enumCandidates(
  slot: Slot,
  { request: { units }, words, families, concepts }: AlignedRequest,
): Candidate[] {
  const found = units.flatMap((unit, index) => {
    const optionText = unit.kind === "word" && !unit.isHarmless ? normalize(unit.text) : "";
    const value = slot.options.find((option) => normalize(option) === optionText);
    return value === undefined ? [] : [{ at: index, value }];
  });
  const named = found.length > 0 ? [] : namedCurrencies(slot, words);
  return [...found.map(({ at, value }) => ({ at, to: at + 1, value })), ...named].map(
    ({ at, to, value }): Candidate => {
      const isNamed = [at - 2, at - 1, at + 1].some((near) => slot.labels.has(families[near] ?? ""));
      // The only named option, introduced as in the templates or next to the function's subject.
      const isIntroduced =
        slot.before.has(words[at - 1] ?? "") ||
        /^(?:to|as|:|=)$/u.test(words[at - 1] ?? "") ||
        concepts.nouns.has(families[at + 1] ?? "");
      const isSure = isNamed || (isIntroduced && found.length === 1);
      const score = isNamed ? 6 : 3;
      return { from: at, to, value, score, isSure, isOfOther: false, impliedFamilies: [] };
    },
  );
}

/** "Vegeterian" is the option "vegetarian". */
export const mistypedOptions = (
  { options }: Slot,
  units: readonly Unit[],
): { at: number; to: number; value: string }[] =>
  units.flatMap((unit, at) => {
    const value =
      unit.kind === "word" && !unit.isHarmless
        ? options.find((option) => isTypo(unit.text, normalize(option)))
        : undefined;
    return value === undefined ? [] : [{ at, to: at + 1, value }];
  });

/** A path for a slot that takes only its variable part: `notes/visa.md` for `notes/${name}.md`. */
export function framedCandidates(slot: Slot, { request: { units, text } }: AlignedRequest): Candidate[] {
  return units.flatMap((unit, index): Candidate[] => {
    if (unit.kind !== "path" && !isQuotedPath(unit)) return [];
    const path = unit.kind === "path" ? sourceText(text, unit) : unit.text;
    const whole = (value: string, impliedFamilies: readonly string[]): Candidate => {
      const [from, to] = [index, index + 1];
      return { from, to, value, score: 6, isSure: true, isOfOther: false, impliedFamilies };
    };
    if (slot.hasExtension) {
      const name = path.split("/").at(-1) ?? "";
      const folder = path.slice(0, path.length - name.length);
      const fits =
        folder === "" || slot.frames.some(({ prefix }) => withoutOut(prefix) === withoutOut(folder));
      return fits ? [whole(name, [])] : [];
    }
    for (const { prefix, suffix } of slot.frames) {
      const inner = insideFrame(path, prefix, suffix);
      if (inner !== undefined) return [whole(inner, letterWords(prefix).map(familyOf))];
    }
    return [];
  });
}

/** A quotation with folders: a part of a path only if it fits there. */
export const isQuotedPath = ({ kind, text }: Unit): boolean => kind === "quoted" && /^\S+\/\S/u.test(text);

const withoutOut = (path: string): string => path.replace(/^out\//u, "");
const letterWords = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

function insideFrame(path: string, prefix: string, suffix: string): string | undefined {
  const [whole, start] = [withoutOut(path), withoutOut(prefix)];
  const isWithin =
    start !== "" &&
    whole.startsWith(start) &&
    whole.endsWith(suffix) &&
    whole.length > start.length + suffix.length;
  const inner = isWithin ? whole.slice(start.length, whole.length - suffix.length) : "";
  return inner === "" || inner.includes("/") ? undefined : inner;
}

export function quotedCandidates(slot: Slot, aligned: AlignedRequest): Candidate[] {
  // If another value is the quoted one, a quotation is that value.
  const isOthers = !slot.isQuoted && aligned.concepts.slots.some(({ isQuoted }) => isQuoted);
  const form = slot.isQuoted ? 7 : isOthers ? 2 : 5;
  return aligned.request.units.flatMap((unit, index): Candidate[] =>
    unit.kind === "quoted" && !(slot.frames.length > 0 && isQuotedPath(unit))
      ? [
          {
            from: index,
            to: index + 1,
            value: unit.text,
            score: form + startEvidence(aligned, index, slot) / 2,
            isSure: !isOthers,
            isOfOther: false,
            impliedFamilies: [],
          },
        ]
      : [],
  );
}
