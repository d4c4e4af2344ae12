import { wholeWords, oneOf } from "../text/patterns.ts";
import { MONTHS, WEEKDAYS } from "../contract/calendar-names.ts";
import type { ContextExplanation, ConversationContext } from "../contract/context.ts";
import type { MemoryRecord, MemoryType, RecalledMemory } from "../contract/memory.ts";
import { FUNCTION_BACKGROUND, isCommonWord } from "../functions/retrieval/background-words.ts";
import { contextOfPaths, FILE_PATH } from "../memory/entities.ts";
import { exchangeIn } from "../memory/exchange.ts";
import { inverseFrequency } from "../memory/index/keyword-score.ts";
import { synonymsOf } from "../memory/index/synonyms.ts";
import type { MemoryPort } from "../memory/memory-port.ts";
import { contentWords, stemOf, withoutPathParts } from "../text/words.ts";
import { kindsOfVerb, NEUTRAL } from "../functions/matching/families.ts";

/** Facts and notes: the kinds of memories in which a person states how something is to be done. */
const FACTS: readonly MemoryType[] = ["curated", "observation"];

/** A memory that says how something is done on every occasion. */
export interface RuleInMemory {
  text: string;
  /** When it was noted, as an ISO timestamp. */
  since: string;
  /** True if the person said it. */
  isOwn: boolean;
}

/** Words for every occasion: "always", "whenever", "from now on". */
const EVERY_OCCASION = new RegExp(
  wholeWords(
    "always|never|whenever|(?:every|each) time|from now on(?:wards?)?|in (?:the )?future|going forward",
    "as a rule|by default|immer|nie(?:mals)?|jedes ?mal|ab (?:jetzt|sofort)|von nun an|künftig|in zukunft",
    "toujours|jamais|(?:à )?chaque fois|dorénavant|désormais|siempre|nunca|cada vez|a partir de ahora",
    "de ahora en adelante",
  ),
  "giu",
);

/** True for a text about every occasion. */
export const namesEveryOccasion = (text: string): boolean => text.search(EVERY_OCCASION) >= 0;

/** The stems of the words that name what a text is about: neither verbs nor words of every request. */
function subjectStems(text: string): Set<string> {
  const words = contentWords(withoutPathParts(text.replaceAll(EVERY_OCCASION, " ")));
  return new Set(
    words.filter((word) => word.length > 2 && !NEUTRAL.has(word) && kindsOfVerb(word).size === 0).map(stemOf),
  );
}

/** True for a memory with a rule for every occasion that shares a word for its subject with the request. */
function isRuleFor({ type, content }: Pick<MemoryRecord, "type" | "content">, request: string): boolean {
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

/** Excludes raw tool outputs and inner dialogue, which no prompt contains. */
const RECALLED: MemoryType[] = [...FACTS, "action", "pattern"];
/** Number of additional candidates to evaluate, to explain what was omitted. */
const EXTRA_CANDIDATES = 8;
/** Maximum number of results from earlier conversations for a request that refers to them. */
const MAX_CONVERSATIONS = 2;
/** The fit from which what a person said in passing is shown for a question that does not ask about the person's own things. */
const FIT_OF_STATEMENT = 2;

export interface RelevantMemories {
  /** Facts first, each group by score; `rank` counts from 1 in this order. */
  memories: RecalledMemory[];
  patterns: RecalledMemory[];
  rejected: NonNullable<ContextExplanation["rejectedMemories"]>;
}

interface MemoryQuery {
  message: string;
  /** Maximum number of memories. */
  limit: number;
  /** The current conversation, whose turns are already in the prompt. */
  conversationId?: string | undefined;
  sessionId?: string | undefined;
  conversation?: Pick<ConversationContext, "turns"> | undefined;
}

/** How many earlier messages are looked through for what a message is about. */
const MAX_EARLIER = 4;

/** The message; a question that names nothing, such as "are you sure?", with the last message that does before it. */
function withSubject({ message, conversation }: MemoryQuery): string {
  if (namesSomething(message) || !(isQuestion(message) || refersBack(message))) return message;
  const earlier = (conversation?.turns ?? []).flatMap(({ role, text }) => (role === "person" ? [text] : []));
  const subject = earlier.slice(-MAX_EARLIER).findLast(namesSomething);
  return subject === undefined ? message : `${subject}\n${message}`;
}

/** True for a message with a word that is neither general nor about saying and meaning. */
const namesSomething = (message: string): boolean =>
  contentWords(message).some((word) => !isGeneral(stemOf(word)) && !ONLY_SPEAKING.test(word));

/**
 * Selects the memories for a prompt: only those that match the request on their own, and standing rules about its subject. Earlier conversations are
 * included, the newest first, if the request refers back ("what did I tell you…") or if it asks about the person's own things and no
 * fact matches; for any other question, only what the person stated in them and what matches it well. A question without a useful
 * answer is never included.
 */
export async function relevantMemories(
  memory: Pick<MemoryPort, "recall">,
  query: MemoryQuery,
  signal: AbortSignal | undefined,
): Promise<RelevantMemories> {
  const { limit, conversationId } = query;
  const message = withSubject(query);
  const nothing = { memories: [], patterns: [], rejected: [] };
  if (limit === 0 || message.trim() === "") return nothing;
  const recall = async (types: MemoryType[], orNearest = false) => {
    const found = await memory.recall(
      {
        query: message.slice(0, 10_000),
        types,
        limit: Math.min(200, limit + EXTRA_CANDIDATES),
        explain: true,
        orNearest,
        context: contextOfRequest(query),
      },
      signal,
    );
    return found.filter(
      ({ memory: { type, source } }) => type !== "conversation" || source.conversationId !== conversationId,
    );
  };

  const isReferringBack = refersBack(message);
  const [known, conversationMatches] = await Promise.all([
    recall(RECALLED, true),
    isReferringBack ? recall(["conversation"]) : [],
  ]);
  const patterns = known.filter((found) => found.memory.type === "pattern");
  const facts = evaluate(
    known.filter((found) => found.memory.type !== "pattern"),
    message,
  );
  const isAboutOwn = facts.fitting.length === 0 && asksAboutOwn(message);
  const searchesConversations = !isReferringBack && (isAboutOwn || isQuestion(message));
  const found = searchesConversations ? await recall(["conversation"]) : conversationMatches;
  const conversations = evaluate(
    isAboutOwn || isReferringBack ? found : found.filter(statesWhatFits),
    message,
  );
  const conversationSlots = Math.min(conversations.fitting.length, MAX_CONVERSATIONS);
  const chosenFacts = facts.fitting.slice(0, limit - conversationSlots);
  const newestFirst = conversations.fitting
    .slice(0, limit - chosenFacts.length)
    .toSorted((one, other) => other.memory.timestamp.localeCompare(one.memory.timestamp));
  const chosen = [...chosenFacts, ...newestFirst];
  const shown = new Set(chosen.map((one) => one.memory.id));
  const surplus = [...facts.fitting, ...conversations.fitting].filter((one) => !shown.has(one.memory.id));
  return {
    memories: chosen.map((one, index) => ({ ...one, rank: index + 1 })),
    patterns,
    rejected: [
      ...surplus.map((one) => ({ id: one.memory.id, reason: `${String(limit)} others fit better` })),
      ...facts.rejected,
      ...conversations.rejected,
    ],
  };
}

/** True for an exchange in which the person stated something, and which fits well: "the code of the storage room is 4471". */
function statesWhatFits({ memory, fit = 0 }: RecalledMemory): boolean {
  const exchange = exchangeIn(memory);
  return fit >= FIT_OF_STATEMENT && exchange !== undefined && !isQuestion(exchange.asked);
}

/** The circumstances of a request, by which memories of the same circumstances rank higher. */
function contextOfRequest({ message, conversationId, sessionId }: MemoryQuery): Record<string, string> {
  return {
    ...(conversationId !== undefined && { conversation: conversationId }),
    ...(sessionId !== undefined && { session: sessionId }),
    ...contextOfPaths(message.match(FILE_PATH) ?? []),
  };
}

/** Splits memories into matches, facts first, and the others with a reason for each. */
function evaluate(
  found: readonly RecalledMemory[],
  message: string,
): {
  fitting: RecalledMemory[];
  rejected: RelevantMemories["rejected"];
} {
  const reasons = found.map((one) => ({ one, reason: rejectionReason(one, message) }));
  const fitting = reasons.filter(({ reason }) => reason === undefined).map(({ one }) => one);
  const isFact = ({ memory }: RecalledMemory) => FACTS.includes(memory.type);
  return {
    fitting: [...fitting.filter(isFact), ...fitting.filter((one) => !isFact(one))],
    rejected: reasons.flatMap(({ one, reason }) =>
      reason === undefined ? [] : [{ id: one.memory.id, reason }],
    ),
  };
}

function rejectionReason(found: RecalledMemory, message: string): string | undefined {
  const { memory, fit } = found;
  // A rule may share little with a request that it concerns: "always write prices with VAT".
  if (fit !== undefined && fit < 1 && !isRuleFor(memory, message))
    return `below the threshold (${fit.toFixed(2)} of 1)`;
  if (sharesTooLittle(message, found)) return "it shares too little with the request, or only general words";
  const exchange = exchangeIn(memory);
  if (!exchange || exchange.answer !== undefined) return undefined;
  return ONE_QUESTION.test(exchange.asked) ? "a question without an answer of use" : undefined;
}

/** A single question, which carries no information without its answer. */
const ONE_QUESTION = /^[^.!?;]*\?$/u;

/** A request with fewer words may mean a memory by a synonym alone. */
const LONG_REQUEST = 8;
/** The minimum share of the words of a long request that a memory has, weighted by their rarity. */
const MIN_SHARE = 0.1;
/** A text of more words, such as a page of a document, shares single words with many requests by chance. */
const LONG_TEXT = 40;
/** The words that a long text must share with a request, or half of the words of a shorter request. */
const MIN_SHARED = 2;
const NAMES = /(?<=[\p{L}\p{N},;]\s)\p{Lu}\p{Ll}{2,}/gu;

/**
 * True if a request and a memory have little in common: among few memories, one rare word or two general ones are a fit. A name that both
 * have is enough, and so is a long text that is found by its meaning rather than by its words.
 */
function sharesTooLittle(message: string, found: RecalledMemory): boolean {
  const { content } = found.memory;
  if (isRuleFor(found.memory, message)) return false;
  const asked = [...new Set(contentWords(message).map(stemOf))].filter((stem) => !isGeneral(stem));
  const stems = contentWords(content).map(stemOf);
  const isLongText = stems.length > LONG_TEXT;
  if (asked.length < LONG_REQUEST && !isLongText) return false;
  const words = new Set(stems);
  const names = (message.match(NAMES) ?? []).map((name) => stemOf(name.toLowerCase()));
  if (names.some((name) => !isGeneral(name) && words.has(name))) return false;
  if (isLongText && isFoundByWords(found)) {
    const shared = asked.filter((stem) => [stem, ...synonymStems(stem)].some((one) => words.has(one)));
    if (shared.length < Math.min(MIN_SHARED, asked.length / 2)) return true;
  }
  const shared = asked.filter((stem) => words.has(stem));
  return asked.length >= LONG_REQUEST && weightOf(shared) < MIN_SHARE * weightOf(asked);
}

function isFoundByWords({ parts }: RecalledMemory): boolean {
  const valueOf = (part: string) => parts.find(({ name }) => name === part)?.value ?? 0;
  return valueOf("words") > valueOf("meaning");
}

const synonymStems = (stem: string): string[] => synonymsOf(stem).map((synonym) => synonym.stem);

const CALENDAR = new Set([...MONTHS, ...WEEKDAYS].map((name) => stemOf(name.toLowerCase())));
const isGeneral = (stem: string): boolean => isCommonWord(stem) || CALENDAR.has(stem);

/** How rare the words with these stems are in requests, added up. */
export const weightOf = (stems: readonly string[]): number =>
  stems.reduce((sum, stem) => sum + inverseFrequency(0, 0, { stem, background: FUNCTION_BACKGROUND }), 0);

const PAST = [
  "said|told|asked|mentioned|talked|spoke|spoken|discussed|decided|agreed|promised|suggested",
  "recommended|answered|called|wanted|planned|meant",
].join("|");
const SPEAKING = `say|tell|ask|mention|talk|speak|discuss|decide|agree|promise|suggest|recommend|answer|call|want|plan|mean|${PAST}`;

const ONLY_SPEAKING = new RegExp(`^(?:${SPEAKING})$`, "iu");

/** Phrases that always refer to an earlier message or action. */
const BACK: readonly RegExp[] = [
  new RegExp(`\\b(?:did|have|had|has)(?:n't)?\\s+(?:i|you|we)\\b[^.?!]{0,30}\\b(?:${SPEAKING})\\b`, "iu"),
  new RegExp(`\\b(?:i|you|we)(?:'ve|'d)?\\s+(?:just\\s+|already\\s+|once\\s+)?(?:${PAST})\\b`, "iu"),
  /\bremember(?:ed)?\s+(?:when|what|that|how|where|who|the|my|our|me|us)\b|\bdo you (?:still )?remember\b|\bremind me (?:what|who|when|where|how|which|of)\b/iu,
  /\blast (?:time|chat|conversation)\b|\bas (?:before|usual)\b|\blike (?:before|last)\b|\b(?:our|the|that|my) (?:last|previous|earlier) (?:conversation|chat|talk|question|request|answer)\b/iu,
  /\bwhat (?:was|were) (?:it|that|this) (?:about|called)\b|\bwhat was (?:my|our|your|the)\b/iu,
  // German, French, Spanish
  /\b(?:erinner\w*|erwähnt|besprochen|gesagt|gefragt|erzählt)\b|\b(?:letztes|voriges) mal\b/iu,
  /\b(?:tu te souviens|rappelle-moi|avais?[- ]je dit|avons-nous parlé)\b|(?:^|\s)(?:t'ai|vous ai) (?:dit|demandé)(?!\p{L})/iu,
  /\b(?:te acuerdas|recuerdas|te dije|te pregunté|hablamos|dijiste)(?!\p{L})/iu,
];

/** Past times. They refer back only together with "I" or "you": "who won yesterday" does not. */
const MOMENT = new RegExp(
  [
    String.raw`\b(?:yesterday|earlier|previously|back then|the other day|recently)\b`,
    String.raw`\b(?:days?|weeks?|months?|years?|hours?) ago\b`,
    String.raw`\blast (?:night|week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b`,
    String.raw`\b(?:gestern|neulich|damals|vorhin)\b|\b(?:letzte[ns]?|vorige[ns]?) (?:woche|monat|jahr|nacht)\b`,
    String.raw`\bhier\b|\bla semaine dernière\b|\bl'autre jour\b|\bayer\b|\bla semana pasada\b`,
  ].join("|"),
  "iu",
);
const PARTICIPANT = new RegExp(
  [
    String.raw`\b(?:i|i'[vd]e?|we|you|my|our|ours|mine|ich|wir|du|mein\w*|unser\w*|je|tu|nous|mon|ma|mes|notre|nos|yo|mi|mis|nuestr\w+)\b`,
    String.raw`\bj'|\p{L}(?:é|í|amos|imos|aste|iste)(?!\p{L})`,
  ].join("|"),
  "iu",
);

/** "Again" refers back in a question for a name or a number and in a short request. */
const AGAIN_WORDS = "(?:again|once more|noch ?mal|nochmals|encore(?: une fois)?|otra vez)";
const AGAIN: readonly RegExp[] = [
  new RegExp(
    `^\\W*(?:(?:and|but|so|und|et|y)\\s*)?(?:who|whose|what|which|where|when|how|why|wer|was|wie|wo|wann|qui|que|quoi|quel|comment|c'était|quién|qué|cómo|cuál)(?!\\p{L}).*${AGAIN_WORDS}\\W*$`,
    "iu",
  ),
  new RegExp(
    `\\b(?:it|that|this|these|those|them|so|das|es|sie|ça|cela|eso|esto|lo)\\s+${AGAIN_WORDS}(?!\\p{L})`,
    "iu",
  ),
  new RegExp(`^[^\\p{L}\\p{N}_]*\\p{L}+\\s+${AGAIN_WORDS}\\W*$`, "iu"),
];

const SELF =
  /\b(?:i|me|my|mine|we|us|our|ours|i'm|i've)\b|\b(?:mein\w*|ich|unser\w*|mon|ma|mes|notre|nos|mi|mis|nuestr\w+)\b/iu;
const QUESTION_WORDS = oneOf(
  "who|whose|what|which|when|where|why|how|(?:who|what|when|where|how)['’]?s|is|are|am|was|were|do|does",
  "did|(?:can|could|may|should|shall) (?:i|we)|wer|wem|was|welche[rsnm]?|wann|wo|warum|wie|qui|que|quoi",
  "quel(?:le)?s?|quand|où|pourquoi|comment|combien|quién|qué|cuál|cuándo|dónde|cómo|cuánt[oa]s?",
);
const QUESTION = new RegExp(
  String.raw`\?\s*$|^\s*(?:(?:and|but|so|or|und|et|y)\s*)?${QUESTION_WORDS}(?!\p{L})`,
  "iu",
);
const FOLLOW_UP = /^\s*(?:and|but|so|then|or|also|what about|how about|und|et|y)\b/iu;

/**
 * True for a request that refers to an earlier message or action: "what did I tell you", "the list I made last week".
 */
export function refersBack(request: string): boolean {
  return (
    [...BACK, ...AGAIN].some((pattern) => pattern.test(request)) ||
    (MOMENT.test(request) && PARTICIPANT.test(request))
  );
}

/** True for a question, also without its mark: "whats the code of the storage room". */
const isQuestion = (request: string): boolean => QUESTION.test(request);

/**
 * True for a question about the person's own things and for a request that continues the previous one: "how long is
 * my rope?", "and the red one?".
 */
export function asksAboutOwn(request: string): boolean {
  return FOLLOW_UP.test(request) || (QUESTION.test(request) && SELF.test(request));
}
