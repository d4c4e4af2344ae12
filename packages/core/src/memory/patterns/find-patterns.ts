import { setImmediate as nextTurn } from "node:timers/promises";
import { commonWords, maxSimilarity, similarity } from "./align.ts";
import { ANY_WORDS, type RequestWord, requestWords, weightOf } from "./request-words.ts";
import { type Template, patternTemplate } from "./template.ts";

/** A pattern of requests to the operator, or of observations that a person noted. */
export type PatternKind = "request" | "observation";

/** A request with the skills that its run called, or an observation that a person noted. */
export interface Interaction {
  id: string;
  kind: PatternKind;
  /** The text of the request or of the observation. */
  request: string;
  /** The skills that ran, in order; none for a conversation. */
  skills: readonly string[];
  at: string;
  context: Readonly<Record<string, string>>;
}

/** Requests that ran the same skills and differ in a few words, or observations that differ in a few words. */
export interface FoundPattern extends Template {
  kind: PatternKind;
  skills: readonly string[];
  /** Oldest first. */
  members: readonly Interaction[];
  /** The share of the words of its members that all members have, 0–1. */
  cohesion: number;
}

/** The minimum similarity of two requests in a cluster. Equal skills lower it, as they are evidence too. */
const MIN_SIMILARITY = { withSkills: 0.5, withoutSkills: 0.65 };
/** The minimum weight of a pattern's fixed words; a lighter pattern would fit everything. */
const MIN_WEIGHT = 1.5;
/** The minimum number of fixed content words; skills that ran are evidence as well. */
const MIN_CONTENT_WORDS = { withSkills: 1, withoutSkills: 2 };
/** Comparisons before yielding to the event loop. */
const COMPARISONS_PER_TURN = 200;

interface Cluster {
  shape: RequestWord[];
  members: { interaction: Interaction; words: RequestWord[] }[];
}

/**
 * Finds repeated requests: clusters interactions by their words and skills (leader clustering, oldest first, with the
 * members' longest common subsequence as the leader). The same interactions always yield the same patterns, most
 * frequent first. Rejects with the signal's reason.
 */
export async function findPatterns(
  interactions: readonly Interaction[],
  { threshold, signal }: { threshold: number; signal: AbortSignal },
): Promise<FoundPattern[]> {
  const groups = new Map<string, Cluster[]>();
  let compared = 0;
  for (const interaction of [...interactions].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const words = requestWords(interaction.request);
    if (words.length === 0) continue;
    const key = [interaction.kind, ...interaction.skills].join("\n");
    const clusters = groups.get(key) ?? [];
    groups.set(key, clusters);
    const evidence = interaction.skills.length > 0 ? "withSkills" : "withoutSkills";
    const minSimilarity = MIN_SIMILARITY[evidence];
    let best: { cluster: Cluster; similarity: number } | undefined;
    for (const cluster of clusters) {
      compared += 1;
      if (compared % COMPARISONS_PER_TURN === 0) {
        await nextTurn();
        signal.throwIfAborted();
      }
      if (maxSimilarity(cluster.shape, words) < minSimilarity) continue;
      const alike = similarity(cluster.shape, words);
      if (alike >= minSimilarity && alike > (best?.similarity ?? 0)) best = { cluster, similarity: alike };
    }
    const member = { interaction, words };
    const shape = best && commonWords(best.cluster.shape, words);
    if (best && shape && isSpecific(shape, MIN_CONTENT_WORDS[evidence])) {
      best.cluster.shape = shape;
      best.cluster.members.push(member);
    } else clusters.push({ shape: words, members: [member] });
  }
  return [...groups.values()]
    .flat()
    .filter(({ members }) => members.length >= threshold)
    .flatMap(asPattern)
    .sort((a, b) => b.members.length - a.members.length || (a.text < b.text ? -1 : 1));
}

function isSpecific(shape: readonly RequestWord[], minContentWords: number): boolean {
  const own = shape.filter((word) => word !== ANY_WORDS);
  const content = own.filter(({ weight, slot }) => weight === 1 && slot === undefined);
  return weightOf(own) >= MIN_WEIGHT && content.length >= minContentWords;
}

function asPattern({ shape, members }: Cluster): FoundPattern[] {
  const [first] = members;
  if (!first) return [];
  const { kind, skills } = first.interaction;
  const averageWeight = members.reduce((sum, { words }) => sum + weightOf(words), 0) / members.length;
  return [
    {
      ...patternTemplate(
        shape,
        members.map(({ words }) => words),
      ),
      kind,
      skills,
      members: members.map(({ interaction }) => interaction),
      cohesion: Math.min(1, weightOf(shape) / averageWeight),
    },
  ];
}
