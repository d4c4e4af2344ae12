import { oneOf } from "@metahuman/core/text/patterns";
import { END, isUnconditional, POLITE, rewriteBy, VALUE, type Wording, wording } from "../wordings.ts";

// Orders for tasks and reminders in whole sentences, rewritten as the phrases of the skills say them.

const WANT = String.raw`(?:(?:can|could|may)\s+(?:i|we)\s+(?:be|get)\s+reminded|(?:i|we)(?:['’]d|\s+would|\s+should)?\s+(?:want|like|need|wish|have)\s+to\s+(?:be|get)\s+reminded)`;
const WHEN_FIRST = oneOf("on", "at", "in", "by", "this", "next", "tomorrow", "today", "tonight");
const TITLE = String.raw`[^\uE000?\n]{2,120}?`;
const MUST_DO = String.raw`(?:i|we)(?:['’]ve)?\s+(?:have\s+to|need\s+to|must|should|got\s+to|gotta|ought\s+to)`;
const TASK = "(?:task|to-?do|reminder)";
const IS_THERE = oneOf(
  String.raw`do\s+(?:you\s+(?:see|have|find)|i\s+have)`,
  String.raw`(?:is|was)\s+there|have\s+i(?:\s+got)?|can\s+you\s+(?:see|find)`,
);

/** What is no task: the things of other skills. */
export const OTHER_THING = String.raw`\b(?:${oneOf(
  "function|routine|schedule|event|appointment|meeting|alarm|timer",
  "file|folder|directory|document|note|list|table|sheet|form|text|letter|draft",
  "row|line|column|cell|entry|item|key|field|record|value|word|paragraph|section|chapter",
  "fact|memory|conversation|chat|message|mail|email|backup|approval|grant|user|profile|account|skill|agent|model",
)})s?\b`;
const NAMES_OTHER_THING = new RegExp(OTHER_THING, "iu");
const PRONOUN_OR_ALL = /^(?:it|this|that|them|these|those|all|both|everything|anything|something)\b/iu;

/** Forms that the grammar would understand otherwise. */
const SENTENCES: readonly Wording[] = [
  // "On friday at noon I need to be reminded of the tide"
  wording(
    ({ when, kind, what }) =>
      /^(?:of|about|that)$/iu.test(kind ?? "")
        ? `remind me ${when ?? ""} ${kind ?? ""} ${what ?? ""}`
        : `remind me ${when ?? ""} to ${what ?? ""}`,
    String.raw`^${POLITE}(?<when>${WHEN_FIRST}\s[^,;:.?!\uE000\n]{1,40}?|tomorrow|tonight|today)\s*,?\s+${WANT}\s*(?:(?<kind>to|of|about|that)\s+|[:–-]\s*)(?<what>${TITLE})${END}`,
  ),
  wording(
    ({ when, what }) => `remind me ${when ?? ""} to ${what ?? ""}`,
    String.raw`^${POLITE}${WANT}\s+(?<when>${WHEN_FIRST}\b[^,;:.?!\uE000\n]{0,40}?)\s*[:–-]\s+(?<what>${TITLE})${END}`,
  ),
  // "Create for us a task: mend the tent"
  wording(
    ({ order, noun, rest }) => `${order ?? ""} a ${noun ?? ""}${rest ?? ""}`,
    String.raw`^(?:(?:please|pls|kindly)\s+)?(?:to\s+)?(?<order>create|make|add|open|write|set)\s+(?:for|to)\s+(?:me|us)\s+(?:an?\s+|one\s+)?(?:new\s+)?(?<noun>${TASK})(?<rest>\s*[:,–-]?\s+\S.*)$`,
  ),
  // "I have to fetch Lou on friday, make a task for that day: fetch Lou"
  wording(
    ({ when, after = when, noun, title }) => `add a ${noun ?? ""}: ${title ?? ""} ${after ?? ""}`,
    String.raw`^(?:(?:hey|hi|hello|ok|so|please)[\s,]+)*(?:(?<when>(?:${WHEN_FIRST})\b[^,;:.?!\n]{0,30}?)\s+${MUST_DO}\s+[^,;:.?!\n]{2,60}|${MUST_DO}\s+[^,;:.?!\n]{2,60}?\s+(?<after>(?:in|on|next|this|tomorrow)\b[^,;:.?!\n]{0,30}?))\s*[,;.]\s*`,
    String.raw`${POLITE}(?:(?:add|make|create|set)\s+)?(?:an?\s+|one\s+)?(?:new\s+)?(?<noun>${TASK})\s+(?:for|on)\s+(?:that|this|the\s+same)\s+day(?:\s+please)?\s*[:,]\s*(?:to\s+)?(?<title>${TITLE})${END}`,
  ),
  // "Complete mow lawn and then add another one, edge the beds"
  wording(
    ({ verb = "", noun, title = "", next }) => {
      const isTask = noun !== undefined;
      // What is ticked off is a task, unless it is something else; what is deleted may be anything.
      if (!isTask && (!/^(?:tick|check|cross|complete)/iu.test(verb) || NAMES_OTHER_THING.test(title)))
        return undefined;
      if (!isTask && PRONOUN_OR_ALL.test(title)) return undefined;
      return `${/^delete|^remove|^cancel/iu.test(verb) ? "delete" : "complete"} the task "${title}" and then add a task "${next ?? ""}"`;
    },
    String.raw`^${POLITE}(?<verb>tick\s+off|check\s+off|cross\s+off|complete|finish|close|delete|remove|cancel)\s+(?:my\s+|the\s+)?(?:(?<noun>${TASK})\s+)?(?<title>[^\uE000"“”,;:.?!\n]{2,60}?)\s*,?\s+(?:and\s+then|then|and)\s+(?:make|add|create|start|set\s+up)\s+(?:me\s+)?(?:a\s+new\s+(?:one|task)|another(?:\s+one|\s+task)?)\s*[,:–-]\s*(?:to\s+|called\s+)?(?<next>[^\uE000"“”;:?\n]{2,80}?)${END}`,
  ),
  // "Have I got a task about the vet? When is it due?"
  wording(
    ({ thing }) => `when is the ${thing ?? ""} task due?`,
    String.raw`^${IS_THERE}\s+(?:(?:an?|any|some)\s+${TASK}|anything|something)\s+(?:about|for|on|with|to)\s+(?:(?:the|my|our|a)\s+)?(?<thing>[^,;:.?!\uE000\n]{2,40}?)(?:\s+(?:in|on|among)\s+(?:my|the|our)\s+(?:task\s+|to-?do\s+)?(?:list|tasks))?(?:\s*\?\s*|\s*,\s*|\s+(?=and\s))(?:and\s+|if\s+so,?\s+)?when(?:\s+is|['’]?s)\s+(?:it|that)(?:\s+due)?[\s?.!]*$`,
  ),
  // "For the task clean gutters the due date is 2030-02-02"
  wording(
    ({ task, what, value }) => `set the ${what ?? ""} of the task ${task ?? ""} to ${value ?? ""}`,
    String.raw`^for\s+(?:the|my)\s+task\s+(?<task>[^,;:.?!\n]{2,60}?),?\s+the\s+(?:new\s+)?(?<what>due\s+date|deadline|priority)\s+(?:is\s+now|is|should\s+be|must\s+be)\s+(?<value>[^,;:?!\n]{3,40}?)${END}`,
  ),
  // "The task wash the van is less urgent now, set it to low priority": what is said of the task is the reason
  wording(
    ({ task, remark, level }) =>
      isUnconditional(remark) ? `set the task ${task ?? ""} to ${level ?? ""} priority` : undefined,
    String.raw`^(?:the|my)\s+task\s+(?!(?:who|which|that|whose|force|group|team|list|manager)\b)(?<task>${VALUE})\s+(?:(?:is|are|has|have|does|do|ca|can|wo|will)(?:n['’]?t)?)\s(?<remark>[^,;.?!\n]{0,60})[,;.]\s*`,
    String.raw`${POLITE}(?:make|set|give|mark|put)\s+(?:it|that\s+(?:one|task)|that)\s+(?:(?:to|as|at|on)\s+)?(?:an?\s+)?(?<level>low|normal|medium|high)(?:\s+prio(?:rity)?)?${END}`,
  ),
  // "Wash the van task gets the due date …"
  wording(
    ({ rest }) => `the ${rest ?? ""}`,
    String.raw`^(?<rest>(?!(?:the|my|this|that|no|every|each|if|does|do|did)\b)[^,;:.?!\n]{2,60}?\s+task\s+(?:gets|receives|needs|should\s+(?:have|get)|must\s+have|now\s+has|has\s+now)\s+(?:(?:an?|the|new)\s+)*(?:due\s+date|deadline|(?:low|normal|medium|high|urgent|top)(?:est)?\b)[^?\n]*)$`,
  ),
  // "I have begun to polish shoes, that task is in progress"
  wording(
    ({ thing }) => `mark "${thing ?? ""}" as in progress`,
    String.raw`^(?:i(?:['’]ve|\s+have)?\s+)?(?:just\s+|already\s+|finally\s+)*(?:started|begun|began)\s+(?:(?:to\s+)?work(?:ing)?\s+)?(?:(?:with|on|to)\s+)?(?:(?:the|my)\s+)?(?<thing>[^,;:.?!\uE000"“”\n]{2,60}?)(?:\s+task)?\s*[,;.]\s*(?:so\s+|and\s+)?(?:(?:that|this|the)\s+task\s+is\s+(?:now\s+)?in\s+progress(?:\s+now)?|${POLITE}(?:mark|set|put)\s+(?:it|that)\s+(?:as\s+|to\s+)?in\s+progress)${END}`,
  ),
];

/** A sentence about a task or a reminder in the usual words; the request itself if it has none of the forms. */
export const rewriteTaskSentence = (request: string): string => rewriteBy(request, SENTENCES);

const ONE_AND = /^(?!.*,.*\band\b)(?!.*\band\b.*\band\b).*\band\b/iu;
const BOTH: readonly Wording[] = [
  // "Delete a.txt and b.txt, both of them": how many there are was said
  wording(
    ({ order }) => (ONE_AND.test(order ?? "") && isUnconditional(order) ? order : undefined),
    String.raw`^(?<order>[^?\n]{5,150}?)\s*[,;]?\s+(?:that['’]?s\s+|i\s+mean\s+)?both(?:\s+(?:of\s+)?(?:them|(?:(?:the|my|these|those)\s+)?(?:tasks|files|reminders|lines)))?${END}`,
  ),
];

/** An order for two things without the words that only count them. */
export const withoutBoth = (request: string): string => rewriteBy(request, BOTH);
