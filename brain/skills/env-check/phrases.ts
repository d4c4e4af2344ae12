import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

export const phrases: readonly (string | Phrase)[] = [
  "is the (environment|env) (variable|var) [called|named] {name} (set|defined|there)",
  "(check|see|tell me) [whether|if|that] the (environment|env) (variable|var) [called|named] {name} [is] [set|defined|there]",
  "is {name} (set|defined) in [the|my] (environment|env)",
  "do I have an (environment|env) (variable|var) [called|named] {name}",
];

export const slots: Record<string, SlotType | Slot> = { name: { type: "text", sample: "PATH" } };
