import { setImmediate as nextTurn } from "node:timers/promises";
import { common, likeness } from "./align.ts";
import { FREE, type RequestWord, requestWords, weightOf } from "./request-words.ts";
import { type Template, templateOf } from "./template.ts";

/** One request of a person, with what was done for it. */
export interface Interaction {
  id: string;
  request: string;
  /** The skills that followed, in order; none when it was only talk. */
  skills: readonly string[];
  at: string;
  context: Readonly<Record<string, string>>;
}

/** Requests that say the same but for some words, and were followed by the same skills. */
export interface FoundPattern extends Template {
  skills: readonly string[];
  /** Oldest first. */
  members: readonly Interaction[];
  /** How much of what its members say they all say, 0–1. */
  cohesion: number;
}

/** How alike two requests must be to be taken for one habit; the same skills are evidence too. */
const ALIKE = { withSkills: 0.5, withoutSkills: 0.65 };
/** What a pattern must say itself: less would fit everything. */
const LEAST_WEIGHT = 1.5;
const LEAST_WORDS_OF_TALK = 3;
/** Others get their turn between so many comparisons. */
const AT_ONCE = 200;

interface Cluster {
  shape: RequestWord[];
  members: { interaction: Interaction; words: RequestWord[] }[];
}

/**
 * Finds what is asked again and again: interactions are clustered by what they say and by the skills that followed (leader
 * clustering, oldest first, with the members' longest common subsequence as the leader). The same interactions always
 * give the same patterns, most frequent first. Rejects with the signal's reason.
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
    const key = interaction.skills.join("\n");
    const clusters = groups.get(key) ?? [];
    groups.set(key, clusters);
    const least = interaction.skills.length > 0 ? ALIKE.withSkills : ALIKE.withoutSkills;
    let best: { cluster: Cluster; likeness: number } | undefined;
    for (const cluster of clusters) {
      compared += 1;
      if (compared % AT_ONCE === 0) {
        await nextTurn();
        signal.throwIfAborted();
      }
      const alike = likeness(cluster.shape, words);
      if (alike >= least && alike > (best?.likeness ?? 0)) best = { cluster, likeness: alike };
    }
    const member = { interaction, words };
    const shape = best && common(best.cluster.shape, words);
    if (best && shape && saysEnough(shape)) {
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

function saysEnough(shape: readonly RequestWord[]): boolean {
  const own = shape.filter((word) => word !== FREE);
  return weightOf(own) >= LEAST_WEIGHT && own.some(({ weight, slot }) => weight === 1 && slot === undefined);
}

function asPattern({ shape, members }: Cluster): FoundPattern[] {
  const [first] = members;
  if (!first) return [];
  const { skills } = first.interaction;
  const talk = skills.length === 0;
  if (talk && shape.filter((word) => word !== FREE).length < LEAST_WORDS_OF_TALK) return [];
  const said = members.reduce((sum, { words }) => sum + weightOf(words), 0) / members.length;
  return [
    {
      ...templateOf(
        shape,
        members.map(({ words }) => words),
      ),
      skills,
      members: members.map(({ interaction }) => interaction),
      cohesion: Math.min(1, weightOf(shape) / said),
    },
  ];
}
