import { firstLine, truncate } from "@metahuman/core/text/format";
import { isRecord } from "@metahuman/core/text/is-record";
import { outputsSummary, valueText } from "../runs/observation-text.ts";

/** The details that distinguish entries of one kind, shown first because lines are short. */
const FIRST: readonly string[] = ["decision", "outcome", "account", "address", "path", "reason", "skill"];
const LINE_LENGTH = 96;

/** The details of an audit entry in one line: "decision denied · path notes/a.md · reason not yet · skill fs_delete". */
export function auditSummary(details: Readonly<Record<string, unknown>>): string {
  const { args, ...rest } = details;
  const path = isRecord(args) ? args["path"] : undefined;
  const all = { ...rest, ...(typeof path === "string" && { path }) };
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const parts: [string, unknown][] = Object.entries(all)
    .sort(([one], [other]) => rank(one) - rank(other))
    .map(([name, value]) => [name, isChange(value) ? changeText(value) : value]);
  if (args !== undefined) parts.push(["args", args]);
  return truncate(firstLine(outputsSummary(Object.fromEntries(parts))), LINE_LENGTH);
}

interface Change {
  from: unknown;
  to: unknown;
}

function isChange(value: unknown): value is Change {
  return isRecord(value) && "from" in value && "to" in value;
}

const changeText = ({ from, to }: Change): string => `${valueText(from)} → ${valueText(to)}`;
