/**
 * Words that mean the same wherever a phrase uses one of them. Only what is safe in every phrase belongs here:
 * "write" is not "create", for "write hello to x.md" is no "create hello". What holds for one phrase, that phrase says.
 */
const GROUPS: readonly (readonly string[])[] = [
  ["create", "make"],
  ["delete", "remove", "erase", "trash", "del"],
  ["show", "display"],
  ["open", "view"],
  ["find", "locate"],
  ["list", "ls"],
  ["file", "document", "doc"],
  ["folder", "directory", "dir"],
  ["task", "todo"],
  ["called", "named", "titled"],
  ["contents", "content"],
  ["to", "into"],
  ["all", "every"],
  ["memory", "memories"],
];

const GROUP_OF: ReadonlyMap<string, readonly string[]> = new Map(
  GROUPS.flatMap((group) => group.map((word): [string, readonly string[]] => [word, group])),
);

const groupOf = (word: string): readonly string[] | undefined =>
  GROUP_OF.get(word) ?? GROUP_OF.get(word.replace(/s$/, ""));

/** The word and all that mean the same. */
export function synonymsOf(word: string): readonly string[] {
  return [...new Set([word, ...(groupOf(word) ?? [])])];
}

/** One word for all that mean the same; a word without synonyms stands for itself. */
export function meaningOf(word: string): string {
  return groupOf(word)?.[0] ?? word;
}
