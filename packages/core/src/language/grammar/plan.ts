import type { QuestionKind } from "../../contract/run.ts";
import type { Candidate } from "./choose-option.ts";

/** A value of a planned call: from the request, from an earlier call of the plan, or from an earlier request. */
export type PlannedValue =
  | { from: "request"; value: unknown }
  /** A default of a learned function, for what the request leaves out. */
  | { from: "function"; value: unknown }
  /**
   * `call` is a 0-based index in the plan. `path`: its output path; `text`: its result as text; `reference`: the id
   * that it found or created. With `folder`: the last segment of the path inside that folder. With `below`: this path
   * inside the folder that the call returned.
   */
  | {
      from: "call";
      call: number;
      take: "path" | "text" | "reference";
      kind?: string;
      folder?: string;
      below?: string;
      /** For `every`: the folder for the last segment of each path, which is itself the result of a call or request. */
      into?: Extract<PlannedValue, { from: "call" | "earlier" }>;
      /** The 0-based index in a list, or -1 for the last item. */
      pick?: number;
      byName?: boolean;
      /** Every item in the list that the call returned, each for its own call. */
      every?: true;
      /** For `every`: the question to the person; `{}` is replaced by the names of the items. */
      confirm?: string;
      /** For a look-up: the person is asked unless the words are the whole name of the thing. */
      exact?: boolean;
    }
  /** A result of an earlier request. With several candidates, the person is asked. */
  | {
      from: "earlier";
      mention: string;
      candidates: readonly Candidate[];
      folder?: string;
      below?: string;
      byName?: boolean;
    }
  /** The person's answer to a question; `within` is a text in which `{}` is replaced by the answer. */
  | { from: "answer"; question: string; kind?: QuestionKind; within?: string };

export interface PlannedCall {
  skill: string;
  args: Record<string, PlannedValue>;
  /** The words of the request that this call executes. */
  clause: string;
  /** Arguments that the grammar derived ("sandwich" → sandwich.txt): another name may resolve a conflict. */
  invented: string[];
  /** Arguments from ambiguous words: a search, a title, an unquoted text. */
  freeText: string[];
  /** Arguments whose bare names go into the folder of another argument: see `Phrase.folderOf`. */
  folderOf?: Readonly<Record<string, string>>;
  /** The words that this call looks up for a later call; undefined for a requested call. */
  lookup: string | undefined;
  /** The question that the person must answer with yes before the call is made. */
  confirm?: string;
  /** The call is made only if the check at this index found its target (`isThere`), or only if it did not. */
  only?: { call: number; isThere: boolean };
  /** How the answer shows the outputs; absent: as the skill shows them. */
  view?: {
    name: string;
    values: Readonly<Record<string, string>>;
    other?: string;
    /** The view of an earlier request, whose part of the outputs this one is about. */
    within?: { name: string; values: Readonly<Record<string, string>> };
  };
}

/**
 * The meaning of a request according to the installed skills. Deterministic for the same request, skills and `now`.
 */
export type Interpretation =
  /**
   * `repeats`: the earlier request that is repeated. `remarks`: clauses that only inform. `heading`: the words before the
   * request that only name what it is about.
   */
  | {
      kind: "plan";
      calls: PlannedCall[];
      readOnly: boolean;
      repeats?: string;
      remarks?: string[];
      heading?: string;
    }
  /** The request has several interpretations and at least one changes something, so the person must choose. */
  | { kind: "ambiguous"; plans: PlannedCall[][]; repeats?: string }
  /** "don't delete anything": nothing to execute. `appliedRequest`: the last request, if its changes have not been reversed. */
  | { kind: "refrain"; clause: string; appliedRequest?: string }
  /** "what can you do?", "how do I delete a file?"; `about` lists the skills in question, empty for all. */
  | { kind: "capabilities"; about: string[] }
  /** "What time is it?", "what's the date?" */
  | { kind: "clock"; asks: "date" | "time" }
  /** "hello", "thanks". */
  | { kind: "small-talk"; topic: SmallTalkTopic }
  | { kind: "empty" }
  | {
      kind: "not-understood";
      /** Clauses that were understood, as written. */
      understood: string[];
      /** Words or clauses that no skill explains, clipped to a readable length. */
      unexplained: string[];
      /** Three sentences that would work, most similar first. */
      nearest: string[];
      /** Requests in the person's words with the intended result, as suggestions. */
      instead?: readonly string[];
      /** A pronoun without an antecedent, if that is the only obstacle. */
      dangling?: string;
      /** True for a request in another language than English. The phrases are English only. */
      foreign?: true;
      /** A plain statement, which requests nothing but may be worth remembering. */
      statement?: string;
      /** For a question: a look-up in memory that may answer it. */
      recall?: PlannedCall;
      /** True for open-ended work ("write me a poem") that a model could do. */
      needsModel: boolean;
    };

export type SmallTalkTopic =
  | "greeting"
  | "thanks"
  | "farewell"
  | "how-are-you"
  | "who-are-you"
  /** "Undo that" when no earlier request can be reversed. */
  | "undo"
  /** A question how to undo something. */
  | "undo-help"
  | "privacy"
  | "models"
  /** What happens without asking the person. */
  | "permissions"
  /** Why something was done. */
  | "reasons";
