import { InvalidArgsError } from "../errors/request-errors.ts";

/** Alternatives one pattern may stand for, `{a,b}{c,d}` being four. */
const MAX_ALTERNATIVES = 64;
const MAX_LENGTH = 256;

/** One place of a name: any run of characters, or one character that fits. */
type Token = "run" | ((character: string) => boolean);

/** Whether `pattern` covers all of `items`. Takes at most items × pattern steps, whatever both hold. */
function covers<Item, Part>(
  items: readonly Item[],
  pattern: readonly Part[],
  isRun: (part: Part) => boolean,
  fits: (item: Item, part: Part) => boolean,
): boolean {
  let item = 0;
  let part = 0;
  let afterRun = -1;
  let resume = 0;
  while (item < items.length) {
    const here = items[item];
    const wanted = pattern[part];
    if (wanted !== undefined && isRun(wanted)) {
      part += 1;
      afterRun = part;
      resume = item;
    } else if (here !== undefined && wanted !== undefined && fits(here, wanted)) {
      item += 1;
      part += 1;
    } else if (afterRun >= 0) {
      resume += 1;
      item = resume;
      part = afterRun;
    } else {
      return false;
    }
  }
  return pattern.slice(part).every(isRun);
}

/** `{md,txt}` written out, nested ones too. */
function alternatives(pattern: string): string[] {
  const open = /\{([^{}]*)\}/u.exec(pattern);
  if (!open) return [pattern];
  const [whole, inside = ""] = open;
  const before = pattern.slice(0, open.index);
  const after = pattern.slice(open.index + whole.length);
  const all = inside.split(",").flatMap((choice) => alternatives(`${before}${choice}${after}`));
  if (all.length > MAX_ALTERNATIVES)
    throw new InvalidArgsError("The pattern stands for too many alternatives.");
  return all;
}

/** `[a-z_]` and `[!a-z]`: ranges by code point. */
function characterClass(body: string): (character: string) => boolean {
  const negated = /^[!^]/u.test(body);
  const ranges = [...body.slice(negated ? 1 : 0).matchAll(/(.)-(.)|(.)/gu)].map(([, from, to, single]) => ({
    from: from ?? single ?? "",
    to: to ?? single ?? "",
  }));
  return (character) => ranges.some(({ from, to }) => character >= from && character <= to) !== negated;
}

function tokens(segment: string): Token[] {
  return [...segment.matchAll(/\*+|\?|\[([!^]?[^\]]+)\]|(.)/gsu)].map(([text, body, literal]): Token => {
    if (body !== undefined) return characterClass(body);
    if (literal !== undefined) return (character) => character === literal;
    return text === "?" ? () => true : "run";
  });
}

const fold = (text: string): string => text.normalize("NFC").toLowerCase();

/**
 * Reads a listing pattern: `*`, `?`, `[a-z]`, `{md,txt}`, and `**` for any number of folders; letter case does not
 * matter. A pattern without a slash is matched against names, one with a slash against the path below the listed folder.
 *
 * Our own because the expressions that glob libraries compile to take seconds for `*a*a*a*b` on one long name, and
 * patterns come from planners. Throws `InvalidArgsError` for patterns that are too long or stand for too many.
 */
export function globMatcher(pattern: string): (segments: readonly string[]) => boolean {
  if (pattern.length > MAX_LENGTH)
    throw new InvalidArgsError(`The pattern is longer than ${MAX_LENGTH} characters.`);
  const byPath = pattern.includes("/");
  const globs = alternatives(fold(pattern)).map((one) =>
    one
      .split("/")
      .filter((segment) => segment !== "" && segment !== ".")
      .map((segment) => (segment === "**" ? "folders" : tokens(segment))),
  );
  return (segments) => {
    const names = (byPath ? segments : segments.slice(-1)).map((name) => Array.from(fold(name)));
    return globs.some((glob) =>
      covers(
        names,
        glob,
        (part) => part === "folders",
        (name, part) =>
          part !== "folders" &&
          covers(
            name,
            part,
            (token) => token === "run",
            (character, token) => token !== "run" && token(character),
          ),
      ),
    );
  };
}
