import { isCancel, select, text } from "@clack/prompts";
import type { Approval, ApprovalDecision } from "@metahuman/core/contract/approval";
import { grantReach } from "@metahuman/core/contract/grant-reach";
import { describeApproval } from "./describe-approval.ts";

/** Of each text that a call changes; `mh approvals show` shows all of it. */
const SHOWN_LINES = 40;

/** Shows exactly what a call would do and asks what is to become of it. Leaving the prompt denies. */
export async function askApproval(
  approval: Approval,
): Promise<{ decision: ApprovalDecision; reason?: string }> {
  const { tool, grantOffer } = approval;
  const message = describeApproval(approval, SHOWN_LINES);
  const decision = await select<ApprovalDecision>({
    message,
    options: [
      { value: "once", label: "Allow once" },
      { value: "run", label: "Allow for this run" },
      ...(grantOffer
        ? [{ value: "always" as const, label: `Always for ${grantReach(tool, grantOffer)}` }]
        : []),
      { value: "deny", label: "Deny" },
    ],
  });
  if (isCancel(decision)) return { decision: "deny" };
  if (decision !== "deny") return { decision };
  const reason = await text({
    message: "Why? The operator is told.",
    placeholder: "leave empty to give no reason",
    defaultValue: "",
  });
  return { decision, ...(!isCancel(reason) && reason !== "" && { reason }) };
}

/** Asks the run's question; an empty answer is asked for again. */
export async function askQuestion(question: string, options: readonly string[]): Promise<string> {
  const answer =
    options.length > 0
      ? await select({ message: question, options: options.map((value) => ({ value, label: value })) })
      : await text({
          message: question,
          validate: (value) => (value?.trim() ? undefined : "Say something, or press Ctrl-C."),
        });
  return isCancel(answer) ? "never mind" : answer;
}
