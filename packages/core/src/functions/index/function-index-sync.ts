import { setImmediate as nextTurn } from "node:timers/promises";
import type { Embeddings } from "../../memory/index/embeddings.ts";
import type { WorkerClient } from "../../worker/worker-client.ts";
import type { EvidenceTable } from "../upkeep/evidence-table.ts";
import type { FunctionIndexCalls } from "./protocol.ts";

const EVIDENCE_AT_ONCE = 500;

/** Synchronizes the index with files and counters. Never rejects. */
export interface FunctionIndexSync {
  /** Reconciles changed files, or all files with `everything`. */
  sync(options?: { everything?: boolean }): Promise<void>;
  /** Later failures are no longer reported. */
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
  let isClosed = false;

  /** Sends the counters to the index, which ranks by them and may have been deleted. */
  async function indexEvidence(): Promise<void> {
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
        await indexEvidence();
        embeddings.schedule();
      } catch (error) {
        if (!isClosed) onWarning("The function index does not match the files yet.", error);
      }
    },
    close() {
      isClosed = true;
    },
  };
}
