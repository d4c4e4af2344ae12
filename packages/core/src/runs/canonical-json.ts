import { createHash } from "node:crypto";

/** JSON with sorted keys, so that equal values have equal texts. Expects JSON values; omits `undefined` fields. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}

/** The hash that binds an approval to a call: SHA-256 of skill and exact arguments, in hexadecimal. */
export function callHash(skill: string, args: Record<string, unknown>): string {
  return createHash("sha256")
    .update(canonicalJson([skill, args]))
    .digest("hex");
}
