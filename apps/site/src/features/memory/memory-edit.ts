import { MemoryEdit } from "@metahuman/core/contract/http";
import { plainIssue, plainReason } from "@metahuman/core/contract/plain-issue";

/** The fields of a memory that people may change. */
export const Editable = MemoryEdit.omit({ version: true });
export type Editable = Omit<MemoryEdit, "version">;

/** What of a memory may be changed, as the text that is edited. */
export function editableText(record: Editable): string {
  const fields = Object.entries(record).filter(([field]) => Object.hasOwn(Editable.shape, field));
  return JSON.stringify(Object.fromEntries(fields), null, 2);
}

/** What somebody typed as the JSON of a memory's fields: the edit, or why it cannot be one. */
export function readEdit(
  text: string,
): { edit: Editable; problem?: undefined } | { edit?: undefined; problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : "it cannot be read"}.` };
  }
  const parsed = Editable.safeParse(json, { error: plainIssue });
  if (parsed.success) return { edit: parsed.data };
  return { problem: `${plainReason(parsed.error)}.` };
}
