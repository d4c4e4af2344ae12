import { MemoryEdit } from "@metahuman/core/contract/http";

/** What somebody typed as the JSON of a memory's fields: the edit, or why it cannot be one. */
export function readEdit(
  text: string,
): { edit: MemoryEdit; problem?: undefined } | { edit?: undefined; problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : "it cannot be read"}.` };
  }
  const parsed = MemoryEdit.safeParse(json);
  if (parsed.success) return { edit: parsed.data };
  const [first] = parsed.error.issues;
  const place = first?.path.map(String).join(".") ?? "";
  return { problem: `${place === "" ? "" : `${place}: `}${first?.message ?? "this is not a memory"}.` };
}
