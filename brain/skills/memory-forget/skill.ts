import { MemoryId } from "@metahuman/core/contract/ids";
import { z } from "zod";
import { formatMoment } from "@metahuman/core/language/dates/clock";
import { Removed, RESTORABLE, restoreRemoved } from "../support/reversal.ts";
import { defineSkill } from "../define-skill.ts";
import { linePreview } from "../support/phrasing.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { truncate } from "@metahuman/core/text/format";

const phrases: readonly (string | Phrase)[] = [
  "forget {id}",
  "forget [about|that|what I (said|told you) about|(the|that) (memory|thing|bit|part|fact|stuff) (about|of)] {id}",
  "delete the memory (about|of|that) {id}",
  "delete {id} from [my|your] memory",
  "delete what you (know|remember) about {id}",
  "delete the {id} memory",
  "stop remembering [that] {id}",
  { template: "delete {id}", slots: { id: { type: "reference", kind: "memory", pronounOnly: true } } },
];

const slots: Record<string, SlotType | Slot> = {
  // "Forget about deleting it" takes an order back.
  id: {
    type: "reference",
    kind: "memory",
    like: /^(?!(?:about\s+)?\p{L}{2,}ing\s)/iu,
    sample: "the garage code",
  },
};

const results: Results = {};

const MAX_PREVIEW_LENGTH = 2_000;

export const memoryForget = defineSkill({
  id: "memory_forget",
  summary: "Move a memory to the archive",
  category: "memory",
  input: z.strictObject({ id: MemoryId.describe("From memory_search") }),
  output: z.strictObject({
    id: z.string(),
    removed: Removed,
  }),
  effects: "write",
  risk: "medium",
  phrases,
  slots,
  results,
  assess: async ({ id }, { memory }, region) => {
    const record = await memory.get(id);
    return {
      risk: "medium",
      preview: {
        title: `Forget "${linePreview(record.content)}"?`,
        facts: [
          { label: "memory", value: truncate(record.content, MAX_PREVIEW_LENGTH) },
          { label: "type", value: record.type },
          { label: "from", value: formatMoment(record.timestamp, region) },
          RESTORABLE,
        ],
      },
      record: { id, title: record.content },
      paths: [],
      hosts: [],
      grant: {},
    };
  },
  reverse: restoreRemoved,
  narrate: ({ removed }) => `Forgot "${linePreview(removed.title)}"; it can be restored from the archive.`,
  structure: ({ id, removed }) =>
    `- memory: ${linePreview(removed.title)}\n- id: ${id}\n- archived as: ${removed.id}`,
  run: async ({ id }, { ports, runId }) => ({ id, removed: await ports.memory.forget(id, { runId }) }),
});
