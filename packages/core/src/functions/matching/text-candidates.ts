import { DETERMINERS, PRONOUNS } from "./families.ts";
import type { Slot } from "./function-concepts.ts";
import { followsReceiver, isPartyInTransfer } from "./giving-and-receiving.ts";
import type { Unit } from "./request-units.ts";
import { type Candidate, quotedCandidates } from "./typed-candidates.ts";
import {
  type AlignedRequest,
  hasContentWord,
  hasPlainEdges,
  isCapital,
  isIntroduced,
  isMeasured,
  isPhrase,
  LED_BY_CAPITAL,
  mayBeginText,
  mayEndText,
  precedesAfterWord,
  precedesName,
  precedesOwnPlace,
  endEvidence,
  startEvidence,
  nounNamed,
  valueBetween,
} from "./value-borders.ts";
import {
  describesThing,
  hasLabel,
  innerProblem,
  isJoined,
  isMoreThanIdentifier,
  isNameAndMore,
  isOtherCase,
  followsOwnStart,
  isReferring,
} from "./value-doubts.ts";
import { isCodeAt } from "./value-forms.ts";
import { kindOfValue } from "./value-kinds.ts";

/** The minimum evidence in the words around an unquoted value. */
export const MIN_SCORE = 3;

/** The evidence in a verb of giving or receiving, if its giver, receiver or gift is here. */
const LED_BY_VERB = 3.2;
/** Less than any evidence: tried only because the verb may say more. */
const MIN_EVIDENCE = 0.1;

/** The evidence in the form of a code that it is the value. */
const LED_BY_FORM = 2;

/**
 * Between marks or other values, and a value of this slot by its form or kind: "hire: wallpaper steamer, Jonna, 1 day".
 */
function isOwnSegment(
  slot: Slot,
  aligned: AlignedRequest,
  { from, to }: { from: number; to: number },
): boolean {
  const { units } = aligned.request;
  const isBorder = (index: number): boolean => {
    const unit = units[index];
    return (
      unit === undefined ||
      unit.kind === "date" ||
      unit.kind === "number" ||
      (unit.kind === "mark" && /^[,:;.–-]$/u.test(unit.text))
    );
  };
  if (!isBorder(from - 1) || !isBorder(to)) return false;
  if (slot.isProper)
    return Array.from({ length: to - from }, (_, index) => from + index).every((at) =>
      isCapital(aligned, at),
    );
  return (
    kindOfValue(
      slot,
      aligned.words.slice(from, to).map((word) => word.toLowerCase()),
    ) === "own"
  );
}

/** True if the templates have an article before the value: "for the {plant}". */
const hasOwnArticle = ({ before }: Slot): boolean => [...before].some((word) => DETERMINERS.has(word));

/** A slot and the request in which its value is searched. */
interface Search {
  slot: Slot;
  aligned: AlignedRequest;
  /** The evidence in the words after a value that ends before `to`. */
  rightAt: (to: number) => number;
}

/** The first word of a possible value. */
interface TextStart {
  from: number;
  first: Unit;
  /** It is a code, as the values of this slot are. */
  isOwnCode: boolean;
  /** The value may be the giver or receiver of a verb. */
  mayBeParty: boolean;
  /** The evidence in the words before it; `left` is never 0 for a value that may be a party. */
  begins: number;
  left: number;
}

/** The last word of a possible value, with the evidence in the words after it. */
interface TextEnd {
  to: number;
  last: Unit;
  isParty: boolean;
  right: number;
  problem: ReturnType<typeof innerProblem>;
}

/** The texts of a request that may be the value of a slot: quotations, and words between other parts of the request. */
export function textCandidates(slot: Slot, aligned: AlignedRequest): Candidate[] {
  const found = quotedCandidates(slot, aligned);
  const named = nounNamed(slot, aligned);
  if (named === undefined) return found;
  const rights: number[] = [];
  const search: Search = {
    slot,
    aligned,
    rightAt: (to) => (rights[to] ??= endEvidence(aligned, to, slot)),
  };
  for (const start of textStarts(slot, aligned))
    for (const end of textEnds(search, start)) {
      const score = scoreOf(search, start, end);
      if (score < MIN_SCORE || (!slot.hasDigit && isMeasured(aligned, start.from, end.to))) continue;
      found.push({
        from: start.from,
        to: end.to,
        value: valueBetween(aligned, start.from, end.to),
        score,
        isSure: named === "same" && isSureText(search, start, end),
        isOfOther: named === "other",
        impliedFamilies: [],
      });
    }
  return found;
}

function* textStarts(slot: Slot, aligned: AlignedRequest): Generator<TextStart> {
  const { units, text } = aligned.request;
  const { slots, parties } = aligned.concepts;
  const isCode = (index: number): boolean => isCodeAt(text, units[index]);
  const hasCode = units.some((_, index) => isCode(index));
  const isOthersCode = !slot.isCode && slots.some((other) => other.isCode);
  const isOthersQuoted = !slot.isQuoted && slots.some(({ isQuoted }) => isQuoted);
  const mayBeParty = parties.ofSlots.has(slot.name);
  for (const [from, first] of units.entries()) {
    // A code is recognized by its form, and is not another value: "NS4402, from Nordic Strings".
    const isOwnCode = slot.isCode && isCode(from);
    if ((slot.isCode && hasCode && !isOwnCode) || (isOthersCode && isCode(from))) continue;
    const begins = Math.max(
      startEvidence(aligned, from, slot),
      isOwnCode ? LED_BY_FORM : 0,
      followsReceiver(aligned, slot.name, from) ? LED_BY_VERB : 0,
    );
    const left = mayBeParty ? Math.max(begins, MIN_EVIDENCE) : begins;
    if (left <= 0 || !mayBeginText(slot, aligned, { from, left })) continue;
    if (isReferring(slot, aligned, from) || followsOwnStart(slot, aligned, from)) continue;
    if (slot.isProper && (precedesName(aligned, from) || first.kind === "number")) continue;
    // A quoted value follows a colon, and does not match words without an introduction.
    if (slot.isQuoted ? left < 2.5 : isOthersQuoted && aligned.words[from - 1] === ":") continue;
    yield { from, first, isOwnCode, mayBeParty, begins, left };
  }
}

/** The possible ends of a value that begins here, the nearest first. */
function* textEnds({ slot, aligned, rightAt }: Search, start: TextStart): Generator<TextEnd> {
  const { from, isOwnCode, mayBeParty, begins, left } = start;
  const { units } = aligned.request;
  for (let to = from + 1; to <= (isOwnCode ? from + 1 : units.length); to += 1) {
    const last = units[to - 1];
    const isLonger = to - from > 1;
    if (left === LED_BY_CAPITAL && !isCapital(aligned, to - 1)) return;
    if (last === undefined || (last.kind === "mark" && !/^[)%€$!?]$/u.test(last.text))) continue;
    if (isLonger && slot.isProper && isJoined(aligned, { from, to })) return;
    if (isLonger && [2, 1].some((back) => to - back > from && precedesAfterWord(aligned, to - back, slot)))
      return;
    // "Bow, it means front": the pronoun refers to the value.
    const isTakenUp = aligned.words[to - 2] === "," && PRONOUNS.has(aligned.words[to - 1] ?? "");
    if (isTakenUp && isLonger) continue;
    const isParty = mayBeParty && isPartyInTransfer(aligned, slot.name, { from, to });
    if (!isParty && begins <= 0) continue;
    const right = isParty ? LED_BY_VERB : rightAt(to);
    if (/^(?:and|or)$/u.test(last.text) && last.kind === "word") continue;
    if (right <= 0 || (!(left >= 3 && right >= 2.8) && !mayEndText(aligned, from, to))) continue;
    const problem = innerProblem(slot, aligned, { from, to, left });
    // If two or more words are impossible as a value, longer runs of them are, too.
    if (problem === "impossible" && isLonger) return;
    if (
      problem === "impossible" ||
      isMoreThanIdentifier(slot, aligned, { from, to }) ||
      describesThing(slot, aligned, { from, to }) ||
      isPhrase(aligned, from, to) ||
      !hasContentWord(aligned, from, to)
    )
      continue;
    yield { to, last, isParty, right, problem };
  }
}

/** The evidence in the words before a value. */
const evidenceBefore = ({ begins, left }: TextStart, { isParty }: TextEnd): number =>
  isParty ? Math.max(left, LED_BY_VERB) : begins;

/** The evidence around a value, minus the evidence against it in the value itself. */
function scoreOf({ slot, aligned }: Search, start: TextStart, end: TextEnd): number {
  const { from, first, left } = start;
  const { to, last, right, problem } = end;
  const { families, concepts, words } = aligned;
  const own = families.slice(from, to).filter((family) => concepts.nouns.has(family)).length;
  const isCourteous = /^(?:please|pls|plz|thanks|thx|thank|you|now|ok|too)$/u.test(last.text);
  return (
    evidenceBefore(start, end) +
    right -
    (left >= 3 ? 0.3 : 1) * own -
    (isCourteous ? 2.5 : 0) -
    (last.isHarmless && !first.isHarmless ? 1 : 0) -
    (isNameAndMore(slot, aligned, { from, to }) ? 3.5 : 0) -
    (isOtherCase(slot, aligned, { from, to }) ? 2.5 : 0) -
    (slot.hasNumberFirst && first.kind !== "number" ? 2.5 : 0) -
    (hasLabel(slot, aligned, { from, to }) ? 4 : 0) -
    (precedesOwnPlace(aligned, to - 3) && to - from > 3 ? 1.5 : 0) -
    (hasOwnArticle(slot) && DETERMINERS.has(words[from] ?? "") ? 0.5 : 0) -
    (problem === "turns" && left < 3 ? 1 : 0)
  );
}

/** True if the words on both sides leave no doubt where the value begins and ends. */
function isSureText({ slot, aligned }: Search, start: TextStart, end: TextEnd): boolean {
  const { from, left } = start;
  const { to, right, problem } = end;
  const before = evidenceBefore(start, end);
  const isClear =
    problem === undefined
      ? (before >= 3 && right >= 1.5) ||
        (before >= 2 && right >= 2.5) ||
        isOwnSegment(slot, aligned, { from, to })
      : problem === "turns" && left >= 3.5 && right >= 2.8;
  return (
    isClear &&
    !(slot.isOneWord && to - from > 1) &&
    !isNameAndMore(slot, aligned, { from, to }) &&
    (isIntroduced(aligned, from) || hasPlainEdges(aligned, from, to))
  );
}
