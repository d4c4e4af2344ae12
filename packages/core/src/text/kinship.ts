/**
 * Kinds of relatives, one per line: the general word, a colon, and the words for its members; written for this project. A fact about a
 * member answers a question about the kind: "my sister Petra lives in Bergen" for "where does my sibling live?".
 */
const KINDS = `
  sibling: sister brother twin
  parent: mother father
  child: daughter son
  partner: wife husband
  spouse: wife husband
  grandparent: grandmother grandfather
  grandchild: granddaughter grandson
  relative: sister brother mother father daughter son aunt uncle cousin niece nephew grandmother grandfather
`;

/** Everyday words for one relative, one group per line. */
const SAME = `
  mother mum mom mama mummy mommy
  father dad papa daddy
  sister sis
  brother bro
  child kid
  grandmother grandma granny nana nan
  grandfather grandpa granddad
  partner spouse
  aunt auntie
`;

const linesOf = (text: string): string[] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim());

const same = new Map(
  linesOf(SAME).flatMap((line) => {
    const group = line.split(" ");
    return group.map((word) => [word, group] as const);
  }),
);

const kinds = new Map(
  linesOf(KINDS).map((line) => {
    const [kind = "", members = ""] = line.split(": ");
    return [kind, members.split(" ")] as const;
  }),
);

/** The plural of "child" is irregular; the others end in "s". */
const singular = (word: string): string =>
  word === "children" ? "child" : word === "wives" ? "wife" : word.replace(/s$/u, "");

/**
 * The words by which a fact may call the relative that a question calls `word`, in lower case: of "sibling" also "sister". A question about
 * a brother is not answered by a sister. Empty for any other word.
 */
export function relativeTerms(word: string): readonly string[] {
  const forms = [word, singular(word)];
  const found = forms.find((form) => same.has(form) || kinds.has(form));
  if (found === undefined) return [];
  const group = same.get(found) ?? [found];
  const members = group.flatMap((one) => kinds.get(one) ?? []);
  return [...new Set([...group, ...members.flatMap((one) => same.get(one) ?? [one])])];
}
