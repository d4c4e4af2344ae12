import type { Region } from "../../contract/region.ts";
import type { Candidate } from "./choose-option.ts";

/**
 * Describes to the built-in planner how people ask for a skill. Plain data: a new skill with phrases is reachable
 * without other changes.
 */

/** The types of a slot. Each has one reader in `slots/`. */
export type SlotType =
  /**
   * A workspace path as written: `notes/today.md`, `out/x.txt`, `"my file.md"`. Several paths become several calls.
   */
  | "path"
  /** A bare name from which a file name is derived: "sandwich" → `sandwich.txt`. */
  | "filename"
  /** A folder: `out`, `notes/`, "the inbox". */
  | "folder"
  /** Free text up to the next literal of the phrase, or a quoted string. */
  | "text"
  /**
   * Text to write verbatim without an introduction: "write hello to x.md". Unquoted words that begin with an article or
   * "me" describe something to create ("write a poem to x.md") and are rejected. Words that match a read ("my tasks",
   * "the contents of a.md") refer to its result.
   */
  | "wording"
  /** The words of a title, without a trailing date or priority. */
  | "title"
  /** Search words, without articles and final punctuation. */
  | "query"
  /** A few words that describe something named elsewhere in the phrase; they fill no argument. */
  | "description"
  /** A day or time, parsed by the date library into an ISO date or timestamp. */
  | "date"
  /** A period that has begun, as an ISO 8601 interval: "today", "last week", "on monday" for the last Monday. */
  | "period"
  /** `P0`–`P3`, "urgent", "high priority", "low". */
  | "priority"
  /** A task status in everyday words: "done", "in progress", "blocked". */
  | "status"
  | "number"
  | "tag"
  /** One name as written, such as the key of a setting: up to three plain words, or a quotation. */
  | "name"
  /** An item that a finder skill looks up by words; the slot's `kind` selects the skill (see `Finder`). */
  | "reference";

export interface Slot {
  type: SlotType;
  /**
   * For `reference`: the kind of thing, for example `task` or `memory`. A skill with this `finds.kind` resolves it.
   */
  kind?: string;
  /** For `folder`: bare words that always name a folder. */
  known?: readonly string[];
  /** For `folder`: false if other bare words count only when called a folder. */
  bare?: boolean;
  /** For `folder`: also accept "it", the folder of an earlier step. */
  pronoun?: boolean;
  /** For `folder`: bare words to reject. For `filename`, and `reference` with `exact`: first words to reject. */
  except?: readonly string[];
  /**
   * For `path` and `folder`: the required ending, such as `.json`. For `filename`: the required last word if there
   * are several.
   */
  ending?: string;
  /**
   * For `path`, `text`, `title`, `name`, `date` and the words of a `reference`: a pattern that the words must match, those
   * of a date with their preposition.
   */
  like?: RegExp;
  /** For `date`: use the last day of a week or month. */
  last?: boolean;
  /** For `date`: only a week or month, as its first and last day: `2026-11-30/2026-12-06`. */
  span?: boolean;
  /** For `date`: a weekday is after today, as for a task that is postponed. */
  ahead?: boolean;
  /** For `date`: also accepts a date relative to the current one, as `T10:30`, `P1D` (`relative-dates.ts`). */
  relative?: boolean;
  /** For `filename`: the words are a name that the person chose, so the person resolves a conflict. */
  named?: boolean;
  /** For `number`: also accept a negative number: "-2", "minus two". */
  signed?: boolean;
  /** For `text` and `wording`: accept only plain words, no quotation and no reference to a result. */
  unquoted?: boolean;
  /** For `wording`: accept no plain words, only a quotation and a reference to a result. */
  referring?: boolean;
  /** For `query`: accept only words with a possessive: "Bob's", "my" or "our". */
  possessive?: boolean;
  /** For `reference`: accept only words without function words, as names are. */
  plain?: boolean;
  /** For `reference`: the person is asked unless the words are the whole name of the item, without articles. */
  exact?: boolean;
  /** For `reference`: accept only a pronoun for an earlier result ("it"), no look-up. */
  pronounOnly?: boolean;
  /** For `reference`: also accepts all listed items: "all my tasks", "everything". */
  every?: boolean;
  /** For `reference`: accepts only all listed items: "all the csv files in notes", "the files in out". */
  onlyEvery?: boolean;
  /** For `every`: the question to the person before all of them are changed; `{}` is replaced by their names. */
  confirm?: string;
  /** For `reference`: the value is the name, not the id, as in a search. */
  byName?: boolean;
  /** The argument is a list of such values. */
  list?: boolean;
  /** For `path`: accept only several paths. */
  several?: boolean;
  /** For `path`: also accept a glob pattern. */
  glob?: boolean;
  /** For `path`: use the text in the file, not its path. A skill with `results.textOf` reads it. */
  standsForText?: boolean;
  /** For `path`: each line of the file becomes a call of its own. */
  standsForLines?: boolean;
  /** For `title` and `reference`: several of them ("milk, eggs and bread") become several calls. */
  each?: boolean;
  /** For `text`: several sentences become several calls. */
  sentences?: boolean;
  /**
   * For `wording`: write each item of "milk, eggs and bread" on its own line. Words that match `like` may begin with an
   * article: "a packet of tea".
   */
  lines?: boolean;
  /** For `wording`: the items of "name, amount and paid" become the cells of one line of a CSV file, and "coffee 3.20, tea 2" its rows. */
  cells?: boolean;
  /** For `filename`: what a name in words ends with. Default: `.txt`. */
  extension?: string;
  /** For `query`: converts the words into the argument. Default: the words themselves. */
  query?: (words: string) => unknown;
  /** The sample value for examples. Default: the sample of the type. */
  sample?: string;
}

/**
 * One way to ask for a skill. The syntax of `template`:
 *
 * | in a template | matches in a request |
 * | --- | --- |
 * | `delete` | this word, a synonym, another form of it ("deletes") or a typing error of it |
 * | `=delete` | exactly this word |
 * | `the`, `a`, `my` | an article, which may be left out, and may also stand where the template has none |
 * | `{path}` | a value, the slot; it fills the argument `path`, and its type stands in `slots`, here or in the skill |
 * | `(a|b)` | one of these |
 * | `[a]` | this or nothing |
 * | `<a|b>` | any of these in any order, each at most once |
 * | `:` | a colon or a dash |
 * | `.` | the end of a sentence or a comma |
 * | `=` | an equals sign |
 *
 * "(add|put) {text} to {path}" matches "please put milk to the list.txt", since polite words around a request are left out. A template
 * begins with a literal word (`=the` counts); only in a skill that reads may it begin with a status, priority or number slot.
 */
export interface Phrase {
  template: string;
  /** Types of slots whose name does not imply them: `{ title: "title", when: { type: "date" } }`. */
  slots?: Record<string, SlotType | Slot>;
  /** True for a phrase that may begin with a slot although its skill changes something: "{path} should be …". */
  mayStartWithSlot?: boolean;
  /** True for a phrase that only buttons under answers use. It is not suggested as an example. */
  isUnlisted?: boolean;
  /** True for a question that must be the whole request: "did you add milk and delete a.md?" deletes nothing. */
  isWhole?: boolean;
  /** True for a phrase that matches only if no other skill does. */
  lastResort?: boolean;
  /** The slot that is filled with an implied "it": "I meant Tuesday". */
  implies?: string;
  /** Fixed arguments that this phrase implies. */
  args?: Record<string, unknown>;
  /** Questions for what the phrase leaves out, by argument. The person is asked before the call is made. */
  asks?: Record<string, string>;
  /**
   * Arguments put together from other slots: `{ set: "{key} = {value}" }`. These slots fill no other argument, except for
   * a `reference`.
   */
  compose?: Record<string, string>;
  /** The view that answers this phrase, and the slots that only the view needs. */
  view?: {
    name: string;
    slots?: readonly string[];
    /** The slot of the view that “and for Petra?” fills with another value, and that “for …” may also add. */
    other?: string;
  };
  /**
   * Arguments that join a folder slot and the last segment of another slot: `{ to: ["folder", "from"] }` for "move
   * {from} to folder {folder}". The folder slot fills no other argument.
   */
  join?: Record<string, readonly [folder: string, name: string]>;
  /**
   * Arguments in the folder of another one: `{ to: "from" }` for "rename {from} to {to}", where a bare name stays in
   * the same folder, and keeps the extension.
   */
  folderOf?: Record<string, string>;
}

/** Marks a skill whose outputs resolve a `reference` slot: "the milk task" → `task_find` → an id. */
export interface Finder {
  kind: string;
  /** The input argument that receives the words. */
  by: string;
  /** Converts the words into that argument. Default: the words themselves. */
  query?: (words: string) => unknown;
  /** Fixed arguments of the look-up. */
  args?: Record<string, unknown>;
  /** Returns every candidate in the outputs, best first. */
  candidates: (outputs: Record<string, unknown>) => Candidate[];
  /** True for an item that contains others: the person is asked before all of it is changed or removed. */
  holdsSeveral?: (label: string) => boolean;
}

/** What "it", "them" or "the result" refer to after a call of this skill. */
export interface Results {
  /** The output field with a path. */
  path?: string;
  /** True for a skill whose result is what "the copy" means. */
  isCopy?: true;
  /** The output field with an id, by kind: `{ task: "id" }`. */
  reference?: Record<string, string>;
  /** Returns the display name of the item. Default: its path or id. */
  label?: (outputs: Record<string, unknown>) => string;
  /** Returns the listed items in display order; a skill with `finds` lists its candidates. */
  items?: { kind: string; of: (outputs: Record<string, unknown>) => Candidate[] };
  /** Returns the whole result as text for a file; undefined if the outputs contain only a part of it. */
  text?: (outputs: Record<string, unknown>) => string | undefined;
  /** The argument that locates the text, so that "copy a.md" can refer to the text in a.md. */
  textOf?: string;
}

/** Why the outputs of a call do not answer a question: a sentence for the person. */
export interface Unanswered {
  unanswered: string;
}

/**
 * Answers a question from the outputs of a call: "how many", "the last line". `values` contains the text arguments of
 * the request and the words of the slots that the phrase passes to its view. `Unanswered` if the question is about the
 * outputs, but they do not answer it; undefined if it is not about them: then they are shown as usual.
 */
export type View = (
  outputs: Record<string, unknown>,
  values: Readonly<Record<string, string>>,
  region: Region,
) => string | Unanswered | undefined;

/** An earlier call of a person, for reversals and corrections. */
export interface MadeCall {
  args: Readonly<Record<string, unknown>>;
  outputs: Readonly<Record<string, unknown>>;
}

/** A person's words in place of a value, with the day, time or duration (`relative-dates.ts`) that they mean. */
export interface Correction {
  words: string;
  date?: string;
  /** The time zone of the person. */
  timeZone: string;
}

/** A call that follows from an earlier one. */
export interface FollowingCall {
  skill: string;
  args: Record<string, unknown>;
  /** Values of an argument between which the person chooses. */
  choices?: Record<string, readonly string[]>;
}

/** The grammar of an installed skill. */
export interface SkillGrammar {
  id: string;
  /** True for a skill that only reads, which may be called without an explicit request. */
  reads: boolean;
  /** True for a skill that may remove or replace something. */
  isRisky?: boolean;
  phrases: readonly (string | Phrase)[];
  /** Slot types by argument name, shared by all phrases of the skill. */
  slots?: Record<string, SlotType | Slot>;
  finds?: Finder;
  results?: Results;
  /**
   * The argument for a question that matches no phrase, if the skill may know the answer. Its view `answer`, if there
   * is one, answers it.
   */
  answers?: string;
  /** The argument that receives a plain statement. */
  keeps?: string;
  /** The calls that undo a call of this skill; undefined if it cannot be undone. */
  reverse?: (made: MadeCall) => FollowingCall[] | undefined;
  /** The calls that put another value in place of the one that a call set: "no, light". */
  amend?: (made: MadeCall, correction: Correction) => FollowingCall[] | undefined;
  /** The arguments of a skill that moves a file to another path. */
  moves?: { from: string; to: string };
  /** For a skill that checks whether something exists. */
  checks?: {
    path: string;
    /** The argument for words that the file must contain; absent for a skill that only checks its existence. */
    words?: string;
    isThere: (outputs: Record<string, unknown>) => boolean;
  };
  /** Ways to answer from the outputs, by name. */
  views?: Readonly<Record<string, View>>;
  /** The outputs with only what a view shows of them, for a question about that. Undefined if it shows no part of them. */
  narrow?: (
    outputs: Record<string, unknown>,
    shown: { name: string; values: Readonly<Record<string, string>> },
    region: Region,
  ) => Record<string, unknown> | undefined;
}
