import type { OperatorConfig } from "@metahuman/core/contract/config";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { planningEntry } from "@metahuman/skills/support/catalog-entry";
import { createSkillFinder, type SkillFinder } from "@metahuman/skills/support/skill-finder";

/** The tools that a prompt lists, and the text of the list. */
export interface Catalog {
  text: string;
  /** How to write arguments, and that more skills exist; for prompts that list tools in another form. */
  notes: string;
  offered: ReadonlySet<string>;
}

/** Creates catalogs of the installed skills and caches them until the skills change. */
export interface CatalogSource {
  /**
   * All skills if they fit the budget (tokens). Otherwise the most common skills, followed by those nearest to the request.
   * The first part is the same for every request, so that prompts share a prefix.
   */
  catalogFor(request: string, budgetTokens: number, choice?: CatalogChoice): Catalog;
}

export interface CatalogChoice {
  /** Skills that the conversation makes likely, the likeliest first: listed before those nearest to the request. */
  recent?: readonly string[];
  /** Returns the tokens of a skill that is not listed as text. */
  costOf?: (id: string) => number;
}

export interface CatalogOptions {
  /** Returns the same array until the skills change; a new array takes effect at once. */
  cards: () => readonly SkillCard[];
  /** How long cached catalogs are valid, in milliseconds, and whether they are cached at all. */
  settings: () => Pick<OperatorConfig["performance"], "cacheCatalog" | "catalogTTL">;
  now?: () => number;
}

/** The skills that most requests need; listed first, in this order, within `SHARE_OF_COMMON` of the budget. */
const COMMON = [
  "skill_search",
  "ask_user",
  "fs_list",
  "fs_read",
  "fs_write",
  "task_list",
  "task_find",
  "memory_search",
  "task_create",
  "task_update_status",
  "fs_search",
  "execute_code",
  "web_search",
  "memory_remember",
  "task_update",
  "fs_append",
  "fs_edit",
  "fs_move",
  "fs_delete",
  "calculate",
  "task_delete",
  "summarize_file",
  "write_todos",
];
/** The rest of the budget is for skills that this request needs. */
const SHARE_OF_COMMON = 0.55;

/** The minimum similarity, relative to the nearest skill, at which a skill is listed before the remaining common ones. */
const NEAR_ENOUGH = 0.4;

/** Words that most English requests hold, and few in other languages. */
const ENGLISH =
  /(?<!\p{L})(?:the|my|and|to|it|have|what|how|with|from|please|you|your|this|that|all|every|into)(?!\p{L})/iu;
/** Listed before the nearest skills for requests in other languages, which share no words with the cards. */
const TIMED = ["remind", "schedule_create"];

/** The name of an environment variable: "OPENAI_API_KEY". */
const NAMES_VARIABLE = /\b[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]\b/u;
/** Requests to change a text, which name the thing to change and seldom the file: "no, undo that, I meant the other port". */
const ASKS_TO_CHANGE =
  /\b(?:change|set|fix|correct|replace|edit|update|adjust|undo|instead|swap|typos?|put (?:in|back)|take out|meant)\b/i;

/** An order to remind, which may stand at the end of a long message that is about other things, too. */
const ASKS_TO_REMIND =
  /\bremind (?:me|us)\b(?! (?:what|who|when|where|how|which|why|of what)\b)|\breminders?\b/iu;
/** Work on code, which seldom names the program to run. */
const IS_ABOUT_CODE =
  /\b(?:unit tests?|tests? (?:\S+ ){0,6}?(?:fail\w*|pass\w*|run)|(?:fail\w*|run|fix|broken) (?:\S+ ){0,3}?tests?|compile\w*|npm|node|python|build (?:fails|is broken|error))\b/iu;

/** Questions about what was done; the words of that skill are the verbs of all others. */
const ABOUT_THE_PAST = new RegExp(
  [
    String.raw`\b(?:did|yesterday|happened|history|activity|recap|lately|recently)\b|\bhave (?:you|we|i)\b`,
    String.raw`\blast (?:week|month|night)\b`,
  ].join("|"),
  "iu",
);

/** Planners end a run without a skill. */
const NEVER_LISTED: ReadonlySet<string> = new Set(["conversational_response"]);

const NOTES =
  "Paths are relative: out/…, inbox/… or another opened folder; without one of these a path lies under out/. " +
  'Days are written "2026-11-23", or in words: "next Tuesday".';
const MORE = "More skills are installed (categories: {categories}): find them with skill_search.";

interface Entry {
  id: string;
  text: string;
  tokens: number;
  category: string;
}

interface PreparedCatalog {
  cards: readonly SkillCard[];
  at: number;
  /** Common skills first. */
  entries: readonly Entry[];
  finder: SkillFinder;
}

export function createCatalogSource({
  cards,
  settings,
  now = () => performance.now(),
}: CatalogOptions): CatalogSource {
  // To prepare the entries takes 13 ms, to choose from them 0.07 ms (2026-11-27).
  let prepared: PreparedCatalog | undefined;

  function current(): PreparedCatalog {
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
    catalogFor(request, budgetTokens, choice = {}) {
      return chooseTools(current(), request, budgetTokens, choice);
    },
  };
}

function prepare(cards: readonly SkillCard[], index: number): PreparedCatalog {
  const rank = new Map(COMMON.map((id, index) => [id, index]));
  const entries = cards
    .filter(({ id }) => !NEVER_LISTED.has(id))
    .map((card) => {
      const text = planningEntry(card);
      return { id: card.id, text, tokens: estimateTokens(`${text}\n`), category: card.category };
    })
    .toSorted((a, b) => (rank.get(a.id) ?? COMMON.length) - (rank.get(b.id) ?? COMMON.length));
  return { cards, at: index, entries, finder: createSkillFinder(cards) };
}

function chooseTools(
  { entries, finder }: Pick<PreparedCatalog, "entries" | "finder">,
  request: string,
  budgetTokens: number,
  { recent = [], costOf }: CatalogChoice,
): Catalog {
  const cost = ({ id, tokens }: Entry): number => costOf?.(id) ?? tokens;
  const categories = [...new Set(entries.map(({ category }) => category))];
  const more = MORE.replace("{categories}", categories.join(", "));
  const available = budgetTokens - estimateTokens(`${NOTES}\n${more}\n`);
  if (entries.reduce((sum, entry) => sum + cost(entry), 0) <= available) return catalogOf(entries, NOTES);

  const selected = new Map<string, Entry>();
  let left = available;
  const select = (entry: Entry | undefined, atLeast: number): void => {
    if (!entry || selected.has(entry.id) || left - cost(entry) < atLeast) return;
    selected.set(entry.id, entry);
    left -= cost(entry);
  };
  const reserved = Math.floor(available * (1 - SHARE_OF_COMMON));
  const isCommon = new Set(COMMON);
  const common = entries.filter(({ id }) => isCommon.has(id));
  for (const entry of common) select(entry, reserved);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (const id of recent) select(byId.get(id), 0);
  if (ASKS_TO_CHANGE.test(request)) select(byId.get("fs_edit"), 0);
  if (ASKS_TO_REMIND.test(request)) select(byId.get("remind"), 0);
  if (IS_ABOUT_CODE.test(request)) select(byId.get("shell_safe"), 0);
  if (NAMES_VARIABLE.test(request)) select(byId.get("env_check"), 0);
  if (!ENGLISH.test(request)) for (const id of TIMED) select(byId.get(id), 0);
  const near = finder
    .nearest(request)
    .filter(({ card }) => card.id !== "activity_list" || ABOUT_THE_PAST.test(request));
  const least = (near[0]?.score ?? 0) * NEAR_ENOUGH;
  for (const { card, score } of near) if (score >= least) select(byId.get(card.id), 0);
  for (const entry of common) select(entry, 0);
  for (const { card } of near) select(byId.get(card.id), 0);
  return catalogOf([...selected.values()], `${NOTES} ${more}`);
}

function catalogOf(entries: readonly Entry[], notes: string): Catalog {
  return {
    text: `${notes}\n${entries.map(({ text }) => text).join("\n")}`,
    notes,
    offered: new Set(entries.map(({ id }) => id)),
  };
}
