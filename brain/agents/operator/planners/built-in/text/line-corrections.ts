import { oneOf } from "@metahuman/core/text/patterns";
import { INSTEAD_OF, NOT_OLD } from "@metahuman/core/language/tokens/contrast";
import { isTypo } from "@metahuman/core/language/tokens/spelling";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { withoutListMark } from "@metahuman/core/text/list-marks";
import { numberInWords } from "@metahuman/core/text/number-words";
import { plainWords } from "@metahuman/core/text/words";
import type { PlanState } from "../../../planner.ts";
import { stripFiller } from "../conversation/short-orders.ts";
import type { Resolution } from "../conversation/resolution.ts";
import type { SubjectOf } from "../conversation/subjects.ts";
import { MAX_ORDER } from "../conversation/limits.ts";
import { areWordsOfLines, countSharedWords, findNamedLines } from "./matching-lines.ts";
import { findValueInLine, editText, FURTHER_ORDER, stripTextName, wordPattern } from "./text-edits.ts";
import { anyOf, BEFORE_OR_AFTER, CHANGE_VERBS, CONDITIONS, deniesOr } from "../word-lists.ts";

// Reads a correction of words in a line of the current text. "Bed 4, not bed 2" becomes an edit that replaces "bed 2" in the line that
// has it; "put 5 eggs instead of 3" becomes one that replaces the amount. The old words must be in a line; the new ones stand on the
// other side of "to", "instead of" or "not".

type TextSubject = SubjectOf<"text">;

const VERB = oneOf(CHANGE_VERBS, "swap|exchange|switch|replace|substitute|turn|alter|edit|put|trade");
const SHOULD_BE = String.raw`(?:should|must|shall|ought\s+to|has\s+to|have\s+to|needs?\s+to|(?:is|was|were|are)\s+(?:supposed|meant)\s+to)\s+(?:be|say|read)`;
const SUBJECT = String.raw`(?:it|that|this|he|she|they)`;

/** "She does not like vanilla, it should be chocolate". The first clause must deny: "the tea is cold, it is raining" changes nothing. */
const TWO_CLAUSES = new RegExp(
  String.raw`^(?<old>[^?]{2,100}?)(?:\s+(?:any\s*more|any\s+longer|now))?(?:\s*[,;.]\s*|\s+)(?:but\s+|so\s+)?${SUBJECT}(?:['’]?s|\s+(?:is|should|shall|must|ought\s+to|has\s+to)(?:\s+be)?|\s+will\s+(?:be|play|bring|have))\s+(?<now>[^,;.?!]{1,60})$`,
  "iu",
);
/** “Without nuts” describes what is right, so only these words for nothing are read. */
const DENIES = deniesOr("no|wrong", INSTEAD_OF);

/** "12 g salt is too much, make it 9 g" */
const MAKE_IT =
  /^(?<old>[^?]{2,100}?)\s*[,;.]\s*(?:but\s+|so\s+|let['’]?s\s+|please\s+)*(?:make|put|call|take|use|have)\s+(?:it|that|this|them)\s+(?<now>[^,;.?!]{1,60})$/iu;

const AUXILIARY =
  "(?:am|are|can|could|did|do|does|had|has|have|is|may|might|must|should|was|were|will|would)";
/** The words between “not” and the old words. */
const BEFORE_OLD = String.raw`(?:(?<=not\s+)(?:the|an?|on|at)\s+)?`;
/** "The pastor comes Saturday, not Friday", "put quinoa instead of rice": a sentence with the new words stands first. */
const NEW_NOT_OLD = new RegExp(
  String.raw`^(?<now>[^?]{1,100}?)[,;]?(?<!\b${AUXILIARY})\s+${NOT_OLD}\s+${BEFORE_OLD}(?<old>[^,;.?!]{1,40})(?:[,;]\s.*)?$`,
  "iu",
);

const OPINION_WORDS = oneOf(
  "fine|ok|okay|good|great|better|bad|worse|nice|cool|easy|hard|sad|happy|fun|funny|enough|here|there",
  String.raw`back|home|ready|over|sure|true|right|careful|on\s+(?:it|(?:his|her|their|its)\s+way)`,
);
const OPINION = new RegExp(
  String.raw`^(?:so\s+|quite\s+|very\s+|really\s+|all\s+|just\s+|only\s+)*${OPINION_WORDS}\b`,
  "iu",
);
const SHOULD_BE_OTHER = new RegExp(String.raw`^(?<old>\S.*?)\s+${SHOULD_BE}\s+(?<now>\S.*)$`, "iu");

const NO_NEW_WORDS = oneOf(
  "sorry|thanks|thank|please|no|not|yes|ok|okay|lol|haha|mate|love|dear|though|really|honestly|obviously|silly",
  "i|he|she|they|we|it|you|that|this|there|because|since|but",
);
/** "Not Ana, Rita" */
const NOT_THIS = new RegExp(
  String.raw`^not\s+(?<old>[^,;.]{1,40}?)\s*[,;]\s+(?<now>(?!${NO_NEW_WORDS}\b)\S[^,;.?!]{0,40})$`,
  "iu",
);

/** The forms of a correction. `old` and `now` may have words around the ones that are replaced. */
const FORMS: readonly RegExp[] = [
  // "Exchange the honey for jam", "change 9 to 10".
  new RegExp(String.raw`^${VERB}\s+(?<old>\S.*?)\s+(?:to|into|with|for|by|as|=|→|->)\s+(?<now>\S.*)$`, "iu"),
  // "Instead of rice put couscous".
  new RegExp(
    String.raw`^${INSTEAD_OF}\s+(?<old>[^,;.]+?)[,;]?\s+(?:i\s+want|we\s+(?:want|need|take|have)|put|use|take|get|have|make\s+(?:it|that)|write|buy|it\s+should\s+be)\s+(?<now>\S.*)$`,
    "iu",
  ),
  // "Not bed two, I meant bed three", "not the red one but the blue one".
  /^(?:it['’]?s\s+|it\s+is\s+)?not\s+(?<old>[^,;.]+?)[,;.]?\s+(?:but|i\s+mea?nt?|it['’]?s|it\s+is|it\s+should\s+be|i\s+want|make\s+(?:it|that))\s+(?<now>\S.*)$/iu,
  NOT_THIS,
  // "I said teapot but I meant urn".
  /^(?:i\s+(?:said|wrote|put|typed)\s+)(?<old>[^,;.]+?)[,;.]?\s+(?:but\s+|and\s+)?(?:i\s+)?(?:mea?nt?|it\s+should\s+be)\s+(?<now>\S.*)$/iu,
  TWO_CLAUSES,
  MAKE_IT,
  NEW_NOT_OLD,
  // "The umbrella should be the parasol".
  SHOULD_BE_OTHER,
];
/** Conditions, and words of orders for something else. “Not” is a word of corrections. */
const GUARDED = anyOf(CONDITIONS, BEFORE_OR_AFTER, "never|remind|reminder|tasks?|schedule|folder");

/**
 * Reads a correction of words in a line: "bed 4, not bed 2", "he is not playing the Minuet, it should be the Musette", "make the chains
 * 12". Undefined unless the wrong words are in a line of the text.
 */
export function readLineCorrection(
  request: string,
  text: TextSubject,
  state: PlanState,
): Resolution | undefined {
  const change =
    findWordChange(request, text) ??
    readWordForNewestLine(request, text) ??
    readValueForNewestLine(request, text) ??
    readAmountOfUnit(request, text) ??
    readNumberOfLine(request, text) ??
    readSpelling(request, text);
  if (change !== undefined) return editText(text.path, { action: "replace", ...change }, state);
  const isRead = request.length <= MAX_ORDER && !request.includes("\n") && !GUARDED.test(request);
  return isRead ? readItemAmount(stripOpening(request), text, state) : undefined;
}

/** "It's three carrots, not two, our Janet says" */
const REPORTED =
  /,?\s+(?:(?:our|my)\s+)?\p{L}+\s+(?:says?|said|reckons|reckoned|thinks|told\s+me|tells\s+me)[\s.!]*$/iu;

const stripOpening = (request: string): string =>
  stripFiller(
    stripFiller(request.replace(REPORTED, "")).text.replace(
      /^(?:scratch|strike|forget)\s+that[,;:]?\s+/iu,
      "",
    ),
  ).text;

interface WordChange {
  line: string;
  find: string;
  text: string;
}

/** Finds the line and the words that a message changes; undefined if it changes none. */
export function findWordChange(
  request: string,
  text: Pick<TextSubject, "path" | "lines" | "age" | "isChanged">,
): WordChange | undefined {
  if (request.length > MAX_ORDER || request.includes("\n") || GUARDED.test(request)) return undefined;
  const order = stripOpening(request);
  for (const form of FORMS) {
    const { old, now } = form.exec(order)?.groups ?? {};
    if (old === undefined || now === undefined) continue;
    if (form === TWO_CLAUSES && !DENIES.test(old)) continue;
    // "The roof should be fine" is an opinion.
    if ((form === SHOULD_BE_OTHER || form === TWO_CLAUSES) && OPINION.test(now)) continue;
    if (form === NOT_THIS && now.split(/\s+/u).length > old.split(/\s+/u).length + 1) continue;
    const oldWords = findWordsOfLine(old, text.lines);
    const value = stripTextName(now, text.path);
    if (oldWords === undefined || value === undefined || FURTHER_ORDER.test(now)) continue;
    // "The gloves must be size 10" changes the size, not the word "gloves".
    const named = text.lines.filter((line) => wordPattern(oldWords).test(line));
    const newWords = stripArticleAndQuotes(value).split(/\s+/u);
    const [line, ...more] = named;
    const other =
      form !== SHOULD_BE_OTHER || line === undefined || more.length > 0 || newWords.length < 2
        ? undefined
        : findDifferingWords(line, newWords);
    if (line !== undefined && other !== undefined) return { line, ...other };
    const valueChange =
      form !== SHOULD_BE_OTHER || line === undefined || more.length > 0
        ? undefined
        : findValueAfterName(line, oldWords, stripArticleAndQuotes(value));
    if (valueChange !== undefined) return valueChange;
    const replacement =
      form === NEW_NOT_OLD
        ? findReplacementWords(value, oldWords, named[0] ?? "")
        : stripArticleAndQuotes(value);
    if (replacement === undefined) continue;
    const change = locateChange(text, { old: oldWords, now: replacement, sentence: order });
    if (change !== undefined) return change;
  }
  return undefined;
}

/** "The asking price should be 254000" replaces the value after "the asking price is". */
function findValueAfterName(line: string, name: string, value: string): WordChange | undefined {
  const { start, old } =
    new RegExp(
      String.raw`(?<start>${wordPattern(name).source}\s+(?:is|are|was|were|costs?|comes?\s+to)\s+(?:about\s+)?)(?<old>[^.,;!?]+)`,
      "iu",
    ).exec(line)?.groups ?? {};
  if (start === undefined || old === undefined) return undefined;
  return { line, find: `${start}${old}`, text: `${start}${value}` };
}

/** "It was room 31", "actually make it a stuffed raven, the owl has moths" */
const SAYS_NEW =
  /^(?:i\s+mea?nt?\s+|(?:make|call)\s+(?:it|that)\s+|(?:it|that)(?:['’]?s|\s+(?:is|was|should\s+(?:be|say|have\s+been)))\s+)(?<now>[^,;.?!]{3,60})(?:[,;.]\s[^?]*)?$/iu;
const MAX_NEW_WORDS = 5;

/** "Make that 3 weeks": another number of a unit. */
const SAYS_AMOUNT =
  /^(?:make|call|change)\s+(?:it|that)\s+(?:to\s+)?(?<number>\d[\d.,]*)\s?(?<unit>\p{L}{1,10}?)(?<plural>s?)$/iu;

/** Replaces the amount of a unit in the only line that has that unit, or in the one that the last request named. */
function readAmountOfUnit(
  request: string,
  { lines, age, request: last }: Pick<TextSubject, "lines" | "age" | "request">,
): WordChange | undefined {
  const { number, unit, plural } = SAYS_AMOUNT.exec(stripOpening(request))?.groups ?? {};
  if (age > 0 || number === undefined || unit === undefined) return undefined;
  const amount = new RegExp(String.raw`(?<![\p{L}\d.,:/-])\d[\d.,]*\s?${unit}s?(?![\p{L}\d])`, "iu");
  const linesWithAmount = lines.filter((line) => amount.test(line));
  const named = linesWithAmount.filter((line) => countSharedWords(last, line) > 0);
  const [line, ...others] = linesWithAmount.length > 1 ? named : linesWithAmount;
  const find = line === undefined ? undefined : amount.exec(line)?.[0];
  if (line === undefined || find === undefined || others.length > 0) return undefined;
  const text = `${number}${/\d\s/u.test(find) ? " " : ""}${unit}${plural ?? ""}`;
  return text === find ? undefined : { line, find, text };
}

/** "Tuesday was 85, I read it upside down" */
const NAMED_VALUE =
  /^(?<name>\p{L}[^,;.?]{0,40}?)\s+(?:is|was|are|were|costs?)\s+(?:now\s+|actually\s+|only\s+)?(?<value>[€$£]?\d[\d.,]*)(?:[,\s]+(?:i|we|he|she|they|not|now|in\s+fact|after\s+all)\b[^?]*)?$/iu;

/** "Tuesday was 85" replaces the only number of the line "tuesday 58 km". */
function readNumberOfLine(
  request: string,
  { lines, age }: Pick<TextSubject, "lines" | "age">,
): WordChange | undefined {
  if (age > 0 || request.length > MAX_ORDER || GUARDED.test(request)) return undefined;
  const { name, value } = NAMED_VALUE.exec(stripOpening(request))?.groups ?? {};
  if (name === undefined || value === undefined || !areWordsOfLines(name, lines)) return undefined;
  const [line, ...others] = findNamedLines(name, lines);
  const [old, ...otherNumbers] = line?.match(/(?<![\p{L}\d.,:/-])[€$£]?\d[\d.,]*(?![\d.,:/-])/gu) ?? [];
  // "Milk was 1.20" does not correct "2 milk".
  const isBehind = line !== undefined && /^\W*\p{L}/u.test(withoutListMark(line));
  return !isBehind || old === undefined || others.length + otherNumbers.length > 0 || old === value
    ? undefined
    : { line, find: old, text: value };
}

/** "Ballons is balloons" */
const SPELLED =
  /^["“]?(?<old>\p{L}{3,})["”]?\s+(?:is|are|=|→|should\s+be|means)\s+["“]?(?<now>\p{L}{3,})["”]?$/iu;

/** Replaces a word by its correct spelling. */
function readSpelling(request: string, { lines }: Pick<TextSubject, "lines">): WordChange | undefined {
  const { old, now } = SPELLED.exec(stripOpening(request))?.groups ?? {};
  if (old === undefined || now === undefined || !isTypo(old.toLowerCase(), now.toLowerCase()))
    return undefined;
  const pattern = wordPattern(old);
  const [line, ...others] = lines.filter((candidate) => pattern.test(candidate));
  const find = line === undefined ? undefined : pattern.exec(line)?.[0];
  return line === undefined || find === undefined || others.length > 0
    ? undefined
    : { line, find, text: now };
}

/** Values by their form: a day, a time of day, another amount. */
const VALUE_FORMS: readonly RegExp[] = [
  /\b(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./](?:\d{2,4})?)/gu,
  /\b\d{1,2}[:.]\d{2}(?:\s?[ap]m)?\b|\b\d{1,2}\s?[ap]m\b/giu,
  /(?<![\p{L}\d.,:/-])[€$£]?\d[\d.,]*\d(?![\d.,:/-])|(?<![\p{L}\d.,:/-])[€$£]?\d(?![\d.,:/-])/gu,
];
const SAYS_VALUE =
  /^(?:[^?]{0,40}?\b(?:wrong|mistake)\b[,;.]?\s+)?(?:i\s+mea?nt?\s+|(?:make|call)\s+(?:it|that)\s+|(?:it|that)\s+(?:was|should\s+(?:be|say|have\s+been))\s+|(?<only>(?:it|that)(?:['’]?s|\s+is))\s+)(?<now>\S+(?:\s?[ap]m)?)(?:\s+(?:now|instead|actually))?$/iu;
const CORRECTS = /^\W*(?:no|nope|nah|naw|actually|sorry|wait|oops|wrong)\b|\b(?:wrong|mistake|actually)\b/iu;

/** "The day was wrong, it should be 2026-11-27" replaces the only day in the line that was just written. */
function readValueForNewestLine(
  request: string,
  { lines: [newest], age, isChanged }: Pick<TextSubject, "lines" | "age" | "isChanged">,
): WordChange | undefined {
  if (age > 0 || !isChanged || newest === undefined || request.length > MAX_ORDER) return undefined;
  const { now, only: isOnlySaid } = SAYS_VALUE.exec(stripOpening(request))?.groups ?? {};
  // "It's 5 now" may be the time.
  if (isOnlySaid !== undefined && !CORRECTS.test(request)) return undefined;
  const form = now === undefined ? undefined : VALUE_FORMS.find((pattern) => now.match(pattern)?.[0] === now);
  const [only, ...others] = form === undefined ? [] : (newest.match(form) ?? []);
  return now === undefined || only === undefined || others.length > 0 || only === now
    ? undefined
    : { line: newest, find: only, text: now };
}

/** "Room 31" after "room 30 locked out" replaces the one word that differs in the line that was just written. */
function readWordForNewestLine(
  request: string,
  { lines: [newest], age, isChanged }: Pick<TextSubject, "lines" | "age" | "isChanged">,
): WordChange | undefined {
  if (age > 0 || !isChanged || newest === undefined || request.length > MAX_ORDER || GUARDED.test(request))
    return undefined;
  const order = stripOpening(request);
  const now =
    SAYS_NEW.exec(order)?.groups?.["now"] ??
    (CORRECTS.test(request) && !OPINION.test(order) ? order : undefined);
  const newWords = now === undefined ? [] : stripArticleAndQuotes(now.replace(ADVERB_LAST, "")).split(/\s+/u);
  if (newWords.length < 2 || newWords.length > MAX_NEW_WORDS) return undefined;
  const change = findDifferingWords(newest, newWords);
  return change && { line: newest, ...change };
}

/** Finds the words of a line that differ from these words in one word: "room 30" for "room 31". Undefined for none or several. */
function findDifferingWords(
  line: string,
  words: readonly string[],
): { find: string; text: string } | undefined {
  const written = withoutListMark(line).split(/\s+/u);
  const plain = (word: string): string => word.toLowerCase().replace(/[.,;:!?]+$/u, "");
  const isSame = (word: string, other: string): boolean => plain(word) === plain(other);
  const matches = written.flatMap((_, at) => {
    const lineWords = written.slice(at, at + words.length);
    if (lineWords.length < words.length) return [];
    const other = lineWords.flatMap((word, index) => (isSame(word, words[index] ?? "") ? [] : [index]));
    const [index, ...more] = other;
    // "It's Friday today" does not correct "Friday at the pier".
    const isContent = [lineWords, words].every(
      (wordList) => index !== undefined && !FUNCTION_WORDS.has(wordList[index]?.toLowerCase() ?? ""),
    );
    const find = lineWords.join(" ").replace(/[.,;:!?]+$/u, "");
    return isContent && more.length === 0 ? [{ find, text: words.join(" ") }] : [];
  });
  const [only, ...others] = matches;
  return others.length > 0 ? undefined : only;
}

/** Finds the longest end of these words that is in a line: "vanilla" of "does not like vanilla". */
function findWordsOfLine(words: string, lines: readonly string[]): string | undefined {
  const parts = words.trim().split(/\s+/u);
  for (let from = 0; from < parts.length; from++) {
    const end = parts.slice(from).join(" ");
    if (FUNCTION_WORDS.has(end.toLowerCase())) return undefined;
    if (lines.some((line) => wordPattern(end).test(line))) return end;
  }
  // "The toys were wrong": what the line is called stands first.
  const start =
    /^(?:the\s+|my\s+|our\s+)?(?<name>\S.*?)\s+(?:is|are|was|were|isn['’]?t|aren['’]?t)\s+(?:all\s+|quite\s+)?(?:wrong|incorrect|mistaken|a\s+mistake|right|correct|true|too\s)/iu.exec(
      words,
    )?.groups?.["name"];
  return start !== undefined && lines.some((line) => wordPattern(start).test(line)) ? start : undefined;
}

/** Words that go before the new words in a correction. */
const BEFORE_NEW =
  /^(?:(?:it|that|this|he|she|they)(?:['’]?s|\s+(?:is|was|are|were|should\s+be))?\s+|(?:i\s+mea?nt?|i\s+(?:want|need)|we\s+(?:want|need|have|take)|put|use|make(?:\s+(?:it|that))?|have|take|get|write|say|buy)\s+)+/iu;
const ADVERB_LAST = /\s+(?:now|today|instead|then|actually|really|after\s+all)$/iu;
const ARTICLE = /^(?:the|an?|some|my|our)\s+/iu;

const stripArticleAndQuotes = (words: string): string =>
  words
    .trim()
    .replace(ARTICLE, "")
    .replaceAll(/^["“']|["”']$/gu, "");

/** Kinds of words that a correction replaces by a word of the same kind: a number, a day, a month. */
const KINDS: readonly ((word: string) => boolean)[] = [
  (word) => /^[€$£]?\d[\d.,:]*$/u.test(word) || isNumber(word),
  (word) =>
    /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|satur|sat|sun)(?:day)?$|^(?:today|tomorrow|tonight)$/iu.test(
      word,
    ),
  (word) =>
    /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/iu.test(
      word,
    ),
];
const isName = (word: string): boolean => /^\p{Lu}/u.test(word);

/**
 * Finds the words of a sentence that replace words of a line: "Saturday" in "the pastor comes Saturday" replaces "Friday". Undefined if the
 * sentence may be about something else: "Bob came, not Ann" does not correct "bread for Ann".
 */
export function findReplacementWords(sentence: string, old: string, line: string): string | undefined {
  // "Three o'clock" replaces "noon" as one word.
  const words = stripArticleAndQuotes(sentence.trim().replace(BEFORE_NEW, "").replace(ADVERB_LAST, "")).split(
    /\s+(?!o['’]?clock\b)/iu,
  );
  const oldWords = old.split(/\s+/u);
  const lineStems = new Set(plainWords(line.replace(wordPattern(old), " ")).map(stem));
  const isKnown = (word: string): boolean => lineStems.has(stem(word.toLowerCase().replace(/['’]s$/u, "")));
  const contents = words.filter((word) => !FUNCTION_WORDS.has(word.toLowerCase()));
  const isAboutLine = contents.some(isKnown);
  if (!isAboutLine && (contents.length < words.length || words.length > oldWords.length)) return undefined;
  const kind = KINDS.find((isOfKind) => isOfKind(old));
  if (kind !== undefined) return words.findLast(kind);
  const newContents = contents.filter((word) => !isKnown(word));
  const [misspelt] = newContents.filter((word) => isTypo(word.toLowerCase(), old.toLowerCase()));
  if (misspelt !== undefined && oldWords.length === 1) return misspelt;
  if (!isAboutLine) return words.join(" ");
  const names = isName(old) ? newContents.filter(isName) : [];
  const [first, ...others] = names.length > 0 ? names : newContents;
  if (first === undefined) return undefined;
  const replacement = words.slice(words.indexOf(first), words.lastIndexOf(others.at(-1) ?? first) + 1);
  return names.length > 0 || replacement.length <= oldWords.length ? replacement.join(" ") : undefined;
}

/** Replaces words in the one line that has them; of several, in the one that the rest of the sentence names, or in the newest. */
function locateChange(
  { lines, age, isChanged }: Pick<TextSubject, "lines" | "age" | "isChanged">,
  { old, now, sentence }: { old: string; now: string; sentence: string },
): WordChange | undefined {
  const pattern = wordPattern(old);
  const linesWithOld = lines.filter((line) => pattern.test(line));
  const named = linesWithOld.filter((line) => countSharedWords(sentence.replace(old, " "), line) > 0);
  const [newest] = lines;
  const isNewest = age === 0 && isChanged && newest !== undefined && linesWithOld.includes(newest);
  const line =
    linesWithOld.length === 1
      ? linesWithOld[0]
      : named.length === 1
        ? named[0]
        : isNewest
          ? newest
          : undefined;
  const find = line === undefined ? undefined : pattern.exec(line)?.[0];
  if (line === undefined || find === undefined || now === "" || now.toLowerCase() === old.toLowerCase())
    return undefined;
  // "9 g" replaces "12 g" of "12 g salt".
  if (AMOUNT.test(now) && AMOUNT.test(find)) {
    const amount = find.split(/\s+/u).slice(0, now.split(/\s+/u).length).join(" ");
    return { line, find: amount, text: now };
  }
  // "Change gifts to 500": the amount after the name, and not the name.
  const amount = AMOUNT.test(now) && !NUMBER.test(old) ? findValueInLine(line, old, now) : undefined;
  return { line, find, text: now, ...amount };
}

const AMOUNT = /^[€$£]?\d/u;
const NUMBER = /^[€$£]?\d[\d.,]*$/u;
const isNumber = (word: string): boolean => NUMBER.test(word) || (numberInWords(word) ?? 0) > 0;
/** "Make the chains 12", "put the tubes at 5": an order, since "12 chains" alone may be a new item. */
const SETS =
  /^(?:make|put|set|change|need|get|let['’]?s\s+(?:have|say|make)|(?:i|we)\s+(?:need|want))\s+(?:that\s+|it\s+)?/iu;

/** "Make the chains 12" sets the number of an item, or puts one before it. */
function readItemAmount(order: string, text: TextSubject, state: PlanState): Resolution | undefined {
  if (!text.isList || !SETS.test(order)) return undefined;
  const words = order
    .replace(SETS, "")
    .split(/\s+/u)
    .filter((word) => !FUNCTION_WORDS.has(word.toLowerCase()) || isNumber(word));
  const numbers = words.filter(isNumber);
  const [number, ...others] = numbers;
  const names = words.filter((word) => !isNumber(word));
  if (number === undefined || others.length > 0 || names.length === 0) return undefined;
  const lines = text.lines.filter((line) => countSharedWords(names.join(" "), line) === names.length);
  const [line, ...more] = [...new Set(lines.map(withoutListMark))];
  if (line === undefined || more.length > 0) return undefined;
  const [old, ...otherNumbers] = line.split(/\s+/u).filter(isNumber);
  if (otherNumbers.length > 0 || old === number) return undefined;
  // "Make it two trowels" replaces the whole item "a trowel".
  const newItem = ARTICLE.test(line) ? words.join(" ") : `${number} ${line}`;
  return old === undefined
    ? editText(text.path, { action: "replace", line, find: line, text: newItem }, state)
    : editText(text.path, { action: "replace", line, find: old, text: number }, state);
}
