import { z } from "zod";
import { ModelCallRecord } from "@metahuman/core/contract/model-call";
import { RunFeedback } from "@metahuman/core/contract/run";
import { redact } from "@metahuman/core/log/redact";
import { createLastPrompts, withSharedMessages } from "@metahuman/core/runs/inspection-tables";
import { CountRow } from "@metahuman/core/database/rows";
import { jsonText, type ProfileSession } from "../session.ts";

const CallRow = z.object({ shared: z.int(), call: ModelCallRecord });
const FeedbackRow = z.object({ feedback: RunFeedback }).transform((row) => row.feedback);

/** Model calls and feedback of runs, without secrets. Every method runs in the caller's transaction. */
export function inspectionTables() {
  const lastPrompts = createLastPrompts();
  return {
    /** Stores a call. Call the result after the transaction has committed. */
    async addCall(session: ProfileSession, runId: string, call: ModelCallRecord): Promise<() => void> {
      const row = await session.get(
        CountRow,
        "SELECT count(*)::integer AS count FROM run_model_calls WHERE profile = :profile AND run_id = :runId",
        { runId },
      );
      const number = row?.count ?? 0;
      const { shared, stored } = lastPrompts.withoutShared(runId, number, call);
      await session.run(
        `INSERT INTO run_model_calls (profile, run_id, number, shared, call)
         VALUES (:profile, :runId, :number, :shared, :call::jsonb)`,
        { runId, number, shared, call: jsonText(stored) },
      );
      return () => lastPrompts.remember(runId, number, call);
    },
    async calls(session: ProfileSession, runId: string): Promise<ModelCallRecord[]> {
      return withSharedMessages(
        await session.all(
          CallRow,
          "SELECT shared, call FROM run_model_calls WHERE profile = :profile AND run_id = :runId ORDER BY number",
          { runId },
        ),
      );
    },
    async setFeedback(session: ProfileSession, runId: string, given: RunFeedback): Promise<void> {
      await session.run(
        `INSERT INTO run_feedback (profile, run_id, feedback) VALUES (:profile, :runId, :feedback::jsonb)
         ON CONFLICT (profile, run_id) DO UPDATE SET feedback = excluded.feedback`,
        { runId, feedback: jsonText(redact(given)) },
      );
    },
    feedback: (session: ProfileSession, runId: string) =>
      session.get(
        FeedbackRow,
        "SELECT feedback FROM run_feedback WHERE profile = :profile AND run_id = :runId",
        { runId },
      ),
  };
}
