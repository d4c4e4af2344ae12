import type { Persona } from "@metahuman/core/contract/profile";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { ContextPackage, ConversationContext } from "@metahuman/core/contract/context";
import type { Action, PlannerName, ResponseStyle, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { ModelCall } from "@metahuman/models/ask";
import type { Skill } from "@metahuman/skills/define-skill";

/** Everything a planner may base its next move on. */
export interface PlanState {
  runId: string;
  request: string;
  /** When the request was made; relative dates count from here, also after a restart. */
  requestedAt: Date;
  /** The person's IANA time zone, in which relative dates are read. */
  timeZone: string;
  /** The person's BCP 47 language tag. */
  locale: string;
  scratchpad: readonly ScratchpadEntry[];
  /** Absent when `useContextPackage` is off. */
  context: ContextPackage | undefined;
  /** Who speaks to a guest, for whom there is no context. */
  persona?: Persona;
  /** What was said before in the conversation; there whatever the flags. */
  conversation: ConversationContext;
  /** The workspace's roots and how many entries each holds; absent where nobody counted. */
  workspace?: readonly { root: string; entries: number }[];
  /** What was asked before in the same conversation, the newest first; absent where nobody knows. */
  earlier?: () => Promise<readonly EarlierRequest[]>;
  /** How many calls the run may still make; absent where nobody counts. */
  stepsLeft?: number;
  /** True when one call and an answer are all that was asked for: then the run is finished after that call. */
  isSingleStep?: boolean;
  /** The answer that its check sent back; absent when none was, or when the process has changed since. */
  sentBack?: string;
  /** The installed skills this run may call. */
  skills: readonly Skill[];
  /** Told of every model call as it ends, also of one that failed. */
  onModelCall?: (call: ModelCall) => void;
  /** Told what the person should know although the run goes on: a fall-back to another model, for instance. */
  onWarning?: (message: string) => void;
  /** Told each piece of an answer that the planner itself words, as it comes. */
  onAnswerText?: (text: string, offset: number) => void;
}

/** One call that a planner decided on, and why. */
export interface Step {
  thought: string;
  action: Action;
  functionId?: string;
}

export type Move =
  /** `alongside`: what comes next and waits for nothing that the call finds out; it may be made at the same time. */
  | ({ kind: "act"; alongside?: readonly Step[] } & Step)
  /**
   * `text` is worded by the planner from observations or from nothing but the catalog; without it the
   * `conversational_response` skill words the answer. `verbatim`: a pure read answered by its own output.
   * `streamed`: `text` was told piece by piece already.
   */
  | {
      kind: "answer";
      thought: string;
      style: ResponseStyle;
      text?: string;
      verbatim?: boolean;
      streamed?: boolean;
      /** Absent: `answered`. `stopped`: the steps ran out before the request was finished. */
      outcome?: "answered" | "stopped" | "stuck" | "failed";
      /** Why the run failed. */
      error?: ErrorDetail;
      /** True when nothing was told or done: there is no exchange to remember. */
      isIdle?: boolean;
      /** Requests that the person may make next with a click. */
      suggestions?: readonly string[];
    };

/** A function that a planner was chosen for. */
export interface MatchedFunction {
  id: string;
  title: string;
  score: number;
  reason: string;
  /** What its parameters stand for in this request. */
  values: Record<string, unknown>;
}

/** Given the run so far, yields the next move. Holds no state of its own: the scratchpad is all it may remember. */
export interface Planner {
  readonly name: PlannerName;
  readonly matched?: MatchedFunction;
  /** Why the matched function was not followed to its end, once it was not. */
  readonly deviation?: string | undefined;
  /** True where the call of this step composes text for a later one, and is not the answer of the run. */
  composes?(step: number): boolean;
  next(state: PlanState, signal: AbortSignal): Promise<Move>;
}
