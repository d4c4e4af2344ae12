import { applyEvent, queuedRun, type NewRun } from "@metahuman/core/contract/apply-event";
import type { Approval } from "@metahuman/core/contract/approval";
import type { RunEvent } from "@metahuman/core/contract/event";
import type { Run, RunSummary, Verdict } from "@metahuman/core/contract/run";

/** A run that the server rendered. */
export interface FirstRun {
  run: Run;
  /** The approval that it waits for. */
  approval?: Approval;
  /** The ids of what it deleted or overwrote and that is still in the archive. */
  restorable?: readonly string[];
}

/** A run on the page. Events change it through the reducer that the server uses. */
export class RunState {
  run: Run;
  /** The approval that the run waits for, with its preview. */
  approval = $state.raw<Approval>();
  /** What it deleted or overwrote and can be restored, as far as the server said with the page. */
  readonly restorable: readonly string[];
  /** Whether the scratchpad is loaded. False if only the summary is known. */
  complete: boolean;

  /** The verdict given on this page. */
  #verdict = $state<Verdict>();
  readonly verdict = $derived.by(() => this.#verdict ?? this.run.feedback?.verdict);

  /** Whether more events can arrive. */
  readonly live = $derived.by(() => this.run.status !== "ended" && this.run.status !== "interrupted");
  /** Whether the answer is being streamed. */
  readonly answering = $derived.by(
    () =>
      this.run.status === "running" && this.run.result !== undefined && this.run.responseStyle === undefined,
  );

  constructor(run: Run, complete = true, { approval, restorable = [] }: Omit<FirstRun, "run"> = {}) {
    this.run = $state.raw(run);
    this.complete = $state(complete);
    this.approval = approval;
    this.restorable = restorable;
  }

  /** The state of a run that the server rendered. */
  static rendered({ run, ...rest }: FirstRun): RunState {
    return new RunState(run, true, rest);
  }

  static create(run: NewRun): RunState {
    return new RunState(queuedRun(run));
  }

  static fromSummary(summary: RunSummary): RunState {
    const { steps, ...run } = summary;
    return new RunState({ ...run, scratchpad: [] }, steps === 0);
  }

  /** Replaces the run with the complete one from the server, unless events have overtaken it. */
  merge(run: Run): void {
    if (this.complete && run.lastSeq <= this.run.lastSeq) return;
    this.run = run;
    this.complete = true;
  }

  /** Sets the verdict after the server has stored it. */
  setVerdict(verdict: Verdict): void {
    this.#verdict = verdict;
  }

  apply(event: RunEvent): void {
    const before = this.run;
    const after = applyEvent(before, event);
    if (after === before) return;
    // Events contain no prompts: those that the run was loaded with are no longer all.
    const { modelCalls: _outdated, ...run } = after;
    this.run = run;
    if (event.type === "approval-requested") this.approval = event.approval;
    if (this.run.pending?.kind !== "approval") this.approval = undefined;
  }
}
