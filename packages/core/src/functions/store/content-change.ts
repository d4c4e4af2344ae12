import type { FunctionChange, FunctionContent } from "../../contract/function.ts";
import { differingFields } from "../../contract/function-fields.ts";
import { canonicalJson } from "../../runs/canonical-json.ts";
import { strengthOf } from "./content-rules.ts";

/** What a function does: of these, the values' origins are known. */
const WHAT_IT_DOES = ["steps", "recipe", "code", "kind", "parameters"] as const;

/** The content with a change applied; its kind follows when it no longer has what its kind needs. */
export function changed(content: FunctionContent, change: FunctionChange): FunctionContent {
  const { recipe, code, ...fields } = change;
  const { recipe: _recipe, code: _code, ...kept } = content;
  const nextRecipe = recipe === undefined ? content.recipe : recipe;
  const nextCode = code === undefined ? content.code : code;
  const strength = { ...(nextRecipe && { recipe: nextRecipe }), ...(nextCode && { code: nextCode }) };
  const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const next: FunctionContent = { ...kept, ...set, ...strength };
  // What is known of where the values come from holds for the calls as they were learned.
  if (change.provenance === undefined && WHAT_IT_DOES.some((field) => change[field] !== undefined))
    delete next.provenance;
  const isBroken = (next.kind === "recipe" && !nextRecipe) || (next.kind === "code" && !nextCode);
  return isBroken && change.kind === undefined ? { ...next, kind: strengthOf(strength) } : next;
}

/** What changes at once, because nothing that is done depends on it. */
export function described({ name, title, summary, tags }: FunctionContent): Partial<FunctionContent> {
  return { name, title, summary, tags };
}

/** "Changed the title and the steps." */
export function changeSentence(before: FunctionContent, after: FunctionContent): string {
  const words = differingFields(before, after, canonicalJson).map((word) => `the ${word}`);
  const last = words.pop();
  if (last === undefined) return "Changed nothing.";
  return `Changed ${words.length > 0 ? `${words.join(", ")} and ${last}` : last}.`;
}
