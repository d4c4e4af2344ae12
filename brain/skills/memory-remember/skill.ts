import { oneOf } from "@metahuman/core/text/patterns";
import { ArchiveEntry } from "@metahuman/core/contract/http";
import { MemoryId } from "@metahuman/core/contract/ids";
import { MemoryRecord, MemoryTrust } from "@metahuman/core/contract/memory";
import { z } from "zod";
import { amendMemory } from "../support/amendment.ts";
import { removeCreated, restoreUnder } from "../support/reversal.ts";
import { defineSkill } from "../define-skill.ts";
import { linePreview } from "../support/phrasing.ts";
import { FUNCTION_WORDS } from "@metahuman/core/language/tokens/words";
import { contentWords, searchTerms, plainWords, contentStems, spacedWords } from "@metahuman/core/text/words";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { truncate } from "@metahuman/core/text/format";
import { textField } from "../outputs.ts";

const remember =
  "(remember|memorize|memorise|note|note down|take note|take a note|make a note|make a mental note|write down|jot down|keep in mind|bear in mind|keep in memory|keep a note|save|store|put down|record|do not forget|never forget|please note)";
const what = "[this|the following|the fact|for me|for later|down|too|also|as well|well]";
const memory = "(to|in|into) [your|my|long-term] memory";

/** A memory by its words. */
const known: Slot = {
  type: "reference",
  kind: "memory",
  like: /^(?!(?:password|name|username|account|profile|settings?|language|theme|picture|photo)$)(?!.*\b(?:tasks?|to-?dos?|files?|folders?|lines?|schedules?|reminders?|due|priority|status|title)\b)(?!.*\.\p{L}+$)\S/iu,
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
    { ports: { memory }, request, earlierMessages = [], runId, conversationId },
  ) => {
    const old = replaces === undefined ? undefined : await memory.get(replaces);
    const messages = [request, ...earlierMessages];
    const own =
      isOwnWords(text, messages) ||
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

/**
 * Whether a person wrote `text` themselves. True if its words stand in one of the sources in this order with nothing
 * between them, where letter case, punctuation and spacing do not count. Also true with a name that the person wrote in place of
 * "she" or "her", and if a model rephrased what the person said ("I'm allergic to nuts" becomes "User is allergic to nuts"): see `isRephrased`. Text without any word is
 * compared as it is.
 */
export function isOwnWords(text: string, sources: readonly string[]): boolean {
  const words = spacedWords(text);
  if (words.trim() === "") return sources.some((source) => source.includes(text));
  return (
    sources.some((source) => spacedWords(source).includes(words)) ||
    isOwnWithName(text, sources) ||
    isRephrased(text, sources)
  );
}

/** The most words of a name. */
const MAX_NAME = 3;
const PRONOUNS = ["he", "she", "they", "his", "her", "their"];

/** True if the text is what a person said of "she" or "her", with a name in its place that they wrote as well. */
function isOwnWithName(text: string, sources: readonly string[]): boolean {
  const words = plainWords(text.replaceAll(/['’]s(?!\p{L})/gu, ""));
  const isWritten = (part: string): boolean => sources.some((source) => spacedWords(source).includes(part));
  return words.slice(1, MAX_NAME + 1).some((_, index) => {
    const [name, rest] = [words.slice(0, index + 1), words.slice(index + 1)];
    return (
      name.every((word) => /^(?:my|our)$/u.test(word) || !FUNCTION_WORDS.has(word)) &&
      isWritten(` ${name.join(" ")} `) &&
      PRONOUNS.some((pronoun) => isWritten(` ${pronoun} ${rest.join(" ")} `))
    );
  });
}

/**
 * True if `text` is the sentence `fact` with one part of it replaced by words that the person wrote. A word that
 * reverses the meaning proves nothing, and neither does a part without which no subject is left.
 */
function isOwnCorrection(text: string, fact: string, sources: readonly string[]): boolean {
  const [now, before] = [searchTerms(text), searchTerms(fact)];
  const differs = now.findIndex((word, index) => word !== before[index]);
  if (differs < 1 || !contentWords(now.slice(0, differs).join(" ")).length) return false;
  let same = 0;
  while (same < Math.min(now.length, before.length) - differs && now.at(-1 - same) === before.at(-1 - same))
    same++;
  const part = now.slice(differs, now.length - same);
  const words = spacedWords(part.join(" "));
  return (
    part.length > 0 &&
    !part.some((word) => QUALIFIERS.has(word)) &&
    sources.some((source) => spacedWords(source).includes(words))
  );
}

/** Stems of words that refer to the person or introduce a note. */
const NAMES_PERSON = contentStems("user person owner");
const INTRODUCES = contentStems(
  "remember note notice save store keep know tell mind memory fact way fyi forget also hello hi hey ok okay thanks thank",
);
/** Words that change the meaning of a sentence. A rephrasing must contain the same ones. */
const QUALIFIERS = new Set(
  (
    "not no never none nobody nothing neither nor cannot without unless if only except until maybe perhaps might may could " +
    "should would hardly rarely dont doesnt didnt isnt arent wasnt werent wont cant couldnt shouldnt wouldnt havent hasnt " +
    "nicht kein keine keinen nie niemals wenn falls nur ohne ne pas jamais sans si aucun nunca sin solo nao niet geen nooit"
  ).split(" "),
);
const DO_NOT_FORGET = /\b(?:do not|don['’]t|never) forget\b/giu;
const SENTENCE = /(?<=[.!?;])\s+|\n+/u;
const CLAUSE = /[,;:.!?]+(?=\s|$)|\n+|\b(?:and|but|that|und|aber|dass|et|mais|que|y|pero)\b/iu;

/**
 * True if every clause of `text` takes all its content words, by stem and in this order, from one sentence of a source,
 * starts where that sentence or one of its clauses starts, and is qualified by the same words ("not", "only", "if").
 * Words that name the person, and the verbs that introduce a note, do not count. A single word proves nothing, and
 * words of two sentences are never put together.
 */
function isRephrased(text: string, sources: readonly string[]): boolean {
  const sourceParts = sources.flatMap((source) =>
    source
      .replaceAll(DO_NOT_FORGET, "remember")
      .split(SENTENCE)
      .flatMap((sentence) => [sentence, ...sentence.split(CLAUSE)]),
  );
  const isSupported = (part: string): boolean =>
    contentWords(part).length > 0 && sourceParts.some((source) => hasSameMeaning(part, source));
  if (isSupported(text)) return true;
  const parts = text.split(CLAUSE).filter((part) => searchTerms(part).length > 0);
  return parts.length > 1 && parts.every(isSupported);
}

function hasSameMeaning(part: string, source: string): boolean {
  if (qualifiersOf(part) !== qualifiersOf(source)) return false;
  const partStems = [...contentStems(part)].filter((stem) => !NAMES_PERSON.has(stem));
  const sourceStems = [...contentStems(source)].filter((stem) => !INTRODUCES.has(stem));
  if (partStems.length < 2 || partStems[0] !== sourceStems[0]) return false;
  let from = 0;
  return partStems.every((stem) => {
    const index = sourceStems.indexOf(stem, from);
    from = index + 1;
    return index >= 0;
  });
}

function qualifiersOf(text: string): string {
  return [...new Set(searchTerms(text).filter((word) => QUALIFIERS.has(word)))].sort().join(" ");
}
