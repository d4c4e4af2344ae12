import type { ArchiveEntry } from "@metahuman/core/contract/http";
import type { MemoryRecord, MemoryType, RecallPart, UseCounts } from "@metahuman/core/contract/memory";
import { splitExchange } from "@metahuman/core/text/exchange";
import { capitalize, formatNumber } from "@metahuman/core/text/format";
import { stripJoinedMarkdown, stripMarkdown } from "@metahuman/core/text/strip-markdown";
import { copy } from "./copy.ts";
import { formatDateTime } from "../../lib/format/format.ts";

/** The kinds of memory that have a tab, with the record types each holds. */
export const KINDS = {
  episodic: {
    label: "Episodic",
    types: ["conversation", "observation", "tool_invocation", "action", "function_usage"],
  },
  reflections: { label: "Reflections", types: ["reflection", "inner_dialogue"] },
  curated: { label: "Curated", types: ["curated"] },
  dreams: { label: "Dreams", types: ["dream"] },
  curiosity: { label: "Curiosity", types: ["curiosity_question"] },
  audio: { label: "Audio", types: ["audio"] },
  patterns: { label: "Patterns", types: ["pattern"] },
} satisfies Record<string, { label: string; types: readonly MemoryType[] }>;

/** The episodic records to list: conversations and imports, or also requests and calls. */
export type EpisodicView = "facts" | "all";
export function episodicViews(total: number | undefined): { value: EpisodicView; label: string }[] {
  return [
    { value: "facts", label: "Facts" },
    { value: "all", label: total === undefined ? "Everything" : `Everything (${formatNumber(total)})` },
  ];
}
const FACT_TYPES: readonly MemoryType[] = ["observation"];

export type Kind = keyof typeof KINDS;
export type Tab = Kind | "tasks" | "functions" | "archive";

export const TABS: readonly { id: Tab; label: string }[] = [
  { id: "episodic", label: KINDS.episodic.label },
  { id: "reflections", label: KINDS.reflections.label },
  { id: "tasks", label: "Tasks" },
  { id: "curated", label: KINDS.curated.label },
  { id: "dreams", label: KINDS.dreams.label },
  { id: "curiosity", label: KINDS.curiosity.label },
  { id: "audio", label: KINDS.audio.label },
  { id: "patterns", label: KINDS.patterns.label },
  { id: "functions", label: "Functions" },
  { id: "archive", label: "Archive" },
];

/** Every type that is searched. */
export const ALL_TYPES: readonly MemoryType[] = Object.values(KINDS).flatMap(
  (kind): readonly MemoryType[] => kind.types,
);

export function isTab(name: string | undefined): name is Tab {
  return TABS.some(({ id }) => id === name);
}

/** The types of memory a tab lists; none if it lists something else. */
export function typesOf(tab: Tab): readonly MemoryType[] {
  return tab === "tasks" || tab === "functions" || tab === "archive" ? [] : KINDS[tab].types;
}

/** The types that a tab lists first. */
export function listedTypes(tab: Tab, view: EpisodicView): readonly MemoryType[] {
  return tab === "episodic" && view === "facts" ? FACT_TYPES : typesOf(tab);
}

/** Types whose names are not plain words for what they hold. */
const TYPE_WORDS: Partial<Record<MemoryType, string>> = {
  observation: "fact",
  tool_invocation: "skill call",
};

/** The label of a memory type: "curiosity question". */
export const typeLabel = (type: MemoryType): string => TYPE_WORDS[type] ?? type.replaceAll("_", " ");

/** How a memory is related to another one: "same run". */
export function relationLabel(relation: string): string {
  return relation === "same-entity" ? copy.sameEntity : relation.replaceAll("-", " ");
}

/**
 * Whether lists mark a memory as untrusted. Requests and calls of one's own runs are not marked: only what files, the web
 * and skills answered in them is untrusted, and the open record says so.
 */
export function isMarkedUntrusted({ type, trust }: Pick<MemoryRecord, "type" | "trust">): boolean {
  return trust === "untrusted" && type !== "conversation" && type !== "tool_invocation";
}

/**
 * The text of a record in a list, without the marks of Markdown: the request and its answer of a conversation, the result
 * of a skill call.
 */
export function listText({
  type,
  content,
  metadata,
}: Pick<MemoryRecord, "type" | "content" | "metadata">): string {
  const exchange = type === "conversation" ? splitExchange(content) : undefined;
  if (exchange) return exchangeText(exchange.asked, exchange.answered);
  const skill = `${metadata.toolName ?? ""}: `;
  const isCall = type === "tool_invocation" && content.startsWith(skill);
  return stripJoinedMarkdown(isCall ? content.slice(skill.length) : content);
}

/** A request with its answer, which may begin with an item of a list. */
const exchangeText = (asked: string, answered: string): string =>
  `${asked} → ${stripJoinedMarkdown(answered).replace(/^[-*+]\s+/u, "")}`;

/** Terms that the record shows in other words, or that only calibrate the score. */
const SHOWN_ELSEWHERE = new Set(["activation", "fit"]);

/** Why a search found a record: one sentence for each term of its score, with the figures of the term where it has any. */
export interface ReasonSentence {
  sentence: string;
  figures?: string;
}

export function reasonSentences(
  parts: readonly RecallPart[],
  query: string,
  { content, importance }: Pick<MemoryRecord, "content" | "importance">,
): ReasonSentence[] {
  return parts.flatMap(({ name, detail }) => {
    if (name === "words") return { sentence: containedWords(query, content) };
    if (detail === undefined || SHOWN_ELSEWHERE.has(name)) return [];
    if (name === "meaning") return { sentence: copy.similarMeaning, figures: detail };
    if (name === "repetition") return { sentence: copy.repeatsBetter, figures: detail };
    if (name !== "importance") return { sentence: `${capitalize(detail)}.` };
    const sentence = importanceSentence(importance);
    return sentence === undefined ? [] : { sentence, figures: detail };
  });
}

/** The words for importance, most important first: from which value on each is used, and the value of records that get it. */
export const IMPORTANCES = [
  { label: "Important", from: 0.7, value: 0.8 },
  { label: "Normal", from: 0.3, value: 0.5 },
  { label: "Less important", from: 0, value: 0.2 },
] as const;

export function importanceLabel(importance: number): string {
  return (IMPORTANCES.find(({ from }) => importance >= from) ?? IMPORTANCES[1]).label;
}

/** Words for importance that is not normal, as a sentence. */
function importanceSentence(importance: number): string | undefined {
  const label = importanceLabel(importance);
  return label === "Normal" ? undefined : `${label}.`;
}

function containedWords(query: string, content: string): string {
  const text = content.toLowerCase();
  const words = query.split(/\s+/u).filter((word) => word !== "" && text.includes(word.toLowerCase()));
  return words.length === 0 ? copy.otherForms : `Has ${words.map((word) => `“${word}”`).join(", ")}.`;
}

/** The title of an archived or linked memory, which is the beginning of its content, as `listText` shows the content. */
export function titleText(title: string): string {
  const [, asked, answered] = EXCHANGE_TITLE.exec(title) ?? [];
  return asked === undefined
    ? stripJoinedMarkdown(title.replace(SKILL, ""))
    : exchangeText(asked, answered ?? "");
}

/** What an archived item is and what happened to it: "file, overwritten". A folder has no size. */
export function archiveReason({
  kind,
  reason,
  bytes,
}: Pick<ArchiveEntry, "kind" | "reason" | "bytes">): string {
  const what = kind === "schedule" ? "automation" : kind === "file" && bytes === undefined ? "folder" : kind;
  return `${what}, ${reason ?? "deleted"}`;
}

/** Two titles that share more than this many characters at their beginning look alike in a row. */
const ALIKE = 60;
/** How much of the common beginning stays. */
const KEPT_BEGINNING = 24;

/**
 * The title of an archive entry in a list: the path of a file. For a title that begins like another one, it
 * contains the words that differ.
 */
export function archivedTitle(
  { id, kind, title, origin }: Pick<ArchiveEntry, "id" | "kind" | "title" | "origin">,
  others: readonly Pick<ArchiveEntry, "id" | "title">[],
): string {
  if (kind === "file") return origin;
  const shared = Math.max(
    0,
    ...others.map((other) =>
      other.id === id || other.title === title ? 0 : commonLength(title, other.title),
    ),
  );
  if (shared <= ALIKE) return kind === "memory" ? titleText(title) : stripMarkdown(title);
  const beginning = title.slice(0, title.indexOf(" ", KEPT_BEGINNING));
  return `${beginning} … ${title.slice(title.lastIndexOf(" ", shared) + 1)}`;
}

/** The title of an archive entry in a sentence. */
export const restoredTitle = ({ kind, title }: Pick<ArchiveEntry, "kind" | "title">): string =>
  kind === "memory" ? titleText(title) : title;

/** The number of equal characters at the beginning. */
function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** The beginning of an exchange on one line (`formatExchange`). */
const EXCHANGE_TITLE = /^Asked: (.+?) (?:Answered|Not answered \([^)]*\)): (.*)$/u;
/** The id of the skill before the result of a call. */
const SKILL = /^[a-z]+(?:_[a-z]+)+: /u;

const USES = [
  ["cited", "cited in an answer"],
  ["followed", "followed by an action"],
  ["opened", "opened from a search"],
  ["useful", "found useful"],
  ["not_useful", "found not useful"],
] as const;

/** The number of uses of a memory, and whether it is important, as sentences. */
export function usageSentence(uses: UseCounts, importance: number): string {
  const phrases = USES.filter(([kind]) => uses[kind] > 0).map(
    ([kind, words]) => `${words} ${uses[kind] === 1 ? "once" : `${String(uses[kind])} times`}`,
  );
  const first = phrases.length === 0 ? "Not used yet" : capitalize(phrases.join(", "));
  // A memory that was only restored has a last use of no kind that is named here.
  const lastAt = phrases.length === 0 ? undefined : uses.lastUsedAt;
  const last = lastAt === undefined ? "" : `, last ${formatDateTime(lastAt)}`;
  return [`${first}${last}.`, importanceSentence(importance)].filter(Boolean).join(" ");
}
