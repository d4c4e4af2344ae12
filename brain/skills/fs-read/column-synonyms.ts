import { stem } from "@metahuman/core/language/tokens/words";

/** Words that name the same column. A word is in one group only. */
const GROUPS: readonly ReadonlySet<string>[] = [
  "phone telephone mobile cell tel phonenumber handy",
  "email e-mail mail",
  "price cost fee charge",
  "amount sum value total",
  "birthday birthdate dob born",
  "date day when",
  "address street",
  "city town place location where",
  "job role position profession",
  "quantity qty count stock",
  "note remark comment",
  "deadline due",
].map((words) => new Set(words.split(" ").map(stem)));
/** Says no more about a column that another word names: "phone number". */
const FILLERS: ReadonlySet<string> = new Set("number nr no address name".split(" ").map(stem));

/**
 * The only column whose name means the same as the words: "telephone number" for a column "phone". Both are given as stems, a name
 * as those of its words. Undefined if none or several do.
 */
export function columnCalledOtherwise(
  names: readonly (readonly string[])[],
  asked: readonly string[],
): number | undefined {
  const specific = asked.filter((word) => !FILLERS.has(word));
  const [word, ...others] = specific;
  const group = others.length > 0 ? undefined : GROUPS.find((words) => words.has(word ?? ""));
  if (group === undefined) return undefined;
  const found = names.flatMap((name, index) => (name.some((one) => group.has(one)) ? [index] : []));
  return found.length === 1 ? found[0] : undefined;
}
