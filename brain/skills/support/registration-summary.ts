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

/** How many problems of one check a sentence names. */
const MAX_PROBLEMS = 2;

/** Names the failed checks with their first problems, so that the author can correct them. */
export function verificationSentence({ ok, checks }: VerificationReport): string {
  if (ok) return "Every check passes.";
  const failed = checks
    .filter((check) => !check.ok)
    .map(({ name, detail = "" }) => {
      const problems = detail
        .split("\n")
        .slice(0, MAX_PROBLEMS)
        .map((line) => linePreview(line).replace(/[.;]+$/u, ""))
        .filter((line) => line !== "");
      return problems.length === 0 ? name : `${name} (${problems.join("; ")})`;
    });
  return `Checks that fail: ${failed.join(", ")}.`;
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
