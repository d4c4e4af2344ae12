import { formatCount } from "@metahuman/core/text/format";
import { copy } from "./copy.ts";
import type { CodePlace } from "@metahuman/core/contract/code-inspection";
import type { FunctionKind, FunctionMemory, FunctionSort } from "@metahuman/core/contract/function";
import type { FunctionFigures } from "@metahuman/core/contract/function-upkeep";
import type { CodeInspector } from "./code-inspection.svelte.ts";

/** The filters of the list. */
export const FUNCTION_FILTERS = [
  { value: "all", label: "All", query: {} },
  { value: "verified", label: "Verified", query: { trust: "verified" } },
  { value: "draft", label: "Drafts", query: { trust: "draft" } },
  { value: "pending_approval", label: "Waiting for approval", query: { status: "pending_approval" } },
  { value: "disabled", label: "Disabled", query: { status: "disabled" } },
] as const;
export type FunctionFilter = (typeof FUNCTION_FILTERS)[number];

/** The filters of the list by kind. */
export const FUNCTION_KINDS: readonly { value: FunctionKind; label: string }[] = [
  { value: "guide", label: "Guides" },
  { value: "recipe", label: "Recipes" },
  { value: "code", label: "Code" },
];

type TrustAndStatus = Pick<FunctionMemory, "trust" | "status">;

/** The status of a function for a badge: its trust if it is active, otherwise its status. */
export function functionStatusLabel({ trust, status }: TrustAndStatus): string {
  switch (status) {
    case "active":
      return trust;
    case "pending_approval":
      return "waits for approval";
    case "rejected":
    case "disabled":
      return status;
    default:
      return status satisfies never;
  }
}

/** The color of the badge with that status. */
export function functionStatusVariant({ trust, status }: TrustAndStatus): "success" | "warning" | "danger" {
  if (status === "rejected" || status === "disabled") return "danger";
  return status === "active" && trust === "verified" ? "success" : "warning";
}

/** The sort orders of the list, the default first. */
export const FUNCTION_SORTS: readonly { value: FunctionSort; label: string }[] = [
  { value: "updated", label: "Latest changed" },
  { value: "used", label: "Most used" },
  { value: "success", label: "Most reliable" },
  { value: "title", label: "By title" },
  { value: "created", label: "Newest" },
];

/** The uses on each of the last `count` days, oldest first. Days are calendar days in UTC, as they are counted. */
export function usesPerDay(days: FunctionFigures["days"], count: number, now: Date): number[] {
  const used = new Map(days.map(({ day, used: times }) => [day, times]));
  return Array.from({ length: count }, (_, index) => {
    const at = new Date(now.getTime() - (count - 1 - index) * 86_400_000);
    return used.get(at.toISOString().slice(0, 10)) ?? 0;
  });
}

/** The origin of a function: "written by ada", "learned from a request". */
export function originText({ origin, createdBy }: Pick<FunctionMemory, "origin" | "createdBy">): string {
  return origin === "learned" ? copy.learned : `${origin} by ${createdBy}`;
}

/** The state of a code check, as a sentence. */
export function inspectionSentence({
  status,
  problems,
  reason,
}: Pick<CodeInspector, "status" | "problems" | "reason">): string {
  switch (status) {
    case "unread":
      return copy.codeChecking;
    case "unknown":
      return copy.codeUnknown(reason);
    case "read":
      if (problems.length === 0) return copy.codeClean;
      return copy.codeProblemCount(formatCount(problems.length, "problem"));
    default:
      return status satisfies never;
  }
}

/** "Code 3:12" and "Tests 1:5": line and column. */
export function problemLocation({ part, line, column }: CodePlace): string {
  return `${part === "source" ? "Code" : "Tests"} ${line}:${column}`;
}

/** What each check proves when it passes, by name. */
const CHECK_LABELS: Readonly<Record<string, string>> = {
  schema: "The format is valid",
  "skills exist": "All skills are installed",
  "arguments fit": "Arguments fit the skills",
  "no secrets": "No passwords, keys or tokens",
  "no hidden text": "No hidden text",
  "no instructions to the planner": "No prompt injection",
  "origin of values": copy.valueOrigins,
  code: "Code can be checked here",
  syntax: "Syntax is valid",
  types: "Types are correct",
  lint: "Lint rules pass",
  grants: "Uses only what it was granted",
  tests: "Tests pass",
  "paired trial": "A model does no worse with it",
};

/** The labels of checks of one example; `$1` is its number. */
const EXAMPLE_CHECKS: readonly { name: RegExp; label: string }[] = [
  { name: /^replay of example (\d+)$/, label: "Replay of example $1 has the same result" },
  { name: /^changed result of example (\d+)$/, label: "Example $1 has another result than before" },
  {
    name: /^variation of example (\d+)$/,
    label: "Example $1 works with other contents and names, and stops if a file is missing",
  },
  { name: /^not replayable: example (\d+)$/, label: "Example $1 cannot be replayed" },
  { name: /^paired trial (\d+)$/, label: "A model does no worse with it (trial $1)" },
];

/** The label of a check; its name if the check is unknown. */
export function checkLabel(name: string): string {
  const known = CHECK_LABELS[name];
  if (known !== undefined) return known;
  const ofExample = EXAMPLE_CHECKS.find((one) => one.name.test(name));
  return ofExample ? name.replace(ofExample.name, ofExample.label) : name;
}
