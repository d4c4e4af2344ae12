import type { Candidate } from "./choose-option.ts";

/** A value of a planned call: given in the request, or taken from an earlier call of the same plan. */
export type PlannedValue =
  | { from: "request"; value: unknown }
  /**
   * `call` counts from 0 in the plan. `path`: its output path; `text`: its result as text; `reference`: the id it found
   * or made. With `folder`, the last part of it inside that folder.
   */
  | {
      from: "call";
      call: number;
      take: "path" | "text" | "reference";
      kind?: string;
      folder?: string;
      /** Which of what it lists, counted from 0, or -1 for the last. */
      pick?: number;
      byName?: boolean;
    }
  /** What an earlier request of the conversation left; the person is asked when it could be several. */
  | { from: "earlier"; said: string; candidates: readonly Candidate[]; folder?: string; byName?: boolean };

export interface PlannedCall {
  skill: string;
  args: Record<string, PlannedValue>;
  /** The words of the request that this call carries out. */
  clause: string;
  /** Arguments whose value the grammar made up ("sandwich" → sandwich.txt): a clash may be settled with another name. */
  invented: string[];
  /** Arguments read from words that could as well mean something else: a search, a title, an unquoted text. */
  freeText: string[];
  /** Arguments that, as bare names, go into the folder of the path in another argument: see `Phrase.beside`. */
  beside?: Readonly<Record<string, string>>;
  /** The words a look-up for a later call goes by; undefined for a call that was asked for. */
  lookup: string | undefined;
}

/** What a request means, as far as the installed skills can say it. Deterministic in request, speech and `now`. */
export type Interpretation =
  /** `repeats`: the earlier request that it does once more. */
  | { kind: "plan"; calls: PlannedCall[]; readOnly: boolean; repeats?: string }
  /** It can be read in more than one way, and at least one would change something: the person must say which. */
  | { kind: "ambiguous"; plans: PlannedCall[][]; repeats?: string }
  /** "don't delete anything": nothing is to be done. */
  | { kind: "refrain"; clause: string }
  /** "what can you do?", "how do I delete a file?"; `about` names the skills asked about, none for all. */
  | { kind: "capabilities"; about: string[] }
  /** "What time is it?", "what's the date?" */
  | { kind: "clock"; asks: "date" | "time" }
  /** "hello", "thanks". */
  | { kind: "small-talk"; topic: SmallTalkTopic }
  | { kind: "empty" }
  | {
      kind: "not-understood";
      /** Clauses that were understood, in the person's words. */
      understood: string[];
      /** Words or clauses that no skill explains; clipped to a readable length. */
      unexplained: string[];
      /** Three phrases that would work, the nearest first. */
      nearest: string[];
      /** Words like "it" that stand for nothing in the request, when that is all that was in the way. */
      dangling?: string;
      /** True when it is put in another language than English, the only one that the phrases know. */
      foreign?: true;
      /** A plain statement, which asks for nothing but may be worth keeping. */
      told?: string;
      /** For a question about anything: the look-up by which what is known might still answer it. */
      recall?: PlannedCall;
      /** True for open-ended work ("write me a poem") that a model could do. */
      needsModel: boolean;
    };

export type SmallTalkTopic = "greeting" | "thanks" | "farewell" | "how-are-you" | "who-are-you" | "undo";
