import { InvalidArgsError } from "../errors/request-errors.ts";

/** The maximum number of alternatives of a pattern; `{a,b}{c,d}` has four. */
const MAX_ALTERNATIVES = 64;
const MAX_LENGTH = 256;

/** A part of a name pattern: any run of characters, or a predicate for one character. */
type Token = "run" | ((character: string) => boolean);

/** Whether `pattern` matches all of `items`. Takes at most items × pattern steps. */
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

/** Expands `{md,txt}`, also nested. */
function alternatives(pattern: string): string[] {
  const open = /\{([^{}]*)\}/u.exec(pattern);
  if (!open) return [pattern];
  const [whole, inside = ""] = open;
  const before = pattern.slice(0, open.index);
  const after = pattern.slice(open.index + whole.length);
  const all = inside.split(",").flatMap((choice) => alternatives(`${before}${choice}${after}`));
  if (all.length > MAX_ALTERNATIVES) throw new InvalidArgsError("The pattern has too many alternatives.");
  return all;
}

/** `[a-z_]` and `[!a-z]`: ranges by code point. */
function characterClass(body: string): (character: string) => boolean {
  const isNegated = /^[!^]/u.test(body);
  const ranges = [...body.slice(isNegated ? 1 : 0).matchAll(/(.)-(.)|(.)/gu)].map(([, from, to, single]) => ({
    from: from ?? single ?? "",
    to: to ?? single ?? "",
  }));
  return (character) => ranges.some(({ from, to }) => character >= from && character <= to) !== isNegated;
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
 * Compiles a glob: `*`, `?`, `[a-z]`, `{md,txt}`, and `**` for any number of folders, ignoring case. A pattern without a
 * slash matches names, one with a slash matches the path below the listed folder.
 *
 * Not a library, because the regular expressions of glob libraries take seconds for `*a*a*a*b` on a long name, and
 * patterns come from planners. Throws `InvalidArgsError` for patterns that are too long or have too many alternatives.
 */
export function globMatcher(pattern: string): (segments: readonly string[]) => boolean {
  if (pattern.length > MAX_LENGTH)
    throw new InvalidArgsError(`The pattern is longer than ${MAX_LENGTH} characters.`);
  const isPathPattern = pattern.includes("/");
  const globs = alternatives(fold(pattern)).map((one) =>
    one
      .split("/")
      .filter((segment) => segment !== "" && segment !== ".")
      .map((segment) => (segment === "**" ? "folders" : tokens(segment))),
  );
  return (segments) => {
    const names = (isPathPattern ? segments : segments.slice(-1)).map((name) => Array.from(fold(name)));
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
