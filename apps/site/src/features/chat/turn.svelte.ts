import type { RunState } from "../runs/run-state.svelte.ts";

/** A request and its run. */
export class Turn {
  readonly id: string;
  readonly request: string;
  readonly at: string;
  /** Absent while the request is being sent, and if the run does not exist. */
  run = $state.raw<RunState>();
  /** Whether the turn began on this page, before the server had accepted its request. */
  readonly isSending: boolean;
  /** The answer, if the run has been deleted. */
  readonly answer: string | undefined;
  /** The number of steps, known before they are loaded. */
  readonly steps: number;
  stopping = $state(false);

  constructor(turn: {
    id: string;
    request: string;
    at: string;
    run?: RunState | undefined;
    answer?: string | undefined;
    steps?: number | undefined;
    isSending?: boolean;
  }) {
    this.id = turn.id;
    this.request = turn.request;
    this.at = turn.at;
    this.run = turn.run;
    this.answer = turn.answer;
    this.steps = turn.steps ?? 0;
    this.isSending = turn.isSending ?? false;
  }
}
