import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** A folder by its bare name; these words name other things, or too many. */
const bare: Slot = {
  type: "folder",
  sample: "drafts",
  except:
    "task tasks file files folder folders note memory memories list reminder all everything todo agent yourself".split(
      " ",
    ),
};

export const phrases: readonly (string | Phrase)[] = [
  "(delete|rm|discard|bin) [file [called]] {path}",
  "(get rid of|throw away|throw out) [file [called]] {path}",
  {
    say: "delete the {path} =file",
    slots: { path: { type: "reference", kind: "file", plain: true, sample: "shopping list" } },
  },
  { say: "delete the folder [called] {path}", slots: { path: "folder" }, args: { recursive: true } },
  { say: "delete {path}", slots: { path: bare }, args: { recursive: true } },
  { say: "delete the {path} folder", slots: { path: "folder" }, args: { recursive: true } },
];

export const slots: Record<string, SlotType | Slot> = { path: "path" };

export const results: Results = {};
