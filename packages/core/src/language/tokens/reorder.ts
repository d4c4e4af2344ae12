import { oneOf } from "../../text/patterns.ts";
import { smallNumber } from "../../text/number-words.ts";
import { afterFiller } from "./filler-phrases.ts";
import { tokenize, type Token } from "./tokens.ts";
import { outsideQuotations } from "./rewritable-text.ts";

/**
 * Rewrites of orders that name the last step first. A rewrite keeps every word about the steps, and applies only if
 * both parts are orders; quotations never change.
 */

/** A file name with an extension, as a pattern. */
export const PATH = String.raw`(?:[\p{L}\p{N}_.-]+\/)*[\p{L}\p{N}_-]+\.[A-Za-z][A-Za-z0-9]{0,9}`;
const PATH_IN = new RegExp(PATH, "u");
/** What a past participle is a form of. */
const BASE: Readonly<Record<string, string>> = {
  written: "write",
  wrote: "write",
  made: "make",
  put: "put",
  done: "do",
  read: "read",
  copied: "copy",
  set: "set",
};

function baseOf(verb: string): string {
  const word = verb.toLowerCase();
  if (Object.hasOwn(BASE, word)) return BASE[word] ?? word;
  if (/(?:ated|eted|oved|amed|iled|osed|ised|ized|ived|aved|ced|ged|reated)$/u.test(word))
    return word.slice(0, -1);
  if (/(?:ating|eting|oving|aming|iling|osing|ising|izing|iving|aving|cing|ging|iting)$/u.test(word))
    return `${word.slice(0, -3)}e`;
  return word.replace(/ied$/u, "y").replace(/(?:ed|ing)$/u, "");
}

/** Puts the path that one part names in place of "it" in the other. */
export function withPathFor(part: string, other: string): string {
  const path = PATH_IN.exec(other)?.[0];
  return path === undefined ? part : part.replace(/\b(?:it|that file|the file|this file)\b/iu, path);
}

const YOU = String.raw`(?:you|you've|you have|we|we've)`;
const BEFORE = new RegExp(String.raw`^(.*?)\bbefore ${YOU} (\p{L}+) (.+?)\s*,\s*(.+)$`, "isu");
const BEFORE_UNMARKED = new RegExp(
  String.raw`^(.*?)\bbefore ${YOU} (\p{L}+) (.+?${PATH}) ((?:please )?(?!(?:to|into|in|as|from|and|with|or)\b)\p{L}+ .+)$`,
  "isu",
);
const BEFORE_LAST = new RegExp(String.raw`^(.+?),?\s+before (?:${YOU} )?(\p{L}+) (.+)$`, "isu");
const AFTER = new RegExp(
  String.raw`^(.*?)\b(?:after|once|when|as soon as) (?:${YOU} )?(?:have )?(\p{L}+(?:ed|ing|ten|ead|de|ut)) (.+?)\s*(?:,\s*(?:then\s+)?|\bthen\b\s*)(.+)$`,
  "isu",
);
const AFTER_UNMARKED = new RegExp(
  String.raw`^(.*?)\b(?:after|once|as soon as) ${YOU} (?:have )?(\p{L}+(?:ed|ten|ead|de|ut)) (.+?${PATH}) ((?:please )?(?!(?:to|into|in|as|from|and|with|or)\b)\p{L}+ (?:the )?(?:file )?${PATH}.*)$`,
  "isu",
);
/** A question and the file that answers it: "what is the fee? it's in a.md", "which fees are over 20, a.csv". */
const ANSWERED_IN = new RegExp(
  String.raw`^(.*\b(?:what|who|when|where|which|how)\b.+?)(?:\?\s*(?:(?:it|that|this|you'll find it|the answer)(?:'s| is| should be| stands)? (?:written |stored |noted )?in|(?:please )?(?:check|see|look (?:in|at|into)))|,)\s+(${PATH})\W*$`,
  "isu",
);

/** Orders whose words are stored as text. */
const TEXT = /\b(?:tasks?|to-?dos?|remind(?:er)?|remember|note|write|say(?:s|ing)?|append|add|put|jot)\b/iu;
/** "Insert milk before eggs", "swap monday before tuesday with x": the words after the verb are a text. */
const PLACES_TEXT = /^(?:insert|place|stick|prepend|replace|swap|exchange|substitute|switch)$/u;

function placesText(request: string): boolean {
  const tokens = tokenize(request);
  return PLACES_TEXT.test(tokens[afterFiller(tokens, 0, tokens.length).at]?.text ?? "");
}
const BEFORE_MINE = new RegExp(String.raw`^before (?:I|we) (\p{L}+ .+?)\s*,\s*(.+)$`, "isu");

const HOLDS_BACK_WORDS = oneOf(
  "wait|hold on|hold off|hang on|pause|stop|think|ask|warn|check with|talk to|let me|tell me|confirm",
);
/** A delay is not the order itself: "wait before you delete a.md", "ask me before you delete a.md". */
const HOLDS_BACK = new RegExp(String.raw`\b${HOLDS_BACK_WORDS}\b[^,;]{0,40}\bbefore\b`, "iu");

/** "… before i ruin it": what the person does themselves is the reason, and no order. */
const BEFORE_OWN_ACTION =
  /^(.+?),?\s+before (?:I|we|he|she|they) (?!(?:want|would|asked|told)\b)[^,;.!?"“”]{1,60}[.!]?$/iu;

const SEVERAL_TASKS =
  /^(?:please\s+)?(?:(?:add|create|make|note)\s+)?(two|three|four|five|2|3|4|5) (?:new |more )?(?:tasks|to-?dos|reminders)(?:,? please)?\s*:\s*(\S.*)$/isu;
const TASKS =
  /^(?:please\s+)?(?:add|create|make|note) (?:these |the following |new )?(?:tasks|to-?dos|reminders)(?:,? please)?\s*:\s*(\S.*)$/isu;
/** Tasks on lines of their own: "tasks:", then "- call Bob tomorrow" and "- pay rent on friday". */
const TASKS_ON_LINES =
  /^(?:please\s+)?(?:(?:add|create|make|note)\s+)?(?:\S+ ){0,3}(?:tasks|to-?dos|reminders)(?:,? please)?\s*:[^\S\n]*\n\s*(\S.*)$/isu;
const LINE_MARK = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/u;
const DAY_WORDS = oneOf(
  "today|tonight|tomorrow|next (?:week|month)|(?:mon|tues|wednes|thurs|fri|satur|sun)day",
  String.raw`(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}|in \d+ (?:day|week))`,
);
/** Words for a day. */
const DAY = new RegExp(String.raw`\b${DAY_WORDS}`, "iu");
const DUE_AT_END = /\s+(?:by|on|for|due|before|until)\s+(?!.*\s(?:by|on|for|due|before|until)\s).+$/iu;

/** Makes an order of each, where their number is named or several have a day: "two tasks: call Bob tomorrow and pay rent on friday". */
function withTasksApart(masked: string): string {
  const lines = (TASKS_ON_LINES.exec(masked)?.[1] ?? "").split(/\s*\n\s*/u).map((line) => line.trim());
  if (lines.length > 1 && lines.every((line) => line !== ""))
    return lines.map((line) => `add a task: ${line.replace(LINE_MARK, "")}`).join("\n");
  const [, count = "", counted = ""] = SEVERAL_TASKS.exec(masked) ?? [];
  const list = counted === "" ? (TASKS.exec(masked)?.[1] ?? "") : counted;
  const items = list.split(/\s*[,;]\s*(?:and\s+)?|\s+and\s+/iu).map((item) => item.trim());
  const isOrderEach =
    counted === ""
      ? items.filter((item) => DAY.test(item)).length > 1
      : items.length === (smallNumber(count) ?? Number(count));
  if (list === "" || !isOrderEach) return masked;
  // A day at the end of a list is the day of all: "three tasks: wash the car, buy soap and call Bob by friday".
  const isLast = items.findIndex((item) => DAY.test(item)) === items.length - 1;
  const due = isLast ? DUE_AT_END.exec(items.at(-1) ?? "")?.[0] : undefined;
  if (isLast && due === undefined) return `add these tasks: ${list}`;
  // A letter is a name here, and no article.
  const titled = (item: string): string => (/^(?:\p{L}|an|the)$/iu.test(item) ? `"${item}"` : item);
  return items
    .map((item) => titled(item.replace(/^to\s+/iu, "").replace(due ?? "", "")))
    .map((item) => `add a task: ${item}${due ?? ""}`)
    .join("\n");
}

const ITEM = /(?:^|\s)(\d{1,2})[).]\s+/gu;
const LIST_TITLE = /^[^:]*\b(?:list|todos?|plan|things|following|steps?|today|orders?|agenda)\b[^:]*:\s*$/iu;
/** "Rename a.txt -> b.txt" */
const MOVE_ARROW = new RegExp(
  String.raw`(\b(?:rename|move|copy|mv|cp) ${PATH})\s*(?:->|=>|→)\s*(?=\S)`,
  "iu",
);
const ARROW = new RegExp(String.raw`\s*(?:->|=>|→)\s*(${PATH})\s*$`, "u");

/** Puts each item of a numbered list on a line of its own: "1) call bank 2) show my tasks". */
function withLines(masked: string): string {
  const items = [...masked.matchAll(ITEM)];
  const isNumbered = items.length > 1 && items.every(([, number], index) => Number(number) === index + 1);
  if (!isNumbered) return masked;
  const title = masked.slice(0, items[0]?.index);
  if (title.trim() !== "" && !LIST_TITLE.test(title)) return masked;
  return items
    .map((item, index) =>
      masked.slice(item.index + item[0].length, items[index + 1]?.index ?? masked.length).trim(),
    )
    .join("\n");
}

const JOINT = /^(?:,|and|&|;)$/u;
const SIGNATURE_WORD = /^(?:to|into|in|with|as|from|on|for|at|saying|containing)$/u;

/** The kinds of the tokens of a part: `Q` a quotation, `P` a path, `W` other words; prepositions unchanged. */
function signature(tokens: readonly Token[]): string {
  const kinds = tokens.map(({ kind, text }) =>
    kind === "quoted" ? "Q" : kind === "path" ? "P" : SIGNATURE_WORD.test(text) ? text : "W",
  );
  return kinds.filter((kind, index) => kind !== "W" || kinds[index - 1] !== "W").join(" ");
}

/** Quotes what follows "with" at the end, so that it ends there. */
const withQuotedText = (part: string): string =>
  part.replace(/(?<=\s(?:with|saying|containing)\s+)([^"“”'`]+?)(?:\s+(?:in|inside) it)?$/u, '"$1"');

/** What ends an order and belongs to none of its parts. */
const FILLER = /^(?:please|pls|plz|thanks|thx|[.!])$/u;

/**
 * Repeats the verb of an order whose further parts leave it out: `write "one" to a.txt, "two" to b.txt`. The parts must
 * be built alike, and of more than one value.
 */
export function withRepeatedVerbs(request: string): string {
  const tokens = tokenize(request);
  const isValue = (token: Token | undefined): boolean => token?.kind === "quoted" || token?.kind === "path";
  const first = tokens.findIndex(isValue);
  const verb = tokens[0];
  if (first < 1 || verb === undefined) return request;
  const sharedPrefix = request.slice(verb.start, tokens[first]?.start);
  if (/[.;:?!\n]/u.test(sharedPrefix)) return request;
  const parts: { from: number; to: number }[] = [];
  let from = first;
  let last = tokens.length;
  while (last > first && FILLER.test(tokens[last - 1]?.text ?? "")) last--;
  for (let index = first; index <= last; index++) {
    const isEnd = index === last;
    if (!isEnd && !JOINT.test(tokens[index]?.text ?? "")) continue;
    if (index > from) parts.push({ from, to: index });
    from = index + 1;
  }
  const [one, ...others] = parts.map(({ from: start, to }) => signature(tokens.slice(start, to)));
  if (one === undefined || others.length === 0 || !one.includes(" ")) return request;
  if (others.some((other) => other !== one)) return request;
  const [head, ...rest] = parts.map(({ from: start, to }) =>
    request.slice(tokens[start]?.start, tokens[to - 1]?.end),
  );
  return [`${sharedPrefix}${head ?? ""}`, ...rest.map((part) => `${sharedPrefix}${part}`)]
    .map(withQuotedText)
    .join(" and then ");
}

const FURTHER_TIME = oneOf(
  String.raw`in\s+(?:\S+\s+){1,2}?(?:minutes?|mins?|hours?|days?|weeks?|months?)\s+`,
  String.raw`on\s+(?:\S+\s+){1,4}?`,
  String.raw`(?:tomorrow|tonight|next\s+\p{L}+)\s+(?:\S+\s+){0,3}?`,
);
/** "Remind me in 20 minutes to check the rice and in 40 minutes to …": a time of its own, and what is to be done then. */
const FURTHER_REMINDER = new RegExp(
  [
    String.raw`(?<=^\W*(?:please\s+)?(remind me)\s[^.;:!?\n]*?\s(?:to|about|of)\s[^.;:!?\n]+?)`,
    String.raw`(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:also\s+|then\s+)?`,
    String.raw`(?=${FURTHER_TIME}(?:to|about|of)\s)`,
  ].join(""),
  "giu",
);

/** Repeats "remind me" before each further time of a request for reminders. */
export const withRepeatedReminders = (request: string): string =>
  outsideQuotations(request, (masked) => masked.replaceAll(FURTHER_REMINDER, " and $1 "));

/** "…, and list all my tasks afterwards": an order of its own after the items of a list. */
const AFTERWARDS =
  /,?\s+and\s+((?:show|list|read|print|count)\b[^,.;:\n]*?)\s+(?:afterwards?|after that|when (?:done|finished))[\s.!]*$/iu;

const NAME = String.raw`[\p{L}\p{N}_-]+(?:\/[\p{L}\p{N}_-]+)*`;
/** "Make a folder thesis and in it a file outline.md": the file belongs into the folder. */
const FILE_IN_FOLDER = new RegExp(
  String.raw`(\b(?:make|create|add|set up) (?:(?:a|the|one) )?(?:new )?(?:folder|directory) (?:called |named )?(${NAME})),? (?:and )?(?:then )?(?:(?:put|create|make|add) )?(?:in|inside) (?:it|there|that folder) (?:put |create |make |add )?(?:a|an|one|the) (?:new |text )*(?:file|note) (?:called |named )?(?=${PATH})(?!\S*\/)`,
  "iu",
);
/** "Create offer.md, inside put …": what is put there is the text of the file. */
const PUT_INSIDE = new RegExp(
  String.raw`((?:create|make|write|start)\b[^,;.]*?\s${PATH})[,.?!;]?\s+(?:and\s+)?(?:inside(?: it)?|in it|into it|in there)\s+(?:please\s+)?(?:put|write|add|type)\s*:?\s+`,
  "iu",
);
/** "Dov Stern has left the club. Take him out of members.csv." */
const PERSON_THEN =
  /^(?<statement>(?<name>\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?) (?:has|is|was|had|just|left|quit|moved|called|wrote|paid|rang|joined)\b[^.!?;\n]*[.!;]\s+)(?<order>.*\b(?:him|her|his)\b.*)$/su;
const FURTHER_NAME = /\s\p{Lu}\p{Ll}/u;

/** Puts the name of the person that the sentence before is about in place of "him" and "her" in an order. */
function withPersonNamed(masked: string): string {
  const { statement = "", name = "", order = "" } = PERSON_THEN.exec(masked)?.groups ?? {};
  if (statement === "" || FURTHER_NAME.test(statement.slice(name.length))) return masked;
  const named = order.replaceAll(
    /\b(?:(?<whose>his|her(?=\s+(?!(?:out|off|back|up|down|in|to|from|on|at|as|about|that|and|again|later|today|tomorrow)\b)\p{L}))|him|her)\b/giu,
    (_, whose: string | undefined) => (whose === undefined ? name : `${name}'s`),
  );
  return `${statement}${named}`;
}

/** "I have no time for the whole of report.md, please summarize it." */
const FILE_THEN = new RegExp(
  String.raw`^(?<statement>(?:(?:ok|okay|so|well|sorry|hi|hello)[,.]? )?(?:I|we|he|she|this|that|the|my|our)\b(?!.*\b(?:if|unless|until)\b)[^,;.!?]*?)(?<path>${PATH})(?<rest>[^,;!?]*?[,;.!])\s+(?<order>.*\b(?:it|that file|the file|this file)\b.*)$`,
  "isu",
);

const ONLY_FILE = /^(?:the|my|our|this|that)(?: (?:file|note|list|document|table|page))?\s*$/iu;

/** Puts the one file that a statement names in place of "it" in the order after it. */
function withFileNamed(masked: string): string {
  const { statement, path = "", rest = "", order = "" } = FILE_THEN.exec(masked)?.groups ?? {};
  const isForbidden = /\b(?:not|never|no)\b|n['’]t\b/iu.test(order);
  if (statement === undefined || isForbidden || PATH_IN.test(order) || PATH_IN.test(rest)) return masked;
  // "The file a.md, what does it say?" names the file and states nothing about it.
  if (ONLY_FILE.test(statement) && /^[,;.!]$/u.test(rest)) return withPathFor(order, path);
  return `${statement}that file${rest} ${withPathFor(order, path)}`;
}

/** Short forms next to the name of a file: "wishlist.txt w/ …", "rename a.txt 2 b.txt". */
const WITH_SHORT = new RegExp(String.raw`(?<=${PATH}) w(?:\/ ?| )(?=\S)`, "giu");
/** "Write "bring cake" too out/hi.txt" */
const TOO_PATH = new RegExp(String.raw` too (?=(?:the file )?${PATH})`, "giu");
/** "Create for me a task to …": for whom it is done, between a verb and its object. */
const VERB_FOR_ME = new RegExp(
  String.raw`\b(create|make|write|add|put|open|show|print|set up|prepare|read|list|find|copy|move|get|delete|remove|rename) for (?:me|us) (?=(?:an?|one|the|my|our|this|these|all|some|new|file|folder|task)\s|${PATH})`,
  "giu",
);
/** "Write a packing list for Porto to a file: …": a list of things becomes a file anyway. */
const LIST_TO_FILE = new RegExp(
  [
    String.raw`^((?:please\s+)?(?:create|write|make|start|save|put together|prepare|draw up)\s[^:,;]{0,60}?\b(?:check)?list\b[^:,;]{0,40}?)\s+`,
    String.raw`(?:to|in|into|as)\s+an?\s+(?:new\s+)?(?:text\s+)?file(?=\s*:|,?\s+with\b)`,
  ].join(""),
  "iu",
);
const OWN_VERB = String.raw`(?:(?:(?:then|also|please|afterwards|next)\s+)*(?:copy|duplicate|clone|back up|move|rename|transfer|turn|convert|append|add|write|put|save|insert|paste|export|send|email|mail|print|change|set|replace|link|attach|go|go back|come back|switch|reply)\b|\S+\s+(?:it|them|(?:the|that|this)\s+(?:file|note|list|text))\b)`;
/** "Write hi to a.txt and ho to b.txt": the verb is meant twice, unless the second part has its own: "and copy it to b.txt". */
const TWO_TEXTS = new RegExp(
  String.raw`^((?:please\s+)?(?:write|add|append|save|put))\s+((?:(?!\s(?:to|in|into)\s).)+?)\s+(to|in|into)\s+(${PATH})\s*,?\s+and\s+(?!${OWN_VERB})((?:(?!\s(?:to|in|into)\s).)+?)\s+\3\s+(${PATH})[\s.!]*$`,
  "iu",
);
/** "Add a high priority task buy strings and a low priority task polish the case" */
const FURTHER_TASK =
  /(\b(?:add|create|make) an? (?:[\p{L}-]+ ){0,2}task\b[^,;.!?]+?) and (?=(?:an?|another) (?:[\p{L}-]+ ){0,2}task\b)/giu;
/** "config/display.json: nightMode -> true" */
const SETTING =
  /^((?:[\p{L}\p{N}_.-]+\/)*[\p{L}\p{N}_.-]+\.json)\s*[:,]?\s+(?:set\s+)?([\p{L}\p{N}_.-]+)\s*(?:->|=>|→|=|:)\s*([^\s=>][^,;]*?)\s*$/iu;
/** One word as a quotation, unless it refers to something. */
const asText = (words: string): string =>
  /^[\p{L}\p{N}]+$/u.test(words) && !/^(?:it|this|that|them|these|those)$/iu.test(words)
    ? `"${words}"`
    : words;

/** "Is the scanner task done or no?" */
const OR_NOT =
  /^((?:is|are|was|were|do|does|did|has|have|can)\s[^?]*?),?\s+or (?:no|not)(?: yet)?\s*\?*\s*$/iu;
/** "Fence task's done." */
const STATE_OF =
  /(?<=\p{L})['’]s (?=(?:now |already |all )?(?:done|finished|completed|blocked|cancelled)\b)/giu;
/** "Switch notifications to true, it is in config/phone.json" */
const IT_IS_IN = new RegExp(
  String.raw`,\s+(?:it|that|this)(?:['’]s| is) in (?:the file )?(${PATH})[\s.!]*$`,
  "iu",
);
/** "Delete old.txt, but make a copy called keep.txt first" */
const BUT_FIRST =
  /^((?:please\s+)?\p{L}+\s(?:[^,;.!?]|\.(?=\S))+?),?\s+but (?:please\s+)?(?:first (\p{L}+\s(?:[^,;.!?]|\.(?=\S))+?)|(\p{L}+\s(?:[^,;.!?]|\.(?=\S))+?)\s+first)[\s.!]*$/iu;

/** The order that is to be carried out first, and the one after it; what is copied is what the last one names. */
function firstThen(first: string, last: string): string {
  const path = PATH_IN.exec(last)?.[0];
  const copy =
    path === undefined ? first : first.replace(/\b(a (?:backup )?copy)\b(?! of)/iu, `$1 of ${path}`);
  return `${withPathFor(copy, last)} and then ${last}`;
}
/** "… b4 i wreck it" */
const BEFORE_SHORT = /(?<=^|\s)b4(?=\s+(?:i|we|you|u|he|she|they|it)\s)/giu;
const TO_SHORT = new RegExp(String.raw`(?<=${PATH}) 2 (?=${PATH}(?:\s|$))`, "giu");

/** "I want to be reminded every Monday", "I need a reminder for Friday": an order to remind. */
const WANTS_REMINDER =
  /^(\W{0,20})(?:(?:please|hey|hi|hello),?\s+)?(?:i|we)(?:['’]d|\s+would)?\s+(?:want|like|need|love|wish)\s+(?:(?:you\s+)?to\s+(?:be|get)\s+reminded|an?\s+reminder)\b/iu;

/** "Set an alarm for 7am": a reminder without any other text. */
const ALARM = new RegExp(
  [
    String.raw`^(\W{0,20})(?:(?:please|can you|could you)\s+)?(?:(?:set|put|make|create|add)\s+)?(?:(?:an?|the|my)\s+)?alarm\s+(?:clock\s+)?`,
    String.raw`(?:(?:for|at)\s+(?=\d)|(?:for|on)\s+(?=tomorrow|today|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday))`,
    String.raw`((?:(?!\b(?:to|that|about|so)\b)[^.!?\n]){1,40}?)[\s.!]*$`,
  ].join(""),
  "iu",
);
/** "Remind me in every second Sunday" */
const REMIND_IN_EVERY = /\b(remind me)\s+(?:in|at|on)\s+(?=every\b)/iu;
/** "Count how many files I have": a question. */
const COUNT_HOW_MANY = /^(\W{0,20})(?:please\s+)?count\s+(?:up\s+)?how many (\p{L}+)(?: (i|we) have\b)?/iu;

/** Puts the orders of a request into the order in which they are to be carried out. */
export function inOrder(written: string): string {
  const request = outsideQuotations(written, (masked) =>
    withTasksApart(withLines(withFileNamed(withPersonNamed(masked))))
      .replace(WANTS_REMINDER, "$1remind me")
      .replace(ALARM, (_, before: string, when: string) =>
        /^\d/u.test(when) ? `${before}remind me at ${when}: alarm` : `${before}remind me ${when}: alarm`,
      )
      .replace(REMIND_IN_EVERY, "$1 ")
      .replace(COUNT_HOW_MANY, (_, before: string, what: string, who?: string) =>
        who === undefined ? `${before}how many ${what}` : `${before}how many ${what} do ${who} have`,
      )
      .replace(AFTERWARDS, (_, order: string) => `. Then ${order}`)
      .replace(MOVE_ARROW, "$1 to ")
      .replace(ARROW, (_, path: string) => ` and write it to ${path}`)
      .replace(FILE_IN_FOLDER, (_, order: string, folder: string) => `${order} and create a file ${folder}/`)
      .replace(PUT_INSIDE, (_, order: string) => `${order} and write `)
      .replace(BEFORE_SHORT, "before")
      .replace(
        TWO_TEXTS,
        (_, verb: string, one: string, to: string, path: string, other: string, last: string) =>
          `${verb} ${asText(one)} ${to} ${path} and then ${verb} ${asText(other)} ${to} ${last}`,
      )
      .replace(FURTHER_TASK, "$1 and add ")
      .replace(SETTING, "in $1 set $2 to $3")
      .replace(OR_NOT, "$1")
      .replace(STATE_OF, " is ")
      .replace(IT_IS_IN, " in $1")
      .replace(BUT_FIRST, (_, last: string, one?: string, other?: string) =>
        firstThen(one ?? other ?? "", last),
      )
      .replace(LIST_TO_FILE, "$1")
      .replace(VERB_FOR_ME, "$1 ")
      .replace(TOO_PATH, " to ")
      .replace(WITH_SHORT, " with ")
      .replace(TO_SHORT, " to "),
  );
  if (!/\b(?:before|after|once|when|soon)\b|\?|,\s+\S+\.\p{L}+\W*$/iu.test(request)) return request;
  if (TEXT.test(request) || placesText(request)) return request;
  const withoutReason = outsideQuotations(request, (masked) => BEFORE_OWN_ACTION.exec(masked)?.[1] ?? masked);
  if (withoutReason !== request) return withoutReason;
  if (HOLDS_BACK.test(request)) return request;
  // A prohibition covers the words after it, and the text of a task or a note is not an order.
  if (/\b(?:not|never|cannot)\b|n't\b/iu.test(request)) return request;
  return outsideQuotations(request, (masked) => {
    const answered = ANSWERED_IN.exec(masked);
    if (answered && !PATH_IN.test(answered[1] ?? "")) return `${answered[1] ?? ""} in ${answered[2] ?? ""}?`;
    const mine = BEFORE_MINE.exec(masked);
    if (mine) return withPathFor(mine[2] ?? "", mine[1] ?? "");
    const before = BEFORE.exec(masked) ?? BEFORE_UNMARKED.exec(masked);
    if (before) {
      const [, prefix = "", verb = "", rest = "", first = ""] = before;
      const last = `${verb} ${rest}`;
      return `${prefix}${withPathFor(first, last)} and then ${last}`;
    }
    const last = BEFORE_LAST.exec(masked);
    if (
      last &&
      !/^(?:before|after|if|when)\b/iu.test(masked) &&
      (PATH_IN.test(last[3] ?? "") || /\bit\b/u.test(last[3] ?? ""))
    ) {
      const [, first = "", verb = "", rest = ""] = last;
      return `${first} and then ${withPathFor(`${baseOf(verb)} ${rest}`, first)}`;
    }
    const after = AFTER.exec(masked) ?? AFTER_UNMARKED.exec(masked);
    if (after) {
      const [, prefix = "", verb = "", rest = "", then = ""] = after;
      const first = `${baseOf(verb)} ${rest}`;
      return `${prefix}${first} and then ${withPathFor(then, first)}`;
    }
    return masked;
  });
}
