import { correctSpelling } from "@metahuman/core/language/tokens/spelling";

// Typing errors and short forms in the words of a request: "remnd me tmrw" is "remind me tomorrow".

/** The words by which requests and questions are recognised. Other words are names and contents, and stay as they are. */
const VOCABULARY: readonly string[] = (
  "and the what when where which who whose how many much does did have has had are was were will would could should there their this that these those with without from into for not " +
  "show list read write make create add put remove delete take change move copy rename find search count total sum average highest lowest mark remind remember forget undo calculate " +
  "task tasks reminder reminders file folder table row column note notes number between before after until today tomorrow yesterday morning afternoon evening " +
  "monday tuesday wednesday thursday friday saturday sunday please again left still need every instead about only also back next last first"
).split(" ");
/** Words that are one typing error away from those above and mean something else. */
const OTHER_WORDS: ReadonlySet<string> = new Set(["tale"]);
/** What people type for a word on purpose, and how some dialects spell one. */
const SHORT_FORMS: ReadonlyMap<string, string> = new Map(
  (
    "u = you, ur = your, n = and, adn = and, nad = and, em = them, teh = the, hte = the, wat = what, " +
    "wot = what, wht = what, whats = what is, wats = what is, wots = what is, hows = how is, " +
    "wheres = where is, whens = when is, whos = who is, wen = when, hw = how, mny = many, shud = should, " +
    "shoud = should, cud = could, wud = would, gimme = give me, lemme = let me, gotta = have to, " +
    "whit = what, tae = to, aff = off, wan = one, naw = no, owt = anything, summat = something, " +
    "wanna = want to, dont = don't, doesnt = doesn't, hasnt = hasn't, havent = haven't, isnt = isn't, " +
    "cant = can't, didnt = didn't, im = I'm, ive = I've, reed = read, rite = write, mve = move, " +
    "tmrw = tomorrow, tmr = tomorrow, tmw = tomorrow, 2moro = tomorrow, 2morrow = tomorrow, 2day = today, " +
    "b4 = before"
  )
    .split(", ")
    .map((form): [string, string] => {
      const [short = "", meant = ""] = form.split(" = ");
      return [short, meant];
    }),
);

/** The parts of a text in and outside quotation marks and names of files, in turn. */
const KEPT = /["“”][^"“”]*["“”]|\S*[/.]\p{L}\S*/gu;

/** Changes what stands outside quotation marks and names of files. */
export function outsideQuotes(text: string, change: (part: string) => string): string {
  let at = 0;
  let changed = "";
  for (const { 0: kept, index } of text.matchAll(KEPT)) {
    changed += change(text.slice(at, index)) + kept;
    at = index + kept.length;
  }
  return changed + change(text.slice(at));
}

/** A request with its typing errors corrected and its short forms written in full, outside quotation marks and names of files. */
export const correctRequest = (request: string): string => outsideQuotes(request, correctWords);

const correctWords = (part: string): string =>
  part.replaceAll(
    /(?<![\p{L}\p{N}'’_-])[\p{L}\d]+(?:['’]s)?(?![\p{L}\p{N}'’_-])/gu,
    (word, index: number) => {
      const lower = word.toLowerCase();
      const ending = /['’]s$/u.exec(word)?.[0] ?? "";
      // A name in the middle of a sentence is neither a short form nor a typing error.
      if (index > 0 && /^\p{Lu}/u.test(word)) return word;
      const meant = SHORT_FORMS.get(lower.slice(0, lower.length - ending.length));
      if (meant !== undefined) return `${meant}${ending}`;
      if (ending !== "") return word;
      if (VOCABULARY.includes(lower) || OTHER_WORDS.has(lower)) return word;
      // "Remindrs" is nearer to the plural.
      const ofSameNumber = VOCABULARY.filter((known) => known.endsWith("s") === lower.endsWith("s"));
      const correct = (from: readonly string[]) => correctSpelling(lower, from, (known) => known);
      return correct(ofSameNumber) ?? correct(VOCABULARY) ?? word;
    },
  );
