import { isCancel, select, selectKey, text } from "@clack/prompts";
import type { Approval, ApprovalDecision } from "@metahuman/core/contract/approval";
import type { FunctionOffer } from "@metahuman/core/contract/run";
import { grantReach } from "@metahuman/core/contract/grant-reach";
import { describeApproval } from "./describe-approval.ts";
import type { CommandContext } from "./session.ts";
import { asText } from "@metahuman/core/text/format";

/** Lines shown of each changed text; `mh approvals show` prints all of them. */
const MAX_SHOWN_LINES = 40;

/** Shows what a call would do and asks for a decision. Cancelling the prompt denies the call. */
export async function promptForApproval(
  approval: Approval,
): Promise<{ decision: ApprovalDecision; reason?: string }> {
  const { tool, grantOffer } = approval;
  const message = describeApproval(approval, MAX_SHOWN_LINES);
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
    message: "Reason (the operator sees it)",
    placeholder: "optional",
    defaultValue: "",
  });
  return { decision, ...(!isCancel(reason) && reason !== "" && { reason }) };
}

/** Asks the run's question and requires an answer that is not empty. */
export async function promptForAnswer(question: string, options: readonly string[]): Promise<string> {
  const answer =
    options.length > 0
      ? await select({ message: question, options: options.map((value) => ({ value, label: value })) })
      : await text({
          message: question,
          validate: (value) => (value?.trim() ? undefined : "Type an answer, or press Ctrl-C."),
        });
  return isCancel(answer) ? "never mind" : answer;
}

/** Asks whether an offered function is meant, and with which values; cancelling the prompt is neither yes nor no. */
export async function promptForOffer(
  { title, values }: Pick<FunctionOffer, "title" | "values">,
  { input, screen }: Pick<CommandContext, "input" | "screen">,
): Promise<{ isConfirmed: false } | { isConfirmed: true; values: FunctionOffer["values"] } | undefined> {
  const terminal = { input, ...(screen && { output: screen }) };
  const named = Object.entries(values);
  const answer = await selectKey({
    message: `Do it: ${title}?`,
    options: [
      { value: "y", label: "Yes" },
      ...(named.length > 0 ? [{ value: "v", label: "With other values" }] : []),
      { value: "n", label: "No" },
    ],
    ...terminal,
  });
  if (isCancel(answer)) return undefined;
  if (answer !== "v") return answer === "y" ? { isConfirmed: true, values } : { isConfirmed: false };
  const changed: [string, unknown][] = [];
  for (const [name, value] of named) {
    const written = asText(value);
    const typed = await text({ message: name, initialValue: written, ...terminal });
    if (isCancel(typed)) return undefined;
    const isNumber = typeof value === "number" && typed.trim() !== "" && Number.isFinite(Number(typed));
    changed.push([name, isNumber ? Number(typed) : typed]);
  }
  return { isConfirmed: true, values: Object.fromEntries(changed) };
}
