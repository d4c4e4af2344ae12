/**
 * What a skill tells the built-in planner about how people ask for it. Plain data: adding a skill
 * with phrases makes it reachable with no other change.
 */

/** The kinds of thing a slot can hold; each has one reader in `slots/`. */
export type SlotType =
  /** A workspace path as written: `notes/today.md`, `out/x.txt`, `"my file.md"`; several become several calls. */
  | "path"
  /** A bare name from which a file name is made: "sandwich" → `sandwich.txt`. */
  | "filename"
  /** A folder: `out`, `notes/`, "the inbox". */
  | "folder"
  /** Free words up to the next literal of the phrase, or a quoted string. */
  | "text"
  /**
   * Text to be put down word for word where nothing announces it: "write hello to x.md". Unquoted words that begin
   * with an article or "me" describe something to be made ("write a poem to x.md") and are no wording; words by which
   * something could be read ("my tasks", "the contents of a.md") stand for what is read.
   */
  | "wording"
  /** The words of a title; a trailing date or priority is not part of it. */
  | "title"
  /** Words to search by, without articles and end marks. */
  | "query"
  /** A few words that only describe what is named elsewhere in the phrase; no argument is made of them. */
  | "description"
  /** A day or moment, through the date library. Becomes an ISO date or timestamp. */
  | "date"
  /** `P0`–`P3`, "urgent", "high priority", "low". */
  | "priority"
  /** A task status in everyday words: "done", "in progress", "blocked". */
  | "status"
  | "number"
  | "tag"
  /** Something a finder skill can look up by words; the slot's `kind` names which (see `Finder`). */
  | "reference";

export interface Slot {
  type: SlotType;
  /** For `reference`: what is referred to, e.g. `task` or `memory`; a skill with `finds.kind` of that name resolves it. */
  kind?: string;
  /** For `folder`: bare words that are folders whatever stands before them. */
  known?: readonly string[];
  /** For `folder`: false when no other bare word counts, unless it is called a folder. */
  bare?: boolean;
  /** For `folder`: bare words that are none; for `filename`: words that do not begin one. */
  except?: readonly string[];
  /** For `path` and `folder`: what it must end in as written, such as `.json`; for `filename`: its last word of several. */
  ending?: string;
  /** For `text`: what the words must look like. */
  like?: RegExp;
  /** For `date`: of a week or month named as a whole, its last day. */
  last?: boolean;
  /** For `filename`: the words are the name the person gave, so that a clash is theirs to settle. */
  named?: boolean;
  /** For `query`: only words about somebody's own: with "Bob's", "my" or "our" among them. */
  possessive?: boolean;
  /** For `reference`: words without grammar in between, as names are. */
  plain?: boolean;
  /** For `reference`: only a word for what an earlier step left ("it"), nothing to look up. */
  pronounOnly?: boolean;
  /** For `reference`: the thing goes by its name, not by its id, as a search does. */
  byName?: boolean;
  /** The argument is a list of such values. */
  list?: boolean;
  /** For `path`: a pattern with stars is meant too. */
  glob?: boolean;
  /** For `path`: what is in the file is meant, not its name; a skill with `results.textOf` reads it. */
  standsForText?: boolean;
  /** For `title`: several of them, "milk, eggs and bread", each for a call of its own. */
  each?: boolean;
  /** For `wording`: what is told as "milk, eggs and bread" gets a line for each. */
  lines?: boolean;
  /** For `query`: what the argument is, made of the words; missing: the words themselves. */
  query?: (words: string) => unknown;
  /** What stands for the slot in examples; missing: what suits its type. */
  sample?: string;
}

/**
 * One way to ask. `say` is a template: words are literal (matched by stem, synonyms and small slips), `(a|b)` is a
 * choice, `[x]` may be absent, `<a|b>` is any of these in any order, each at most once, `=word` is this very word in this
 * form, `:` a colon or dash, articles are only for show, `{slot}` is a typed slot named after the argument it fills. A phrase begins with a word of its own (`=the` is one), except that a skill that only reads may
 * begin with a slot of few words (status, priority).
 */
export interface Phrase {
  say: string;
  /** Types of slots whose name alone does not tell: `{ title: "title", when: { type: "date" } }`. */
  slots?: Record<string, SlotType | Slot>;
  /** True for a way of asking that counts only where no other skill explains the words behind its beginning. */
  lastResort?: boolean;
  /** The slot that is filled as if "it" were said: "I meant Tuesday". */
  implies?: string;
  /** Fixed arguments that this way of asking implies. */
  args?: Record<string, unknown>;
  /**
   * Arguments that are a path made of a folder slot and the last part of another slot:
   * `{ to: ["folder", "from"] }` for "move {from} to folder {folder}". The folder slot fills nothing else.
   */
  join?: Record<string, readonly [folder: string, name: string]>;
  /**
   * Arguments that name a place beside another one: `{ to: "from" }` for "rename {from} to {to}", where a bare name stays
   * in the folder it is in.
   */
  beside?: Record<string, string>;
}

/** Marks a skill whose outputs can resolve a `reference` slot: "the milk task" → `task_find` → an id. */
export interface Finder {
  kind: string;
  /** The input argument that takes the words. */
  by: string;
  /** What that argument is, made of the words; missing: the words themselves. */
  query?: (words: string) => unknown;
  /** Fixed arguments of the look-up. */
  args?: Record<string, unknown>;
  /** Every candidate in the outputs, best first. */
  candidates: (outputs: Record<string, unknown>) => { id: string; label: string }[];
}

/** What "it", "them" or "the result" mean after this skill has run. */
export interface Results {
  /** The output field that holds a path. */
  path?: string;
  /** The output field that holds an id, by reference kind: `{ task: "id" }`. */
  reference?: Record<string, string>;
  /** What a person calls that thing; its path or id when left out. */
  label?: (outputs: Record<string, unknown>) => string;
  /** The things it lists, in the order shown; a skill with `finds` lists its candidates. */
  items?: { kind: string; of: (outputs: Record<string, unknown>) => { id: string; label: string }[] };
  /** The whole result as text that could be put in a file; undefined when the outputs hold only a part of it. */
  text?: (outputs: Record<string, unknown>) => string | undefined;
  /** The argument that names where the text is: so that "copy a.md" can mean the text in a.md. */
  textOf?: string;
}

/** What the grammar needs to know of one installed skill. */
export interface SkillGrammar {
  id: string;
  /** A read can be answered at once; anything else must be asked for in so many words. */
  reads: boolean;
  phrases: readonly (string | Phrase)[];
  /** Types of slots by argument name, shared by all phrases of the skill. */
  slots?: Record<string, SlotType | Slot>;
  finds?: Finder;
  results?: Results;
  /** The input that takes the words of a question which no phrase claims, where the skill may know the answer. */
  answers?: string;
  /** The input that takes what a person tells without asking for anything. */
  keeps?: string;
}
