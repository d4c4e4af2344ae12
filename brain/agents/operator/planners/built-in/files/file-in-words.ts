import { oneOf } from "@metahuman/core/text/patterns";
import { isDeepStrictEqual } from "node:util";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { isTypo } from "@metahuman/core/language/tokens/spelling";
import { tokenize, type Token } from "@metahuman/core/language/tokens/tokens";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { NUMBERS_TO_TWELVE } from "@metahuman/core/text/number-words";
import { plainWords } from "@metahuman/core/text/words";
import type { Skill } from "@metahuman/skills/define-skill";
import { MAX_REQUEST } from "../conversation/limits.ts";

// Finds the files that words of a request name: "the school letter" is inbox/letter-from-school.txt. Rewrites the request with the
// paths in place of the words.

/** A file that a request names in words: “the school letter” for `inbox/letter-from-school.txt`. */
export interface FileInWords {
  words: string;
  path: string;
  /** The characters of the request that the words take up. */
  start: number;
  end: number;
  /** True if the words have every word of the file's name. */
  isWhole: boolean;
  /** The words without typing errors; undefined if they have none. */
  corrected?: string;
}

/** The folders that every workspace has. */
const ROOTS = ["out", "inbox"];
const DETERMINER = /^(?:the|my|our|this|that)$/u;
/** "Change Otto's email in members": a whole name after it may be a file. */
const PREPOSITION_BEFORE = /^(?:in|into|to|from|off|of)$/u;
const INDEFINITE = new RegExp(String.raw`^(?:an?|\d+|${NUMBERS_TO_TWELVE.join("|")})$`, "u");
/** Words for what a document is, which its name need not have: "the packing list". */
const DOCUMENT =
  /^(?:file|list|notes?|log|journal|diary|letter|recipe|draft|minutes|document|table|report|sheet|text)$/u;

/** An order that shows or counts something. */
const SHOWS = /^\W*(?:(?:please|pls) )?(?:show|list|give|count|find)\b(?!.*\band\b)/iu;

/** The calls that list the files, if the request may name one of them in words: after “the” or “my”, in a question, or in an order to show something. */
export function createFileListings(
  request: string,
  skills: readonly Skill[],
  { isQuestion }: { isQuestion: boolean },
): PlannedCall[] {
  const lister = skills.find(({ finds }) => finds?.kind === "file");
  const tokens = tokenize(request);
  const mayName =
    request.length <= MAX_REQUEST &&
    tokens.some(
      ({ kind, text }, index) =>
        kind === "word" &&
        isContent(text) &&
        !OTHER_THING.test(text) &&
        (isDeterminer(tokens[index - 1]) ||
          isAfterPreposition(tokens, index) ||
          ((isQuestion || SHOWS.test(request)) && !hasPath(tokens))),
    );
  if (lister === undefined || !mayName) return [];
  return ROOTS.map((path) => callOf(lister.id, fromRequest({ ...lister.finds?.args, path }), request));
}

/** True for a step of the request as it is written that `fileListings` planned. */
export function isFileListing(
  { action, reading }: Pick<ScratchpadEntry, "action" | "reading">,
  skills: readonly Skill[],
): boolean {
  const lister = skills.find(({ finds }) => finds?.kind === "file");
  if (lister === undefined || reading?.request !== undefined) return false;
  return ROOTS.some((path) =>
    isDeepStrictEqual(action, { tool: lister.id, args: { ...lister.finds?.args, path } }),
  );
}

const OTHER_THING_WORDS = oneOf(
  "tasks?|to-?dos?|reminders?|schedules?|functions?|memor(?:y|ies)|runs?|files?|folders?|notes?",
  "documents?|lists?|words?|lines?|rest|same|last|first|next|other|following",
);
/** Other things of a person, and words that name no file by themselves. */
const OTHER_THING = new RegExp(String.raw`^${OTHER_THING_WORDS}$`, "u");

const hasPath = (tokens: readonly Token[]): boolean =>
  tokens.some(({ kind, text }) => kind === "path" && !text.includes("@"));

const isAfterPreposition = (tokens: readonly Token[], index: number): boolean =>
  tokens[index - 1]?.kind === "word" && PREPOSITION_BEFORE.test(tokens[index - 1]?.text ?? "");

const isDeterminer = (token: Token | undefined): boolean =>
  token?.kind === "word" && DETERMINER.test(token.text);

const isContent = (word: string): boolean => word.length > 2 && !FUNCTION_WORDS.has(word);

/** Names of people that are also words without content. */
const GIVEN_NAME = /^(?:will|may)$/u;

/** True for "will's" and "wills" before a letter of Will. */
const isPossessive = ({ text }: Token, { words }: ReturnType<typeof parseFileName>): boolean =>
  /.s$/u.test(text) && words.includes(text.replace(/['’]?s$/u, ""));

/** The words of a file's name; those of its ending may be said but need not. */
function parseFileName(path: string): { words: string[]; folders: string[]; ending: string } {
  const [, folder = "", name = "", ending = ""] = /^(?:(.*)\/)?([^/]*?)(?:\.([^./]*))?$/u.exec(path) ?? [];
  // "Chapter 2" is chapter2.md.
  const spacedName = name.replaceAll("_", " ").replaceAll(/(?<=\p{L})(?=\d)/gu, " ");
  return {
    words: plainWords(spacedName).filter(
      (word) => isContent(word) || GIVEN_NAME.test(word) || /^\d+$/u.test(word),
    ),
    folders: plainWords(folder.replaceAll(/[/_-]/gu, " ")).filter(
      (word) => isContent(word) && !ROOTS.includes(word),
    ),
    ending: ending.toLowerCase(),
  };
}

interface NamedFile {
  path: string;
  name: ReturnType<typeof parseFileName>;
}

const isInFolder = (word: string, { folders }: ReturnType<typeof parseFileName>): boolean =>
  folders.some((folder) => stem(folder) === stem(word));

const isInName = (word: string, { words, ending }: Pick<NamedFile["name"], "words" | "ending">): boolean =>
  word === ending || words.some((other) => stem(other) === stem(word) || isTypo(word, other));

/**
 * The files that a request names in words, each by words that fit no other file. After “the” or “my” a part of a name
 * suffices; elsewhere only a whole name counts, and not as the first word, which says what is to be done.
 */
export function findFilesInWords(request: string, paths: readonly string[]): FileInWords[] {
  const tokens = tokenize(request);
  const names = paths.map((path) => ({ path, name: parseFileName(path) }));
  const foundFiles: FileInWords[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const first = tokens[index];
    if (first?.kind !== "word" || !isContent(first.text)) continue;
    const { fitting, matched, ...words } = matchNamesAt(tokens, index, names);
    let { end } = words;
    const [only, ...others] = fitting;
    // "Shift log dot txt": the ending is dictated.
    if (tokens[end]?.text === "dot" && only !== undefined && tokens[end + 1]?.text === only.name.ending)
      end += 2;
    const last = tokens[end - 1];
    if (only === undefined || others.length > 0 || last === undefined) continue;
    const isDetermined = isDeterminer(tokens[index - 1]) || isPossessive(first, only.name);
    const isWhole = only.name.words.every((word) =>
      matched.some((matchedWord) => isInName(matchedWord, { words: [word], ending: "" })),
    );
    // "…, 0, open to the repairs": a value among others.
    const isListed = tokens[index - 1]?.text === "," || tokens[end]?.text === ",";
    // "An hour before", "two guests": no file that exists.
    const isIndefinite = INDEFINITE.test(tokens[index - 1]?.text ?? "");
    const isBare = !isDetermined && (!isWhole || index === 0 || isListed || isIndefinite || hasPath(tokens));
    if (only.name.words.length === 0 || isBare) continue;
    // "The letter in the inbox": the folder of the file.
    const place = IN_FOLDER.exec(request.slice(last.end));
    const isThere = place !== null && only.path.includes(`${place.groups?.["folder"]?.toLowerCase() ?? ""}/`);
    const start = (isDeterminer(tokens[index - 1]) ? tokens[index - 1] : first)?.start ?? first.start;
    const written = request.slice(start, last.end);
    const corrected = written.replaceAll(
      /\p{L}+/gu,
      (word) => findCorrection(word.toLowerCase(), only.name.words) ?? word,
    );
    foundFiles.push({
      words: written,
      path: only.path,
      start,
      end: last.end + (isThere ? place[0].length : 0),
      isWhole,
      ...(corrected !== written && { corrected }),
    });
    index = end - 1;
  }
  return foundFiles;
}

const IN_FOLDER =
  /^ (?:in|from|inside|of) (?:the |my )?(?:folder )?(?<folder>inbox|[\p{L}\p{N}_-]+(?= folder\b))(?: folder)?/iu;

/** The names that the words at `index` fit: as many words as narrow them down, or say what a document is. */
function matchNamesAt(
  tokens: readonly Token[],
  index: number,
  names: readonly NamedFile[],
): { fitting: readonly NamedFile[]; matched: readonly string[]; end: number } {
  const first = tokens[index]?.text ?? "";
  let fitting = names.filter(({ name }) => isInName(first, name));
  const matched = [first];
  let end = index + 1;
  // "The recital programme" is recital/programme.md.
  const following = tokens[end];
  if (fitting.length === 0 && isContentToken(following)) {
    fitting = names.filter(({ name }) => isInFolder(first, name) && isInName(following.text, name));
    matched.push(following.text);
    end += 1;
  }
  for (let next = tokens[end]; fitting.length > 0; next = tokens[++end]) {
    const linked = findLinkedWord(tokens, end, fitting);
    if (linked !== undefined) {
      fitting = fitting.filter(({ name }) => isInName(tokens[linked]?.text ?? "", name));
      matched.push(tokens[linked]?.text ?? "");
      end = linked;
      continue;
    }
    if (!isContentToken(next)) break;
    const word = next.text;
    const narrowed = fitting.filter(({ name }) => isInName(word, name));
    if (narrowed.length === 0 && !DOCUMENT.test(word)) break;
    if (narrowed.length > 0) fitting = narrowed;
    matched.push(word);
  }
  return { fitting, matched, end };
}

const LINK = /^(?:from|of|for|to|about|with)$/u;

/** The place of a word of a name after "from the": "the letter from the council" is letter-from-council.txt. */
function findLinkedWord(
  tokens: readonly Token[],
  at: number,
  fitting: readonly NamedFile[],
): number | undefined {
  if (!LINK.test(tokens[at]?.text ?? "")) return undefined;
  const place = isDeterminer(tokens[at + 1]) ? at + 2 : at + 1;
  const word = tokens[place];
  const isPart = isContentToken(word) && fitting.some(({ name }) => isInName(word.text, name));
  return isPart ? place : undefined;
}

/** More files are too many to choose from. */
const MAX_CHOICES = 8;

/** The files between which words after “the” or “my” leave the choice: “the lease”; undefined if there are no such words. */
export function findAmbiguousFiles(
  request: string,
  paths: readonly string[],
): { words: string; start: number; end: number; paths: readonly string[] } | undefined {
  const tokens = tokenize(request);
  const names = paths.map((path) => ({ path, name: parseFileName(path) }));
  for (const [index, token] of tokens.entries()) {
    const [tokenBefore, last] = [tokens[index - 1], tokens[matchNamesAt(tokens, index, names).end - 1]];
    if (token.kind !== "word" || !isContent(token.text) || !isDeterminer(tokenBefore)) continue;
    const { fitting } = matchNamesAt(tokens, index, names);
    if (fitting.length < 2 || fitting.length > MAX_CHOICES) continue;
    const [start, end] = [tokenBefore?.start ?? token.start, last?.end ?? token.end];
    return { words: request.slice(start, end), start, end, paths: fitting.map(({ path }) => path) };
  }
  return undefined;
}

/** The word of a name that another one misspells. */
const findCorrection = (word: string, name: readonly string[]): string | undefined =>
  name.some((other) => stem(other) === stem(word)) ? undefined : name.find((other) => isTypo(word, other));

const isContentToken = (token: Token | undefined): token is Token =>
  token?.kind === "word" && !FUNCTION_WORDS.has(token.text);

/** The ways to say the request without typing errors and with the paths of its files, the most likely first. */
export function rewriteWithPaths(request: string, files: readonly FileInWords[]): string[] {
  const replaced = (
    chosenFiles: readonly FileInWords[],
    by: (file: FileInWords) => string = ({ path }) => path,
  ): string =>
    chosenFiles.reduceRight(
      (text, file) => `${text.slice(0, file.start)}${by(file)}${text.slice(file.end)}`,
      request,
    );
  const corrected = replaced(files, ({ words, corrected: other = words }) => other);
  return [
    ...(corrected === request ? [] : [corrected]),
    replaced(files),
    ...(files.length > 1 ? files.map((file) => replaced([file])) : []),
  ];
}

/** "List the inactive clients", "how many open invoices", "unpaid bills?": words for some of the rows before the name of their table. */
const SOME_OF =
  /^\W*(?:(?:please|pls|can you|could you|just) )*(?<verb>(?:show|list|give|tell|find|get)(?: me)?|(?:which|what|who) are|how many|count)?(?:(?<=\S) )?(?:(?:all|only|of|the|our|my) )*(?<some>(?:[\p{L}-]+ ){1,3})$/iu;
const ASKS_HOW_MANY = /^(?:how many|count)$/iu;

const WHICH = /^\W*(?:(?:show|list|tell|give)(?: me)? )?(?:which|what|all|only)(?: of)?\s+$/iu;
const HOW_MANY = /^\W*(?:(?:please|pls) )?(?:how many|count(?: up)?(?: all)?)\s+$/iu;
/** The words that may follow "how many members": "do we have", "are there in the club". */
const IN_ALL =
  /^(?:\s+(?:do|does|are|is|have|has|got|there|we|i|you|they|in|all|total|the|a|club|now|altogether|on|it))*\W*$/iu;
const PREPOSITION = /\s+(?:on|in|from|of|at|inside|about|for)\s*$/iu;

/**
 * A question about the one file that it names, in words that the grammar reads: “who is for saturday according to rota.md”.
 * Undefined where the words may mean something else: “divided by 12 members”.
 */
export function rewriteAsFileQuestion(
  request: string,
  { path, start, end, words }: FileInWords,
  { isQuestion }: { isQuestion: boolean },
): string | undefined {
  const [textBefore, textAfter] = [request.slice(0, start), request.slice(end)];
  if (HOW_MANY.test(textBefore) && IN_ALL.test(textAfter)) return `how many entries are in ${path}`;
  if (/\.(?:csv|tsv)$/iu.test(path)) {
    // "How many clients are active?", "which members joined after 2020": the rows of a table are named by its file.
    const condition = textAfter.replace(/[\s?.!,]+$/u, "").trim();
    if (HOW_MANY.test(textBefore) && condition !== "") return `how many rows in ${path} ${condition}`;
    if (WHICH.test(textBefore) && condition !== "") return `which rows in ${path} ${condition}`;
    const { verb, some } = SOME_OF.exec(textBefore)?.groups ?? {};
    const isAsked = verb !== undefined || /\?\W*$/u.test(request);
    if (
      some !== undefined &&
      isAsked &&
      isContent(some.trim().split(" ").at(-1) ?? "") &&
      IN_ALL.test(textAfter)
    )
      return `${verb !== undefined && ASKS_HOW_MANY.test(verb) ? "how many" : "which"} rows in ${path} are ${some.trim()}`;
  }
  if (!isQuestion || !/^(?:the|my|our|this|that)\s/iu.test(words)) return undefined;
  const rest = `${textBefore.replace(PREPOSITION, "")} ${textAfter}`.replaceAll(/\s+/gu, " ");
  return `${rest.replace(/[\s?.!,]+$/u, "")} according to ${path}`;
}
