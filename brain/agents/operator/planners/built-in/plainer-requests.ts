import { oneOf } from "@metahuman/core/text/patterns";
import { correctSpelling } from "@metahuman/core/language/tokens/spelling";
import type { PlannerDecision, PlanState } from "../../planner.ts";
import { ASK_SKILL } from "./follow.ts";
import { isStuck, withReading } from "./next-step.ts";
import { sentences } from "./phrasing.ts";
import { stripPraise } from "./conversation/short-orders.ts";
import { anyOf, ASKS_FOR, BEFORE_OR_AFTER, CONDITIONS, DOUBTS, IS_DENIED } from "./word-lists.ts";

// A request that is not understood as written is read once more in plainer words: slips of the keyboard put right, and without what
// people say beside what they ask. Nothing of the call is known here, so the words are rewritten and read by the grammar like any others.

/** Longer requests are contents, not orders. */
const MAX_LENGTH = 200;

const words = (text: string): string[] => text.split(" ");

/** The words by which requests and questions are recognised. Other words are names and contents, and stay as they are. */
const VOCABULARY: readonly string[] = words(
  "and the what when where which who whose how many much does did have has had are was were will would could should there their this that these those with without from into for not " +
    "show list read write make create add put remove delete take change move copy rename find search count total sum average highest lowest mark remind remember forget undo calculate " +
    "task tasks reminder reminders file folder table row column note notes number between before after until today tomorrow yesterday morning afternoon evening " +
    "monday tuesday wednesday thursday friday saturday sunday please again left still need every instead about only also back next last first",
);
/** Words that are one slip away from those above and mean something else. */
const OTHER_WORDS: ReadonlySet<string> = new Set(
  words(
    "red form tow ten men her here hear lad lid bed fin tan dose dies hat hut tat cat cut car mark make made male take tale tape list lost last left lift felt copy note not now know noon " +
      "more move mouse rum ran run sun son sum sued show shoe she the then than them they this these there three free tree two too who how owl low law row raw read ready real bread road and end " +
      "hand land sand band all tall tell ask desk task mask tasks asks masks file fill tile mile pile files tiles find fine mind kind wind fold folder holder older table cable stable tables count mount county " +
      "court total tonal cost next text nest net test rest best first fist thirst back pack bank black when wen men want went wash wish with width write white while wrote bring being been bean beer bear " +
      "only one once over ever never even event seven eleven given from frame number member lumber clumber until unit about abort above after alter water later before begin between better",
  ),
);
/** What people type for a word, and no slip. */
const SHORT_FORMS: ReadonlyMap<string, string> = new Map(
  (
    "u = you, ur = your, n = and, adn = and, nad = and, em = them, teh = the, hte = the, wat = what, " +
    "wot = what, wht = what, whats = what is, wats = what is, wots = what is, hows = how is, " +
    "wheres = where is, whens = when is, whos = who is, wen = when, hw = how, mny = many, shud = should, " +
    "shoud = should, cud = could, wud = would, gimme = give me, lemme = let me, gotta = have to, " +
    "whit = what, tae = to, aff = off, wan = one, naw = no, owt = anything, summat = something, " +
    "wanna = want to, dont = don't, doesnt = doesn't, hasnt = hasn't, havent = haven't, isnt = isn't, " +
    "cant = can't, didnt = didn't, im = I'm, ive = I've, reed = read, rite = write, mve = move, " +
    "tmrw = tomorrow, tmr = tomorrow, tmw = tomorrow, 2moro = tomorrow, 2morrow = tomorrow, 2day = today, " +
    "b4 = before"
  )
    .split(", ")
    .map((form): [string, string] => {
      const [short = "", meant = ""] = form.split(" = ");
      return [short, meant];
    }),
);

/** What asks for nothing wherever it stands. */
const ASIDE = oneOf(
  "pray|abeg",
  String.raw`for (?:god|heaven|goodness|pete)['’]?s sake`,
  String.raw`if (?:you|u) (?:do not|don['’]?t) mind|if (?:you|u) (?:can|could|may|would|like|please)`,
  "when (?:you|u) (?:can|have (?:a )?(?:time|moment|minute))",
  "you know|i mean|i (?:think|guess|suppose|believe|hope)",
  "by the way|btw|as usual|of course|at the moment|right now|oh (?:dear|no|well|yes|my)",
  "thank you|thanks|thx|cheers|full stop|comma|please|pls|plz|kindly",
  "bloody|damn(?:ed)?|freaking|flipping|blasted",
  "just|really|actually|basically|literally|honestly|obviously|quickly",
  "lol|haha+|hehe|hooray|hurray|hurrah|yay|yippee|alas|sadly|luckily|unfortunately",
  "mate|buddy|bro|dude|darling|sweetie|honey|sir|madam|ma['’]am",
  "u+m+|u+h+|e+r+m*|h+m+",
  "again|also|already|exactly|though|anyway|so far",
);
const ASIDES = new RegExp(String.raw`(?<![\p{L}\p{N}/._-])${ASIDE}(?![\p{L}\p{N}/_-])(?:\s*[,!;]+)?`, "giu");
const PATH = String.raw`(?:[\w-]+\/)*[\w-]+\.(?:csv|tsv|md|txt|json)`;
/** "Price of duck, out/menu.csv": where to look, without "in". */
const PATH_BEHIND = new RegExp(
  String.raw`^(?<asked>[^,:;\n]{3,120}?)\s*[,:;-]+\s*(?<path>${PATH})[\s?.!]*$`,
  "iu",
);
const TASK_LIST = String.raw`(?:(?:among|to|on|in|into|onto|with)\s+(?:(?:my|the|our)\s+)?(?:list\s+of\s+)?(?:tasks?|to-?dos?)(?:\s+list)?|as\s+(?:an?\s+|another\s+|one\s+)?(?:new\s+)?(?:task|to-?do))`;
const HAVE_TO = oneOf(
  String.raw`(?:i|we)(?:['’]?ve)?\s+(?:have|need|ought|am\s+supposed|are\s+supposed|got)\s+to`,
  String.raw`(?:(?:i|we)(?:['’]?ve)?\s+)?(?:gotta|got\s+to|need\s+to|have\s+to)`,
  String.raw`(?:i|we)\s+(?:must|should)`,
);
const COULD_YOU = String.raw`(?:so\s+|and\s+)?(?:(?:would|could|can|will|cud|wud)\s+(?:you|u)\s+)?(?:please\s+|pls\s+|plz\s+|kindly\s+)?`;
/** "I have to take Zosia to the dentist on Wednesday, would you please put that among my tasks?", "gotta hand in the lab by tues put that as a task" */
const PUT_AMONG_TASKS = new RegExp(
  [
    String.raw`^(?:(?:ok|okay|so|hey|right|well|and|also|oh|yo|um)[\s,]+)*${HAVE_TO}\s+(?<title>\S[^?!\n]*?)(?:\s*[,;.]\s*|\s)`,
    String.raw`${COULD_YOU}(?:put|add|note|write|enter|make|set|save)\s+(?:that|it|this)\s+(?:down\s+)?${TASK_LIST}[\s.!?]*$`,
  ].join(""),
  "iu",
);
const MAKES = String.raw`(?:(?<usual>add|create|make|set)|put|stick|pop|bung|chuck|throw|shove|slap|whack|drop|give\s+me|get)`;
/** "Stick in a task to …", "add one task also, …": the order without the adverbs around its noun. */
const NEW_THING = new RegExp(
  [
    String.raw`^(?:(?:and|also|please|pls|then|ok|okay|now|oh|kindly)[\s,]+)*${MAKES}\s+(?:(?:in|on|down|also|me|us|there)\s+){0,2}`,
    String.raw`(?:an?|one|1|another)\s+(?:(?:more|new|quick|little|small|extra|further)\s+)*(?<kind>task|reminder|to-?do)`,
    String.raw`(?:\s+(?:in|down|also|too|as\s+well|please|pls))*(?:(?<mark>\s*[,:;.–-])?\s+)(?!(?:lists?|files?|folders?|tables?|notes?)\b)(?=\S)`,
  ].join(""),
  "iu",
);
/** "Tasks. call the bank monday. order sand tuesday.": a task in each sentence. */
const TASKS_IN_SENTENCES =
  /^(?:(?:please|pls|add|create|make|new|these|following|my|some|two|three|four|five)\s+){0,3}(?<kind>tasks|to-?dos?|to\s+do(?:\s+list)?|to-?do\s+list|reminders)\s*[.:;–-]\s*(?<sentences>[^.:;?!\n]+(?:[.;]\s+[^.:;?!\n]+)+)[.;\s]*$/iu;

/** An order for a new task or reminder in the usual words; the request itself if it is none. */
function rewriteAsTask(request: string): string {
  if (request.length > MAX_LENGTH) return request;
  const { title } = PUT_AMONG_TASKS.exec(request)?.groups ?? {};
  if (title !== undefined) return `add a task to ${title}`;
  const { kind = "", sentences: several } = TASKS_IN_SENTENCES.exec(request)?.groups ?? {};
  if (several !== undefined) {
    const order = /^r/iu.test(kind) ? "remind me" : "add a task:";
    return several
      .split(/[.;]\s+/u)
      .map((sentence) => `${order} ${sentence}`)
      .join(" and then ");
  }
  const found = NEW_THING.exec(request);
  const { usual = "add", kind: noun = "", mark } = found?.groups ?? {};
  if (found === null) return request;
  return `${usual} a ${noun}${mark === undefined ? "" : ":"} ${request.slice(found[0].length)}`;
}

/** The parts of a text in and outside quotation marks and names of files, in turn. */
const KEPT = /["“”][^"“”]*["“”]|\S*[/.]\p{L}\S*/gu;

type Decide = (state: PlanState) => Promise<PlannerDecision>;

/**
 * The decision about a request, or, if nothing can be done or answered, about the same request in plainer words. The answer and the
 * steps say how it was read.
 */
export async function decideInPlainerWords(state: PlanState, decide: Decide): Promise<PlannerDecision> {
  const decision = await decide(state);
  if (!isLeftUndone(decision)) return decision;
  for (const request of plainerRequests(state.request)) {
    if (hasChangedOtherwise(state, request)) continue;
    // For this decision, its own steps are those of a request as it is written.
    const scratchpad = state.scratchpad.map(({ reading, ...entry }) =>
      reading === undefined || reading.request === request ? entry : { ...entry, reading },
    );
    const plainer = await decide({ ...state, request, scratchpad });
    if (isLeftUndone(plainer)) continue;
    const readAs = sentences.readAs(request);
    if (plainer.kind === "answer") {
      const text = plainer.text && `${readAs}\n\n${plainer.text}`;
      return { ...plainer, ...(text !== undefined && { text, verbatim: false }) };
    }
    if (plainer.action.tool === ASK_SKILL) continue;
    return withReading(plainer, { request, isGuess: false }, readAs);
  }
  return decision;
}

/** True for the end of a run that answers nothing. */
export const isLeftUndone = (decision: PlannerDecision): boolean =>
  decision.kind === "answer" && (isStuck(decision) || decision.isUnanswered === true);

/** True if a step that did not carry out this plainer request changed something. */
const hasChangedOtherwise = ({ scratchpad, skills }: PlanState, request: string): boolean =>
  scratchpad.some(
    ({ action, reading }) =>
      action !== undefined &&
      skills.find(({ id }) => id === action.tool)?.effects !== "read" &&
      reading?.request !== request,
  );

/**
 * The same request in plainer words, the nearest to what was written first; none for a text, and for a request without anything to
 * leave out or to put right.
 */
function plainerRequests(request: string): string[] {
  if (request.length > MAX_LENGTH || request.includes("\n")) return [];
  const written = request.trim();
  const spelled = outsideQuotes(written, respell);
  const short = withoutAsides(spelled);
  const opened = withoutOpening(short);
  const ordered = withoutReasons(opened);
  const found = [
    spelled,
    withoutAsides(written),
    short,
    opened,
    rewriteWithPathIn(short),
    rewriteAsQuestionAlone(short),
    withoutPurpose(opened),
    short.replace(NOT_FORGET, "remember that "),
    rewriteAsTask(opened),
    rewriteChangeByOthers(opened),
    ordered,
  ];
  return [...new Set(found)].filter((plain) => plain !== "" && plain !== written);
}

function outsideQuotes(text: string, change: (part: string) => string): string {
  let at = 0;
  let changed = "";
  for (const { 0: kept, index } of text.matchAll(KEPT)) {
    changed += change(text.slice(at, index)) + kept;
    at = index + kept.length;
  }
  return changed + change(text.slice(at));
}

const respell = (part: string): string =>
  part.replaceAll(
    /(?<![\p{L}\p{N}'’_-])[\p{L}\d]+(?:['’]s)?(?![\p{L}\p{N}'’_-])/gu,
    (word, index: number) => {
      const lower = word.toLowerCase();
      const ending = /['’]s$/u.exec(word)?.[0] ?? "";
      // A name in the middle of a sentence is neither a short form nor a typing error.
      if (index > 0 && /^\p{Lu}/u.test(word)) return word;
      const meant = SHORT_FORMS.get(lower.slice(0, lower.length - ending.length));
      if (meant !== undefined) return `${meant}${ending}`;
      if (ending !== "") return word;
      if (VOCABULARY.includes(lower) || OTHER_WORDS.has(lower)) return word;
      // "Remindrs" is nearer to the plural.
      const ofSameNumber = VOCABULARY.filter((known) => known.endsWith("s") === lower.endsWith("s"));
      const correct = (from: readonly string[]) => correctSpelling(lower, from, (known) => known);
      return correct(ofSameNumber) ?? correct(VOCABULARY) ?? word;
    },
  );

/** "Don't forget the pump is a Grundfos": a fact to remember. */
const NOT_FORGET = /^(?:do not|don['’]?t)\s+(?:forget|let me forget)(?:\s+that)?\s+(?!to\b)/iu;

/** "…, I am afraid I have already forgotten?" */
const FORGETS =
  /\s*[,;.–-]\s*(?:i\s+am\s+afraid\s+|i['’]m\s+afraid\s+|sorry\s+)?i(?:['’]ve|\s+have)?\s+(?:already\s+|just\s+|completely\s+)*(?:forgot(?:ten)?|can['’]?t\s+remember|cannot\s+remember|don['’]?t\s+(?:remember|recall)|do\s+not\s+(?:remember|recall))[^?,;.]{0,30}(?<mark>[\s.?!]*)$/iu;

/** "Remind me please to call Ann" */
const REMIND_PLEASE =
  /^((?:\p{L}+,?\s+){0,2}?remind\s+me),?\s+(?:please|kindly|also|too|as\s+well)\s+(?=\S)/iu;

/** "Remember me on Tuesday that the flour arrives" means a reminder. */
const REMEMBER_ME =
  /\bremember\s+me\s+(?=(?:to|on|at|in|next|every|each|today|tonight|tomorrow|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\b)/iu;

/** A request without praise and thanks in front of it, and without the reason why it is asked once more. */
export function withoutChat(request: string): string {
  const plain = rewriteAsTask(stripPraise(request))
    .replace(REMEMBER_ME, "remind me ")
    .replace(REMIND_PLEASE, "$1 ")
    .replace(/^(what|which|who)\s+all\s+(?!of\b|the\b|my\b)/iu, "$1 ");
  return plain.length > MAX_LENGTH ? plain : plain.replace(FORGETS, "$<mark>");
}

export const withoutAsides = (request: string): string =>
  outsideQuotes(request, (part) => part.replaceAll(ASIDES, ""))
    .replaceAll(/\s+/gu, " ")
    .replace(/^[\s,;.!]+/u, "")
    .replace(/\s*[,;]*\s*(?<mark>[.?!]*)$/u, "$<mark>")
    .trim();

const ORDER_VERBS = oneOf(
  "add|append|put|remove|delete|take|drop|cross|tick|untick|check|uncheck|mark|cancel|skip|pause|resume",
  "stop|move|shift|push|postpone|bring|rename|change|swap|replace|exchange|set|make|create|start|begin",
  "write|draft|jot|note|save|keep|enter|include|remember|remind|wake|copy|show|read|open|tell|find",
  "search|list|count|sort|undo|calculate|convert|strike|scratch|scrap|bin|forget|reopen",
  String.raw`\d[\d.,]*\s*(?:times|plus|minus|[x*+/])`,
);
const ORDER_WORD = new RegExp(
  String.raw`^(?:please\s+|then\s+|can\s+you\s+|could\s+you\s+)*${ORDER_VERBS}(?=\s|$)`,
  "iu",
);
const PRONOUN_FIRST = String.raw`(?:i|we|he|she|they|it|its|it['’]s|i['’]m|he['’]s|she['’]s|we['’]re|they['’]re|that['’]s|there['’]?s?)\s+\S`;
const DETERMINER = String.raw`(?:(?:the|my|our|your|his|her|their|this|that|these|those|all|some|nobody|everybody|everyone|a|an)\s+)?`;
const VERB = oneOf(
  "is|are|was|were|has|have|had|does|did|doesn['’]t|can['’]?t|cannot|can|will|won['’]t",
  String.raw`got|went|left|said|called|rang|phoned|told|moved|came|broke|paid|died|fell|lost|won|\p{L}{2,}ed`,
  "needs?|drinks?|weighs?|wants?|likes?|goes|comes|gets|takes|lives|stays|joins",
);
/** A clause that only says why or what is so: a subject and something about it. */
const STATEMENT = new RegExp(
  String.raw`^(?:(?:because|since|as|cos|cause)\s+)?(?:${PRONOUN_FIRST}|${DETERMINER}(?:[\p{L}\p{N}'’-]+\s+){1,5}?${VERB}\b)`,
  "iu",
);
/** What binds an order: without it, the order would be another one. */
const BINDS = anyOf(
  `${CONDITIONS}|till|${BEFORE_OR_AFTER}|${DOUBTS}|never|except|only|but|whenever|instead|or|otherwise|must|may`,
  String.raw`as\s+soon\s+as|provided|in\s+case|not\s+sure`,
);
const PRONOUN = /\b(?:it|hers?|him|his|theirs|them|that(?:\s+one)?)\b/iu;
const SUBJECT_WORDS = oneOf(
  "is|are|was|were|has|have|had|got|left|said|called|rang|phoned|moved|came|broke|paid|died|fell",
  String.raw`\p{L}{2,}ed`,
);
const SUBJECT = new RegExp(
  String.raw`^(?:the|my|our|this|that)?\s*(?<noun>[\p{L}\p{N}'’-]+(?:\s[\p{L}\p{N}'’-]+)?)\s+${SUBJECT_WORDS}\b`,
  "iu",
);

const SOMEBODY = "(?:they|he|she|we|i)";
/** What a person did or what happened begins a clause, also without a mark before it. */
const HAPPENED = oneOf(
  String.raw`${SOMEBODY}\s+(?:\p{L}{2,}ed|can['’]?t|won['’]?t|have|has|hasn['’]?t|haven['’]?t|had|got|did|are|is|were|was)\b`,
  String.raw`it\s+(?:was|had|got|went|broke|died|\p{L}{2,}ed)\b`,
);
const JOINS = "(?:before|after|when|while|that|what|which|who|if|as|until|where|than|and|or|but|because|so)";
const CLAUSE_END = new RegExp(
  [
    String.raw`\s*[,;.!]\s+`,
    String.raw`\s+so\s+(?=\S)`,
    String.raw`\s+(?=${HAPPENED})`,
    String.raw`\s+(?=${SOMEBODY}\s+\p{L}+[\s.!]*$)`,
    String.raw`(?<!\b${JOINS})\s+(?=${SOMEBODY}\s+\p{L}+\s+(?:it|them|him|her)\b)`,
  ].join("|"),
  "iu",
);

/**
 * An order without the statements next to it: "cancel the placement form, it's handed in", "Nolan rang, he can't. Take that one out."
 * A pronoun in the order means what a statement before it is about. The request itself if it has another form.
 */
function withoutReasons(request: string): string {
  const clauses = request
    .split(CLAUSE_END)
    .map((clause) => clause.trim().replace(/[.!]+$/u, ""))
    .filter((clause) => clause !== "");
  const [order = "", ...others] = clauses.filter((clause) => ORDER_WORD.test(clause));
  const statements = clauses.filter((clause) => clause !== order);
  if (others.length > 0 || order === "" || statements.length === 0 || statements.length > MAX_STATEMENTS)
    return request;
  if (BINDS.test(request) || IS_DENIED.test(order)) return request;
  if (!statements.every((clause) => STATEMENT.test(clause))) return request;
  // "My mother used to say, stop worrying" orders nothing.
  if (statements.some((clause) => /\b(?:say|says|said|tell|tells|told|goes|went|like)$/iu.test(clause)))
    return request;
  // "Bring it back" means what is gone, whatever else is spoken of.
  if (!PRONOUN.test(order) || /\bback\b/iu.test(order)) return order;
  const before = clauses.slice(0, clauses.indexOf(order));
  const [noun] = before.flatMap((clause) => SUBJECT.exec(clause)?.groups?.["noun"] ?? []);
  if (noun !== undefined && !IS_PRONOUN.test(noun)) return order.replace(PRONOUN, () => noun);
  // "12 g salt is too much, make that 9 g": without the statement, "that" would be something else.
  return before.every((clause) => IS_PRONOUN.test(clause)) ? order : request;
}

const CHANGED = "moved|changed|shifted|postponed|rescheduled";
const CHANGED_THING = oneOf(
  String.raw`(?:${CHANGED}|put|pushed|brought)\s+(?<thing>(?:the|my|our)\s+[^,;.?!]{2,40}?)`,
  String.raw`(?<subject>(?:the|my|our)\s+[^,;.?!]{2,40}?)\s+(?:has\s+|was\s+|has\s+been\s+|got\s+|is\s+)?(?:${CHANGED})`,
);
const CHANGE_IT = String.raw`(?:so\s+|and\s+)?(?:(?:would|could|can|will)\s+you\s+)?(?:please\s+|kindly\s+)?(?:change|update|move|adjust|correct|fix)\s+(?:it|that|this)(?:\s+please)?`;
/** "They have moved the dentist to Friday, so could you please change it?": what happened is what is to be done. */
const CHANGE_BY_OTHERS = new RegExp(
  String.raw`\b${CHANGED_THING}\s+to\s+(?<when>[^,;.?!]{2,60}?)\s*[,;.]\s*${CHANGE_IT}[\s.!?]*$`,
  "iu",
);

function rewriteChangeByOthers(request: string): string {
  const { thing, subject = thing, when } = CHANGE_BY_OTHERS.exec(request)?.groups ?? {};
  return subject === undefined || when === undefined ? request : `move ${subject} to ${when}`;
}

const MAX_STATEMENTS = 2;
const IS_PRONOUN = /^(?:it|he|she|they|i|we|you|that|this|there)(?:['’]\p{L}+)?\b/iu;

/** A polite beginning: "I wonder whether you could …", "might I trouble you to …" */
const POLITE_OPENING = oneOf(
  String.raw`(?:please\s+|perhaps\s+)?(?:i\s+(?:just\s+)?(?:wonder(?:ed)?|(?:am|was)\s+wondering|was\s+hoping|hope)|i['’]m\s+wondering)\s+(?:(?:if|whether|that)\s+)?(?:you|we)\s+(?:could|can|might|would|will|may)`,
  String.raw`(?:(?:may|might|could|can)\s+i|i\s+(?:must|should\s+like\s+to))\s+(?:ask|trouble|bother|request)\s+you\s+to`,
  String.raw`(?:would|could|will)\s+you\s+be\s+(?:so\s+)?(?:good|kind)(?:\s+enough|\s+as)?\s+(?:to|and)`,
  String.raw`(?:please|kindly)?\s*be\s+so\s+(?:good|kind)\s+(?:as\s+to|and)`,
);
const POLITE = new RegExp(
  String.raw`^${POLITE_OPENING}\s+(?:please\s+|possibly\s+|perhaps\s+|kindly\s+)*`,
  "iu",
);
const TELLS_WORDS = oneOf(
  "number|name|address|birthday|date|time|price|code|password|total|sum|age|size|weight|colou?r",
);
/** "Tell number of Asif again" asks for something of a thing. */
const TELLS = new RegExp(
  String.raw`^(?:tell|say|give)\s+(?:me\s+|us\s+)?(?<asked>(?:the\s+)?(?:phone\s+|telephone\s+|house\s+|bank\s+)?${TELLS_WORDS}\s+(?:of|for)\s+\S.*)$`,
  "iu",
);

/** A word that only opens a message. */
const OPENING = oneOf(
  "a+h+|a+w+|a+y+|argh|u+gh+|o+h+|ha(?:ha)*|heh|hey|hi|hello|yo|lol|phew|wow|man",
  String.raw`ok|okay|alright|all\s+right|right|well|so|now|then|yes|yeah|yep|no(?:pe)?|nah|sorry|listen|look|hang\s+on|hold\s+on|wait`,
  String.raw`good\s+(?:morning|day|evening|afternoon|grief|lord|god)|dear\s+me|oh\s+dear|my\s+dear|thanks|thank\s+you|cheers`,
  "perfect|great|good|lovely|fine|brilliant|useless|wrong|damn|bother|blast",
  String.raw`one\s+more\s+thing|another\s+thing|next|aye|och|hiya|right(?:y|io|ho)|reyt|reet`,
  String.raw`blimey|crikey|gosh|jeez|goodness(?:\s+me)?|never\s*mind|i\s+am\s+afraid|i['’]m\s+afraid`,
);
const OPENER = new RegExp(String.raw`^${OPENING}(?:\s+(?:then|again|now))?(?:[\s,.!–-]+|$)`, "iu");
/** Whom a message speaks to, after such a word: "alright boss, …", "okay mija let's …". */
const ADDRESSED =
  /^(?:\p{L}+(?:\s\p{L}+)?\s*[,.!]\s+|\p{L}+\s+(?=(?:let['’]?s|can\s+you|could\s+you|will\s+you|would\s+you|please)\s))/iu;
/** An exclamation of its own: "Useless.", "What a day!" */
const EXCLAMATION = /^\p{L}+(?:\s\p{L}+){0,2}\s*[.!]+\s+(?=\S)/u;

/** An order or a question without what only opens the message; the message itself if something else is left. */
function withoutOpening(request: string): string {
  let rest = request;
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replace(OPENER, "").replace(TELLS, "what is $<asked>");
    // The question mark belongs to the polite words.
    if (POLITE.test(rest)) rest = rest.replace(POLITE, "").replace(/\s*\?+$/u, "");
  }
  const isOpened = rest !== request;
  if (isOpened) rest = rest.replace(ADDRESSED, "");
  else if (!ORDER_WORD.test(rest) && !STATEMENT.test(rest)) rest = rest.replace(EXCLAMATION, "");
  const order = rest.replace(/^(?:let['’]?s|let\s+us)\s+/iu, "");
  const isRead = ORDER_WORD.test(order) || IS_ASKED.test(order) || STATEMENT.test(order);
  return rest !== request && isRead ? order : request;
}

const IS_ASKED = new RegExp(String.raw`^(?:${ASKS_FOR})(?:['’]?s)?\b`, "iu");

/** "Let me test you. Who has the spare key?": the question, if the sentence before it is a remark without figures. */
const QUESTION_LAST =
  /^(?:[^\s\d.?!]+\s+){0,5}[^\s\d.?!]+[.!]\s+(?<question>(?:and\s+|so\s+|now\s+)?(?:who|what|which|how|when|where|whose|is|are|do|does|did|can)\b[^.?!]+\?)$/iu;
const rewriteAsQuestionAlone = (request: string): string =>
  QUESTION_LAST.exec(request)?.groups?.["question"] ?? request;

/** "-6 celsius in fahrenheit, for my client": a figure does not depend on what it is for. */
const ASKS_FIGURE =
  /^(?:(?:what(?:['’]?s|\s+is)|how\s+much(?:\s+(?:is|are))?|(?:i|we)\s+(?:need|want))\s+)?(?:the\s+(?:total|sum|average|number)\b|[€$£-]?\d)/iu;
const PURPOSE = /(?:\s*,\s*|\s+)for\s+(?:my|our|his|her|their|an?)\s+[\p{L}\s'’-]{2,40}(?<mark>[.?!]*)$/iu;
const withoutPurpose = (request: string): string =>
  ASKS_FIGURE.test(request) ? request.replace(PURPOSE, "$<mark>") : request;

function rewriteWithPathIn(request: string): string {
  const { asked, path } = PATH_BEHIND.exec(request)?.groups ?? {};
  return asked === undefined || path === undefined ? request : `${asked} in ${path}`;
}
