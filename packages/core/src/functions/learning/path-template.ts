import { partsOfPath, type Piece, placeholder, type Source, sourcesIn } from "../../contract/placeholders.ts";
import { slugify } from "../../text/slug.ts";
import { describeParameter } from "./parameters.ts";
import { leavesOf } from "./leaves.ts";
import type { PromptSpan } from "./prompt-spans.ts";
import { containsWords, replaceInPieces } from "./text-pieces.ts";
import type { Place, ValueSources } from "./value-sources.ts";

/** The template of a path. Its constant parts are folder and file names. */
export function pathTemplate(value: string, place: Place, sources: ValueSources): string {
  if (sourcesIn(value).length > 0) return sources.composed(value, place);
  const { answers, today, table } = sources.run;
  let pieces: Piece[] = [value];
  for (const output of sources.outputs.before(place.index)) {
    const { value: found, source, isChosen } = output;
    const isUsable = !isChosen && !sources.outputs.isSelectedFile(output);
    if (typeof found === "string" && isUsable && /[/.]/.test(found) && !/\s/.test(found))
      pieces = replaceInPieces(pieces, found, source);
  }
  const isFound = pieces.some((piece) => typeof piece !== "string");
  for (const answer of answers) {
    if (!pieces.some((piece) => typeof piece === "string" && containsWords(piece, answer))) continue;
    const name = table.addWithDefault("place", "string", answer, "As the person answered.");
    pieces = replaceInPieces(pieces, answer, { kind: "parameter", name });
    sources.note(place, "answer", "as you answered");
  }
  pieces = withPartsOfPaths(pieces, place, sources);
  pieces = withSpans(pieces, sources);
  pieces = replaceInPieces(pieces, today, { kind: "today" });
  const own = pieces.filter((piece) => typeof piece === "string");
  if (own.some((text) => /\d/.test(text)))
    return sources.composedPath(value, place, "a number or day by the model");
  const isNamed = typeof pieces.at(-1) !== "string";
  const isFromRequest = pieces.length > own.length && !own.some((text) => /[\p{L}\p{N}]/u.test(text));
  if (!isFromRequest && isReadSomewhere(value, isNamed, place, sources))
    return sources.composedPath(value, place, "named in what was read, not by you");
  const taken = pieces.filter((piece) => typeof piece !== "string");
  if (taken.some(({ kind }) => kind === "parameter"))
    sources.note(place, "request", "partly from your request");
  if (isFound) sources.note(place, "output", "partly what an earlier step found");
  if (taken.length === 0) sources.note(place, "constant", "always this place");
  const template = pieces.map((piece) => (typeof piece === "string" ? piece : placeholder(piece))).join("");
  if (isFound || isFromRequest) return template;
  const description = describeParameter(place.arg, place.skill, ", if the request does not name it");
  return placeholder({
    kind: "parameter",
    name: table.addWithDefault(place.arg, "path", template, description),
  });
}

/** True if a text that was read contains the path; if nobody named the path, its last part suffices. */
function isReadSomewhere(
  path: string,
  isNamed: boolean,
  { index }: Place,
  { outputs }: ValueSources,
): boolean {
  const bare = withoutRoot(path);
  const looked = isNamed ? [bare] : [bare, partsOfPath(bare).name];
  return looked.some((text) => text.length > 1 && outputs.occursIn(text, index));
}

/**
 * The path without its root. A folder in `out/` with the name of another root keeps its path: "inbox" differs from
 * `out/inbox`.
 */
const withoutOut = (path: string): string => path.replace(/^(?:\.\/)?(?:out\/(?!inbox\b))?/, "");

/** The path without its root and without a trailing slash. */
const withoutRoot = (path: string): string => withoutOut(path).replace(/\/+$/, "");

/**
 * Replaces parts of a path by parts of other paths in the request: the name of a file that moves into a folder, the
 * folder that is listed, the name that a second file is derived from.
 */
function withPartsOfPaths(given: readonly Piece[], place: Place, sources: ValueSources): Piece[] {
  const { spans, calls, table, request } = sources.run;
  const values = new Set(
    calls.flatMap(({ args }) =>
      leavesOf(args).flatMap(({ value }) => (typeof value === "string" ? [withoutRoot(value)] : [])),
    ),
  );
  let pieces: Piece[] = [...given];
  for (const span of spans) {
    const spanText = withoutRoot(String(span.value));
    const isFolder = span.type === "path" || namesFolder(request, span);
    if (!isFolder || spanText === "") continue;
    const source = (form?: "folder" | "name" | "stem"): Source | undefined => {
      const wish = values.has(spanText) ? place.arg : "folder";
      const name = table.addFromSpan(span, wish, describeParameter(wish, place.skill));
      return name === undefined ? undefined : { kind: "parameter", name, ...(form && { form }) };
    };
    pieces = withLeading(pieces, spanText, source);
    // A path that no call uses as a whole is a place; a part of another path can only name its folder.
    if (span.type !== "path" || !values.has(spanText)) continue;
    const { folder, name, stem } = partsOfPath(spanText);
    const isListed =
      pieces.length === 1 && typeof pieces[0] === "string" && withoutRoot(pieces[0]) === folder;
    const whole = isListed ? source("folder") : undefined;
    const named = withLast(pieces, { name, stem }, source);
    if (whole !== undefined) pieces = [whole];
    else if (named) pieces = withLeading(named, folder, () => source("folder"));
  }
  return pieces;
}

/** Adds a source for the leading folder of the path. */
function withLeading(pieces: readonly Piece[], folder: string, source: () => Source | undefined): Piece[] {
  const [first, ...others] = pieces;
  const bare = typeof first === "string" ? withoutOut(first) : "";
  if (!bare.startsWith(`${folder}/`)) return [...pieces];
  const found = source();
  return found === undefined ? [...pieces] : [found, bare.slice(folder.length), ...others];
}

/** Adds a source for the last name of the path, or for its stem. */
function withLast(
  pieces: readonly Piece[],
  { name, stem }: { name: string; stem: string },
  source: (form: "name" | "stem") => Source | undefined,
): Piece[] | undefined {
  const last = pieces.at(-1);
  if (typeof last !== "string" || (pieces.length === 1 && !last.includes("/"))) return undefined;
  const start = last.lastIndexOf("/") + 1;
  const written = last.slice(start);
  const isStem =
    stem.length > 1 && written.startsWith(stem) && /^[^\p{L}\p{N}]/u.test(written.slice(stem.length));
  const form = written === name ? "name" : isStem ? "stem" : undefined;
  const found = form && source(form);
  if (found === undefined) return undefined;
  const parts = [last.slice(0, start), found, written.slice((form === "name" ? name : stem).length)];
  return [...pieces.slice(0, -1), ...parts.filter((part) => part !== "")];
}

/** Words that name a folder: "to done", "into the folder done", "my done folder". */
function namesFolder(request: string, { start, end, type }: PromptSpan): boolean {
  if (type !== "string") return false;
  const before = request.slice(0, start);
  const after = request.slice(end);
  return (
    /\b(?:to|into|in|under|inside|within)\s+(?:(?:the|my|our|a|an)\s+)?(?:(?:folder|directory)\s+(?:(?:called|named)\s+)?)?$/iu.test(
      before,
    ) || /^\s+(?:folder|directory)\b/iu.test(after)
  );
}

function withSpans(pieces: readonly Piece[], { run: { spans, table }, within }: ValueSources): Piece[] {
  const stem = stemOf(pieces);
  const candidates = [...within, ...spans.filter((span) => isStem(span, stem))];
  return candidates.reduce(
    (current: Piece[], span): Piece[] => {
      const text = String(span.value);
      const slug = slugify(text);
      const isIn = (words: string): boolean =>
        current.some((piece) => typeof piece === "string" && containsWords(piece, words));
      const isVerbatim = isIn(text);
      if (!isVerbatim && !isIn(slug)) return current;
      const name = table.addFromSpan(span, "name", "What it is about.");
      if (name === undefined) return current;
      const source: Source = { kind: "parameter", name, ...(!isVerbatim && { form: "slug" as const }) };
      return replaceInPieces(current, isVerbatim ? text : slug, source);
    },
    [...pieces],
  );
}

function isStem({ value, type }: PromptSpan, stem: string | undefined): boolean {
  return (
    stem !== undefined &&
    typeof value === "string" &&
    type === "string" &&
    slugify(value) !== "" &&
    slugify(value) === slugify(stem)
  );
}

/** "out/kitchen/pizza.md" → "pizza" */
function stemOf(pieces: readonly Piece[]): string | undefined {
  const last = pieces.at(-1);
  return typeof last === "string"
    ? last
        .split("/")
        .at(-1)
        ?.replace(/\.[^.]*$/, "")
    : undefined;
}
