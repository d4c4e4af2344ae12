import type { RunState } from "../runs/run-state.svelte.ts";

export interface Inspected {
  run: RunState;
  /** Absent if the whole run is inspected. */
  step?: number;
  /** The id of the function or memory to explain. */
  about?: string;
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

  /** Opens the context of a run, at the function or memory with the id `about` if given. */
  explain(run: RunState, about?: string): void {
    this.show({ run, ...(about !== undefined && { about }) });
    this.tab = "context";
  }

  close(): void {
    this.subject = undefined;
  }
}
