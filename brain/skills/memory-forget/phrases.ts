import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

export const phrases: readonly (string | Phrase)[] = [
  "forget {id}",
  "forget [about|that|what I (said|told you) about|the memory (about|of)] {id}",
  "delete the memory (about|of|that) {id}",
  "delete {id} from [my|your] memory",
  "delete what you (know|remember) about {id}",
  "delete the {id} memory",
  "stop remembering [that] {id}",
  { say: "delete {id}", slots: { id: { type: "reference", kind: "memory", pronounOnly: true } } },
];

export const slots: Record<string, SlotType | Slot> = {
  id: { type: "reference", kind: "memory", sample: "the garage code" },
};

export const results: Results = {};
