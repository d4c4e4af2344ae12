import type { Approval } from "@metahuman/core/contract/approval";
import { RunEvent } from "@metahuman/core/contract/event";
import { OperatorPending } from "@metahuman/core/contract/http";
import { Run } from "@metahuman/core/contract/run";
import type { Client } from "../support/client.ts";
import { contains, patternOf } from "./effects.ts";
import { succeeded } from "./profile.ts";
import type { Asking } from "./task-schema.ts";

/** How the person behind a request decides approvals and questions. */
export type Conduct = Pick<Asking, "allow" | "reply">;

export interface CarriedOut {
  run: Run;
  /** Every call that waited for approval, and the decision. */
  approvals: { title: string; isAllowed: boolean }[];
  questions: string[];
  /** The number of calls from a learned recipe, without a model. */
  replayedCalls: number;
}

/** The time limit for one run, in milliseconds; then it is cancelled. */
const MAX_RUN_MS = 20 * 60_000;
const NO_REPLY = "I have nothing to add to that. Decide for yourself, or leave it.";

/** Sends one request over the API and approves, denies and answers as the task specifies. */
export async function carryOut(
  client: Client,
  goal: string,
  conduct: Conduct,
  conversationId?: string,
): Promise<CarriedOut> {
  const body = { goal, background: true, ...(conversationId !== undefined && { conversationId }) };
  const { runId } = OperatorPending.parse(succeeded(await client.post("/api/operator", body)));
  const approvals: CarriedOut["approvals"] = [];
  const questions: string[] = [];
  let replayedCalls = 0;
  const signal = AbortSignal.timeout(MAX_RUN_MS);
  try {
    for await (const { data } of client.events(`/api/runs/${runId}/events?from=0`, { signal })) {
      const event = RunEvent.parse(data);
      if (event.type === "approval-requested") {
        const isAllowed = isAllowedBy(conduct.allow, event.approval);
        approvals.push({ title: event.approval.preview.title, isAllowed });
        const decision = isAllowed
          ? { decision: "once" }
          : { decision: "deny", reason: "I did not ask for that." };
        succeeded(await client.post(`/api/approvals/${event.approval.id}`, decision));
      } else if (event.type === "question-asked") {
        questions.push(event.question);
        succeeded(await client.post(`/api/runs/${runId}/answer`, { text: conduct.reply ?? NO_REPLY }));
      } else if (event.type === "step-planned" && event.planner === "replay" && event.action)
        replayedCalls += 1;
      else if (event.type === "run-ended") break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    succeeded(await client.post(`/api/runs/${runId}/cancel`));
  }
  return { run: await readRun(client, runId), approvals, questions, replayedCalls };
}

export async function readRun(client: Client, runId: string): Promise<Run> {
  return Run.parse(succeeded(await client.get(`/api/runs/${runId}`)));
}

/** All paths must be allowed; a call without paths is allowed by words of its title. */
function isAllowedBy(allow: readonly string[], { args, preview }: Approval): boolean {
  const paths = ["path", "from", "to"].flatMap((name) => {
    const value = args[name];
    return typeof value === "string" ? [value] : [];
  });
  if (paths.length === 0) return allow.some((words) => contains(preview.title, words));
  return paths.every((path) => {
    const rooted = /^(?:out|inbox)\//u.test(path) ? path : `out/${path}`;
    return allow.some((pattern) => patternOf(pattern).test(rooted));
  });
}
