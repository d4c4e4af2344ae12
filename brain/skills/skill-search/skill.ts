import { z } from "zod";
import { SkillId } from "@metahuman/core/contract/ids";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { escapeInline } from "../markdown.ts";
import { catalogEntry } from "../support/catalog-entry.ts";
import { createSkillFinder } from "../support/skill-finder.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const phrases: readonly (string | Phrase)[] = [
  "(find|search for|look for|look up|show) [me] (a skill|skills|a tool|tools) (for|about|to|that) {query}",
  "(which|what) (skill|skills|tool|tools) (is|are) [there] (for|about) {query}",
  "is there (a skill|a tool) (for|about|to) {query}",
  "search [the|your] (skills|tools) for {query}",
];

const slots: Record<string, SlotType | Slot> = { query: { type: "query", sample: "moving files" } };

/** Maximum distance to the best score for a result. */
const MAX_SCORE_GAP = 0.4;

export const skillSearch = defineSkill({
  id: "skill_search",
  summary: "Find installed skills that are not listed here, by what they do",
  category: "agent",
  input: z.strictObject({
    query: z.string().trim().min(1).max(500).describe("What should be done, in a few words"),
    limit: z.int().min(1).max(20).default(5),
  }),
  output: z.strictObject({
    skills: z
      .array(z.strictObject({ id: SkillId, summary: z.string(), entry: z.string() }))
      .describe("Best match first; you can call each of them from now on"),
    total: z.int().nonnegative(),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  narrate: ({ skills, total }) =>
    total === 0
      ? "No installed skill matches."
      : `Found ${formatCount(total, "skill")}: ${skills.map(({ id, summary }) => `${id} (${escapeInline(summary)})`).join(", ")}.`,
  structure: ({ skills }) =>
    skills.length === 0
      ? "No installed skill matches."
      : [
          ...skills.map(({ entry }) => entry),
          "These are the nearest. If none of them does it, no skill does.",
        ].join("\n"),
  run: async ({ query, limit }, { ports }) => {
    const found = createSkillFinder(ports.catalog()).nearest(query);
    const least = (found[0]?.score ?? 0) * MAX_SCORE_GAP;
    const near = found.filter(({ score }) => score >= least);
    return {
      skills: near.slice(0, limit).map(({ card }) => ({
        id: card.id,
        summary: card.summary,
        entry: catalogEntry(card),
      })),
      total: near.length,
    };
  },
});
