import { applyEvent, queuedRun, type NewRun } from "@metahuman/core/contract/apply-event";
import type { Approval } from "@metahuman/core/contract/approval";
import type { RunEvent } from "@metahuman/core/contract/event";
import type { Run, RunSummary, Verdict } from "@metahuman/core/contract/run";

/** One run as the page shows it. Only `apply` changes it, by the same reducer as on the server. */
export class RunState {
  run: Run;
  /** The approval the run waits for, with everything a person needs to judge it. */
  approval = $state.raw<Approval>();
  /** False while only the summary is known: the scratchpad is still to be read. */
  complete: boolean;

  /** What the person has just said of it. */
  #said = $state<Verdict>();
  readonly verdict = $derived.by(() => this.#said ?? this.run.feedback?.verdict);

  /** Goes on by itself: events are to be expected. */
  readonly live = $derived.by(() => this.run.status !== "ended" && this.run.status !== "interrupted");
  /** The answer is being written. */
  readonly answering = $derived.by(
    () =>
      this.run.status === "running" && this.run.result !== undefined && this.run.responseStyle === undefined,
  );

  constructor(run: Run, complete = true) {
    this.run = $state.raw(run);
    this.complete = $state(complete);
  }

  /** A run that was just asked for. */
  static begun(known: NewRun): RunState {
    return new RunState(queuedRun(known));
  }

  static summarised(summary: RunSummary): RunState {
    const { steps, ...run } = summary;
    return new RunState({ ...run, scratchpad: [] }, steps === 0);
  }

  /** Takes the whole run as the server keeps it, unless events have already led further. */
  complement(run: Run): void {
    if (this.complete && run.lastSeq <= this.run.lastSeq) return;
    this.run = run;
    this.complete = true;
  }

  /** What the person thinks of the answer, once the server has taken it. */
  judged(verdict: Verdict): void {
    this.#said = verdict;
  }

  apply(event: RunEvent): void {
    const before = this.run;
    this.run = applyEvent(before, event);
    if (this.run === before) return;
    if (event.type === "approval-requested") this.approval = event.approval;
    if (this.run.pending?.kind !== "approval") this.approval = undefined;
  }
}
