import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** "port to 8080", "port = 8080": a key and its new value. */
const assignment: Slot = {
  type: "text",
  like: /^(?:the\s+)?\S+\s*(?:[=:]|\s(?:to|as)\s)\s*\S/u,
  sample: "port to 8080",
};
const named: Slot = { type: "path", ending: ".json", sample: "settings.json" };

export const phrases: readonly (string | Phrase)[] = [
  "(set|change|update) {set} in [the] =json [file] {path}",
  { template: "(set|change|update) {set} in [file] {path}", slots: { set: assignment, path: named } },
  "in [the] =json [file] {path} (set|change|update) {set}",
  { template: "in [file] {path} (set|change|update) {set}", slots: { set: assignment, path: named } },
  {
    template: "(set|change|update) {set} in a new [=json] file [called] {path}",
    slots: { set: assignment, path: named },
    args: { create: true },
  },
  "update [the] =json [file] {path} : {set}",
];

export const slots: Record<string, SlotType | Slot> = {
  path: { type: "path", sample: "settings.json" },
  set: { type: "text", sample: "port to 8080" },
};

export const results: Results = { path: "path" };
