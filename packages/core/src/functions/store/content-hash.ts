import { createHash } from "node:crypto";
import type { FunctionContent } from "../../contract/function.ts";
import { canonicalJson } from "../../runs/canonical-json.ts";

/**
 * Identifies what a function does: parameters, steps, skills, examples, recipe and code, but not how it is called or
 * described. SHA-256 in hexadecimal; a verification is bound to it.
 */
export function contentHash(content: FunctionContent): string {
  const { parameters, steps, skillsUsed, examples, kind, recipe, code } = content;
  return createHash("sha256")
    .update(canonicalJson({ parameters, steps, skillsUsed, examples, kind, recipe, code }))
    .digest("hex");
}
