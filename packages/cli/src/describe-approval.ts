import { showHiddenCharacters } from "@metahuman/core/text/hidden-characters";
import type { ActionPreview, Approval } from "@metahuman/core/contract/approval";
import type { FunctionApproval } from "@metahuman/core/contract/function-approval";
import { grantReach } from "@metahuman/core/contract/grant-reach";
import { truncateLine } from "@metahuman/core/text/format";

const INDENT = "  ";
/** The length to which an undone request is shortened. */
const MAX_UNDONE = 120;

/** Describes what a call would do, with at most `maxLines` lines of each changed text. */
export function describeApproval(
  { tool, preview, risk, canBeUndone = false, undoes, changedSince, grantOffer }: Approval,
  maxLines: number,
): string {
  const lines = [`${preview.title} (${risk} risk${canBeUndone ? ", can be undone" : ""})`];
  if (changedSince) {
    lines.push("You allowed this call, but its target has changed since:");
    lines.push(...changedSince.changes.map((change) => `${INDENT}${change}`));
    if (changedSince.diff) lines.push(...diffLines(changedSince.diff, maxLines));
    lines.push("What it would do now:");
  }
  if (undoes !== undefined) lines.push(`${INDENT}undoes: “${truncateLine(undoes, MAX_UNDONE)}”`);
  lines.push(
    ...preview.facts.map(
      ({ label, value }) => `${INDENT}${label}: ${value.replaceAll("\n", `\n${INDENT}${INDENT}`)}`,
    ),
  );
  if (preview.diff) lines.push(...diffLines(preview.diff, maxLines));
  if (preview.patch)
    lines.push(...limitLines(preview.patch.text.trimEnd().split("\n"), maxLines, preview.patch.clipped));
  if (grantOffer) lines.push(`${INDENT}always: ${grantReach(tool, grantOffer)}`);
  return showHiddenCharacters(lines.join("\n"));
}

/** Describes a function that waits for approval. */
export function describeFunctionApproval(waiting: FunctionApproval): string {
  const { name, title, summary, kind, uses, failedChecks, createdBy } = waiting;
  const checks =
    failedChecks && (failedChecks.length === 0 ? "all pass" : `fail: ${failedChecks.join(", ")}`);
  return showHiddenCharacters(
    [
      `Approve the function “${title}”? (${kind})`,
      ...(summary === "" ? [] : [`${INDENT}${summary}`]),
      `${INDENT}uses: ${uses.join(", ") || "no skills"}`,
      `${INDENT}checks: ${checks ?? "they run on approval"}`,
      `${INDENT}registered by: ${createdBy}`,
      `${INDENT}details: mh functions show ${name}`,
    ].join("\n"),
  );
}

function diffLines(diff: NonNullable<ActionPreview["diff"]>, maxLines: number): string[] {
  const side = (text: string, mark: string): string[] =>
    text === "" ? [] : text.split("\n").map((line) => `${mark} ${line}`);
  return [
    ...limitLines(side(diff.before, "-"), maxLines, diff.clipped),
    ...limitLines(side(diff.after, "+"), maxLines, diff.clipped),
  ];
}

function limitLines(lines: readonly string[], maxLines: number, isClipped: boolean): string[] {
  const shown = lines.slice(0, maxLines).map((line) => `${INDENT}${line}`);
  return isClipped || lines.length > maxLines ? [...shown, `${INDENT}…`] : shown;
}
