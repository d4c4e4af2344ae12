import { STOP_WORDS } from "../text/words.ts";

/** Only the beginning of a long text is read. */
const MAX_TEXT = 8_000;
const MAX_ENTITIES = 24;
/** The maximum length of an entity in a record. */
const MAX_LENGTH = 128;

const ADDRESS = /\b(?:https?:\/\/|www\.)\S+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/giu;
/** A path, or a file name with an extension. It begins where a word begins, so that a long word is read once. */
export const FILE_PATH =
  /(?<![\p{L}\p{N}_-])(?:[\p{L}\p{N}_-]+(?:\/[\p{L}\p{N}_-]+)+(?:\.[\p{L}\p{N}]+)*\/?|[\p{L}\p{N}_-]+\.[a-z][a-z0-9]{0,4}\b)/gu;

const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
const MONTH = `(${MONTHS.map((month) => (month.length > 3 ? `${month.slice(0, 3)}(?:${month.slice(3)})?` : month)).join("|")})\\.?`;
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const DATE = new RegExp(
  String.raw`\b(\d{4})-(\d{2})-(\d{2})\b|\b${DAY}\s+(?:of\s+)?${MONTH},?\s+(\d{4})\b|\b${MONTH}\s+${DAY},?\s+(\d{4})\b`,
  "giu",
);

const NUMBER = String.raw`\d+(?:[.,]\d+)*`;
const UNIT = [
  String.raw`€|\$|£|¥|%|EUR|USD|GBP|CHF|euros?|dollars?|pounds?|percent|kg|mg|g|km|cm|mm|m|ml|l|kWh|GB|MB|hours?`,
  "minutes?|days?|weeks?",
].join("|");
const AMOUNT = new RegExp(
  String.raw`([€$£¥])\s?(${NUMBER})(?![\p{L}\d])|(?<![\p{L}\p{N}.,/-])(${NUMBER})\s?(${UNIT})(?![\p{L}\p{N}])`,
  "gu",
);

/** Capitalized words, with the particles inside names. */
const CAPITALISED = String.raw`\p{Lu}[\p{L}\p{M}\p{N}'’-]*`;
const NAME = new RegExp(
  String.raw`(?<![\p{L}\p{N}_'’-])${CAPITALISED}(?:\s(?:(?:van|von|de|der|den|da|del|di|la|le|al|bin)\s){0,2}${CAPITALISED}|\s(?:van|von|de|der|del|di|la|al|bin)\s${CAPITALISED})*`,
  "gu",
);
const TITLES = /\b(?:Dr|Mr|Mrs|Ms|Prof|St)\.?\s+(?=\p{Lu})/gu;
const WORD = /\p{L}[\p{L}\p{M}'’-]*/gu;
const POSSESSIVE = /['’]s?$/u;
/** Capitalized words that name no person and no place. */
const NO_NAMES: ReadonlySet<string> = new Set([
  ...MONTHS,
  ..."monday tuesday wednesday thursday friday saturday sunday i i'm i've i'll i'd ok okay pm am asked answered".split(
    " ",
  ),
]);
/** Verbs that begin a request, such as "Call Bob". */
const REQUEST_VERBS: ReadonlySet<string> = new Set(
  (
    "add ask bring book buy call change check copy create delete email fetch find finish get give go help invite keep let list " +
    "look mail make meet message move note open order pay phone pick plan put read remember remind remove rename save say see " +
    "send set show tell text thank update visit wake water write dear hello hi hey yes no please met saw told gave got"
  ).split(" "),
);
/** A text with a larger share of capitalized words is a heading. */
const MAX_CAPITALISED = 0.75;
const MIN_HEADING_WORDS = 6;

interface Found {
  entity: string;
  at: number;
}

/**
 * The people, places, files, dates and amounts that a text names, in order, each once. Found by their form: names by
 * their capitals, dates as `YYYY-MM-DD`, amounts as number and unit. Deterministic.
 */
export function extractEntities(text: string): string[] {
  let rest = text.slice(0, MAX_TEXT).toWellFormed().replaceAll(ADDRESS, blank);
  const found: Found[] = [];
  const take = (pattern: RegExp, read: (groups: RegExpExecArray) => string | undefined): void => {
    for (const match of rest.matchAll(pattern)) {
      const entity = read(match);
      if (entity !== undefined) found.push({ entity, at: match.index });
    }
    rest = rest.replaceAll(pattern, blank);
  };
  take(DATE, dateIn);
  take(FILE_PATH, ([path]) => (isFile(path) ? path : undefined));
  take(AMOUNT, ([, currency, price, number, unit]) =>
    currency === undefined ? `${number ?? ""} ${unit ?? ""}` : `${price ?? ""} ${currency}`,
  );
  found.push(...namesIn(rest));
  const distinct = new Map<string, string>();
  for (const { entity } of found.sort((a, b) => a.at - b.at)) {
    const key = entityKey(entity);
    if (entity.length <= MAX_LENGTH && !distinct.has(key)) distinct.set(key, entity);
  }
  return [...distinct.values()].slice(0, MAX_ENTITIES);
}

/** The key of an entity, independent of case and spacing. */
export function entityKey(entity: string): string {
  return entity.normalize("NFKC").trim().toLowerCase().replaceAll(/\s+/gu, " ");
}

/** The tag by which the index filters an entity, which no person's tag can equal because of the line break. */
export function entityTag(entity: string): string {
  return `entity\n${entityKey(entity)}`;
}

/** The context of a request or a call that is about these workspace paths: the first file, and its project. */
export function contextOfPaths(paths: readonly string[]): { file?: string; project?: string } {
  const [file] = paths.filter((path) => /\.[\p{L}\p{N}]+$/u.test(path));
  const [project] = paths.flatMap((path) => projectOf(path) ?? []);
  return {
    ...(file !== undefined && { file: workspacePath(file) }),
    ...(project !== undefined && { project }),
  };
}

/** A path without a root is under `out/`. */
function workspacePath(path: string): string {
  const plain = path.replace(/^\.\//u, "");
  return /^(?:out|inbox)\//u.test(plain) ? plain : `out/${plain}`;
}

/** The first folder of a workspace path below `out/` or `inbox/`; undefined for a file in no folder. */
export function projectOf(path: string): string | undefined {
  const [folder = "", ...below] = path.replace(/^(?:\.?\/)?(?:(?:out|inbox)\/)?/u, "").split("/");
  return below.length > 0 && folder !== "" ? folder : undefined;
}

/** Keeps the places of the other words, and separates the words on both sides. */
function blank(text: string): string {
  return ".".padEnd(text.length, " ");
}

/** "and/or" is not a path: a path has an extension, a root or several folders. */
function isFile(path: string): boolean {
  return /\.[\p{L}\p{N}]+$|^(?:out|inbox)\/|\/.*\//u.test(path);
}

function dateIn([whole, year, , , ...inWords]: RegExpExecArray): string | undefined {
  if (year !== undefined) return isDay(whole) ? whole : undefined;
  const [dayFirst, monthSecond, yearAfter, monthFirst, daySecond, yearLast] = inWords;
  const name = (monthSecond ?? monthFirst ?? "").slice(0, 3).toLowerCase();
  const number = 1 + MONTHS.findIndex((one) => one.startsWith(name));
  const date = [
    yearAfter ?? yearLast ?? "",
    String(number).padStart(2, "0"),
    (dayFirst ?? daySecond ?? "").padStart(2, "0"),
  ].join("-");
  return isDay(date) ? date : undefined;
}

function isDay(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}

/**
 * Capitalized words that do not merely begin a sentence: several in a row, inside a sentence, or known from inside
 * another one.
 */
function namesIn(untitled: string): Found[] {
  const text = untitled.replaceAll(TITLES, (title) => "a".padEnd(title.length, " "));
  const words = text.match(WORD) ?? [];
  const capitalized = words.filter((word) => /^\p{Lu}/u.test(word)).length;
  if (words.length >= MIN_HEADING_WORDS && capitalized > MAX_CAPITALISED * words.length) return [];
  const names = [...text.matchAll(NAME)].flatMap(({ 0: run, index }) => {
    const startsSentence = /(?:^|[.!?:;\n"“(*-])\s*$/u.test(text.slice(Math.max(0, index - 40), index));
    const name = nameIn(run, startsSentence);
    return name ? [{ ...name, at: index + name.at }] : [];
  });
  const inside = new Set(names.filter(({ isSure }) => isSure).map(({ entity }) => entity));
  return names.filter(({ entity, isSure }) => isSure || inside.has(entity));
}

/** The name in a run of capitalized words, without words that are capitalized for another reason. */
function nameIn(run: string, startsSentence: boolean): (Found & { isSure: boolean }) | undefined {
  const words = run.split(" ");
  const isNone = (word = ""): boolean => {
    const plain = word.toLowerCase().replaceAll("’", "'");
    return NO_NAMES.has(plain) || STOP_WORDS.has(plain.replaceAll("'", ""));
  };
  let first = startsSentence && REQUEST_VERBS.has(run.split(" ", 1)[0]?.toLowerCase() ?? "") ? 1 : 0;
  while (first < words.length && isNone(words[first])) first += 1;
  let end = words.length;
  while (end > first && isNone(words[end - 1])) end -= 1;
  const entity = words.slice(first, end).join(" ").replace(POSSESSIVE, "");
  if (entity.length < 2) return undefined;
  const isSure = !startsSentence || first > 0 || end - first > 1;
  return { entity, at: words.slice(0, first).join(" ").length, isSure };
}
