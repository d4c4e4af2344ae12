import type { VerificationReport, RegistrationResult } from "@metahuman/core/contract/curation";
import { escapeInline } from "../markdown.ts";
import { linePreview } from "./phrasing.ts";

/** Returns a sentence that states what was saved and whether it was verified. */
export function registrationSentence({
  title,
  proposalId,
  status,
  verification,
}: RegistrationResult): string {
  const saved =
    proposalId === undefined
      ? `Registered the function “${linePreview(title)}” as a draft`
      : `Proposed a new version of the function “${linePreview(title)}”`;
  const waits =
    status === "pending_approval" || proposalId !== undefined ? "; it waits for your approval" : "";
  return `${saved}${waits}. ${verificationSentence(verification)}`;
}

export function verificationSentence({ ok, checks }: VerificationReport): string {
  const failed = checks.filter((check) => !check.ok);
  if (ok) return "Every check passes.";
  return `Checks that fail: ${failed.map(({ name }) => name).join(", ")}.`;
}

export function registrationLines(registered: RegistrationResult): string {
  return [registrationSentence(registered), "", ...checkLines(registered.verification)].join("\n");
}

export function checkLines({ checks }: VerificationReport): string[] {
  return checks.map(({ name, ok, detail }) => {
    const reason = detail === undefined ? "" : `: ${escapeInline(detail)}`;
    return `- ${ok ? "passes" : "FAILS"} ${name}${reason}`;
  });
}
