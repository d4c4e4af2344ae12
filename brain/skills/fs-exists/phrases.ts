import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** A folder, or a bare word that is called one. */
const folder: Record<string, Slot> = { path: { type: "folder", sample: "drafts" } };

export const phrases: readonly (string | Phrase)[] = [
  "does [the] [file] [called] {path} [already|still] exist",
  "is there [already|still] (a|any) (file|document) [called|named] {path}",
  "is [the] [file] {path} [still|already] (there|here)",
  "(do|have) I [still|already] [have|got] a (file|document) [called|named] {path}",
  "(check|see|tell me|find out) (if|whether) [the] [file] {path} [already|still] exists",
  "(check|see|tell me|find out) (if|whether) there is a (file|document) [called|named] {path}",
  { say: "does the folder [called] {path} [already|still] exist", slots: folder },
  { say: "does the {path} folder [already|still] exist", slots: folder },
  { say: "is there [already|still] a folder [called|named] {path}", slots: folder },
  { say: "do I [still|already] have a folder [called|named] {path}", slots: folder },
];

export const slots: Record<string, SlotType | Slot> = { path: { type: "path", sample: "notes/today.md" } };

/** The path of what may be absent is nothing to go on with. */
export const results: Results = {};
