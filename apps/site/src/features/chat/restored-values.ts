import { truncateLine } from "@metahuman/core/text/format";

const MAX_LENGTH = 40;
const quote = (text: string): string => `“${truncateLine(text, MAX_LENGTH)}”`;

/**
 * What restoring the file that a call has changed puts back: "“25” → “20”" for a changed value, "Brings back “hat”" for a
 * removed one. Undefined for calls that do not return what they changed.
 */
export function restoredValues({ before, after }: Readonly<Record<string, unknown>>): string | undefined {
  const places: readonly unknown[] = Array.isArray(before) ? before : [before];
  const [first, ...others] = places.flatMap((one) =>
    typeof one === "string" && one.trim() !== "" ? [quote(one)] : [],
  );
  const old = first === undefined || others.length === 0 ? first : `${first}, …`;
  if (typeof after !== "string" || after.trim() === "") return old && `Brings back ${old}`;
  return old === undefined ? `Takes out ${quote(after)}` : `${quote(after)} → ${old}`;
}
