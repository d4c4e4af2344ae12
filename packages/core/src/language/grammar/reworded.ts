import { inPlainWords } from "./plain-words.ts";
import { oneOf } from "../../text/patterns.ts";
import { PATH } from "../tokens/reorder.ts";
import { outsideQuotations } from "../tokens/rewritable-text.ts";
import { pricedAmounts } from "./priced-amounts.ts";

/**
 * Requests in roundabout words, put into plain ones: a wish ("it would be a help to have …"), a verb with the noun of the
 * act ("do a copy of a.md"), an indirect question ("any idea where …"). Every word about the act, its object and its values
 * stays; what is left out only says how the person asks.
 */

/** A request in plain words. */
export interface Rewording {
  text: string;
  /** True if words were left out that could limit a change, so that only a request that reads may be worded so. */
  onlyReads: boolean;
}

const INTERJECTIONS = oneOf(
  "ugh|argh|gah|oof|phew|whew|damn|dang|darn|crap|gosh|blimey|right|righto|alright|okay|ok|well|so|hey|yo|hi|hello",
  "oh|ah|aha|hm+|um|uh|er|btw|fyi|psst|mate|man|dude|bro|guys|quick one|lol",
);
/** Interjections before a request. */
const INTERJECTION = new RegExp(String.raw`^(?:${INTERJECTIONS}(?:[\s,.!:…–-]+))+(?=\S)`, "iu");

const ADVERB = String.raw`(?:(?:please|kindly|really|very much|much|also|just|now|then|so|very|most|quite|perhaps|possibly|maybe|still|actually|be able to|today|rather)\s+)*`;
const I = String.raw`(?:i|we)`;
const YOU_DO = String.raw`(?:if you (?:would|could|can|will|might)|(?:for )?you to|that you(?: would| could| should| can| will)?|you(?: would| could)?)`;
/** Frames before an order. None of them denies, doubts or puts off what follows. */
const FRAMES: readonly RegExp[] = [
  // "I should like to", "I would need that you", "we want you to"
  String.raw`${I}(?:['’]d| (?:should|would|do|shall|will))? ${ADVERB}(?:like|love|want|wish|need|prefer)(?: (?:it|very much))? (?:to (?:have you |ask you to |see (?=\p{L}+ed\b))?|${YOU_DO} )`,
  // "I should be obliged if you would", "I'd be so grateful for you to"
  String.raw`${I}(?:['’]d| (?:should|would|shall|will)) ${ADVERB}(?:be|feel|appreciate)(?: it)? ${ADVERB}(?:obliged|grateful|glad|happy|pleased|delighted|thankful|indebted)?\s*${YOU_DO} `,
  // "It would be a great help to", "it'd be good if you could"
  String.raw`(?:it|that)(?:['’]d| (?:would|might|could))(?: ${ADVERB})? be (?:(?:an?|of|so|very|really|most|such|great|big|huge|real|good|much)\s+)*(?:help|helpful|nice|good|great|lovely|kind|useful|handy|wonderful|brilliant|cool|fine|best|better|ideal|perfect|service|relief|favou?r|kindness)(?: of you)? (?:to |${YOU_DO} )`,
  // "Would it be too much trouble to", "is it possible for you to"
  String.raw`(?:would|could|might|will|is) it (?:be )?(?:possible|ok|okay|alright|all right|fine|too much(?: (?:trouble|bother|work|to ask))?|any trouble|much trouble|a (?:bother|problem|nuisance)|an? imposition)(?: for you)? (?:to |${YOU_DO} )`,
  // "Be a dear and", "do me a favour and"
  String.raw`(?:would you )?be (?:an? |so |my |the )*(?:absolute |total |real )?(?:\p{L}+)(?: (?:enough|one))? (?:and|as to|to) `,
  String.raw`(?:would you |could you |can you )?do (?:me|us) (?:an?|the|one|this|another) (?:(?:big|huge|small|little|quick|tiny)\s+)?(?:favou?r|kindness|solid|service)(?: and|[,:.–-]+(?: and)?)? `,
  // "You must", "you ought to", "might you"
  String.raw`you(?:['’]ll)? (?:must|should|shall|can|may|could|need to|have to|ought to|will(?: have to)?) ${ADVERB}(?!not\b|never\b)`,
  String.raw`(?:might|may|shall|will|could|can|would) you ${ADVERB}(?!not\b|never\b)`,
  String.raw`(?:how about|what about) (?:you|we|if you) `,
  String.raw`(?:why not|why don['’]?t you|why do not you) `,
  String.raw`(?:please |kindly )?(?:see to it|make sure|take care|ensure|arrange) that you `,
  String.raw`(?:please|kindly|pls|plz),? (?=\p{L})`,
  // "You make me one task", without a modal verb
  String.raw`you (?:please )?(?=(?:make|create|add|write|put|read|show|open|delete|move|copy|remember|note|list|find|mark)\b)`,
  String.raw`(?:it is|it['’]s) (?:very |really |quite )?(?:important|essential|necessary|crucial|vital) (?:that|for) you (?:to )?`,
  String.raw`do(?=,? (?:please )?(?:tell|show|give|let|read|open|add|remember|make|put|remind)\b),? (?:please )?`,
  String.raw`(?:tell|show|say to) (?:me|us)[,:] `,
].map((source) => new RegExp(`^${source}`, "iu"));
const MAX_FRAMES = 4;

/** Words of the other person's doubt: "or is that dangerous?", "should I?". */
const DOUBTS = new RegExp(
  [
    String.raw`\bor (?:is|are|would|should|not|maybe|rather)\b`,
    String.raw`\b(?:not|never|nobody|cannot|unless|dangerous|sure|whether to)\b|n['’]t\b`,
  ].join("|"),
  "iu",
);

const QUESTION_WORD = String.raw`(?:what|which|who|whose|whom|when|where|why|how|whether|if|in which|on which|at what)`;
/** Words around an indirect question, about knowing, telling and asking. */
const KNOWING = String.raw`(?:any|an|a|the|some|no|idea|clue|thought|thoughts|chance|you|i|we|me|us|do|does|did|would|could|can|might|may|will|shall|should|am|was|were|is|are|have|had|to|of|about|on|in|out|for|it|please|kindly|just|only|still|ever|perhaps|possibly|happen|quite|really|know|knows|knew|tell|say|wonder|wondering|wondered|recall|recalling|remember|remind|find|check|see|look|ask|asking|curious|interested|interest|trying|like|love|want|need|wish|sure|forgot|forget|forgotten|again|always|that|curiosity|show|give|let|explain|be|able|good|dear|as|so)`;
/** One of these makes the words before the question those of a person who asks. */
const ASKING = String.raw`(?:idea|clue|know|knows|tell|say|wonder|wondering|wondered|recall|remember|remind|find|check|see|ask|asking|curious|interested|sure|forgot|forget|forgotten|curiosity)`;
/** "I was wondering whether …", "any idea where …", "might you recall where …". */
const INDIRECT = new RegExp(
  String.raw`^(?!(?:remember|know|find out|find|check|see|look|ask|show|explain)\b)(?=(?:${KNOWING}[\s,]+)*?${ASKING}[\s,])(?:${KNOWING}[\s,]+){1,8}?(?<asked>${QUESTION_WORD}\b(?!.*\band (?:then )?(?:make|add|create|write|put|delete|remove|move|copy|mark|set|send|save)\b).+?)[\s?.!]*$`,
  "isu",
);
/** "… whether the word x appears in a.md" */
const WHETHER = /^(?:whether|if)\s+(?<rest>.+)$/isu;
const APPEARS_WORDS = oneOf(
  "appears?|occurs?|is (?:mentioned|written|there|listed)|comes? up|stands?|shows? up|is anywhere",
);
const APPEARS = new RegExp(
  String.raw`^(?<word>.+?)\s+${APPEARS_WORDS}(?:\s+(?:anywhere|somewhere|at all))*\s+(?:in|inside|on)\s+(?<path>${PATH})$`,
  "isu",
);

/** "Freezer 2 alarm threshold, what was that?" */
const THING_ASKED =
  /^(?<thing>[^,;.:!?]{3,60}),\s+what (?<is>is|was|are|were) (?:it|that|they|this)(?: again)?[\s?.!]*$/iu;

/** What a noun of an act orders, and whether its object keeps a preposition. */
const ACTS: readonly (readonly [nouns: string, verb: string])[] = [
  ["copy|duplicate|back-?up(?: copy)?", "copy"],
  [
    "summary|digest|resume|résumé|résumè|précis|precis|synopsis|abstract|gist|outline|run-?down|recap|short version|condensed version",
    "summarize",
  ],
  ["look|glance|peek|peep|view|sight|viewing", "read"],
  ["reading", "read"],
  ["deletion|removal", "delete"],
  ["search|hunt|rummage|dig|scan", "search for"],
  ["list|listing|overview", "list"],
  ["count|tally", "count"],
];
const GIVING = String.raw`(?:(?:let me |let us )?(?:have|get|see)|do|make|give|take|place|put|create|write|prepare|produce|provide|run|need|want|fetch|draw up|(?:i|we)(?:['’]d| would)? (?:like|need|want|love))`;
const SIZE = String.raw`(?:(?:quick|short|brief|little|small|new|good|close|fresh|complete|full|rough|simple|concise)\s+)*`;
const NOUN_ACTS = ACTS.map(([nouns, verb]) => ({
  verb,
  pattern: new RegExp(
    String.raw`^${GIVING}\s+(?:(?:me|us|please|kindly)\s+)*(?:(?:an?|one|the|another|some)\s+)?${SIZE}(?:${nouns})\s+(?:(?:of|from|for|at|in|into|on|through)\s+(?:(?:everything|all|the contents) (?:of|in) )?)(?<object>\S.*)$`,
    "isu",
  ),
  wanted: new RegExp(
    String.raw`^(?:an?|the|some)\s+${SIZE}(?:${nouns})\s+(?:of|from|for|at|in)\s+(?<object>\S.*?)\s+(?:would|might|could)\s+be\s+(?:\p{L}+ly )?(?:\p{L}+)[\s.!]*$`,
    "isu",
  ),
}));
const IN_SHORT_WORDS = oneOf(
  "in (?:short|brief|a few words|a nutshell|one go|plain words)|briefly|shortly|roughly|for me",
  "with the name|under the name",
);
/** How something is told, which changes nothing about what is told. */
const IN_SHORT = new RegExp(String.raw`[\s,]+${IN_SHORT_WORDS}(?=[\s.?!]*$)`, "iu");
const COPY_PLACE = new RegExp(
  String.raw`^(?<file>(?:the )?(?:file )?${PATH})\s+(?:with|under|by|using|having) the name(?: of)?\s+(?<to>${PATH})$|^(?<source>(?:the )?(?:file )?${PATH})\s+(?:in|into|to|inside|under)\s+(?<folder>(?:the )?(?:folder |directory )?\S+)$`,
  "iu",
);

const OUGHT_WORDS = oneOf(
  "ought to|has to|have to|needs to|need to|must|is (?:meant|supposed|bound) to",
  "was (?:meant|supposed) to|shud|shld",
);
/** "ought to be", "has to read", "shud be": what a text, a setting or a task should be. */
const OUGHT = new RegExp(
  String.raw`\b${OUGHT_WORDS}(?= (?:be|read|say|become|have|also (?:say|read|have|contain)|go (?:up|down))\b)`,
  "giu",
);
const STATES_VALUE = String.raw`should (?:be|read|say|become)(?: (?:instead|rather))?`;
const WORDS_FOR =
  "(?:the )?(?:(?:reference|mention|word|words|name|phrase|text|bit|part|entry|line)(?: (?:to|of|about))? )?";
/** "In a.md the reference to X should read Y" */
const WRONG_IN = new RegExp(
  String.raw`^in (?:the file )?(?<path>${PATH}),? ${WORDS_FOR}(?<old>.+?) ${STATES_VALUE} (?<now>.+?)[\s.!]*$`,
  "isu",
);
/** "I have written X where it should be Y in a.md, would you put that right" */
const WRITTEN_WRONG = new RegExp(
  String.raw`^(?:${I}(?:['’]ve| have)? (?:written|wrote|put|typed|spelled|spelt|entered|got)|it says|there is|there['’]s) (?<old>.+?) (?:where|but|when|instead of what|and) (?:it|that) ${STATES_VALUE} (?<now>.+?) in (?<path>${PATH})(?:[,;.]? .*\b(?:right|correct|fix|change|mend|that|it)\b.*)?[\s.?!]*$`,
  "isu",
);
/** "Cutlist says x4, should be x8. cutlist.txt" */
const SAYS_WRONG = new RegExp(
  String.raw`^(?:\S+ ){0,3}says (?<old>[^,;]+?)[,;]? (?:but )?(?:it )?${STATES_VALUE} (?<now>[^,;]+?)[.,;]? (?:in |file )?(?<path>${PATH})[\s.]*$`,
  "iu",
);
/** "a.md should also say that …" */
const SHOULD_SAY = new RegExp(
  String.raw`^(?:the file )?(?<path>${PATH}) should also (?:say|read|have|contain|mention|list)(?: that| the line| a line saying)? (?<text>.+?)[\s.!]*$`,
  "isu",
);
/** "The priority of X should go up to high" */
const SHOULD_GO = /^(?<what>the \S+ of .+?) should go (?:up |down )?to (?<value>\S+)[\s.!]*$/iu;
/** "The file a.md belongs in docs" */
const BELONGS = new RegExp(
  String.raw`^(?:(?:the|this|that) )?(?:file )?(?<path>${PATH}) (?:belongs|should (?:be|go)|goes|wants to be|lives|is at home) (?:in|into|to|under|inside) (?<folder>(?:the )?(?:folder )?[\p{L}\p{N}_/-]+)(?: (?:folder|instead|really|please))*[\s.!]*$`,
  "iu",
);

const SOFT_WORDS = oneOf(
  "even|currently|at present|at the moment|presently|nowadays|these days|exactly|actually|only|still",
  "at all|really|ever|as of now|so far|altogether|in total|again|anyway|right now|today's|then",
  "precisely",
);
/** Words of a question or a look that limit nothing when they are left out. */
const SOFT = new RegExp(String.raw`[\s,]+${SOFT_WORDS}(?=[\s.?!,]|$)`, "giu");
const LOOKS =
  /^(?:what|which|who|whose|when|where|how|is|are|do|does|did|has|have|any|anything|show|list|give|tell|read|let|get)\b/iu;

/** "Add milk to a.txt and wipes as well and oh also bananas": more things for the same list. */
const MORE_THINGS = new RegExp(
  String.raw`^(?<order>add|put|append) (?<first>[^,\uE000]{2,40}?) (?<place>(?:to|on|in|onto) (?:the file )?${PATH})(?<more>(?:,? and (?:oh )?(?:also )?(?!(?:then|also|show|read|list|tell|delete|remove|mark|create|make|copy|move|rename)\b)\p{L}+(?: \p{L}+){0,2}?(?: (?:as well|too|also))?)+)[\s.!]*$`,
  "iu",
);

function withMoreThings(text: string): string {
  const { order, first, place, more } = MORE_THINGS.exec(text)?.groups ?? {};
  if (order === undefined || first === undefined || place === undefined || more === undefined) return text;
  const things = more
    .split(/,? and (?:oh )?(?:also )?/iu)
    .map((thing) => thing.replace(/ (?:as well|too|also)$/iu, "").trim())
    .filter((thing) => thing !== "");
  return `${order} ${[first, ...things.slice(0, -1)].join(", ")} and ${things.at(-1) ?? ""} ${place}`;
}

function withoutFrames(request: string): string {
  let text = request;
  for (let count = 0; count < MAX_FRAMES; count++) {
    const frame = FRAMES.find((pattern) => pattern.test(text));
    if (frame === undefined) break;
    const rest = text.replace(frame, "");
    if (rest.trim() === "") break;
    text = rest;
  }
  return text;
}

function withPlainVerb(request: string): string {
  const text = request.replace(IN_SHORT, "");
  for (const { verb, pattern, wanted } of NOUN_ACTS) {
    const object = (pattern.exec(text) ?? wanted.exec(text))?.groups?.["object"];
    if (object === undefined) continue;
    const { file, to, source, folder } =
      verb === "copy" ? (COPY_PLACE.exec(object.replace(/[\s.?!]+$/u, ""))?.groups ?? {}) : {};
    if (file !== undefined && to !== undefined) return `copy ${file} to ${to}`;
    if (source !== undefined && folder !== undefined) return `copy ${source} to ${folder}`;
    return `${verb} ${object}`;
  }
  return text;
}

/** "whether the word x appears in a.md" as "does a.md mention the word x?". */
function rewriteWhether(asked: string): string {
  const rest = WHETHER.exec(asked)?.groups?.["rest"];
  if (rest === undefined) return `${asked}?`;
  const { word, path } = APPEARS.exec(rest)?.groups ?? {};
  return word === undefined || path === undefined ? `${asked}?` : `does ${path} mention ${word}?`;
}

/** The order that a statement about what should be implies. */
function ordersImpliedBy(text: string): string[] {
  const wrong = (WRONG_IN.exec(text) ?? WRITTEN_WRONG.exec(text) ?? SAYS_WRONG.exec(text))?.groups;
  if (wrong !== undefined)
    return [`replace ${asWords(wrong["old"])} with ${asWords(wrong["now"])} in ${wrong["path"] ?? ""}`];
  const added = SHOULD_SAY.exec(text)?.groups;
  if (added !== undefined) return [`append ${asWords(added["text"])} to ${added["path"] ?? ""}`];
  const gone = SHOULD_GO.exec(text)?.groups;
  if (gone !== undefined) return [`set ${gone["what"] ?? ""} to ${gone["value"] ?? ""}`];
  const placed = BELONGS.exec(text)?.groups;
  if (placed !== undefined) return [`move ${placed["path"] ?? ""} to ${placed["folder"] ?? ""}`];
  return [];
}

const asWords = (words = ""): string =>
  /["“”\uE000]/u.test(words) || words === "" ? words : `"${words.trim()}"`;

/** A request without the sounds and words before it: "ugh, …". */
export const withoutInterjection = (request: string): string => request.replace(INTERJECTION, "");

/** The request in plain words, the most likely first; none if it is in plain words already. */
export function rewordings(request: string): Rewording[] {
  const found: Rewording[] = [];
  const add = (text: string, onlyReads: boolean): void => {
    const trimmed = text.trim();
    if (trimmed === "" || trimmed === request.trim() || found.some((other) => other.text === trimmed)) return;
    found.push({ text: trimmed, onlyReads });
  };
  outsideQuotations(request, (masked, unmask) => {
    const text = withoutInterjection(masked.trim());
    const isDoubtful = DOUBTS.test(text.replace(/:\s.*$/su, ""));
    const plain = withMoreThings(inPlainWords(withPlainVerb(withoutFrames(inPlainWords(text))))).replace(
      OUGHT,
      "should",
    );
    for (const order of ordersImpliedBy(plain)) if (!isDoubtful) add(unmask(order), false);
    // "Would it be possible to …?" asks as an order does.
    const isOrder = plain !== text && !LOOKS.test(plain);
    add(unmask(isOrder ? plain.replace(/\s*\?[\s.!?]*$/u, "") : plain), isDoubtful);
    const { thing, is } = THING_ASKED.exec(text)?.groups ?? {};
    if (thing !== undefined && is !== undefined) add(unmask(`what ${is} ${thing}?`), true);
    const asked = INDIRECT.exec(text)?.groups?.["asked"];
    if (asked !== undefined) add(unmask(rewriteWhether(asked)), true);
    const expression = pricedAmounts(plain);
    if (expression !== undefined) add(`calculate ${expression}`, true);
    const looked = asked === undefined ? plain : rewriteWhether(asked);
    if (LOOKS.test(looked)) add(unmask(looked.replace(SOFT, "")), true);
    return masked;
  });
  return found;
}
