import { getContext, setContext } from "svelte";

/** The targets of the citations in an answer. */
export interface Citations {
  has(step: number): boolean;
  /** The id of the element that shows a step. */
  anchor(step: number): string;
  /** Unfolds the steps and scrolls to one. */
  show(step: number): void;
}

const KEY = Symbol("citations");

/** Provides the targets to texts below the calling component. */
export function provideCitations(citations: Citations): void {
  setContext(KEY, citations);
}

/** Undefined if there are no citations. */
export function getCitations(): Citations | undefined {
  return getContext<Citations | undefined>(KEY);
}
