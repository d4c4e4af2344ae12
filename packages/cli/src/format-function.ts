import { formatCount } from "@metahuman/core/text/format";
import type { FunctionMemory, FunctionProposal, Verification } from "@metahuman/core/contract/function";
import { successText, valueOrigins } from "@metahuman/core/contract/function-report";
import { isInconclusive } from "@metahuman/core/contract/verification";
import { addedPermissions } from "@metahuman/core/contract/function-permissions";
import { formatTime } from "./output.ts";

/** Formats a function as one row of a list. */
export function functionRow({ id, trust, status, kind, title, stats }: FunctionMemory): string[] {
  const success = stats.executions === 0 ? "" : successText(stats);
  return [id, status === "active" ? trust : status.replaceAll("_", " "), kind, success, title];
}

/** Formats a function with its steps, code, statistics and verification; times are in the time zone. */
export function describeFunction(
  found: FunctionMemory,
  proposals: readonly FunctionProposal[],
  timeZone: string,
): string {
  const { id, name, title, summary, trust, status, kind, version, steps, skillsUsed, parameters } = found;
  const { code, examples, statusReason, verification, usageCount, offeredCount, stats } = found;
  const lines = [
    title,
    `${id}  ${name}  ${kind}, ${trust}, ${status.replaceAll("_", " ")}, version ${version}`,
    ...(statusReason === undefined ? [] : [`Reason: ${statusReason}`]),
    ...(summary === "" ? [] : ["", summary]),
    "",
    ...steps.map((step, index) => `${index + 1}. ${step}`),
    "",
    `Skills: ${skillsUsed.join(", ") || "none"}`,
    ...(code ? [`May use: ${code.grants.join(", ") || "no skills"}`] : []),
    ...parameters.map(
      ({ name: parameter, type, required, default: preset }) =>
        `Parameter ${parameter}: ${type}${required ? "" : `, ${preset === undefined ? "optional" : `default ${JSON.stringify(preset)}`}`}`,
    ),
    ...examples.map(({ prompt }) => `Example: ${prompt}`),
    ...(found.taught ?? []).map(({ id: wording, template }) => `Taught ${wording}: ${template}`),
    ...(found.refused ?? []).map(({ id: wording, template }) => `Refused ${wording}: ${template}`),
    ...(code ? ["", code.source.trimEnd(), ""] : []),
    `Offered ${formatCount(offeredCount, "time")}, used ${formatCount(usageCount, "time")}${stats.executions === 0 ? "" : `, ${successText(stats)}`}.`,
    ...(verification
      ? ["", describeReport(verification, timeZone)]
      : [...valueOrigins(found).map((origin) => `Values of step ${origin}`), "Not verified yet."]),
    ...proposals.map(
      ({ id: proposal, reason, createdBy, content }) =>
        `Proposal ${proposal} by ${createdBy}: ${reason}${describeAddedPermissions(addedPermissions(found, content))}`,
    ),
  ];
  return lines.join("\n");
}

/** Formats a verification report with its time. */
export function describeReport({ at, ...report }: Verification, timeZone: string): string {
  return `${describeChecks(report)}, ${formatTime(at, timeZone)}.`;
}

/** Formats the checks of a verification. */
export function describeChecks({ ok, checks }: Pick<Verification, "ok" | "checks">): string {
  const lines = checks.flatMap((check) => [
    `${check.inconclusive ? "?" : check.ok ? "✓" : "✗"} ${check.name}`,
    ...(check.detail === undefined ? [] : check.detail.split("\n").map((line) => `    ${line}`)),
  ]);
  const outcome = ok ? "Passed" : isInconclusive({ checks }) ? "Inconclusive" : "Failed";
  return [...lines, outcome].join("\n");
}

function describeAddedPermissions(permissions: readonly string[]): string {
  return permissions.length === 0 ? "" : ` It adds permissions: ${permissions.join(", ")}.`;
}
