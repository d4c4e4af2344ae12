import type { MemoryRecord, MemoryType } from "../contract/memory.ts";
import { kindsOfVerb, NEUTRAL } from "../functions/reading/families.ts";
import { contentWords, stemOf } from "../text/words.ts";
import type { MemoryPort } from "../memory/memory-port.ts";

/** Facts and notes: the kinds of memories in which a person states how something is to be done. */
export const FACTS: readonly MemoryType[] = ["curated", "observation"];

/** A memory that says how something is done on every occasion. */
export interface RuleInMemory {
  text: string;
  /** When it was noted, as an ISO timestamp. */
  since: string;
  /** True if the person said it. */
  isOwn: boolean;
}

/** Words for every occasion: "always", "whenever", "from now on". */
const EVERY_OCCASION =
  /(?<!\p{L})(?:always|never|whenever|(?:every|each) time|from now on(?:wards?)?|in (?:the )?future|going forward|as a rule|by default|immer|nie(?:mals)?|jedes ?mal|ab (?:jetzt|sofort)|von nun an|künftig|in zukunft|toujours|jamais|(?:à )?chaque fois|dorénavant|désormais|siempre|nunca|cada vez|a partir de ahora|de ahora en adelante)(?!\p{L})/giu;

/** True for a text about every occasion. */
export const namesEveryOccasion = (text: string): boolean => text.search(EVERY_OCCASION) >= 0;

const PARTS_OF_PATHS = /(?<=[\p{L}\p{N}])\.\p{L}{1,5}(?!\p{L})|(?<![\p{L}\p{N}])(?:out|inbox)\//giu;

/** The stems of the words that name what a text is about: neither verbs nor words of every request. */
function subjectStems(text: string): Set<string> {
  const words = contentWords(text.replaceAll(EVERY_OCCASION, " ").replaceAll(PARTS_OF_PATHS, " "));
  return new Set(
    words.filter((word) => word.length > 2 && !NEUTRAL.has(word) && kindsOfVerb(word).size === 0).map(stemOf),
  );
}

/** True for a memory with a rule for every occasion that shares a word for its subject with the request. */
export function isRuleFor(
  { type, content }: Pick<MemoryRecord, "type" | "content">,
  request: string,
): boolean {
  if (!FACTS.includes(type) || !namesEveryOccasion(content)) return false;
  const asked = subjectStems(request);
  return [...subjectStems(content)].some((stem) => asked.has(stem));
}

/** How many memories are looked through for rules. */
const MAX_CANDIDATES = 12;

/** The standing rules in memory about the subject of a request, the nearest first. */
export async function rulesInMemory(
  memory: Pick<MemoryPort, "recall">,
  request: string,
  signal?: AbortSignal,
): Promise<RuleInMemory[]> {
  const found = await memory.recall(
    {
      query: request.slice(0, 10_000),
      types: [...FACTS],
      limit: MAX_CANDIDATES,
      explain: false,
      orNearest: true,
    },
    signal,
  );
  return found.flatMap(({ memory: { type, content, timestamp, trust } }) =>
    isRuleFor({ type, content }, request)
      ? [{ text: content, since: timestamp, isOwn: trust === "trusted" }]
      : [],
  );
}
