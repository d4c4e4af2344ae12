import { oneOf } from "@metahuman/core/text/patterns";
import { NOT_OLD } from "@metahuman/core/language/tokens/contrast";
import { withoutTrailing } from "@metahuman/core/text/words";
import { wordSet } from "@metahuman/core/language/tokens/words";
import { MAX_ORDER } from "./limits.ts";
import { readForms } from "./form-table.ts";
import {
  anyOf,
  ASKS,
  ASKS_IF,
  ASKS_TO,
  CHANGE_VERBS,
  CONDITIONS,
  NOT,
  SEVERAL,
  SHALL_I,
  THING,
} from "../word-lists.ts";

// Reads a short request as a verb with its object and value: "take the eggs off" is `remove` with "the eggs", "and espresso to 1.20"
// is `set` with "espresso" and "1.20". It does not look at the conversation: what the words mean there is decided by the readers of
// texts, tables, tasks and files. Also strips the words that ask for nothing.

/** What a short order does with a subject of the conversation. */
const VERBS = [
  "add",
  "remove",
  "set",
  "done",
  "show",
  "count",
  "where",
  "when",
  "undo",
  "copy",
  "move",
  "rename",
] as const;
export type OrderVerb = (typeof VERBS)[number];

export interface ShortOrder {
  verb: OrderVerb;
  /** The words for what it is about, as written; empty if none are said. */
  what: string;
  /** The new value, name or place. */
  value?: string;
  /** The order has no verb: "and butter", "and espresso to 1.20". */
  isBare?: boolean;
  /** A statement next to the order, which may say what a pronoun means: "Nils has left, remove him". */
  context?: string;
}

/** Words for something that was mentioned before. */
export const PRONOUN = new RegExp(
  [
    String.raw`^(?:(?:all\s+of\s+)?(?:it|that|this|them|those|these|him|her|he|she|they|both|everything)(?:\s+(?:one|task|reminder|row|line|entry))?`,
    String.raw`(?:the|that|this)\s+(?:one|task|reminder|row|line|entry|item|value|day|date|time)`,
    "task|reminder|)$",
  ].join("|"),
  "iu",
);

/** "It" and "them" name no file. */
export const isPronoun = (words: string): boolean => IS_PRONOUN.test(words);
const IS_PRONOUN = new RegExp(`^(?:${THING}|${SEVERAL})$`, "iu");

const IS_WRONG = String.raw`(?:wrong|not\s+(?:right|true|correct|what\s+i\s+(?:meant|said|asked(?:\s+for)?|wanted)))`;
const SAYS_WRONG = oneOf(
  String.raw`(?:that|this|it)(?:['’]s|s|\s+is|\s+was)\s+${IS_WRONG}`,
  String.raw`i\s+(?:was|got\s+(?:it|that))\s+wrong`,
  String.raw`my\s+(?:mistake|bad)`,
  String.raw`you\s+got\s+(?:it|that)\s+wrong`,
  "wrong",
);
/** Complaints before a correction. */
const COMPLAINT = String.raw`(?:no[,.!]?\s+)?${SAYS_WRONG}`;
const INTERJECTIONS = oneOf(
  "u+h*m+|u+h+|e+r+m*|h+m+|o+h+|a+h+|h+e+y+|h+i+|hello|yo|and|also|ok|okay|o?k+|so+|then|now|well|al+right",
  String.raw`lovely|brilliant|ta|cheers|hmm+|lol|haha|but|please|pls|plz|kindly|sorry|(?:excuse|pardon)\s+me`,
  String.raw`by\s+the\s+way|btw|no|nope|nah|naw|actually|good|great|perfect|fine|right|yes|ugh+|hang\s+on`,
  String.raw`hold\s+on|plus|wait|oops|thanks|thx|additionally|aye|yeah`,
  String.raw`(?:two|three|a\s+couple\s+of|a\s+few)\s+(?:more\s+)?things`,
);
const OPENERS = new RegExp(
  String.raw`^(?:(?:${COMPLAINT})\s*[,.!:;-]+\s*|${INTERJECTIONS}(?:[,.!:]+\s*|\s+))+`,
  "iu",
);
const POLITE = new RegExp(
  [
    String.raw`^(?:(?:can|could|would|will)\s+(?:you|u)\s+(?:(?:please|kindly|just|also|maybe|ever|mind)\s+)*`,
    String.raw`(?:i(?:['’]d|\s+would)\s+like\s+(?:you\s+)?to|i\s+want(?:\s+you)?(?:\s+to)?|do(?!\s+(?:you|i|we|they|not)\b))\s+(?=\p{L}+\s)`,
    String.raw`(?:just|kindly|please|also)\s+)+`,
  ].join("|"),
  "iu",
);
const ENDING_WORDS = oneOf(
  "please|pls|thanks|thank you|thx|too|as well|also|now|again|then|for me|for us|after all",
  "if (?:i|you) (?:may|could|can|would)(?: ask)?|altogether|lol|haha|already|instead|anymore|any more",
  "any longer|once more|one more time|unfortunately|sadly|i'm afraid|i am afraid|so far|kindly|first",
  "would you|will you|could you|sorry",
);
const ENDING = new RegExp(
  String.raw`(?:[,\s]+${ENDING_WORDS})+$|\s*,\s*(?:dear|love|pet|hen|son|luv|duck|boss|chief|mate|pal|bud|honey|sweetie|darling|sir|madam|doc)$`,
  "iu",
);

/** A text without the marks at its end. */
const trimMarks = (text: string): string => withoutTrailing(text.trim(), /[\s.!?,;:]/u);

/** The characters at the end in which polite words are looked for: the work for a run of blanks grows with its square. */
const MAX_ENDING = 400;

const stripEnding = (text: string): string =>
  text.slice(0, -MAX_ENDING) + text.slice(-MAX_ENDING).replace(ENDING, "");

/** A request without the words that ask for nothing: openers, polite words, endings. `isJoined` if it began with "and" or "also". */
export function stripFiller(request: string): { text: string; isJoined: boolean } {
  let text = trimMarks(request);
  const isJoined =
    /^(?:\p{L}+[,\s]+)?(?:and|also|plus)\b/iu.test(text) || /\b(?:too|as well|also)$/iu.test(text);
  for (let before = ""; before !== text;) {
    before = text;
    text = trimMarks(stripEnding(text.replace(OPENERS, "").replace(POLITE, "")));
  }
  return { text, isJoined };
}

/** Praise, thanks and greetings. */
const PRAISE = wordSet(
  "lovely brilliant perfect great good nice cool super excellent wonderful fantastic marvellous marvelous grand awesome amazing splendid smashing sweet " +
    "ta cheers thanks thank thx ty hi hello hey hiya morning afternoon evening hope wow phew gem star lifesaver",
);
/** Words that go with them and ask for nothing. */
const WORDS_WITH_PRAISE = wordSet(
  "you so very much many a an the lot again there dear love mate friend day week today ok okay alright ah oh hm hmm well aye bless sir madam that it is was s re are " +
    "having have doing all indeed my this your my all fine everyone to",
);

const GREETS = /\b(?:hi|hello|hey|hiya|morning|afternoon|evening|day|week)\b/iu;

function isPraise(text: string): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return (
    words.some((word) => PRAISE.has(word)) &&
    words.every((word) => PRAISE.has(word) || WORDS_WITH_PRAISE.has(word))
  );
}

/**
 * A request without praise, thanks and greetings in front of it: "Lovely. And on Tuesday to ring the bank". "Thanks" for praise and thanks with
 * nothing else; a greeting stays as it is.
 */
export function stripPraise(request: string): string {
  if (request.length <= MAX_ORDER && isPraise(request)) return GREETS.test(request) ? request : "thanks";
  let rest = request.trim();
  for (;;) {
    const end = rest.slice(0, MAX_ORDER).search(/[.!,;](?=\s)/u);
    const after = rest.slice(end + 1).trim();
    if (end < 0 || !isPraise(rest.slice(0, end)) || !/[\p{L}\p{N}]/u.test(after)) return rest;
    rest = after;
  }
}

/** A pattern for messages that consist of these words. */
export const wholePhrase = (words: string): RegExp => new RegExp(`^(?:${words})$`, "iu");

/** Such a pattern that also allows the words around an order that ask for nothing: "and … too, please". */
export const wholeMessage = (words: string): RegExp =>
  new RegExp(
    String.raw`^(?:(?:and|also|plus|oh|ok|okay|so|then|now|please|pls)[,\s]+)*(?:${words})(?:\s+(?:then|now|too|as well|also|again|in total|altogether|please|pls|thanks))*[\s?.!]*$`,
    "iu",
  );
const PLACE = String.raw`(?:(?:it|that|there|the\s+(?:list|table|file|sheet|note|menu|log|end)|my\s+list))`;
const OFF = String.raw`(?:\s+(?:off|out|away|back\s+out))?(?:\s+(?:from|off|of|out\s+of)\s+${PLACE})?`;
const AMOUNT = String.raw`(?:[€$£]?\d[\d.,]*(?:\s?(?:%|[ap]m|\p{L}{1,6}))?|\p{L}+\s?=\s?\S+)`;
const CHANGE = oneOf(CHANGE_VERBS, "reset|turn|raise|lower|increase|reduce|bump|put|edit|move|push|shift");

/** The orders by their words, tried in this order. After one that adds no further reading, the rest is not tried. */
const ORDERS = readForms(
  String.raw`
  undo: undo(?:\s+(?:that|it|this))?|(?:undo|reverse|revert|take\s+back)\s+(?:the|that|this|my)\s+(?:last\s+)?(?:replacement|correction|change|deletion|removal|addition|edit|update|move|rename|renaming|copy|step|one)
  done: (?<what>(?!it\b|that\b|this\b)\S.*?)(?:\s+(?:is|are|has\s+been|have\s+been)|['’]s)\s+(?:(?:now|already|finally)\s+)?(?:done|finished|completed?|sorted|over)
  show: (?:(?:show|read|see|open|print|display|list)(?:\s+(?:me|us))?(?:\s+out)?\s+|(?:let\s+me|(?:may|can|could)\s+(?:i|we))\s+(?:see|hear|have)\s+)(?<what>it|that|them|(?:the|that|this)\s+(?:list|file|table|whole\s+(?:list|file|thing)|lot))(?:\s+(?:out|back|aloud))?(?:\s+(?:to|for)\s+me)?
  show: (?:what(?:['’]?s|\s+is|\s+are|\s+do\s+(?:i|we)\s+have|\s+have\s+(?:i|we)\s+got|\s+does)?|(?:is\s+there\s+|do\s+(?:i|we)\s+have\s+|got\s+)?anything)\s+(?:(?:there|now|left|still|else|is)\s+){0,3}(?<what>there|(?:on|in)\s+(?:it|there|that|the\s+list|my\s+list)|(?:it|that|the\s+(?:file|list))\s+say)
  show: show\s+me|let\s+me\s+see
  show: who(?:['’]?s|\s+is|\s+are)\s+(?:all\s+)?(?:coming|invited|on\s+(?:it|the\s+list))
  show: what(?:['’]?s|\s+is|\s+do\s+(?:i|we))?\s+(?:still\s+)?(?:missing|left|needed|need|to\s+(?:get|buy)|have\s+to\s+(?:get|buy))(?:\s+(?:on|from)\s+(?:it|the\s+list))?
  show: what(?:['’]?s|\s+is|\s+are)?(?:\s+else)?(?:\s+is)?\s+(?<what>(?:in|inside)\s+(?:that|this|the|the\s+same)\s+folder)
  where: where\s+(?:is|are)\s+(?:that|this|the)\s+(?:file|list|note|table|document|letter)(?:\s+(?:kept|stored|saved|now))?|where\s+(?:(?:did|have)\s+you\s+(?:put|saved?|stored?|written?|placed?|keep|kept|leave|left)\s+(?:it|that)|(?:is|are|['’]s)\s+(?:it|that|they))|where['’]s\s+(?:it|that)
  when: when\s+(?:(?:was|is|are)\s+(?:it|that|this|the\s+(?:appointment|reminder|task|next\s+(?:time|one)))(?:\s+(?:due|the\s+next\s+time))?|(?:it|that)\s+is|do\s+(?:i|we)\s+(?:go|have\s+to\s+(?:go|be\s+there)))|(?:confirm|tell\s+me)\s+the\s+(?:day|date|time)(?:\s+and\s+(?:the\s+)?(?:time|date))?
  count: (?:tell\s+(?:me\s+)?)?(?:how\s+many|the\s+number\s+of)(?:\s+(?<what>\p{L}+?))??(?:\s+(?:is|are|do|does|have|has|got|there|it|that|those|these|they|them|we|i|you|left|now|then|in|on|of|total|all|the|list|table|file|still|to|go|open|remain|sell|know))*
  copy: (?:put|make|keep|save|store|leave)\s+(?:me\s+)?a\s+copy(?:\s+of\s+(?<what>it|that|this))?\s+(?:in|into|to|under|inside)\s+(?:the\s+)?(?<value>[\p{L}\p{N}/_-]+?)/?(?:\s+folder)?
  copy: (?:save|make|keep|store)\s+(?:me\s+)?a\s+copy(?:\s+of\s+(?<what>it|that|this))?\s+(?:as|called|named)\s+(?<value>\S+\.\p{L}\S*)
  copy: (?:copy|duplicate)\s+(?<what>(?:the|that|this|my)\s+\p{L}+|it|that)\s+(?:to|into|as|in)\s+(?<value>\S+)
  rename: (?:rename|call)\s+(?:(?<what>(?:the|that|this|my)\s+(?:new\s+)?\p{L}+|it|that|file|list|note|folder|table)\s+|(?=(?:to|as)\s))(?:to\s+|as\s+)?["“]?(?<value>[\p{L}\p{N}][\p{L}\p{N} ._/-]{0,60}?)["”]?
  move: move\s+(?<what>(?:the|that|this|my)\s+(?!\p{L}+\s+one)\p{L}+|it)\s+(?:to|into|in)\s+(?<value>(?=\S*[/.])\S+)
  show: (?:show|read|open|summari[sz]e)\s+(?<what>(?:the|that|this)\s+\p{L}+)
  remove: (?:take|cross|strike|scratch|tick|check)\s+(?<what>\S.*?)\s+(?:off|out|away)(?:\s+(?:${PLACE}|of\s+${PLACE}|the\s+list))?
  remove: (?:remove|delete|drop|take\s+(?:out|away|off)|get\s+rid\s+of|(?:cross|strike|scratch|tick|check)\s+(?:out|off)|erase|cancel|kick|forget)\s+(?<what>\S.*?)${OFF}
  set: ${CHANGE}\s+(?<what>\S.*?)\s+(?:to|into|as|=)\s+(?<value>\S.*)
  set: (?:make|put|set|change)\s+(?<what>\S.*?)\s+(?<value>${AMOUNT}|yes|no)
  set: make\s+(?<what>(?:the\s+)?\S.*?\s+one|it)\s+(?<value>\S.*)
  set: (?<what>\S.*?)\s+(?:has|have|needs?|must)\s+(?:to\s+)?(?:go|happen|be\s+(?:done|ready|there|in|paid|sent|posted))(?:\s+out)?\s+(?:by|on|before)\s+(?<value>\S.*)
`,
  VERBS,
);

/** Without a verb: only after "and" or "also", or said of something that is named. */
const BARE = readForms(
  String.raw`
  add: (?:another|(?:just\s+)?one\s+more|more\s+one)(?:\s+(?:one|task|reminder|thing))?(?:\s*:|\s+to)?\s+(?<what>\S.*)
  set: (?<what>\S.*?)\s+(?:is|are|was|costs?)\s+(?:now\s+)?(?<value>\S.*?)(?:,?\s+${NOT_OLD}\s+\S.*)?
  set: (?<what>\S.*?)\s+to\s+(?<value>\S.*)
  add: (?<what>\S.*)
`,
  VERBS,
);

/** Words of questions, statements and references: a phrase with them is not an item to add. */
const NO_THING = new RegExp(
  [
    "^(?:then|again)$",
    String.raw`^(?:what|who|whose|how|when|where|why|which|is|are|was|were|do|does|did|can|could|tell|show|list|if|at|in|on|by|for|with|to|from|the\s+(?:same|other|rest|total|sum|average|\p{L}+est))\b`,
    String.raw`\b(?:it|them|then|i|you|he|she|we|they|me|us)\b|\bof\s+(?:it|that|this)\b|\?`,
  ].join("|"),
  "iu",
);

const QUESTION = new RegExp(String.raw`^(?:${ASKS}|${ASKS_IF}|${ASKS_TO})\b`, "iu");

function matchOrders(text: string, isJoined: boolean): ShortOrder[] {
  const orders: ShortOrder[] = [];
  for (const [verb, words] of ORDERS) {
    const match = words.exec(text);
    if (match === null) continue;
    orders.push(createOrder(verb, match.groups));
    // "Make it 2.40", "take the milk off": the words may fit a later form, too, with another object or value.
    if (verb !== "set" && verb !== "remove" && verb !== "rename" && verb !== "count") return orders;
  }
  if (orders.length > 0) return orders;
  const isAsking = QUESTION.test(text);
  return BARE.flatMap(([verb, words]) => {
    const groups = words.exec(text)?.groups;
    if (groups === undefined || isAsking || (verb === "add" && (!isJoined || NO_THING.test(text)))) return [];
    return [{ ...createOrder(verb, groups), isBare: true }];
  });
}

const createOrder = (
  verb: OrderVerb,
  { what = "", value }: Record<string, string | undefined> = {},
): ShortOrder => ({
  verb,
  what: what.trim(),
  ...(value !== undefined && { value: value.trim().replace(IN_TEXT, "") }),
});

/** "… to 20 December in that letter": the place is not part of the new words. */
const IN_TEXT =
  /\s+(?:in|on)\s+(?:it|there|(?:the|that|this|my)\s+(?:letter|file|note|text|list|document|table|sheet|one))$/iu;

/** "The umbrella is old, don't take it off" */
const FORBIDS =
  /(?:^|[,;.!]\s*|\b(?:but|and|so)\s+)(?:(?:please|pls|but|so)\s+)*(?:don['’]?t|do not|never)\s+\p{L}/iu;
/** A clause that denies or limits an order next to it. */
const DENIAL_OR_CONDITION = new RegExp(
  String.raw`^(?:don['’]?t|do not|${NOT})\b|${anyOf(CONDITIONS, "before|except|instead", SHALL_I).source}`,
  "iu",
);
/** "Add: call before you come": the rest is text, which limits nothing. */
const TEXT_AFTER_COLON = /^(?:append|add)\s*:/iu;
const BREAK =
  /(?:[,;.!]|\s[-–—])\s+|\s+(?:so|and)\s+(?=(?:please\s+)?(?:take|remove|delete|drop|cancel|change|set|put|mark|tick|cross|add|enter|note|update|make)\s)/giu;

/**
 * The orders that a short request may be, the likeliest first: its own words, or one clause next to statements that only give the
 * reason. None for a longer text, a condition or a prohibition.
 */
export function readShortOrders(request: string): ShortOrder[] {
  if (request.length > MAX_ORDER || request.includes("\n")) return [];
  const { text, isJoined } = stripFiller(request);
  if (
    text === "" ||
    FORBIDS.test(request) ||
    DENIAL_OR_CONDITION.test(
      (TEXT_AFTER_COLON.test(text) ? "" : text).replace(/^not\s+\S.*?(?:,|\sbut\s|\bone\s)/iu, ""),
    )
  )
    return [];
  const whole = matchOrders(text, isJoined);
  const clauses = trimMarks(request)
    .split(BREAK)
    .map(trimMarks)
    .filter((clause) => clause !== "");
  if (clauses.length < 2 || clauses.length > 3) return whole;
  const ordersOfClauses = clauses.map((clause) => {
    const plain = stripFiller(clause);
    return matchOrders(plain.text, false).filter(({ isBare }) => isBare !== true);
  });
  const orders = ordersOfClauses.flatMap((found, index) => (found.length > 0 ? [{ found, index }] : []));
  const [only, ...others] = orders;
  if (only === undefined) return whole;
  // "Forget it, I'll ring them. Get rid of that reminder" orders the same twice.
  const isSame = others.every(({ found }) => found[0]?.verb === only.found[0]?.verb);
  const areAllPronouns = orders.every(({ found }) => PRONOUN.test(found[0]?.what ?? "-"));
  if (others.length > 0) return isSame && areAllPronouns ? (others.at(-1)?.found ?? []) : whole;
  const context = clauses.filter((_, index) => index !== only.index).join(", ");
  const inClause = only.found.map((found) => ({ ...found, context }));
  return [...inClause, ...whole.filter(({ isBare }) => isBare !== true)];
}
