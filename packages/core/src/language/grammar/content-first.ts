import { oneOf } from "../../text/patterns.ts";
import { PATH } from "../tokens/reorder.ts";
import { isLongText, outsideQuotations } from "../tokens/rewritable-text.ts";
import { tokenize } from "../tokens/tokens.ts";
import { FUNCTION_WORDS } from "../tokens/words.ts";
import { startsCommand } from "./grammar.ts";
import type { InterpretationContext } from "./match.ts";
import { withoutInterjection } from "./reworded.ts";
import { STATEMENT_VERB } from "./not-understood.ts";
import { QUESTION_STARTS } from "./small-talk.ts";

/**
 * Requests that name a thing, or say something, and then order what is to be done with it: "the file a.md, could you copy it to
 * b.md", "ewe 214 is lame, add that to flock.md". Each text here puts what comes first in its place in the order.
 */

const POLITE_WORDS = oneOf(
  "please|pls|plz|kindly|so|and|then|now|just|also|(?:can|could|would|will) (?:you|u)",
  "you (?:can|may|could)|i (?:want|need|would like) you to",
);
const POLITE = String.raw`(?:${POLITE_WORDS}[,\s]+)*`;
const JOINT = String.raw`\s*(?:[,.;!–—]|\s-)?\s+(?:and\s+|so\s+)?${POLITE}`;
const THAT = String.raw`(?:it|that|this|that one)`;
const LISTED = String.raw`(?:tasks?|to-?dos?|to do|list|(?:task|to-?do|to do|job) list|(?:list of )?(?:jobs|chores|tasks)|reminders?)`;
const ENDING = String.raw`(?:\s+(?:please|pls|for me|thanks|thank you|ok|okay|would you|will you|can you|yeah|eh))*[\s.!?]*$`;

const AS_TASK_WORDS = oneOf(
  "add|put|note|jot|make|create|set|write|enter|save|file|turn|stick|pop|chuck|throw|get|pencil|whack",
  "log",
);
/** "…, add that as a task", "… can you put that on my list". */
const AS_TASK = new RegExp(
  String.raw`^(?<content>\S.*?)${JOINT}(?:${AS_TASK_WORDS}\s+(?:${THAT}\s+)?(?:down\s+)?(?:as|on|in|into|to|onto)\s+(?:(?:a|an|one|my|the|your|our)\s+)?(?:new\s+)?${LISTED}|(?<bare>(?:add|note|put|jot)\s+${THAT}(?:\s+down)?|(?:add|make|create)\s+(?:(?:a|one)\s+)?(?:new\s+)?(?:task|to-?do)(?:\s+(?:for|of|out of|from)\s+(?:it|that|this))?))${ENDING}`,
  "isu",
);
const KEEPS = oneOf(
  "remember|memori[sz]e|keep|save|store|note|log|record|retain|hold(?: on)? (?:to|onto)",
  "hang on (?:to|onto)|write down|jot down|take (?:a )?note of|make (?:a )?note of",
);
const KEPT = String.raw`(?:remembered|kept|noted|saved|stored|recorded|retained|memori[sz]ed|written down|kept in mind|on record)`;
const IN_MIND = String.raw`(?:in (?:mind|memory|your memory)|down|safe|handy|somewhere(?: safe)?|for (?:later|next time|the future|us))`;
const TO_REMEMBER_WORDS = oneOf(
  String.raw`(?:remember|${KEEPS}\s+${THAT})(?:\s+${IN_MIND})*`,
  String.raw`(?:do not|don['’]?t|never) (?:let me (?:ever )?|ever )?forget(?:\s+${THAT})?`,
  String.raw`(?:keep|bear|have) ${THAT} in (?:mind|memory)`,
  String.raw`(?:i|we)(?:['’]d| would)? (?:want|need|like) ${THAT} (?:to be )?${KEPT}`,
  String.raw`${THAT} (?:needs|has|ought|is|should|must)(?: to)?(?: be)? ${KEPT}`,
  String.raw`${THAT}(?:['’]s| is) (?:worth|one to) (?:remember(?:ing)?|keep(?:ing)?|know(?:ing)?)`,
);
/** "…, remember that", "… don't forget it", "…, I want that remembered". */
const TO_REMEMBER = new RegExp(String.raw`^(?<content>\S.*?)${JOINT}${TO_REMEMBER_WORDS}${ENDING}`, "isu");
/** "…, add that to notes/flock.md". */
const INTO_FILE = new RegExp(
  String.raw`^(?<content>\S.*?)${JOINT}(?<order>(?:add|append|write|put|save|note|log)\s+)${THAT}(?<place>\s+(?:down\s+)?(?:to|in|into|at the (?:end|bottom) of)\s+(?:the\s+)?(?:file\s+)?${PATH})${ENDING}`,
  "isu",
);
/** "Nobody needs it but keep it": two clauses, of which the first is no fact to remember. */
const ENDS_WITH_CONJUNCTION = /\b(?:but|and|or|so|yet|though|although)$/iu;
/** "Nobody needs a.md, keep it": the file is to be kept, and no fact about it. */
const KEEPS_IT = new RegExp(String.raw`\b(?:keep|save|store|retain)\s+${THAT}${ENDING}`, "iu");
const HAS_PATH = new RegExp(PATH, "iu");
/** What the person must do: "I must not forget to return the books". */
const MUST = new RegExp(
  [
    String.raw`^(?:(?:(?:i|we)(?:['’]ve| have|['’]m)? (?:still |also |really |just )?)?(?:`,
    String.raw`(?:got|need|have|ought|supposed) to|gotta|needa|need (?=someone|somebody)|`,
    String.raw`(?:must|should)(?: not| n['’]t)? forget (?:to )?|must|want to|(?:can['’]?t|cannot) forget to`,
    String.raw`)|(?:i|we) should)\s+`,
  ].join(""),
  "iu",
);
/** Words that make what comes first more than a statement or work to do. */
const NO_CONTENT =
  /[?:]|\b(?:if|unless|whether|when|never|said|told|wrote|asked)\b|\b(?:do|must|should|would|can|could|will|may) ?n['’o]t\b/iu;
/** Work that nobody else says or explains, after no other words: "book the hall by Friday". */
const WORK =
  /^(?!(?:explain|describe|define|translate|quote|say|spell|type|print)\b)\p{L}[\p{L}-]*\s+[^,\s]/iu;
const SOMEBODY = /\b(?:i|we|you|he|she|they)\b/iu;
/** The words before the verb of a statement are its subject, and no introduction: "tomorrow, …". */
const SUBJECT_FIRST = /^[^,;]*$/u;
const MAX_CONTENT = 200;

/** "The file a.md, …": a file before the order about it. */
const FILE_BEFORE = new RegExp(
  String.raw`^(?<lead>(?:(?:hey|hi|hello|ok|okay|so|please)[,\s]+)*)(?:(?:in|inside|on|from|to|into|for|with|according to|check|look (?:in|at|into))\s+)?(?:(?:the|my|our|this|that)\s+)?(?:(?:file|note|document|table|list|page)\s+)?(?<path>${PATH})\s*(?:[,:;.–—]|\s-)?\s+${POLITE}(?!(?:and|or|to|into|in|with|from|as|should|must)\s)(?<order>\S.*)$`,
  "isu",
);
const STATE = String.raw`\s*,?\s+(?:it\s+)?(?:is|['’]s|was|isn['’]t|wasn['’]t|has been)\s+(?:now |already |not )?(?:finished|done|complete|completed|ready|over|open|urgent|late|blocked|started)(?: after all| now| already| yet)?`;
/** "The butter task, it is finished, close it": a task before the order about it, perhaps with its state. */
const TASK_BEFORE = new RegExp(
  String.raw`^(?:the\s+(?<named>[^,;.:!?]{2,60}?)\s+(?:task|job|one|to-?do)(?:${STATE})?\s*[,;.–—]?|(?:the\s+)?(?:task|to-?do)\s+(?<title>[^,;.:!?]{2,60}?)(?:${STATE}\s*[,;.–—]?|\s*[,;.–—]))\s+${POLITE}(?<order>\S.*)$`,
  "isu",
);
/** "Sell the bike isn't done after all, set that task back to todo". */
const STATE_BEFORE = new RegExp(
  String.raw`^(?<title>[^,;.:!?]{2,60}?)${STATE}\s*[,;.–—]\s+${POLITE}(?<order>[^,;]*\b(?:the|that|this) task\b[^,;]*|(?:re-?open|untick|uncheck) it[\s.!]*)$`,
  "isu",
);
/** "The last one I am doing now, put it in progress": one of a list before the order about it. */
const LISTED_BEFORE = new RegExp(
  String.raw`^(?<thing>the\s+(?:first|second|third|fourth|fifth|sixth|last)(?:\s+(?:one|task|file))?)\b(?:\s+[^,;.:!?]{1,40})?\s*[,;.–—]\s+${POLITE}(?<order>\S.*)$`,
  "isu",
);
const ORDINAL = /^(?:first|second|third|fourth|fifth|sixth|last|other|next|same)$/iu;
const IT =
  /\b(?:it|that one|this one|that task|this task|the task|that file|this file|the file|that|this)\b/iu;
const IN_THERE = /\b(?:in|inside) (?:there|it)\b/iu;
const ENDS_WITH_IT = /\b(?:it|this|that)$|\b(?:this|that|the) file$/iu;
const REOPENS = /^(?:re-?open|untick|uncheck)\b/iu;
const FORBIDS = /\b(?:not|never)\b|n['’]t\b/iu;
const ADDS = /^(?:add|append|write|put|insert|enter|note|log)\s/iu;

/** The texts of an order about a thing that a request names first, the most likely first. */
function withObjectInside(order: string, thing: string): string[] {
  const rest = order.replace(/[\s.?!]+$/u, "");
  if (IN_THERE.test(rest)) return [rest.replace(IN_THERE, `in ${thing}`)];
  if (IT.test(rest)) return [rest.replace(ENDS_WITH_IT.test(rest) ? ENDS_WITH_IT : IT, thing)];
  const [verb = "", ...others] = rest.split(" ");
  const [noun = "", ...more] = others;
  return [
    `${verb} ${thing}${others.length > 0 ? ` ${others.join(" ")}` : ""}`,
    ...(more[0] === "to" ? [`${verb} ${noun} of ${thing} ${more.join(" ")}`] : []),
  ];
}

const QUESTION = /^(?:which|what|who|whose|when|where|how)\b/iu;

/** The order about the file that comes first; a question about it, too. */
function aboutFile(masked: string): string[] {
  const { path, order } = FILE_BEFORE.exec(masked.trim())?.groups ?? {};
  if (path === undefined || order === undefined || FORBIDS.test(order)) return [];
  const asked = order.replace(/[\s.?!]+$/u, "");
  const hasOther = new RegExp(PATH, "u").test(order);
  const inFile = hasOther || IT.test(asked) ? [] : [`${asked} ${ADDS.test(asked) ? "to" : "in"} ${path}`];
  const asQuestion = QUESTION.test(asked) && inFile.length > 0 ? [`${asked} according to ${path}`] : [];
  return [...inFile, ...withObjectInside(order, path), ...asQuestion];
}

/** "The last one I am doing now, put it in progress" with "the last one" in place of "it"; undefined for any other request. */
export function rewriteWithListedThing(request: string): string | undefined {
  const { thing, order } = LISTED_BEFORE.exec(request.trim())?.groups ?? {};
  if (thing === undefined || order === undefined || FORBIDS.test(order) || !IT.test(order)) return undefined;
  return withObjectInside(order, thing)[0];
}

const FOLDER_PATH = String.raw`[\p{L}\p{N}_-]+(?:\/[\p{L}\p{N}_-]+)*`;
/** "The photos folder, what's in it?": a folder before the order about it. */
const FOLDER_BEFORE = new RegExp(
  String.raw`^(?:(?:the|my|our)\s+)?(?:(?<name>${FOLDER_PATH})\s+(?:folder|directory)|(?:folder|directory)\s+(?<named>${FOLDER_PATH}))\s*(?:[,:;.–—]|\s-)\s+(?<order>\S.*)$`,
  "isu",
);

function aboutFolder(masked: string): string[] {
  const { name, named = name, order } = FOLDER_BEFORE.exec(masked.trim())?.groups ?? {};
  if (named === undefined || order === undefined || FORBIDS.test(order)) return [];
  return withObjectInside(order, `the folder ${named}`);
}

function aboutTask(masked: string): string[] {
  const stated = STATE_BEFORE.exec(masked.trim());
  const { title: what = "", order: asked = "" } = stated?.groups ?? {};
  const isWork =
    beginsWork(what) || (REOPENS.test(asked) && /^[\p{L}-]+$/u.test(what) && !SOMEBODY.test(what));
  const found = TASK_BEFORE.exec(masked.trim()) ?? (isWork ? stated : null);
  const { named, title = named, order } = found?.groups ?? {};
  if (title === undefined || order === undefined || FORBIDS.test(order)) return [];
  if (ORDINAL.test(title)) return [];
  return withObjectInside(order, `the task ${title}`);
}

/** "Inbox/offer.txt to docs/offer.txt please move": the verb comes last, as in many languages. */
const VERB_LAST =
  /^(?<object>[^,;:.!?]*(?:\.\S[^,;:.!?]*)*?)\s+(?:please\s+|pls\s+)?(?<verb>move|copy|rename|delete|remove|show|read|open|summarize)(?:\s+(?:please|pls|now))*[\s.!]*$/iu;

function withVerbFirst(masked: string): string[] {
  const { object, verb } = VERB_LAST.exec(masked.trim())?.groups ?? {};
  if (object === undefined || verb === undefined || !OBJECT.test(object)) return [];
  return [`${verb} ${object}`];
}

/** A file, or the words for one, before the verb. */
const OBJECT = new RegExp(
  String.raw`^(?:(?:the|my|our|this)\s+)?(?:(?:file|note|document)\s+)?${PATH}`,
  "iu",
);

/** "My dentist, what's the name": a thing before the question about it. */
const THING_ASKED =
  /^(?<thing>(?:my|our|the)\s[^,;.:!?]{2,40}),\s+(?<asked>(?:what|when|where|who|how)\b[^,;.:!?]*?)[\s?.!]*$/iu;

function aboutThing(masked: string): string[] {
  const { thing, asked } = THING_ASKED.exec(masked.trim())?.groups ?? {};
  if (thing === undefined || asked === undefined || FORBIDS.test(asked)) return [];
  return IT.test(asked) ? [`${asked.replace(IT, thing)}?`] : [`${asked} of ${thing}?`];
}

/** True for words that state something and order nothing. */
function isStatement({ grammar }: InterpretationContext, content: string): boolean {
  const tokens = tokenize(content);
  const [first] = tokens;
  if (first === undefined || NO_CONTENT.test(content) || content.length > MAX_CONTENT) return false;
  const verb = STATEMENT_VERB.exec(` ${content} `);
  const isOrder = !FUNCTION_WORDS.has(first.text) && (startsCommand(grammar, first) || !WORK.test(content));
  const isAsked = QUESTION_STARTS.has(first.text) || !SUBJECT_FIRST.test(content.slice(0, verb?.index ?? 0));
  return verb !== null && !isOrder && !isAsked;
}

/** Questions, conditions, and what somebody else says; "delete a.md or …" leaves a choice. */
const NO_FACT = new RegExp(
  [
    String.raw`^(?:shall|should|may|might|can|could|would|will|must)\b|[?:]`,
    String.raw`\b(?:if|unless|whether|when|said|told|wrote|asked)\b|\b(?:or|and|but|to)$`,
  ].join("|"),
  "iu",
);

/** The minimum number of words of a fact whose verb is not known: "Paul sits never beside Hugo". */
const MIN_FACT = 4;

/** True for what is said to be remembered: a statement, or several words that are not an order. */
function isFact(context: InterpretationContext, content: string): boolean {
  if (isStatement(context, content)) return true;
  const tokens = tokenize(content);
  const [first] = tokens;
  return (
    first !== undefined &&
    tokens.length >= MIN_FACT &&
    content.length <= MAX_CONTENT &&
    SUBJECT_FIRST.test(content) &&
    !NO_FACT.test(content) &&
    !QUESTION_STARTS.has(first.text) &&
    !startsCommand(context.grammar, first)
  );
}

/** True for "mow the lawn": a plain verb and its object, without words about who does it or says so. */
function beginsWork(words: string): boolean {
  const [first] = tokenize(words);
  const isPlain = first !== undefined && !FUNCTION_WORDS.has(first.text) && !QUESTION_STARTS.has(first.text);
  return isPlain && WORK.test(words) && !SOMEBODY.test(words) && !/\b(?:not|never)\b/iu.test(words);
}

/** What is to be done, of "I must pay the plumber" and "pay the plumber"; undefined for other words. */
function workIn(context: InterpretationContext, content: string): string | undefined {
  if (content === "" || content.length > MAX_CONTENT) return undefined;
  const work = content.replace(MUST, "");
  if (work !== content) return work === "" || /[?:]|\b(?:if|unless)\b/iu.test(work) ? undefined : work;
  // "Read a.md, add it to my list": what comes first is an order of its own.
  const isOwnOrder =
    !beginsWork(content) || NO_CONTENT.test(content) || context.read(content).kind === "plan";
  return isOwnOrder ? undefined : work;
}

const withoutEnd = (content = ""): string => content.replace(/[\s,.;:!–—-]+$/u, "");

/** The order that stores what is said before it. */
function storing(context: InterpretationContext, request: string): string[] {
  if (isLongText(request)) return [];
  const task = AS_TASK.exec(withoutInterjection(request))?.groups;
  if (task !== undefined) {
    const content = withoutEnd(task["content"]);
    const work = workIn(context, content);
    return work === undefined || (task["bare"] !== undefined && work === content)
      ? []
      : [`add a task: ${work}`];
  }
  const fact = withoutPrefix(withoutEnd(TO_REMEMBER.exec(request)?.groups?.["content"]));
  if (ENDS_WITH_CONJUNCTION.test(fact) || (KEEPS_IT.test(request) && HAS_PATH.test(fact))) return [];
  if (fact !== "") return isFact(context, fact) ? [`remember that ${fact}`] : [];
  const { content, order = "", place = "" } = INTO_FILE.exec(request)?.groups ?? {};
  const line = withoutPrefix(withoutEnd(content));
  return isStatement(context, line) && !/["“”]/u.test(line) ? [`${order}"${line}"${place}`] : [];
}

/** A statement without "fyi". */
const withoutPrefix = (statement: string): string =>
  statement.replace(/^(?:fyi|btw|by the way|just so you know|ok|okay|so|hey|hi)[,:\s]+/iu, "");

/** The texts of a request with what comes before its order put into it; none for any other request. */
export function contentFirst(context: InterpretationContext): string[] {
  const { request } = context;
  const found = new Set<string>();
  for (const reorder of [aboutFile, aboutFolder, aboutTask, withVerbFirst, aboutThing])
    outsideQuotations(request, (masked, unmask) => {
      for (const text of reorder(masked)) found.add(unmask(text));
      return masked;
    });
  for (const text of storing(context, request)) found.add(text);
  return [...found].filter((text) => text !== request);
}
