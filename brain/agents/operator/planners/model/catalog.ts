import type { SkillCard, SkillInput } from "@metahuman/core/contract/skill";
import { estimateTokens } from "@metahuman/core/contract/tokens";

/** The tools a prompt lists, and the text that lists them. */
export interface Catalog {
  text: string;
  offered: string[];
}

/** Always listed, however many are installed: without these no request can be carried out, asked about or looked up. */
const CORE = new Set([
  "fs_read",
  "fs_list",
  "fs_write",
  "task_list",
  "task_find",
  "memory_search",
  "ask_user",
  "skill_search",
]);

/**
 * Lists the installed skills for the planner. When they overrun the budget, the core ones stay and the rest is filled
 * up with those whose words are nearest to the request; the listing keeps the installed order, so that two requests
 * with the same tools share their prompt's beginning.
 */
export function buildCatalog(cards: readonly SkillCard[], request: string, budgetTokens: number): Catalog {
  const lines = new Map(cards.map((card) => [card.id, describe(card)]));
  const cost = (id: string) => estimateTokens(lines.get(id) ?? "");
  const total = cards.reduce((sum, { id }) => sum + cost(id), 0);
  if (total <= budgetTokens) return listing(cards, lines);

  const kept = new Set(cards.filter(({ id }) => CORE.has(id)).map(({ id }) => id));
  let spent = [...kept].reduce((sum, id) => sum + cost(id), 0);
  const rest = cards.filter(({ id }) => !kept.has(id));
  for (const { id } of byNearness(rest, request)) {
    if (spent + cost(id) > budgetTokens) continue;
    kept.add(id);
    spent += cost(id);
  }
  return listing(
    cards.filter(({ id }) => kept.has(id)),
    lines,
  );
}

function listing(cards: readonly SkillCard[], lines: ReadonlyMap<string, string>): Catalog {
  return { text: cards.map(({ id }) => lines.get(id) ?? "").join("\n"), offered: cards.map(({ id }) => id) };
}

function describe({
  id,
  summary,
  category,
  effect,
  risk,
  requiresApproval,
  inputs,
  outputs,
}: SkillCard): string {
  const marks = [category, effect, `${risk} risk`, ...(requiresApproval ? ["asks the person"] : [])].join(
    ", ",
  );
  return `- ${id}(${inputs.map(describeInput).join(", ")}) → ${outputs.join(", ")}: ${summary} [${marks}]`;
}

function describeInput({ name, type, required, allowed, default: preset }: SkillInput): string {
  const kind = allowed ? allowed.join("|") : type;
  const without = preset === undefined ? "" : `=${JSON.stringify(preset)}`;
  return `${name}${required ? "*" : ""}: ${kind}${without}`;
}

/** Most shared words first; a word that few skills have counts more. */
function byNearness(cards: readonly SkillCard[], request: string): SkillCard[] {
  const documents = cards.map(
    (card) => new Set(wordsOf(`${card.id} ${card.summary} ${card.examples.join(" ")}`)),
  );
  const asked = new Set(wordsOf(request));
  const weight = new Map(
    [...asked].map((word) => {
      const having = documents.filter((document) => document.has(word)).length;
      return [word, having === 0 ? 0 : Math.log(1 + cards.length / having)];
    }),
  );
  return cards
    .map((card, index) => {
      const score = [...asked].reduce(
        (sum, word) => sum + (documents[index]?.has(word) === true ? (weight.get(word) ?? 0) : 0),
        0,
      );
      return { card, score };
    })
    .toSorted((a, b) => b.score - a.score)
    .map(({ card }) => card);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}{3,}|\p{N}+/gu) ?? [];
}
