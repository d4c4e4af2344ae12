/**
 * Reads a skill's outputs where their exact shape is not known: the pieces of speech that turn a result
 * into text or into candidates. What is missing or of another type reads as empty.
 */

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textField(outputs: Record<string, unknown>, field: string): string {
  const value = outputs[field];
  return typeof value === "string" ? value : "";
}

export function records(outputs: Record<string, unknown>, field: string): Record<string, unknown>[] {
  const value = outputs[field];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** True when the outputs count more under `total` than they hold under `field`. */
export function isPart(outputs: Record<string, unknown>, field: string): boolean {
  return typeof outputs.total === "number" && outputs.total > records(outputs, field).length;
}

/** Candidates for a reference: every record under `field`, or the record one level down that holds its id. */
export function labelled(
  outputs: Record<string, unknown>,
  field: string,
  label: string,
): { id: string; label: string }[] {
  return records(outputs, field)
    .map(
      (record) =>
        [record, ...Object.values(record).filter(isRecord)].find((part) => textField(part, "id") !== "") ??
        record,
    )
    .map((record) => ({ id: textField(record, "id"), label: textField(record, label) }))
    .filter((candidate) => candidate.id !== "");
}

/** What people call the task in the outputs. */
export function titleOfTask(outputs: Record<string, unknown>): string {
  const { task } = outputs;
  return isRecord(task) ? textField(task, "title") : "";
}
