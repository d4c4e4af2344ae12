import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const make = "(create|add|set up|start) a [new] [empty]";

export const phrases: readonly (string | Phrase)[] = [
  `${make} folder (called|with name|for|:) {path}`,
  `${make} folder {path}`,
  `${make} {path} folder`,
  {
    say: "create [a] [new] {path}",
    slots: { path: { type: "folder", bare: false, ending: "/", sample: "drafts/" } },
  },
  "(mkdir|new folder) [called] {path}",
  "I (need|want|would like) a [new] folder called {path}",
];

export const slots: Record<string, SlotType | Slot> = { path: { type: "folder", sample: "drafts" } };

export const results: Results = {};
