import { isAbort, ServerUnreachable } from "../../lib/api/api-problem.ts";
import type { RunState } from "../runs/run-state.svelte.ts";

/** The time after which a request without a response is called slow. */
const SLOW_AFTER_MS = 6_000;

export interface SlowOptions {
  /** Called when the server has not responded to a request for `slowAfterMs`, by default six seconds, or did not respond at all. */
  onSlow?: () => void;
  slowAfterMs?: number;
}

/** A request and its run. */
export class Turn {
  readonly id: string;
  readonly request: string;
  readonly at: string;
  /** Absent while the request is being sent, and if the run does not exist. */
  run = $state.raw<RunState>();
  /** Whether the turn began on this page, before the server had accepted its request. */
  readonly isSending: boolean;
  /** Whether it accepts an offer of the turn before it. */
  readonly acceptsOffer: boolean;
  /** The answer, if the run has been deleted. */
  readonly answer: string | undefined;
  /** The number of steps, known before they are loaded. */
  readonly steps: number;
  stopping = $state(false);
  /** Whether the server has not answered for a while. */
  isSlow = $state(false);
  /** Ends the sending of its request. */
  giveUp: (() => void) | undefined;

  constructor(turn: {
    id: string;
    request: string;
    at: string;
    run?: RunState | undefined;
    answer?: string | undefined;
    steps?: number | undefined;
    isSending?: boolean;
    acceptsOffer?: boolean;
  }) {
    this.id = turn.id;
    this.request = turn.request;
    this.at = turn.at;
    this.run = turn.run;
    this.answer = turn.answer;
    this.steps = turn.steps ?? 0;
    this.isSending = turn.isSending ?? false;
    this.acceptsOffer = turn.acceptsOffer ?? false;
  }

  /**
   * Sends its request. Rejects with `ServerUnreachable` when the person gives up, since the server may have accepted it, as
   * after a lost connection.
   */
  async deliver<Response>(
    send: (signal: AbortSignal) => Promise<Response>,
    { onSlow, slowAfterMs = SLOW_AFTER_MS }: SlowOptions,
  ): Promise<Response> {
    const control = new AbortController();
    this.giveUp = () => control.abort();
    const timer = setTimeout(() => {
      this.isSlow = true;
      onSlow?.();
    }, slowAfterMs);
    try {
      return await send(control.signal);
    } catch (error) {
      if (!isAbort(error) && !(error instanceof ServerUnreachable)) throw error;
      onSlow?.();
      throw isAbort(error) ? new ServerUnreachable(error) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
