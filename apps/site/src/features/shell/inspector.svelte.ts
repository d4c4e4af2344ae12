import type { RunState } from "../runs/run-state.svelte.ts";

export interface Inspected {
  run: RunState;
  /** Absent when the run as a whole is looked at. */
  step?: number;
}

export type InspectorTab = "step" | "context" | "run";

/** What the panel at the right shows, when it is open. */
export class Inspector {
  subject = $state.raw<Inspected>();
  tab = $state<InspectorTab>("run");

  show(subject: Inspected): void {
    this.subject = subject;
    this.tab = subject.step === undefined ? (this.tab === "step" ? "run" : this.tab) : "step";
  }

  /** Opens what a run was given: memories, functions, and why those. */
  explain(run: RunState): void {
    this.show({ run });
    this.tab = "context";
  }

  close(): void {
    this.subject = undefined;
  }
}
