import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/phrase";

export const phrases: readonly (string | Phrase)[] = [
  "(set|change|update) {set} in [the] =json [file] {path}",
  "in [the] =json [file] {path} (set|change|update) {set}",
  "update [the] =json [file] {path} : {set}",
];

export const slots: Record<string, SlotType | Slot> = {
  path: { type: "path", sample: "settings.json" },
  set: { type: "text", sample: "port to 8080" },
};

export const results: Results = { path: "path" };
