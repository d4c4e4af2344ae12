import { getContext, setContext } from "svelte";

/** Where the step numbers in an answer lead. */
export interface Citations {
  has(step: number): boolean;
  /** The id of the element that shows a step. */
  anchor(step: number): string;
  /** Unfolds the steps and goes to one. */
  show(step: number): void;
}

const KEY = Symbol("citations");

/** For the texts drawn below the calling component. */
export function provideCitations(citations: Citations): void {
  setContext(KEY, citations);
}

/** Undefined where nothing is cited. */
export function getCitations(): Citations | undefined {
  return getContext<Citations | undefined>(KEY);
}
