import type { Slot } from "@metahuman/core/language/grammar/phrase";

/** A file named in words that end in "file": "the shopping list file". */
export const fileByWords: Slot = { type: "reference", kind: "file", plain: true, sample: "shopping list" };

/** A file named by what is written in it: "the shopping list", "my travel notes". The list of tasks is none. */
export const documentByWords: Slot = {
  type: "reference",
  kind: "file",
  plain: true,
  like: /^(?!(?:.*\s)?(?:tasks?|to-?dos?|do)\s)\S.*\s(?:list|notes?|log|journal|diary|letter|recipe|draft|minutes)$/iu,
  sample: "shopping list",
};
