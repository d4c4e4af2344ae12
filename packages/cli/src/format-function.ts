import type { FunctionMemory, FunctionProposal, Verification } from "@metahuman/core/contract/function";
import { valueOrigins } from "@metahuman/core/contract/function-report";
import { isInconclusive } from "@metahuman/core/contract/verification";
import { widenedPowers } from "@metahuman/core/contract/powers";

/** One line of a list. */
export function functionRow({ id, trust, status, kind, title, stats }: FunctionMemory): string[] {
  const worked = stats.executions === 0 ? "" : `worked ${stats.successes} of ${stats.executions}`;
  return [id, status === "active" ? trust : status.replaceAll("_", " "), kind, worked, title];
}

/** A function as a person reads it. */
export function describeFunction(found: FunctionMemory, proposals: readonly FunctionProposal[]): string {
  const { id, name, title, summary, trust, status, kind, version, steps, skillsUsed, parameters } = found;
  const { code, examples, statusReason, verification, usageCount, offeredCount, stats } = found;
  const lines = [
    title,
    `${id}  ${name}  ${kind}, ${trust}, ${status.replaceAll("_", " ")}, version ${version}`,
    ...(statusReason === undefined ? [] : [`Because: ${statusReason}`]),
    ...(summary === "" ? [] : ["", summary]),
    "",
    ...steps.map((step, at) => `${at + 1}. ${step}`),
    "",
    `Skills: ${skillsUsed.join(", ") || "none"}`,
    ...(code ? [`May use: ${code.grants.join(", ") || "nothing, it only computes"}`] : []),
    ...parameters.map(
      ({ name: parameter, type, required, default: preset }) =>
        `Parameter ${parameter}: ${type}${required ? "" : `, ${preset === undefined ? "may be left out" : `${JSON.stringify(preset)} when left out`}`}`,
    ),
    ...examples.map(({ prompt }) => `Example: ${prompt}`),
    ...(code ? ["", code.source.trimEnd(), ""] : []),
    `Offered ${offeredCount} times, used ${usageCount} times, worked ${stats.successes} of ${stats.executions}.`,
    ...(verification
      ? ["", describeReport(verification)]
      : [...valueOrigins(found).map((origin) => `Values of step ${origin}`), "Not verified yet."]),
    ...proposals.map(
      ({ id: proposal, reason, createdBy, content }) =>
        `Proposal ${proposal} by ${createdBy}: ${reason}${moreWords(widenedPowers(found, content))}`,
    ),
  ];
  return lines.join("\n");
}

/** A report that reads like a test run. */
export function describeReport({ at, ...report }: Verification): string {
  return `${describeChecks(report)}, ${at.slice(0, 16).replace("T", " ")}.`;
}

/** The same without its time. */
export function describeChecks({ ok, checks }: Pick<Verification, "ok" | "checks">): string {
  const lines = checks.flatMap((check) => [
    `${check.ok ? "✓" : check.inconclusive ? "?" : "✗"} ${check.name}`,
    ...(check.detail === undefined ? [] : check.detail.split("\n").map((line) => `    ${line}`)),
  ]);
  const outcome = ok ? "Passed" : isInconclusive({ checks }) ? "Could not be checked" : "Failed";
  return [...lines, outcome].join("\n");
}

function moreWords(powers: readonly string[]): string {
  return powers.length === 0 ? "" : ` It could use more than now: ${powers.join(", ")}.`;
}
