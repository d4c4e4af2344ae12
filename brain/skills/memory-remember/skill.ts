import { MemoryRecord, MemoryTrust } from "@metahuman/core/contract/memory";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { clip } from "../markdown.ts";
import { isOwnWords } from "../support/own-words.ts";
import { glimpse } from "../support/wording.ts";
import * as speech from "./phrases.ts";

/** Longer texts belong into files. */
const MAX_TEXT = 100_000;
/** Of them in a preview. */
const SHOWN = 2_000;

export const memoryRemember = defineSkill({
  id: "memory_remember",
  summary: "Remember something",
  category: "memory",
  input: z.strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TEXT)
      .describe("What to remember, in the person's own words where there are any"),
    tags: MemoryRecord.shape.tags.optional(),
  }),
  output: z.strictObject({
    id: z.string(),
    content: z.string(),
    trust: MemoryTrust.describe("untrusted unless the words come from the person"),
  }),
  effects: "write",
  risk: "low",
  notes: "Text that a file, a tool or the web supplied is kept as untrusted.",
  ...speech,
  assess: async ({ text, tags }) => ({
    risk: "low",
    preview: {
      title: `Remember "${glimpse(text)}"?`,
      facts: [
        { label: "text", value: clip(text, SHOWN) },
        ...(tags && tags.length > 0 ? [{ label: "tags", value: tags.join(", ") }] : []),
      ],
    },
    paths: [],
    hosts: [],
    grant: {},
  }),
  narrate: ({ content }) => `Remembered: "${glimpse(content)}".`,
  run: async ({ text, tags }, { ports, request, saidBefore = [], runId, conversationId }) => {
    const own = isOwnWords(text, [request, ...saidBefore]);
    const record = await ports.memory.add(
      { type: "observation", content: text, ...(tags && { tags }) },
      {
        source: { kind: own ? "user" : "operator", runId, conversationId },
        trust: own ? "trusted" : "untrusted",
      },
    );
    return { id: record.id, content: record.content, trust: record.trust };
  },
});
