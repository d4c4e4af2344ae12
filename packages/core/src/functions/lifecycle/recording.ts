import type { FunctionsPort } from "../functions-port.ts";
import { createNotes } from "./lifecycle-parts.ts";
import type { LifecycleParts } from "./lifecycle-parts.ts";
import { firstOf } from "./saving.ts";

/** Counts how functions did; makes no new version of them. */
export function createRecording(parts: LifecycleParts): Pick<FunctionsPort, "recordFunctionUse"> {
  const { scope, store, index, evidence, clock } = parts;
  const note = createNotes(parts);
  return {
    async recordFunctionUse(use) {
      const { function: stored } = await store.find(scope, use.functionId);
      const isNews = evidence.record(use, clock().toISOString());
      const row = evidence.row(stored.id);
      if (isNews && row) {
        await index.call("evidence", [row]);
        // What was only offered changed nothing.
        if (use.outcome !== "offered") {
          await note(
            "function_used",
            stored,
            { by: "operator", isPerson: false, isOwner: false, runId: use.runId },
            { outcome: use.outcome },
          );
        }
      }
      return firstOf(store.withEvidence([stored]));
    },
  };
}
