import { FunctionContent } from "../../contract/function.ts";
import { canonicalJson } from "../../runs/canonical-json.ts";
import { isRecord } from "../../text/is-record.ts";

/** Lists of which each change may add items: no item depends on its place. */
const SETS: ReadonlySet<string> = new Set(["examples", "tags", "skillsUsed", "promptTemplates"]);
/** The field that is removed if both changes differ in it: it explains the calls, and no behavior depends on it. */
const EXPLANATION = "provenance";

const isSame = (one: unknown, other: unknown): boolean =>
  canonicalJson(one ?? null) === canonicalJson(other ?? null);

/**
 * Applies the changes that `proposed` makes to `base` to the current content, field by field. Both may have added to the
 * examples, tags, skills and the templates of the recipe. Undefined if they changed another field in different ways.
 */
export function mergeContent(
  base: FunctionContent,
  now: FunctionContent,
  proposed: FunctionContent,
): FunctionContent | undefined {
  return FunctionContent.safeParse(mergeFields(base, now, proposed)).data;
}

/** The merged fields; undefined if a field has two changes. */
function mergeFields(base: object, now: object, proposed: object): Record<string, unknown> | undefined {
  const merged: Record<string, unknown> = {};
  for (const field of new Set([base, now, proposed].flatMap(Object.keys))) {
    const was: unknown = Reflect.get(base, field);
    const is: unknown = Reflect.get(now, field);
    const wanted: unknown = Reflect.get(proposed, field);
    const chosen = isSame(wanted, was) || isSame(wanted, is) ? is : isSame(is, was) ? wanted : undefined;
    if (chosen !== undefined) merged[field] = chosen;
    else if (isSame(wanted, is) || isSame(is, was) || isSame(wanted, was) || field === EXPLANATION) continue;
    else if (SETS.has(field)) merged[field] = mergeSets(was, is, wanted);
    else if (field === "recipe" && isRecord(was) && isRecord(is) && isRecord(wanted)) {
      const fields = mergeFields(was, is, wanted);
      if (!fields) return undefined;
      merged[field] = fields;
    } else return undefined;
  }
  return merged;
}

/** The current items without those that were removed, and with those that were added. */
function mergeSets(was: unknown, is: unknown, wanted: unknown): unknown[] {
  const [before, current, after] = [was, is, wanted].map((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  const has = (list: readonly unknown[] = [], item: unknown) => list.some((one) => isSame(one, item));
  return [
    ...(current ?? []).filter((item) => has(after, item) || !has(before, item)),
    ...(after ?? []).filter((item) => !has(before, item) && !has(current, item)),
  ];
}
