import type { FunctionChange, FunctionContent } from "../../contract/function.ts";
import { differingFields } from "../../contract/function-fields.ts";
import { canonicalJson } from "../../runs/canonical-json.ts";
import { strongestKind } from "./content-rules.ts";

/** The fields that define behavior, for which provenance is recorded. */
const BEHAVIOUR_FIELDS = ["steps", "recipe", "code", "kind", "parameters"] as const;

/** The content with a change applied. The kind falls back when its recipe or code was removed. */
export function applyChange(content: FunctionContent, change: FunctionChange): FunctionContent {
  const { recipe, code, ...fields } = change;
  const { recipe: _recipe, code: _code, ...rest } = content;
  const nextRecipe = recipe === undefined ? content.recipe : recipe;
  const nextCode = code === undefined ? content.code : code;
  const strength = { ...(nextRecipe && { recipe: nextRecipe }), ...(nextCode && { code: nextCode }) };
  const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const next: FunctionContent = { ...rest, ...set, ...strength };
  // Provenance describes the calls as they were learned, so a change of behavior removes it.
  if (change.provenance === undefined && BEHAVIOUR_FIELDS.some((field) => change[field] !== undefined))
    delete next.provenance;
  const isBroken = (next.kind === "recipe" && !nextRecipe) || (next.kind === "code" && !nextCode);
  return isBroken && change.kind === undefined ? { ...next, kind: strongestKind(strength) } : next;
}

/** The fields that change at once, because no behavior depends on them. */
export function descriptiveFields({ name, title, summary, tags }: FunctionContent): Partial<FunctionContent> {
  return { name, title, summary, tags };
}

/** "Changed the title and the steps." */
export function changeSentence(before: FunctionContent, after: FunctionContent): string {
  const words = differingFields(before, after, canonicalJson).map((word) => `the ${word}`);
  const last = words.pop();
  if (last === undefined) return "Changed nothing.";
  return `Changed ${words.length > 0 ? `${words.join(", ")} and ${last}` : last}.`;
}
