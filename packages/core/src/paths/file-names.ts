/** The longest name common file systems keep, in bytes of UTF-8. */
export const MAX_NAME_BYTES = 255;

/** Characters that read as a slash, or become one where a system folds characters. */
const SLASHES = /[\u2044\u2215\u2216\u27CB\u27CD\u29F5\u29F8\u29F9\u2571\u2572\uFE68\uFF0F\uFF3C]/u;

/** Format characters that hide or reorder text; the two joiners are kept, scripts and emoji need them. */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/u;

/** `%2e`, `%2f`, `%5c` and `%00`, also encoded again: nothing here decodes them, but something later might. */
const ENCODED = /%(?:25)*(?:2e|2f|5c|00)/iu;

/** Device names that Windows finds in every folder, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)$/u;

/** The form in which two spellings of one name are equal on a forgiving file system. */
export function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/[\u200C\u200D]/gu, "")
    .toLowerCase();
}

/**
 * Why a name cannot be one segment of a workspace path, in words; undefined when it can. Strict on every system alike:
 * a name that is harmless here may lead elsewhere on the machine the profile is moved to.
 */
export function nameProblem(name: string): string | undefined {
  const folded = foldName(name);
  if (folded === ".." || folded === ".") return "it points to another folder";
  if (/[/\\]/u.test(folded) || SLASHES.test(name))
    return "it holds a character that acts or looks like a slash";
  if (ENCODED.test(name)) return "it holds an encoded dot or slash";
  if (folded.includes(":")) return "it holds a colon";
  if (HIDDEN.test(name) || !name.isWellFormed()) return "it holds an invisible or broken character";
  if (/[.\s]$/u.test(folded)) return "it ends in a dot or a space";
  if (DEVICES.test(folded.split(".")[0]?.trimEnd() ?? "")) return "it is the name of a device on Windows";
  return undefined;
}
