import type { SkillCard } from "@metahuman/core/contract/skill";
import { contentStems } from "@metahuman/core/text/words";
import { wordsOfPhrases } from "../skill-card.ts";

/** Finds skills by their descriptions. */
export interface SkillFinder {
  /** Returns all skills that share a word with the request, most similar first. */
  nearest(request: string): { card: SkillCard; score: number }[];
}

/** Indexes the words of the skill cards. Shared words are weighted by inverse document frequency. */
export function createSkillFinder(cards: readonly SkillCard[]): SkillFinder {
  const documents = cards.map((card) => ({
    card,
    own: contentStems(ownWords(card)),
    stems: contentStems(`${ownWords(card)} ${wordsOfPhrases(card)}`),
  }));
  const having = new Map<string, number>();
  for (const { stems } of documents) for (const stem of stems) having.set(stem, (having.get(stem) ?? 0) + 1);

  return {
    nearest(request) {
      const asked = [...contentStems(request)].flatMap((stem) => {
        const count = having.get(stem);
        return count === undefined ? [] : [{ stem, weight: Math.log(1 + cards.length / count) }];
      });
      return documents
        .map(({ card, own, stems }) => {
          const share = (stem: string): number => (own.has(stem) ? 1 : stems.has(stem) ? PHRASE_SHARE : 0);
          const score = asked.reduce((sum, { stem, weight }) => sum + weight * share(stem), 0);
          return { card, score };
        })
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || (a.card.id < b.card.id ? -1 : 1));
    },
  };
}

/** A word of a phrase counts less than a word of the description: phrases hold many words that say little. */
const PHRASE_SHARE = 0.6;

function ownWords(card: SkillCard): string {
  const { id, summary, category, notes = "", examples } = card;
  return [id.replaceAll("_", " "), summary, category, notes, ...examples].join(" ");
}
