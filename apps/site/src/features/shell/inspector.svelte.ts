import type { RunState } from "../runs/run-state.svelte.ts";

export interface Inspected {
  run: RunState;
  /** Absent if the whole run is inspected. */
  step?: number;
}

export type InspectorTab = "step" | "context" | "run";

/** The subject and tab of the inspector panel. */
export class Inspector {
  subject = $state.raw<Inspected>();
  tab = $state<InspectorTab>("run");

  show(subject: Inspected): void {
    this.subject = subject;
    this.tab = subject.step === undefined ? (this.tab === "step" ? "run" : this.tab) : "step";
  }

  /** Opens the context of a run: its memories and functions, with reasons. */
  explain(run: RunState): void {
    this.show({ run });
    this.tab = "context";
  }

  close(): void {
    this.subject = undefined;
  }
}
