import { oneOf } from "@metahuman/core/text/patterns";
import { ArchiveEntry } from "@metahuman/core/contract/http";
import { MemoryId } from "@metahuman/core/contract/ids";
import { MemoryRecord, MemoryTrust } from "@metahuman/core/contract/memory";
import { z } from "zod";
import { amendMemory } from "../support/amendment.ts";
import { removeCreated, restoreUnder } from "../support/reversal.ts";
import { defineSkill } from "../define-skill.ts";
import { linePreview } from "../support/phrasing.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { truncate } from "@metahuman/core/text/format";
import { textField } from "../outputs.ts";
import { isOwnCorrection, isOwnWords } from "./own-words.ts";

const remember =
  "(remember|memorize|memorise|note|note down|take note|take a note|make a note|make a mental note|write down|jot down|keep in mind|bear in mind|keep in memory|keep a note|save|store|put down|record|do not forget|never forget|please note)";
const what = "[this|the following|the fact|for me|for later|down|too|also|as well|well]";
const memory = "(to|in|into) [your|my|long-term] memory";

/** A memory by its words. */
const ACCOUNT_WORDS = oneOf("password|name|username|account|profile|settings?|language|theme|picture|photo");
const TASK_AND_FILE_WORDS = oneOf(
  "tasks?|to-?dos?|files?|folders?|lines?|schedules?|reminders?|due|priority|status|title",
);
const known: Slot = {
  type: "reference",
  kind: "memory",
  like: new RegExp(String.raw`^(?!${ACCOUNT_WORDS}$)(?!.*\b${TASK_AND_FILE_WORDS}\b)(?!.*\.\p{L}+$)\S`, "iu"),
  sample: "garage code",
};
const changed: Slot = { type: "text", like: /^\S+(?:\s+\S+){0,9}$/u, sample: "4712" };
const STATED_WORDS = oneOf(
  "is|are|was|were|has|have|lives?|likes?|loves?|hates?|meets?|ends?|starts?|begins?|opens?|closes?",
  "works?|costs?|prefers?|needs?|goes|comes?|takes?",
);
const STATED = new RegExp(String.raw`^(?!(?:it|that|this|he|she|they)\b).*\s${STATED_WORDS}\s`, "isu");

const CORRECTED_VERBS = [
  "is",
  "are",
  "has",
  "lives in",
  "likes",
  "costs",
  "starts at",
  "opens at",
  "closes at",
  "works at",
];

/** Facts in place of those that are known. */
const corrections: readonly Phrase[] = [
  {
    template:
      "(change|update|correct|edit|replace) the memory (about|of|on|with) {replaces} (to|with|by|:|so it says|to say) {text}|(change|update|correct) what you (know|remember) about {replaces} (to|with|:) {text}",
    slots: { replaces: known },
  },
  ...[
    "(change|update|correct) =my {replaces} to {value} [in (my|your) memory]",
    "=my {replaces} (changed|has changed|was changed) to {value} [. please (update|change|correct|remember) (it|that|this)]",
  ].map((template): Phrase => ({
    template,
    slots: { replaces: known, value: changed },
    compose: { text: "my {replaces} is {value}" },
    mayStartWithSlot: true,
  })),
  // The subject of the sentence names the memory that is corrected.
  ...CORRECTED_VERBS.flatMap((verb) =>
    ["", "my", "our", "the"].map((determiner): Phrase => ({
      template: `correction : ${determiner === "" ? "" : `=${determiner} `}{replaces} =${verb.replaceAll(" ", " =")} {value}`,
      slots: { replaces: known, value: changed },
      compose: { text: `${determiner} {replaces} ${verb} {value}`.trim() },
    })),
  ),
  {
    template: "(correction|correct that|correct this|to correct that|update) : {text}",
    slots: { text: { type: "text", like: STATED, sample: "the garage code is 4712" } },
  },
];

const phrases: readonly (string | Phrase)[] = [
  `${remember} ${what} that {text}`,
  `(remember|memorize|memorise|keep in mind|bear in mind) ${what} {text}`,
  `${remember} ${what} (:|.) {text}`,
  `(save|store|put|add|keep|write|commit) ${memory} [that|:] {text}`,
  "(write|make|leave|take|keep|add|create) [me] a [quick|short|little] note (saying|that says|which says|to say|that|:) [that] {text}",
  { template: `(save|store|put|add|keep|commit) {text} ${memory}`, slots: { text: "wording" } },
  "(fyi|for future reference|for reference|for the record|note to self|memo to self|for your information|for later|to remember|just so you know|so you know) [for later] [:|that] {text} [. please (memorise|memorize|remember|note|keep|save) [it|that|this] [in mind|down]]",
  "memo (:|that) {text}",
  "(know|be aware|keep track) that {text}",
  // "Call me Irja", and not "call me back".
  {
    template: "(call|you can call|you may call|just call) me {name} [please|from now on]",
    slots: { name: { type: "name", like: /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?$/u, sample: "Irja" } },
    compose: { text: "my name is {name}" },
  },
  "[a] (note|remark|reminder) (for|to) (your|my) memory : {text}",
  // What is to be done follows "to"; a statement is a fact.
  {
    template: "do not forget {text}",
    lastResort: true,
    slots: {
      text: {
        type: "text",
        like: /^(?!(?:to|about|the|it|that|this)\b).*\s(?:is|are|was|were|has|have|lives?|likes?|loves?|hates?|works?|prefers?)\s\S/iu,
        sample: "Mia's birthday is 4 June",
      },
    },
  },
  {
    template: "(store|save|keep|note) [:] {text}",
    lastResort: true,
    slots: {
      text: {
        type: "text",
        like: /\s(?:is|are|was|were|has|have|lives?|likes?|loves?|hates?|ends?|starts?|begins?|opens?|closes?|works?|costs?|prefers?|needs?|goes|go|comes?|takes?)\s/iu,
        sample: "the garage code is 4711",
      },
    },
  },
  {
    template:
      "{text} . [please] ((remember|note|keep in mind|do not forget|memorize|memorise|write down|store|save) (that|this|it|those) [please|for me|for later|down|in mind] [also|too|as well]|(remember|note|save|store|keep) [that|this|it] (also|too|as well)|also (remember|note|save|store|keep) (that|this|it)|(keep|bear) (that|this|it) in (mind|memory) [please|for me|for later])",
    slots: {
      text: {
        type: "text",
        like: /^(?!.*\b(?:delete|remove|create|write|move|rename|add|append|copy|read|show|list)\b).*\s\S+/isu,
        sample: "the garage code is 4711",
      },
    },
    mayStartWithSlot: true,
  },
  ...corrections,
];

const SPEECH_VERBS =
  "(?:told|said|say|wrote|mentioned|asked|discussed|talked|spoke|explained|showed|sent|know|knew)";
const NO_QUESTION = String.raw`(?!(?:when|how|who|what|where|why|that (?:time|day))\b[^.!]*\?)`;
/** "When we wrote letters by hand" */
const NO_MEMORY_OF_A_TIME = String.raw`(?!when\b(?:(?!\b(?:is|are|will|must|should)\b)[^?:])*\b(?:was|were|used|came|went|had|did|[a-z]{2,}ed)\b)`;
const NO_PLACE = String.raw`(?!(?:(?:list|note|file|table|text|letter|document|one|figure|number|result|total) )?(?:in|into|to|on|as) (?:the )?(?:file )?\S+\.[a-z][a-z0-9]{0,9}[.!]?$)`;
const THING_MENTIONED =
  "(?:what|whatever|everything|anything|all(?: that)?|the (?:things?|stuff|bit|part)(?: that)?)";
const NOT_WHAT_WAS_MENTIONED = String.raw`(?!(?:about )?${THING_MENTIONED} (?:i|you|we)(?:['’](?:ve|d))? (?:(?:have|had|just|already|once) )*${SPEECH_VERBS}(?![^:]*:)\b)`;
/**
 * Any text but "what I told you about Rome", which names what to remember and does not say it, and "in notes/log.md", which names a
 * place for it, as "list as notes.md" does. "When we wrote letters by hand? Those were the days" recalls something and orders nothing.
 */
const STATEMENT = new RegExp(
  `^${NO_QUESTION}${NO_MEMORY_OF_A_TIME}${NO_PLACE}${NOT_WHAT_WAS_MENTIONED}`,
  "iu",
);

const slots: Record<string, SlotType | Slot> = {
  text: { type: "text", sample: "the garage code is 4711", like: STATEMENT, sentences: true },
};

const results: Results = {
  reference: { memory: "id" },
  label: (outputs) => textField(outputs, "content"),
  text: (outputs) => textField(outputs, "content"),
};

/** A plain statement may be worth remembering; the person decides. */
const keeps = "text";

/** Longer texts belong in files. */
const MAX_TEXT = 100_000;
/** Maximum length in a preview. */
const MAX_PREVIEW_LENGTH = 2_000;

export const memoryRemember = defineSkill({
  id: "memory_remember",
  summary: "Remember something",
  category: "memory",
  input: z.strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TEXT)
      .describe("What to remember, in the person's own words if possible"),
    tags: MemoryRecord.shape.tags.optional(),
    replaces: MemoryId.optional().describe(
      "Id of the memory that this corrects, from the known memories or memory_search; leave it out if you have none",
    ),
  }),
  output: z.strictObject({
    id: z.string(),
    content: z.string(),
    trust: MemoryTrust.describe("untrusted unless the person said it"),
    replaced: ArchiveEntry.optional().describe("The memory that was corrected"),
  }),
  effects: "write",
  risk: "low",
  notes: "Text from a file, a tool or the web is stored as untrusted.",
  phrases,
  slots,
  results,
  keeps,
  assess: async ({ text, tags, replaces }, { memory }) => {
    const old = replaces === undefined ? undefined : await memory.get(replaces);
    return {
      risk: old === undefined ? "low" : "medium",
      preview: {
        title: `Remember "${linePreview(text)}"?`,
        facts: [
          { label: "text", value: truncate(text, MAX_PREVIEW_LENGTH) },
          ...(tags && tags.length > 0 ? [{ label: "tags", value: tags.join(", ") }] : []),
          ...(old ? [{ label: "instead of", value: truncate(old.content, MAX_PREVIEW_LENGTH) }] : []),
        ],
      },
      ...(old && { record: { id: old.id, title: old.content } }),
      paths: [],
      hosts: [],
      grant: {},
    };
  },
  reverse: (made) => {
    const created = removeCreated("memory_forget")(made);
    const restored = restoreUnder("replaced")(made);
    return created && [...(restored ?? []), ...created];
  },
  amend: ({ outputs: { id, content } }, correction) => amendMemory({ id, content }, correction),
  narrate: ({ content, replaced }) =>
    replaced === undefined
      ? `Remembered: "${linePreview(content)}".`
      : `Remembered: "${linePreview(content)}". "${linePreview(replaced.title)}" is in the archive.`,
  run: async (
    { text, tags, replaces },
    {
      ports: { memory },
      request,
      earlierMessages = [],
      person,
      runId,
      conversationId,
      now,
      timeZone,
      locale,
    },
  ) => {
    const old = replaces === undefined ? undefined : await memory.get(replaces);
    const messages = [request, ...earlierMessages];
    const own =
      isOwnWords(text, messages, { person, clock: { now, timeZone, locale } }) ||
      (old?.trust === "trusted" && isOwnCorrection(text, old.content, messages));
    const recordTags = tags ?? old?.tags;
    const record = await memory.add(
      { type: "observation", content: text, ...(recordTags && { tags: recordTags }) },
      {
        source: { kind: own ? "user" : "operator", runId, conversationId },
        trust: own ? "trusted" : "untrusted",
      },
    );
    const replaced = old && (await memory.forget(old.id, { runId }));
    return { id: record.id, content: record.content, trust: record.trust, ...(replaced && { replaced }) };
  },
});
