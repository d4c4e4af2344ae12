import {
  type MemoryRecord,
  MemoryTrust,
  MemoryType,
  type RecalledMemory,
} from "@metahuman/core/contract/memory";
import { exchangeIn } from "@metahuman/core/memory/exchange";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { mayHoldSeveral } from "@metahuman/core/text/statements";
import { sentencesIn, plainWords } from "@metahuman/core/text/words";
import { z } from "zod";
import { capitalize, formatCount, oneLine, truncate } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { escapeInline, table } from "../markdown.ts";
import { relativeTerms } from "@metahuman/core/text/kinship";
import { amendMemory } from "../support/amendment.ts";
import { linePreview, endSentence } from "../support/phrasing.ts";
import type { Finder, Phrase, Results, Slot, SlotType, View } from "@metahuman/core/language/grammar/phrase";
import { candidatesIn, records, textField } from "../outputs.ts";

const located = "[kept|stored|located|saved|hidden|written down|now|again|at|located at]";
const know = "(know|remember|recall|have|keep|have stored|have noted|have saved|have in mind|have in memory)";
const about = "(about|on|of|regarding|concerning)";
const past =
  "(tell|told|say|said|note|noted|write|written|mention|mentioned|teach|taught|give|given|save|saved|store|stored|ask you to remember|asked you to remember)";

/** Orders to search: everything that fits is listed. */
const searches: readonly string[] = [
  "(search|look|check) [in|through] [my|your] (memory|notes|memories) (for|about|what) {query}",
  "look up {query} [(in|from) [my|your] memory]",
  "(search for|search|recall|find|tell me|give me|remember) {query} (in|from) [my|your] memory",
  "(search for|search|recall|find|look up) {query} [(in|from) [my|your] memory]",
  "(find|show|list|what are|read) [me] [all] [my|your] memories (about|of|on|with) {query}",
  "memories (about|of|on) {query}",
];

/** Questions: what is known is said in sentences. */
const questions: readonly (string | Phrase)[] = [
  `where (is|are) {query} ${located}`,
  `what (do you|do I|can you tell me|could you tell me|can you say) ${know} ${about} {query}`,
  `what (can|could) you (tell|say|recall|remember) [me] ${about} {query}`,
  "where (do|did|have) I (keep|put|store|leave|save|hide|write down|park|left|stored|hidden|parked) {query}",
  "where (do|can|could|would|will) (I|we|you) find {query}",
  `where {query} (is|are|was) ${located}`,
  `what you ${know} ${about} {query}`,
  `(tell|show|give|list) [me] (everything|all|anything|what|whatever) [that] (you|I|we) ${know} ${about} {query}`,
  `(tell|show|give) [me] (everything|all|anything) about {query}`,
  `what (did I|have I|did you|have you|did we|have we) [already|ever] ${past} [you|me] ${about} {query}`,
  `(everything|all|anything) [that] (you|I) ${know} ${about} {query}`,
  `how (do|did|can|could) (you|I) know (where|what|when|who|which) {query} (is|are|was|were) ${located}`,
  "how (do|did|can|could) (you|I) know (where|what|when|who|which) {query} (is|are|was|were)",
  "how (do|did|can|could) (you|I) know [anything|something] (about|of|on) {query}",
  "how (do|did|can|could) (you|I) know [that] {query}",
  "(do you|do I|can you) [still] (remember|know|recall) (where|what|when|who|which|how|why) {query} (is|are|was|were|do|does|likes|like)",
  "(do you|do I) [still] (remember|know|recall) [anything about|something about|about|where|what|when|who|that|if|how|whether|which] {query}",
  "can you [still] (remember|recall) (anything about|something about|about|where|what|when|who|how|whether|which) {query}",
  `(did I|have I|did we) [ever|already] ${past} [you] [down] [anything about|something about|about|where|what|when|that|of] {query}`,
  "(is|was|do you have|have you got|is there) (anything|something) (in memory|in your memory|remembered|saved|stored|noted) about {query}",
  "(do you have|have you got|do you know) (anything|something) (about|on) {query}",
  "(tell|remind) me [something|more] about =my {query}",
  "what is =my {query}",
  {
    template: "(what|who|when|where|which|how) (is|are|was|were) {query}",
    slots: { query: { type: "query", possessive: true, sample: "Bob's birthday" } },
  },
  "who is =my {query}",
  "when (is|was) {query}",
  {
    template: "(show|open|view|get|see|find) [me] {query}",
    slots: { query: { type: "reference", kind: "memory", pronounOnly: true, byName: true } },
  },
  "(remind|refresh) me (where|what|when|who|which|how|why) {query} (is|are|was|were)",
  "(remind|refresh) me [again] (where|what|when|who|which|how|why|whether|if) {query}",
  "(remind me|refresh my memory) (about|of|on) what (I|you|we) (said|told you|know|decided|noted) [about|on] {query}",
];

/** The query that every memory fits. */
const ALL = "*";
/** Everything that is known. */
const all =
  "(what do you|what do you already|what else do you) (know|remember) [about (me|myself|us)] [so far|already]|what have (I|we) told you [so far|about (me|myself|us)]|(show|list|tell|give) [me] (everything|all|all that|what|whatever) [that] (you|I) (know|remember|have noted|have remembered|have saved|have stored|told you) [about (me|myself|us)]|(show|list|read) [me] [all] [of] (my|your|the) (=memories|facts)|what is in (my|your) memory";

const view = { name: "answer" };
const phrases: readonly (string | Phrase)[] = [
  ...questions.map((phrase) =>
    typeof phrase === "string" ? { template: phrase, view } : { view, ...phrase },
  ),
  ...searches,
  {
    template: all,
    args: { query: ALL, types: ["curated", "observation"], limit: 50 },
    view: { name: "all" },
  },
];

const slots: Record<string, SlotType | Slot> = { query: { type: "query", sample: "the garage code" } };

const finds: Finder = {
  kind: "memory",
  by: "query",
  candidates: (outputs) =>
    candidatesIn(
      outputs,
      "results",
      "content",
      (memory) => `of ${textField(memory, "timestamp").slice(0, 10)}`,
    ),
  holdsSeveral: (content) =>
    content.includes("\n") || sentencesIn(content).length > 1 || mayHoldSeveral(content),
};

const results: Results = {
  // Only the best results are requested, because a search is never exhaustive.
  text: (outputs) =>
    records(outputs, "results")
      .map((memory) => `- ${textField(memory, "content")}\n`)
      .join(""),
};

/** Memory may answer any question; the search states if it does not. */
const answers = "query";

/** Types for "what do you know": facts and events, not conversations. */
const FACTS: readonly MemoryType[] = ["curated", "observation", "action", "audio"];
/** Searched only if no fact matches, because an earlier question must not hide its answer. */
const CONVERSATION_TYPES: readonly MemoryType[] = ["conversation"];
/** Maximum number of conversation excerpts. */
const MAX_CONVERSATIONS = 3;
const CONVERSATION_CANDIDATES = 12;
/** Maximum length of one memory, in characters; the page shows the whole record. */
const MAX_CONTENT_LENGTH = 8_000;

const Result = z.strictObject({
  id: z.string(),
  type: MemoryType,
  content: z.string(),
  timestamp: z.iso.datetime(),
  score: z.number(),
  trust: MemoryTrust,
  passage: z.string().optional().describe("Of a long memory, the part with the most words of the query"),
});

async function recallMemories(
  memory: MemoryPort,
  query: { query: string; limit: number },
  types: readonly MemoryType[] | undefined,
  signal: AbortSignal,
): Promise<
  {
    memory: Pick<RecalledMemory["memory"], "id" | "type" | "content" | "timestamp" | "trust">;
    score: number;
  }[]
> {
  if (query.query === ALL) {
    const { items } = await memory.list({ types: [...(types ?? FACTS)], limit: query.limit });
    return items.map((item) => ({ memory: item, score: 1 }));
  }
  if (types !== undefined) return await memory.recall({ ...query, types: [...types] }, signal);
  const members = membersOf(query.query);
  const relatives = plainWords(query.query).flatMap(relativeTerms);
  const facts = await memory.recall(
    { ...query, query: [query.query, ...members, ...relatives].join(" "), types: [...FACTS] },
    signal,
  );
  const fitting =
    members.length === 0 ? facts : facts.filter((fact) => namesOneOf(fact.memory.content, members));
  if (fitting.length > 0) return fitting;
  const talk = await memory.recall(
    { ...query, limit: CONVERSATION_CANDIDATES, types: [...CONVERSATION_TYPES] },
    signal,
  );
  return talk
    .filter(
      ({ memory: piece }) => coverage(piece.content, query.query) >= ANSWERS_FROM && !isUnanswered(piece),
    )
    .slice(0, Math.min(query.limit, MAX_CONVERSATIONS));
}

/** "What is my name?", "when's our birthday": about what is the person's own. */
const ASKS_FOR_OWN = /^\W*(?:what|who|when|where|which)(?:['’]?s|\s+is|\s+are|\s+was)\s+(?:my|our)\s/iu;
/** "Name: Anna; city: Oslo; fee: 35", a row of an imported table. */
const ROW = /^[\p{L}\p{N} _-]+:\s[^;\n]+;\s[\p{L}\p{N} _-]+:\s/u;

/** False for a row of an imported table and a question about the person: it is about somebody else. */
const mayAnswer = ({ trust, content }: Pick<MemoryRecord, "trust" | "content">, request: string): boolean =>
  trust === "trusted" || !ASKS_FOR_OWN.test(request) || !ROW.test(content);

/** True for a question without an answer, which contains no fact. */
function isUnanswered(memory: Parameters<typeof exchangeIn>[0]): boolean {
  const exchange = exchangeIn(memory);
  return exchange !== undefined && exchange.answer === undefined;
}

/** Words for several people or animals, and what each of them may be called. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  family:
    "family sister brother mother mum mom mama father dad papa parent son daughter child children kid wife husband partner grandmother grandma granny grandfather grandpa aunt uncle cousin niece nephew twin".split(
      " ",
    ),
  pets: "pet dog cat rabbit hamster parrot bird horse fish tortoise puppy kitten".split(" "),
};
const GROUP_NAMES: Readonly<Record<string, string>> = {
  family: "family",
  relatives: "family",
  relations: "family",
  pets: "pets",
  animals: "pets",
};

/** What the members of the group that a question is about are called; none for any other question. */
function membersOf(question: string): readonly string[] {
  const [only, ...others] = plainWords(question).filter((word) => !FUNCTION_WORDS.has(word));
  const group = others.length === 0 && only !== undefined ? GROUP_NAMES[only] : undefined;
  return group === undefined ? [] : (GROUPS[group] ?? []);
}

function namesOneOf(text: string, names: readonly string[]): boolean {
  const there = new Set(plainWords(text.replaceAll(/['’]s\b/gu, "")).map(stem));
  return names.some((name) => there.has(stem(name)));
}

/** The share of the content words of a question that occur in the text. */
function coverage(text: string, question: string): number {
  const asked = new Set(plainWords(question).filter((word) => !FUNCTION_WORDS.has(word)));
  const stems = new Set(plainWords(text).map(stem));
  const shared = [...asked].filter(
    (word) => stems.has(stem(word)) || relativeTerms(word).some((term) => stems.has(stem(term))),
  );
  return asked.size === 0 ? 0 : shared.length / asked.size;
}

/** A text with a smaller share of the words of a question does not answer it. */
const ANSWERS_FROM = 2 / 3;

/** The facts that were found with the most words of the question; none if none has two thirds of them. */
function factsAbout(
  outputs: Record<string, unknown>,
  query: string,
): { id: string; content: string; share: number }[] {
  const members = membersOf(query);
  const shareOf = (sentence: string): number =>
    members.length > 0 && namesOneOf(sentence, members) ? 1 : coverage(sentence, query);
  const facts = records(outputs, "results")
    .filter((memory) => textField(memory, "type") !== "conversation")
    .map((memory) => ({
      id: textField(memory, "id"),
      content: textField(memory, "content"),
      share: shareOf(textField(memory, "content")),
    }));
  const best = Math.max(0, ...facts.map(({ share }) => share));
  return best < ANSWERS_FROM ? [] : facts.filter(({ share }) => share === best);
}

/** A memory without the Markdown of headings and quotations. A heading precedes the text below it. */
const wordsOf = (content: string): string =>
  content
    .replaceAll(/^>\s?/gmu, "")
    .replaceAll(/^#{1,6}\s+(\S.*?)[:.]?[ \t]*\n\s*(?=\S)/gmu, "$1: ")
    .replaceAll(/^#{1,6}\s+/gmu, "");

/** A memory up to this length is shown as a whole. */
const WHOLE = 160;
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/**
 * The sentence of a long text with the most words of a question, the first of several; a short text as a whole. A heading
 * is followed by the sentence below it.
 */
function passageAbout(text: string, question: string): string {
  if (text.length <= WHOLE) return wordsOf(text);
  const parts = text
    .split("\n")
    .flatMap((line) => Array.from(sentences.segment(line), ({ segment }) => segment.trim()))
    .filter((one) => one !== "");
  const shares = parts.map((one) => coverage(one, question));
  const best = shares.indexOf(Math.max(...shares));
  return wordsOf(parts.slice(best, best + (parts[best]?.startsWith("#") === true ? 2 : 1)).join("\n"));
}

/** How much of one memory a planner is shown, in characters. */
const PASSAGE = 320;

/**
 * The part of a long text around its sentence with the most words of a query, for planners, which have no other way to read on;
 * undefined for a text that is shown as a whole.
 */
function passageForPlanner(text: string, query: string): string | undefined {
  const line = oneLine(wordsOf(text));
  if (line.length <= PASSAGE) return undefined;
  const parts = Array.from(sentences.segment(line));
  const shares = parts.map(({ segment }) => coverage(segment, query));
  const best = parts[shares.indexOf(Math.max(...shares))];
  const asked = new Set(plainWords(query).map(stem));
  const words = [...(best?.segment ?? "").matchAll(/[\p{L}\p{N}]+/gu)];
  const inSentence = words.find(([word]) => plainWords(word).some((one) => asked.has(stem(one))))?.index ?? 0;
  const at = (best?.index ?? 0) + inSentence;
  // As much is shown after the found word as before it.
  const from = Math.max(0, Math.min(at - PASSAGE / 2, line.length - PASSAGE));
  const start = from === 0 ? 0 : line.indexOf(" ", from) + 1;
  return truncate(`${start > 0 ? "… " : ""}${line.slice(start)}`, PASSAGE);
}

/**
 * Answers a question in the sentences of the memories that have the most of its words. Undefined if none has two thirds of
 * them, or if only conversations were found; then everything is listed.
 */
const answerFromMemories: View = (outputs, { query = "" }) => {
  const facts = factsAbout(outputs, query);
  const best = facts[0]?.share;
  if (best === undefined) return undefined;
  const lines = facts.map((fact) =>
    capitalize(endSentence(escapeInline(linePreview(passageAbout(fact.content, query))))),
  );
  const text = lines.length === 1 ? (lines[0] ?? "") : lines.map((one) => `- ${one}`).join("\n");
  return best === 1 ? text : `The nearest in memory:${lines.length === 1 ? " " : "\n"}${text}`;
};

/** Every memory in a sentence. */
const listMemories: View = (outputs) => {
  const lines = records(outputs, "results").map(
    (memory) => `- ${endSentence(escapeInline(linePreview(wordsOf(textField(memory, "content")))))}`,
  );
  return lines.length === 0 ? "Nothing has been remembered yet." : lines.join("\n");
};

/** States that only conversations were found, which may not contain the answer. */
function heading(results: readonly { type: MemoryType }[]): string {
  return results.every(({ type }) => type === "conversation")
    ? "Nothing saved about this. Related conversations:\n\n"
    : "";
}

/**
 * Memories as a table. Planners need their ids for `memory_forget` and for `replaces` of `memory_remember`, and more of
 * each memory than a line.
 */
const tableOf = (
  results: readonly z.infer<typeof Result>[],
  { forPlanner }: { forPlanner: boolean },
): string =>
  results.length === 0
    ? "Nothing saved about this."
    : heading(results) +
      table(
        ["memory", "type", "when", ...(forPlanner ? ["id"] : [])],
        results.map(({ id, content, passage = content, type, timestamp }) => [
          forPlanner ? linePreview(wordsOf(passage), PASSAGE) : linePreview(wordsOf(content)),
          type,
          timestamp.slice(0, 10),
          ...(forPlanner ? [id] : []),
        ]),
      );

export const memorySearch = defineSkill({
  id: "memory_search",
  summary: "Search the memories",
  category: "memory",
  input: z.strictObject({
    query: z.string().trim().min(1).max(2_000).describe("Words; * lists the newest"),
    types: z
      .array(MemoryType)
      .min(1)
      .optional()
      .describe("Left out: facts and events first, then conversations"),
    limit: z.int().positive().max(50).default(10),
  }),
  output: z.strictObject({ results: z.array(Result), total: z.int().nonnegative() }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  finds,
  results,
  answers,
  views: { answer: answerFromMemories, all: listMemories },
  amend: ({ args: { query }, outputs }, correction) => {
    const [best, ...others] = factsAbout({ ...outputs }, typeof query === "string" ? query : "");
    return best && others.length === 0
      ? amendMemory({ id: best.id, content: best.content }, correction)
      : undefined;
  },
  narrate: ({ results, total }) => {
    const best = results[0];
    if (!best) return "Found nothing about this in memory.";
    return total === 1
      ? `Found one memory: ${endSentence(linePreview(wordsOf(best.content)))}`
      : `Found ${formatCount(total, "memory", "memories")}; the best: ${endSentence(linePreview(wordsOf(best.content)))}`;
  },
  structure: ({ results }) => tableOf(results, { forPlanner: false }),
  observed: ({ results }) => tableOf(results, { forPlanner: true }),
  run: async ({ query, types, limit }, { ports, request, signal }) => {
    const found = await recallMemories(ports.memory, { query, limit }, types, signal);
    const results = found
      .filter(({ memory }) => mayAnswer(memory, request))
      .map(({ memory, score }) => {
        const passage = passageForPlanner(memory.content, query);
        return {
          id: memory.id,
          type: memory.type,
          content: truncate(memory.content, MAX_CONTENT_LENGTH),
          timestamp: memory.timestamp,
          score,
          trust: memory.trust,
          ...(passage !== undefined && { passage }),
        };
      });
    return { results, total: results.length };
  },
});
