import { setImmediate as nextTurn } from "node:timers/promises";
import type { Embeddings } from "../../memory/index/embeddings.ts";
import type { WorkerClient } from "../../worker/worker-client.ts";
import type { EvidenceTable } from "../upkeep/evidence-table.ts";
import type { FunctionIndexCalls } from "./protocol.ts";

const EVIDENCE_AT_ONCE = 500;

/** Keeps the index in agreement with the files and with what was counted: nothing here ever rejects. */
export interface FunctionIndexSync {
  /** Looks at all files, those that did not change as well when asked for `everything`. */
  sync(options?: { everything?: boolean }): Promise<void>;
  /** What fails from now on is not told any more. */
  close(): void;
}

export function createFunctionIndexSync({
  client,
  evidence,
  embeddings,
  onWarning,
}: {
  client: Pick<WorkerClient<FunctionIndexCalls>, "call">;
  evidence: EvidenceTable;
  embeddings: Pick<Embeddings, "schedule">;
  onWarning: (message: string, cause?: unknown) => void;
}): FunctionIndexSync {
  let closed = false;

  /** The index ranks by it and may have been deleted. */
  async function tellEvidence(): Promise<void> {
    for (let after = ""; ;) {
      const rows = await evidence.rows(after, EVIDENCE_AT_ONCE);
      const last = rows.at(-1);
      if (!last) return;
      await client.call("evidence", rows);
      after = last.id;
      await nextTurn();
    }
  }

  return {
    async sync({ everything = false } = {}) {
      try {
        await client.call("reconcile", { everything });
        await tellEvidence();
        embeddings.schedule();
      } catch (error) {
        if (!closed) onWarning("The index of functions does not agree with the files yet.", error);
      }
    },
    close() {
      closed = true;
    },
  };
}
