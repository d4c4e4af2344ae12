import { FunctionKind, FunctionName } from "@metahuman/core/contract/function";
import { FunctionId } from "@metahuman/core/contract/ids";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { linePreview } from "../support/phrasing.ts";

/** The first phrase is what an answer suggests for a request that repeats (`patternOffer`). */
const phrases: readonly (string | Phrase)[] = [
  { template: "you asked {pattern} [:] make it a function", isUnlisted: true },
  { template: "make a function (of|from|for) [the pattern] {pattern}", isUnlisted: true },
  { template: "turn [the pattern] {pattern} into a function", isUnlisted: true },
];

const slots: Record<string, SlotType | Slot> = {
  pattern: { type: "query", sample: "“make {words} file” 4 times" },
};

export const functionFromPattern = defineSkill({
  id: "function_from_pattern",
  summary: "Create a function from a repeated request",
  category: "functions",
  input: z.strictObject({
    pattern: z.string().trim().min(1).max(2_000).describe("The pattern, such as “make {words} file”"),
  }),
  output: z.strictObject({
    id: FunctionId,
    name: FunctionName,
    title: z.string(),
    kind: FunctionKind,
  }),
  effects: "write",
  risk: "low",
  notes: "It is a draft until a person approves it.",
  phrases,
  slots,
  narrate: ({ title, kind }) =>
    `Created the function “${linePreview(title)}” from your earlier requests. It is a draft ${kind}.`,
  run: async ({ pattern }, { ports: { patterns }, runId }) => {
    const actor = { by: "operator", isPerson: false, isOwner: false, runId };
    const made = await patterns.makeFunction(pattern, actor);
    return { id: made.id, name: made.name, title: made.title, kind: made.kind };
  },
});
