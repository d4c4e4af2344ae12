import type { WorkerClient } from "../../worker/worker-client.ts";
import type { FunctionIndexCalls } from "./protocol.ts";

type Results = { [Method in keyof FunctionIndexCalls]: FunctionIndexCalls[Method]["result"] };

/** What an index without functions answers. A method that is not here changes the index. */
const EMPTY: Partial<Results> = {
  load: null,
  loadByName: null,
  count: 0,
  agents: [],
  page: { items: [], total: 0, next: null },
  search: { items: [], rejected: [] },
  nearestRecipes: [],
  read: [],
  state: { items: 0, quarantined: [] },
  nearest: [],
  countVectors: 0,
  pending: { texts: [], isComplete: true },
};

/** The index of functions, which stays closed while it is known to be empty: most people have no function. */
export interface EmptySkippingIndex extends Pick<WorkerClient<FunctionIndexCalls>, "call"> {
  /** There is no function, unless a call has changed the index before. */
  noteEmpty(): void;
}

export function skipEmptyIndex(index: Pick<WorkerClient<FunctionIndexCalls>, "call">): EmptySkippingIndex {
  let isEmpty = false;
  let hasChanged = false;
  return {
    noteEmpty() {
      isEmpty = !hasChanged;
    },
    async call(method, params) {
      const answer = EMPTY[method];
      if (answer === undefined) hasChanged = true;
      else if (isEmpty && !hasChanged) return answer;
      return await index.call(method, params);
    },
  };
}
