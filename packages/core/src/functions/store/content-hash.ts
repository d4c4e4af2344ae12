import { createHash } from "node:crypto";
import type { FunctionContent } from "../../contract/function.ts";
import { canonicalJson } from "../../runs/canonical-json.ts";

/**
 * The hash of a function's behavior: parameters, steps, skills, examples, recipe and code, without name and description.
 * SHA-256 in hexadecimal. A verification is valid for one hash.
 */
export function contentHash(content: FunctionContent): string {
  const { parameters, steps, skillsUsed, examples, kind, recipe, code } = content;
  return createHash("sha256")
    .update(canonicalJson({ parameters, steps, skillsUsed, examples, kind, recipe, code }))
    .digest("hex");
}
