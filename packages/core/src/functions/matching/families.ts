import { plainOfPast } from "../../language/tokens/irregular-verbs.ts";
import { stem } from "../../language/tokens/words.ts";

/** The possible meanings of a verb. A verb belongs to several kinds if people use it for each. */
export type VerbKind =
  | "create"
  | "record"
  | "remember"
  | "delete"
  | "move"
  | "rename"
  | "copy"
  | "complete"
  | "hold"
  | "reopen"
  | "set"
  | "show"
  | "fetch"
  | "summarize"
  | "send"
  | "schedule"
  | "fix"
  | "undo"
  | "commit"
  | "merge"
  | "publish"
  | "search"
  | "run"
  | "count"
  | "buy"
  | "cancel"
  | "compare"
  | "work"
  | "begin"
  | "pay"
  | "explain"
  | "cook"
  | "translate";

const VERBS: Readonly<Record<VerbKind, string>> = {
  create:
    "create make add start begin open setup whip knock build generate prepare produce draft compose spin kick launch establish initiate initialize initialise init craft need want",
  record:
    "add append log record note write keep put enter register book reserve save store jot file report track capture document tack insert stick pop pencil scribble scrawl chalk chuck lodge clip bookmark archive type put submit raise",
  remember: "remember keep memorize memorise save store note retain bear",
  delete:
    "delete remove erase strike bin trash discard rm drop scrap wipe kill ditch destroy purge toss dump throw del clear forget axe nuke eliminate",
  move: "move put mv transfer shift relocate stash store sort file archive place drag take stow tuck drop shove slide slip",
  rename: "rename retitle call name mv",
  copy: "copy duplicate clone cp replicate mirror backup",
  complete: "complete finish tick check cross close mark flag set resolve done accomplish",
  hold: "hold pause park block suspend freeze stall shelve mark flag set put",
  reopen: "reopen resume unblock restart uncheck untick unpause",
  set: "set change update postpone reschedule make adjust switch configure modify edit alter turn assign bump dial crank flip raise lower use mark flag put need want bring give",
  show: "show list display see view print tell give read get look ls cat open browse check know",
  fetch: "check fetch ping request get load download visit probe curl query look pull grab retrieve try snag",
  summarize: "summarize summarise sum condense digest recap shorten boil",
  send: "send mail email forward share post text message reply notify",
  schedule: "schedule plan arrange organise organize book reserve",
  fix: "fix repair solve debug correct patch",
  undo: "undo revert restore recover undelete unarchive rollback bring",
  commit: "commit push",
  merge: "merge combine unite",
  publish: "publish deploy release",
  search: "find search locate look hunt scan seek comb grep check mention appear occur",
  run: "run execute launch",
  count: "count",
  buy: "buy purchase order get",
  cancel: "cancel abort stop",
  compare: "compare",
  work: "work continue go",
  begin: "start begin resume continue work",
  pay: "pay refund invoice",
  explain: "explain describe teach suggest recommend",
  cook: "cook bake",
  translate: "translate convert",
};

const KINDS: readonly VerbKind[] = [
  "create",
  "record",
  "remember",
  "delete",
  "move",
  "rename",
  "copy",
  "complete",
  "hold",
  "reopen",
  "set",
  "show",
  "fetch",
  "summarize",
  "send",
  "schedule",
  "fix",
  "undo",
  "commit",
  "merge",
  "publish",
  "search",
  "run",
  "count",
  "buy",
  "cancel",
  "compare",
  "work",
  "begin",
  "pay",
  "explain",
  "cook",
  "translate",
];

const KINDS_OF: ReadonlyMap<string, ReadonlySet<VerbKind>> = (() => {
  const found = new Map<string, Set<VerbKind>>();
  for (const kind of KINDS)
    for (const verb of VERBS[kind].split(" ")) found.set(verb, (found.get(verb) ?? new Set()).add(kind));
  return found;
})();

const NO_KINDS: ReadonlySet<VerbKind> = new Set();

/** The possible meanings of a verb in its plain form; empty for other words. */
export const kindsOfVerb = (word: string): ReadonlySet<VerbKind> => KINDS_OF.get(word) ?? NO_KINDS;

const BY_STEM: ReadonlyMap<string, string> = new Map(
  [...KINDS_OF.keys()].toReversed().map((verb) => [stem(verb), verb]),
);

/** The plain form of a verb in its -ing form: "start" for "starting". Undefined for other words. */
export const plainOf = (word: string): string | undefined =>
  word.endsWith("ing") ? BY_STEM.get(stem(word)) : undefined;

/** The plain form of a verb in the passive: "order" in "has to be ordered". Undefined for other words. */
export const plainOfDone = (word: string): string | undefined =>
  word.endsWith("ed") ? BY_STEM.get(stem(word)) : undefined;

/** All verbs in their plain form. */
export const PLAIN_VERBS: ReadonlySet<string> = new Set(KINDS_OF.keys());

/** Nouns with the same meaning, one group per line. */
const NOUNS: readonly string[] = [
  "note memo",
  "journal diary",
  "task todo reminder remind",
  "file document doc",
  "folder directory dir",
  "expense spending cost spent",
  "contact contacts",
  "bug defect",
  "repository repo",
  "present gift",
  "birthday bday b-day",
  "picture photo image",
  "mail email e-mail",
  "appointment event",
  "euro eur euros €",
  "gist summary takeaway points tldr",
  "done finished complete completed",
  "hold blocked",
  "scratchpad scratch",
  "priority prio",
  "status state",
  "trip journey",
  "shopping grocery groceries",
  "phone call ring",
  "weight weigh",
  "quote quotation",
  "diff changes",
  "draft",
  "list",
  "follow-up followup",
  "recipe dish",
  "book title",
  "kilo kilos kg kilogram",
  "minute minutes min mins",
  "hour hours hr hrs",
  "second seconds sec secs",
  "sick ill unwell",
  "allergy allergic",
  "film movie",
  "invoice bill",
  "customer client",
  "lesson class",
  "km kilometer kilometre kms",
  "litre liter",
  "temperature temp",
  "guest visitor",
  "password passwd",
  "bike bicycle",
  "car vehicle",
  "holiday vacation",
  "medicine medication",
];

const GROUP_OF: ReadonlyMap<string, { key: string; words: readonly string[] }> = new Map(
  NOUNS.flatMap((group, number) => {
    const words = group.split(" ");
    const found = { key: `#${String(number)}`, words };
    return words.flatMap((word): [string, typeof found][] => [
      [word, found],
      [stem(word), found],
    ]);
  }),
);

/** Families of nouns that many functions store items in: alone, they do not identify a function. */
export const GENERIC_THINGS: ReadonlySet<string> = new Set(
  "note task file folder list entry log page record item line text name document reminder today day hold done progress"
    .split(" ")
    .map(familyOf),
);

/** True if the word belongs to a family of nouns. */
export const hasFamily = (word: string): boolean => GROUP_OF.has(word);

/** One key for a word and its synonyms: its family, else its stem. */
export function familyOf(word: string): string {
  const stemmed = stem(word);
  return (GROUP_OF.get(word) ?? GROUP_OF.get(stemmed))?.key ?? stemmed;
}

/** The words of one family; the word alone if it has none. */
export function familyWords(word: string): readonly string[] {
  return (GROUP_OF.get(word) ?? GROUP_OF.get(stem(word)))?.words ?? [word];
}

/** Verbs without a meaning of their own: their object carries it. */
export const LIGHT_VERBS: ReadonlySet<string> = new Set(
  "mark flag set put make give take get have do let keep turn change use need want".split(" "),
);

/** Nouns without a meaning of their own: "the value of the meter", "in the part fixed". */
export const LIGHT_NOUNS: ReadonlySet<string> = new Set(
  "value part piece bit kind sort type amount number detail details info information matter fact".split(" "),
);

/** Several words with a joint meaning, in normalized text. */
export const VERB_PHRASES: readonly (readonly [VerbKind, RegExp])[] = [
  ["set", /\b(?:go|switch|change) back to\b/gu],
  ["rename", /\b(?:should|must|ought to) be (?:called|named|titled)\b/gu],
  ["rename", /\b(?:new|better|other|different|another) (?:file ?)?name\b/gu],
  ["rename", /\bchange the (?:file ?)?name\b/gu],
  ["complete", /\b(?:done|finished|through) with\b/gu],
  ["complete", /\b(?:i|we) (?:have )?(?:just )?(?:finished|completed)\b/gu],
  ["complete", /\b(?:tick|check|cross)(?: (?:it|this|that|them|him|her))? off\b/gu],
  ["cancel", /\bcall(?: (?:it|this|that|them))? off\b/gu],
  ["reopen", /\boff hold\b/gu],
  ["begin", /\b(?:i|we) (?:am|are|have)(?: now| just)? (?:starting|started|begun|beginning|working)\b/gu],
  ["begin", /\b(?:under way|in progress)\b/gu],
  ["delete", /\bchuck (?:[^\s,;.:!?]+ ){0,6}(?:away|out)\b/gu],
  ["delete", /\b(?:get rid of|throw (?:it |them |this )?(?:away|out)|take (?:\S+ ){1,12}off(?! hold)\b)/gu],
  ["delete", /\b(?:do not|no longer|will not) need (?:\S+ ){1,6}?(?:anymore|any more)\b/gu],
  ["delete", /\b(?:i|we) no longer need\b/gu],
  [
    "undo",
    /\b(?:bring|put|take|move|get|give|change|set|lend|loan|pay|send|hand) (?:\S+ ){1,10}?back\b(?! to (?:what|how) )/gu,
  ],
  [
    "show",
    /\b(?:what|which) (?:is|are|files|do (?:i|we) have|have (?:i|we)(?: got)?)(?: (?:there|stored|left))? (?:in|inside|on|under)\b/gu,
  ],
  ["show", /\bwhat (?:does|do)\b(?= (?:\S+ ){1,8}?say\b)/gu],
  ["show", /\bcontents? of\b/gu],
  ["search", /\b(?:go|look) through\b/gu],
  ["search", /\bturn(?:s|ed)? up\b/gu],
  ["fetch", /\b(?:have|take) a (?:quick )?look at\b/gu],
  ["fetch", /\blook (?:at|up)\b/gu],
  ["create", /\b(?:set|spin|start) up\b/gu],
  ["copy", /\b(?:the )?same (?:content|text|thing) (?:as|in)\b/gu],
  ["copy", /\b(?:a |another )?copy of\b/gu],
  ["copy", /\bback up\b/gu],
  ["remember", /\b(?:do not|never)(?: let me)? forget\b/gu],
  ["remember", /\bkeep (?:\S+ ){0,4}?in mind\b/gu],
  ["remember", /\b(?:to|in|into) (?:your |the )?memory\b/gu],
  ["record", /\b(?:on|to|onto) (?:my|the|our) (?:to ?do |task )?list\b/gu],
  ["record", /\b(?:write|jot|note|put|take)(?: (?:it|this|that))? down\b/gu],
  ["summarize", /\b(?:sum up|short summary|summary|main points|key points|the gist)\b/gu],
  ["summarize", /\b(?:short|shorter|brief|condensed) version\b/gu],
  [
    "summarize",
    /\bboil (?:\S+ ){1,6}down(?: to (?:a few|some|three|five) (?:lines|sentences|points|words))?\b/gu,
  ],
  ["work", /\bworking on\b/gu],
  ["move", /\b(?:put|move|file|tidy|pack|clear) (?:\S+ ){0,5}?away\b/gu],
];

/** Adjectives that do not change the meaning of a noun. */
export const DESCRIBING: ReadonlySet<string> = new Set(
  "full current latest fresh nice dear good better right correct main usual regular proper old same simple tiny long whole own empty blank extra".split(
    " ",
  ),
);

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/u));

/** Words without content of their own that do not change the request. */
export const NEUTRAL = wordSet(
  `a an the my our your his her its their this that these those it him them me us i we you u he she they
  am is are was were be been being do does did have has had will would shall should can could may might must
  to of in on at by for with as into onto and so then there here what which who some up down over out together
  also too just please now already-known let get got go going want need like would new quick short small little brief
  one something thing things stuff entry item line text word words name named called titled saying says say
  it's him her them today's todays want's plus under about needs goes belongs anywhere somewhere`,
);

/**
 * Words outside a value that negate, limit or question the request: with one of them, nothing is replayed or offered.
 */
export const BLOCKING_WORDS = wordSet(
  `not no never without none nothing neither nor nobody cannot except unless if when whenever until till once while
  but or instead rather otherwise only all every each everything everyone both several many few couple multiple half whole entire
  rest most two three four five six seven eight nine ten eleven twelve second who whom whose why how did does was were
  longer shorter higher lower bigger smaller later earlier faster slower half already yesterday ago undo supposedly pretend imagine hypothetically means meant mean said told texted asked typed wrote
  whether unlike besides than less fewer more another's wrong used formerly actually exactly somebody someone anybody should've ever myself ourselves whichever whatever whoever twice thrice much enough`,
);

/** Sounds of hesitation: between other words they change nothing, and no value starts with one. */
export const HESITATION = /^(?:um+|uh+|hm+|er+m?|yeah|yep|yup|oh|ah)$/u;

/** Units of measure: a number with another unit than the function's own is another amount. */
export const MEASURES = wordSet(
  `kg g mg t lb lbs pound pounds stone oz ounce ounces km m cm mm mile miles yard yards ft feet inch inches l ml litre litres
  gallon gallons pint pints second seconds minute minutes hour hours day days week weeks month months year years percent
  euro euros eur dollar dollars usd cent cents franc francs chf gbp yen fahrenheit celsius kelvin`,
);

/** Prepositions for a place, which are interchangeable: "on the list", "to the list". */
export const PLACES = wordSet("into onto on to");

/** An article or a possessive, before a noun. */
export const DETERMINERS = wordSet("a an the my our your his her its their this that these those any some");

/** Words that start a complement of their own. */
export const PREPOSITIONS = wordSet(
  "in into inside onto under below underneath beneath at from with between about of off against through during among via per by past near behind beside beyond along across around toward towards outside",
);

/** Words before the last day of something: functions with one of them match requests with the others. */
export const DEADLINES = wordSet("until till til through by due deadline");

/** Words that refer to a person or thing named elsewhere: alone, they are not a value. */
export const PRONOUNS = wordSet(
  "i me you he him she her it we us they them myself himself herself itself themselves",
);

const currencyNames = new Intl.DisplayNames("en", { type: "currency", fallback: "none" });

/** Currencies have names: "swiss francs" is CHF. */
export function namedCurrencies(
  { options }: { options: readonly string[] },
  words: readonly string[],
): { at: number; to: number; value: string }[] {
  return options.flatMap((value) => {
    const name = /^[A-Z]{3}$/u.test(value) ? currencyNames.of(value) : undefined;
    if (name === undefined) return [];
    const parts = name.toLowerCase().split(" ").map(stem);
    const index = words.findIndex((_, start) =>
      parts.every((part, index) => stem(words[start + index] ?? "") === part),
    );
    return index < 0 ? [] : [{ at: index, to: index + parts.length, value }];
  });
}

/** The plain form of a verb in any tense: "give" for "gave", "water" for "watering". */
export function plainForm(word: string): string {
  const singular = /[^s]s$/u.test(word) ? word.slice(0, -1) : word;
  return (
    plainOfPast(word) ??
    plainOf(word) ??
    plainOfDone(word) ??
    (PLAIN_VERBS.has(singular) && !PLAIN_VERBS.has(word) ? singular : word)
  );
}
