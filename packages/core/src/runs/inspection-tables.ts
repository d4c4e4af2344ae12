import { z } from "zod";
import {
  ModelCallRecord,
  sharedMessages,
  type ModelCallPurpose,
  type PromptMessage,
} from "../contract/model-call.ts";
import { RunFeedback } from "../contract/run.ts";
import type { Database } from "../database/open-database.ts";
import { redact } from "../log/redact.ts";
import { CountRow, jsonColumn } from "../database/rows.ts";

const CallRow = z.object({ shared: z.int(), call: jsonColumn(ModelCallRecord) });
const FeedbackRow = z.object({ feedback: jsonColumn(RunFeedback) }).transform((row) => row.feedback);

/** The number of runs whose last prompt is cached. */
const MAX_REMEMBERED = 64;

type LastAsked = Map<ModelCallPurpose, readonly PromptMessage[]>;

/** The last prompts of the runs that this process executes. */
export function createLastPrompts() {
  const lastAsked = new Map<string, { calls: number; asked: LastAsked }>();
  // Another process may have continued the run; then the last prompt is unknown.
  const askedBefore = (runId: string, number: number): LastAsked => {
    const known = lastAsked.get(runId);
    return known?.calls === number ? known.asked : new Map<ModelCallPurpose, readonly PromptMessage[]>();
  };

  return {
    /**
     * Returns the call `number` of a run in its stored form: without secrets, and without the messages of the last
     * prompt.
     */
    withoutShared(runId: string, number: number, call: ModelCallRecord) {
      const shared = sharedMessages(askedBefore(runId, number).get(call.purpose) ?? [], call.messages);
      return { shared, stored: redact({ ...call, messages: call.messages.slice(shared) }) };
    },
    /** Call it after the call has been stored. */
    remember(runId: string, number: number, call: ModelCallRecord): void {
      const asked = askedBefore(runId, number).set(call.purpose, call.messages);
      lastAsked.delete(runId);
      lastAsked.set(runId, { calls: number + 1, asked });
      const oldest = lastAsked.keys().next().value;
      if (lastAsked.size > MAX_REMEMBERED && oldest !== undefined) lastAsked.delete(oldest);
    },
  };
}

/** Completes stored calls of one run, oldest first, with the messages that they share with earlier ones. */
export function withSharedMessages(
  stored: readonly { shared: number; call: ModelCallRecord }[],
): ModelCallRecord[] {
  const asked: LastAsked = new Map();
  return stored.map(({ shared, call }) => {
    const messages = [...(asked.get(call.purpose) ?? []).slice(0, shared), ...call.messages];
    asked.set(call.purpose, messages);
    return { ...call, messages };
  });
}

/**
 * Model calls and feedback of runs, without secrets. A planning prompt extends the previous one, so only its new
 * messages are stored: a run of ten steps is stored once, not ten times.
 */
export function inspectionTables(database: Database) {
  const insert = database.command(
    "INSERT INTO run_model_calls (run_id, number, shared, call) VALUES (?, ?, ?, ?)",
  );
  const count = database.query("SELECT count(*) AS count FROM run_model_calls WHERE run_id = ?", CountRow);
  const calls = database.query(
    "SELECT shared, call FROM run_model_calls WHERE run_id = ? ORDER BY number",
    CallRow,
  );
  const setFeedback = database.command(
    "INSERT INTO run_feedback (run_id, feedback) VALUES (?, ?) ON CONFLICT (run_id) DO UPDATE SET feedback = excluded.feedback",
  );
  const feedback = database.query("SELECT feedback FROM run_feedback WHERE run_id = ?", FeedbackRow);

  const lastPrompts = createLastPrompts();

  return {
    addCall(runId: string, call: ModelCallRecord): void {
      const number = count.get(runId)?.count ?? 0;
      const { shared, stored } = lastPrompts.withoutShared(runId, number, call);
      insert.run(runId, number, shared, JSON.stringify(stored));
      lastPrompts.remember(runId, number, call);
    },
    calls: (runId: string): ModelCallRecord[] => withSharedMessages(calls.all(runId)),
    setFeedback: (runId: string, runFeedback: RunFeedback) =>
      void setFeedback.run(runId, JSON.stringify(redact(runFeedback))),
    feedback: (runId: string): RunFeedback | undefined => feedback.get(runId),
  };
}
