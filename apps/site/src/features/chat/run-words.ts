import type { Run } from "@metahuman/core/contract/run";
import { truncate, runStatusLabel } from "../../lib/format/format.ts";

/** One sentence for those who hear the page: how a run came out, or what it now waits for. */
export function announcementFor(run: Run): string {
  if (run.pending?.kind === "question") return run.pending.question;
  if (run.pending?.kind === "approval") return `${run.pending.title} It waits for your decision.`;
  if (run.result) return `Answer: ${truncate(run.result, 300)}`;
  return `The run ended: ${run.error?.message ?? runStatusLabel(run.status, run.outcome)}`;
}
