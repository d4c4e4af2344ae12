/**
 * Synonyms that are valid in every phrase. "write" and "create" are not, because "write hello to x.md" does not mean
 * "create hello". A phrase lists its own alternatives otherwise.
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

/** Returns a word and all its synonyms. */
export function synonymsOf(word: string): readonly string[] {
  return [...new Set([word, ...(groupOf(word) ?? [])])];
}

/** Returns one canonical word per group of synonyms; a word without synonyms is its own. */
export function canonicalWord(word: string): string {
  return groupOf(word)?.[0] ?? word;
}
