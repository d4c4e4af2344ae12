import type { OperatorConfig } from "@metahuman/core/contract/config";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { catalogEntry } from "@metahuman/skills/support/catalog-entry";
import { createSkillFinder, type SkillFinder } from "@metahuman/skills/support/nearest-skills";

/** The tools a prompt lists, and the text that lists them. */
export interface Catalog {
  text: string;
  offered: ReadonlySet<string>;
}

/** Makes catalogs of the installed skills, as long as nothing changes from what it has prepared once. */
export interface CatalogSource {
  /**
   * Everything where it fits the budget (tokens), whatever the request; else the core skills and those nearest to the
   * request, in the installed order, so that two requests with the same tools share their prompt's beginning.
   */
  catalogFor(request: string, budgetTokens: number): Catalog;
}

export interface CatalogOptions {
  /** The same array for as long as the skills are the same: another one counts at once. */
  cards: () => readonly SkillCard[];
  /** How long what was prepared is good, in milliseconds, and whether it is kept at all. */
  settings: () => Pick<OperatorConfig["performance"], "cacheCatalog" | "catalogTTL">;
  now?: () => number;
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

interface Prepared {
  cards: readonly SkillCard[];
  at: number;
  entries: { id: string; text: string; tokens: number }[];
  finder: SkillFinder;
  /** What was made of it, by budget and request; one run asks for the same at each of its steps. */
  made: Map<string, Catalog>;
}

/** Catalogs of so many requests are kept. */
const KEPT = 16;

export function createCatalogSource({
  cards,
  settings,
  now = () => performance.now(),
}: CatalogOptions): CatalogSource {
  let prepared: Prepared | undefined;

  function current(): Prepared {
    const installed = cards();
    const { cacheCatalog, catalogTTL } = settings();
    const isGood =
      cacheCatalog && prepared?.cards === installed && now() - prepared.at < catalogTTL
        ? prepared
        : undefined;
    prepared = isGood ?? prepare(installed, now());
    return prepared;
  }

  return {
    catalogFor(request, budgetTokens) {
      const { entries, finder, made } = current();
      const key = `${String(budgetTokens)} ${request}`;
      const catalog = made.get(key) ?? choose(entries, finder, request, budgetTokens);
      made.set(key, catalog);
      const [oldest] = made.keys();
      if (made.size > KEPT && oldest !== undefined) made.delete(oldest);
      return catalog;
    },
  };
}

function prepare(cards: readonly SkillCard[], at: number): Prepared {
  const entries = cards.map((card) => {
    const text = catalogEntry(card);
    return { id: card.id, text, tokens: estimateTokens(`${text}\n`) };
  });
  return { cards, at, entries, finder: createSkillFinder(cards), made: new Map() };
}

function choose(
  entries: Prepared["entries"],
  finder: SkillFinder,
  request: string,
  budgetTokens: number,
): Catalog {
  const costs = new Map(entries.map(({ id, tokens }) => [id, tokens]));
  const all = entries.reduce((sum, { tokens }) => sum + tokens, 0);
  if (all <= budgetTokens) return listing(entries);

  const core = entries.filter(({ id }) => CORE.has(id)).map(({ id }) => id);
  const kept = new Set(core);
  let left = budgetTokens - core.reduce((sum, id) => sum + (costs.get(id) ?? 0), 0);
  for (const { card } of finder.nearest(request)) {
    const cost = costs.get(card.id) ?? 0;
    if (kept.has(card.id) || cost > left) continue;
    kept.add(card.id);
    left -= cost;
  }
  return listing(entries.filter(({ id }) => kept.has(id)));
}

function listing(entries: Prepared["entries"]): Catalog {
  return {
    text: entries.map(({ text }) => text).join("\n"),
    offered: new Set(entries.map(({ id }) => id)),
  };
}
