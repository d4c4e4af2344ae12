import { oneOf } from "@metahuman/core/text/patterns";
import { MAX_ORDER } from "../conversation/limits.ts";

// Orders for tasks and reminders in other than the usual words, rewritten as the phrases of the skills say them.

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

const FIRST_WORDS =
  "please|pls|ok|okay|hey|hi|hello|and|also|so|new|another|one|more|urgent|important|add|create|make|an?";
/** "Task!!! iron the shirts", "remember! the code is 12": exclamation marks in place of a colon. */
const EXCLAIMED = new RegExp(
  String.raw`^(?<order>(?:(?:${FIRST_WORDS})[\s,]+){0,4}(?:(?<thing>task|to-?do|reminder)|remember|remind\s+me))\s*!+\s+(?=\S)`,
  "iu",
);

const ASKS_POLITELY = String.raw`(?:(?:hi|hello|hey|so|ok|okay|and|please|also)[\s,!]+)*(?:(?:can|could|would|will)\s+you|(?:may|might|can|could)\s+i\s+(?:ask|trouble|bother)\s+you|(?:is|would|could)\s+it(?:\s+be)?\s+(?:possible|ok|okay|alright|all\s+right|fine|too\s+much(?:\s+trouble)?))\s+`;
/** What the sentence after the question is not: a remark about it, a doubt, or another question. */
const NO_CONTENT = oneOf(
  "i|we|you|he|she|they|it|that|this|there|if|or|and|but|so|not|no|nope|nah|never|maybe|perhaps|just|thanks",
  "the\\s+(?:thing|problem|point|trouble|question|fact|truth)|thank|come|forget|please|yes|because|since|as|is|are|do|does|did|can|could|would|what|how|why|when|who|which|where",
);
const ASKED_CONTENT = String.raw`(?:\s+(?:please|for\s+me|in|down|too|as\s+well|today|(?:to|on)\s+my\s+(?:task\s+|to-?do\s+)?list))*\s*\?+\s+(?!${NO_CONTENT}\b)(?<content>\p{L}[^?\n]{2,160})$`;
/** "Could you make a task? Wax the skis by friday.": the sentence after the question is the task. */
const ASKED_TASK = new RegExp(
  String.raw`^(?<order>${ASKS_POLITELY}(?:to\s+|for\s+)?(?:[\p{L}'’]+\s+){0,5}?(?:task|to-?do|reminder))${ASKED_CONTENT}`,
  "iu",
);
/** "Will you put something on my list? Grease the chain.", "could you remember something for me? The fuse is in the tin." */
const ASKED_SOMETHING = new RegExp(
  String.raw`^${ASKS_POLITELY}(?:to\s+)?(?:(?<keeps>remember|keep\s+in\s+mind|remind\s+me\s+(?:of|about)|(?:put|add|note|write))\s+(?:something|one\s+thing|a\s+thing))(?<place>\s+(?:on|to|onto)\s+my\s+(?:tasks?|to-?dos?|list|task\s+list|to-?do\s+list))?${ASKED_CONTENT}`,
  "iu",
);

/** "Dad wants to know.": a statement after the question says why it is asked, and not what is to be done. */
const IS_STATEMENT = new RegExp(
  String.raw`^(?:(?:the|an?|my|our|your|his|her|their|this|that)\s+)?[\p{L}'’-]+(?:\s+(?!(?:what|who|whom|which|that|where|when|how|why|if|whether)\b)[\p{L}'’-]+)?\s+${oneOf(
    "is|are|was|were|has|have|had|does|did|will|must|should|can|cannot|could|would|might|ought",
    "wants?|needs?|likes?|says|asks|knows|thinks|hopes|means|seems|feels|comes|goes|gets|takes|arrives|keeps",
    "said|told|asked|wanted|needed|rang|went|came|left|got|gave|forgot|thought|knew|lost|broke",
    String.raw`\p{L}{3,}ed(?=\s+(?:me|us|you|him|her|it|them|that|to|so|for|about)\b)|\p{L}+n['’]t`,
  )}\b`,
  "iu",
);

/** An order whose object follows as a sentence of its own, in one sentence; undefined for any other request. */
function rewriteAskedContent(request: string): string | undefined {
  const exclaimed = EXCLAIMED.exec(request);
  const { order: head = "", thing } = exclaimed?.groups ?? {};
  if (exclaimed !== null)
    return `${head}${thing === undefined ? "" : ":"} ${request.slice(exclaimed[0].length)}`;
  const { order, content: title } = ASKED_TASK.exec(request)?.groups ?? {};
  if (order !== undefined && title !== undefined) {
    if (IS_STATEMENT.test(title)) return undefined;
    const asked = /\bfor\s+(?:an?\s+)?(?:new\s+)?(?<noun>task|to-?do|reminder)$/iu.exec(order)?.groups?.[
      "noun"
    ];
    return asked === undefined ? `${order}: ${title}` : `add a ${asked}: ${title}`;
  }
  const { keeps = "", place, content } = ASKED_SOMETHING.exec(request)?.groups ?? {};
  const keepsFact = /^(?:remember|keep)/iu.test(keeps) && place === undefined;
  if (content === undefined || (!keepsFact && IS_STATEMENT.test(content))) return undefined;
  if (/^remind/iu.test(keeps)) return `remind me to ${content}`;
  if (place !== undefined) return `add a task: ${content}`;
  return keepsFact ? `remember that ${content}` : undefined;
}

/** "High prio task, due 2026-11-30, title: call the insurer": the fields of a task with their names, in any order. */
const TASK_HEAD =
  /^(?:(?:please|new|add|create|make|an?)\s+)*(?:(?<level>high|low|normal|urgent)[\s-]+(?:prio(?:rity)?\s+)?)?(?:task|to-?do)$/iu;
const TASK_FIELD =
  /^(?:(?<name>title|name)\s*(?::|=|\bis\b)|(?<other>due\s+date|due|deadline|prio(?:rity)?)\s*(?::|=|\bis\b|\bon\b|\bby\b|\s))\s*(?<value>\S.*)$/iu;

function rewriteTaskFields(request: string): string | undefined {
  const [head = "", ...parts] = request.replace(/[\s.!]+$/u, "").split(/\s*[,;]\s*/u);
  const level = TASK_HEAD.exec(head)?.groups;
  if (level === undefined || parts.length < 2) return undefined;
  const fields = new Map<string, string>();
  for (const part of parts) {
    const { name, other, value } = TASK_FIELD.exec(part)?.groups ?? {};
    const field = name ?? other;
    if (field === undefined || value === undefined) return undefined;
    fields.set(
      /^(?:due|deadline)/iu.test(field) ? "due" : /^prio/iu.test(field) ? "priority" : "title",
      value,
    );
  }
  const title = fields.get("title");
  if (title === undefined || fields.size !== parts.length) return undefined;
  const priority = fields.get("priority") ?? level["level"];
  const due = fields.get("due");
  return `add a ${priority === undefined ? "" : `${priority} priority `}task${due === undefined ? "" : ` due ${due}`}: ${title}`;
}

/** An order for a new task or reminder in the usual words; any other request unchanged. */
export function rewriteAsTask(request: string): string {
  if (request.length > MAX_ORDER) return request;
  const asked = rewriteTaskFields(request) ?? rewriteAskedContent(request);
  if (asked !== undefined) return asked;
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

/** "Give me a nudge on friday to …": a reminder by another name */
const NUDGE =
  /\b(?:give|drop|send)\s+me\s+an?\s+(?:little\s+|gentle\s+|quick\s+)?(?:nudge|ping|poke|prod|heads-?\s?up)\s+(?=(?:to|on|at|in|by|about|tomorrow|today|tonight|next|this)\b)/giu;

/** "Remind me please to call Ann" */
const REMIND_PLEASE =
  /^((?:\p{L}+,?\s+){0,2}?remind\s+me),?\s+(?:please|kindly|also|too|as\s+well)\s+(?=\S)/iu;

/** "Remember me on Tuesday that the flour arrives" means a reminder. */
const REMEMBER_ME =
  /\bremember\s+me\s+(?=(?:to|on|at|in|next|every|each|today|tonight|tomorrow|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\b)/iu;

/** "Remind me please to …" and "remember me on …" as "remind me …". */
export const rewriteReminder = (request: string): string =>
  request.replace(NUDGE, "remind me ").replace(REMEMBER_ME, "remind me ").replace(REMIND_PLEASE, "$1 ");

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

/** What others changed of an appointment, as an order to change it; the request itself if it has another form. */
export function rewriteChangeByOthers(request: string): string {
  const { thing, subject = thing, when } = CHANGE_BY_OTHERS.exec(request)?.groups ?? {};
  return subject === undefined || when === undefined ? request : `move ${subject} to ${when}`;
}
