import type { Candidate } from "@metahuman/core/language/grammar/choose-option";
import { isRecord } from "@metahuman/core/text/is-record";

/**
 * Helpers that read a skill's outputs without knowing their exact type, for phrases that convert a result into text
 * or candidates. Missing values and values of another type read as empty.
 */

export function textField(outputs: Record<string, unknown>, field: string): string {
  const value = outputs[field];
  return typeof value === "string" ? value : "";
}

export function records(outputs: Record<string, unknown>, field: string): Record<string, unknown>[] {
  const value = outputs[field];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** True if `total` exceeds the number of records under `field`. */
export function isPartialList(outputs: Record<string, unknown>, field: string): boolean {
  return typeof outputs.total === "number" && outputs.total > records(outputs, field).length;
}

/** Candidates for a reference: every record under `field`, or the nested record that contains its id. */
export function candidatesIn(
  outputs: Record<string, unknown>,
  field: string,
  label: string,
  detailOf?: (record: Record<string, unknown>) => string,
): Candidate[] {
  return records(outputs, field)
    .map(
      (record) =>
        [record, ...Object.values(record).filter(isRecord)].find((part) => textField(part, "id") !== "") ??
        record,
    )
    .map((record) => ({
      id: textField(record, "id"),
      label: textField(record, label),
      ...(detailOf && { detail: detailOf(record) }),
    }))
    .filter((candidate) => candidate.id !== "");
}

export function titleOfTask(outputs: Record<string, unknown>): string {
  const { task } = outputs;
  return isRecord(task) ? textField(task, "title") : "";
}
