import { inflection, stem } from "./words.ts";

/** Plain verbs of everyday life with their past forms, one verb a line. */
const FORMS = `
  be was were been
  beat beat beaten
  become became
  begin began begun
  break broke broken
  bring brought
  build built
  buy bought
  catch caught
  choose chose chosen
  come came
  cut cut
  dig dug
  do did done
  draw drew drawn
  drink drank drunk
  drive drove driven
  eat ate eaten
  fall fell fallen
  feed fed
  feel felt
  find found
  fly flew flown
  forget forgot forgotten
  get got gotten
  give gave given
  go went gone
  grow grew grown
  have had
  hear heard
  hide hid hidden
  hold held
  keep kept
  know knew known
  lay laid
  lead led
  leave left
  lend lent
  lose lost
  make made
  mean meant
  meet met
  pay paid
  put put
  read read
  ride rode ridden
  ring rang rung
  run ran
  say said
  see saw seen
  sell sold
  send sent
  set set
  sew sewed sewn
  shake shook shaken
  show showed shown
  shut shut
  sing sang sung
  sleep slept
  sow sowed sown
  speak spoke spoken
  spend spent
  stand stood
  steal stole stolen
  swim swam swum
  take took taken
  teach taught
  tell told
  think thought
  throw threw thrown
  wake woke woken
  wear wore worn
  win won
  write wrote written
`;

const PLAIN: ReadonlyMap<string, string> = new Map(
  FORMS.trim()
    .split("\n")
    .flatMap((line) => {
      const [plain = "", ...forms] = line.trim().split(" ");
      return forms.map((form): [string, string] => [form, plain]);
    }),
);

const SIMPLE_PASTS: ReadonlySet<string> = new Set(
  FORMS.trim()
    .split("\n")
    .flatMap((line) => {
      const [, past, participle] = line.trim().split(" ");
      return past === undefined || participle === undefined || participle === past ? [] : [past];
    }),
);

/** True for a past form that is no participle, so that it describes nothing: "rang", and not "broken" or "lost". */
export const isSimplePast = (word: string): boolean => SIMPLE_PASTS.has(word);

/** The plain form of an irregular past: "give" for "gave". Undefined for other words. */
export const plainOfPast = (word: string): string | undefined => PLAIN.get(word);

/** The stem that all forms of a verb have in common: "pay", "pays" and "paid". */
export const verbStem = (word: string): string => stem(plainOfPast(word) ?? word);

/** The plain stems of the verbs of a list that is written as one text, with a blank between two words. */
export const verbStemSet = (words: string): ReadonlySet<string> => new Set(words.split(" ").map(verbStem));

/** True for the past or the participle of a verb: "paid", "cleaned". */
export const isPastForm = (word: string): boolean =>
  inflection(word.toLowerCase()) === "past" || plainOfPast(word.toLowerCase()) !== undefined;
