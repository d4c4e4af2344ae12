import type { Slot } from "@metahuman/core/language/grammar/phrase";

/** A file named in words that end in "file": "the shopping list file". */
export const fileByWords: Slot = { type: "reference", kind: "file", plain: true, sample: "shopping list" };

/** A file named by its subject: "the shopping list", "my travel notes", but not the list of tasks. */
export const documentByWords: Slot = {
  type: "reference",
  kind: "file",
  plain: true,
  like: /^(?!(?:.*\s)?(?:tasks?|to-?dos?|do)\s)\S.*\s(?:list|notes?|log|journal|diary|letter|recipe|draft|minutes)$/iu,
  sample: "shopping list",
};
