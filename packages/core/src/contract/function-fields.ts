import type { FunctionContent } from "./function.ts";

/** The display names of the fields of a function's content. */
const FUNCTION_FIELDS: Readonly<Record<keyof FunctionContent, string>> = {
  name: "name",
  title: "title",
  summary: "summary",
  tags: "tags",
  steps: "steps",
  skillsUsed: "skills",
  examples: "examples",
  parameters: "parameters",
  kind: "kind",
  recipe: "recipe",
  code: "code",
  provenance: "origin of its values",
};

/**
 * Returns the display names of the fields in which two contents differ. `textOf` must return equal texts for equal
 * values.
 */
export function differingFields(
  one: Partial<FunctionContent>,
  other: Partial<FunctionContent>,
  textOf: (value: unknown) => string = JSON.stringify,
): string[] {
  return Object.entries(FUNCTION_FIELDS).flatMap(([field, words]) =>
    textOf(Reflect.get(one, field) ?? null) === textOf(Reflect.get(other, field) ?? null) ? [] : [words],
  );
}
