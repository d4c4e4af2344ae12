import type { FunctionContent, NewFunction } from "../../contract/function.ts";
import { SecretGrant } from "../../contract/code-grants.ts";
import { InvalidArgsError } from "../../errors/request-errors.ts";
import { holdsSecret } from "../../log/redact.ts";

/** Fills in the defaults of a new function. The store chooses its name. */
export function withDefaults(draft: NewFunction, name: string): FunctionContent {
  const {
    title,
    summary,
    steps,
    skillsUsed,
    tags = [],
    examples = [],
    parameters = [],
    recipe,
    code,
    provenance,
  } = draft;
  return {
    name,
    title,
    summary,
    tags: distinct(tags),
    steps,
    skillsUsed: distinct(skillsUsed),
    examples,
    parameters,
    kind: draft.kind ?? strongestKind(draft),
    ...(recipe && { recipe }),
    ...(code && { code }),
    ...(provenance && { provenance }),
  };
}

/** The strongest kind that the content supports. */
export function strongestKind({
  recipe,
  code,
}: Pick<NewFunction, "recipe" | "code">): FunctionContent["kind"] {
  return code ? "code" : recipe ? "recipe" : "guide";
}

/**
 * Throws `InvalidArgsError` for inconsistent content and for content with a secret, because functions are exported and
 * become part of prompts.
 */
export function assertSound(content: FunctionContent): void {
  const { kind, recipe, code, parameters } = content;
  if (kind === "recipe" && !recipe) throw new InvalidArgsError("A function of kind recipe needs a recipe.");
  if (kind === "code" && !code) throw new InvalidArgsError("A function of kind code needs code.");
  const names = parameters.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidArgsError(`The parameter ${twice} is defined twice.`);
  if (contentHoldsSecret(content)) {
    throw new InvalidArgsError("The function contains something that looks like a password, key or token.", {
      suggestions: ["Remove it, and let the function ask for it or use a granted secret."],
    });
  }
}

/** A reference to a secret by name, with an optional authorization scheme before it. */
const REFERENCE = /(?:\b(?:[Bb]earer|[Bb]asic|[Dd]igest|[Tt]oken)\s+)?\$\{secret:[A-Z_][A-Z0-9_]{0,63}\}/gu;

/** TypeScript strings, templates and comments, or the sign before any other value. */
const LITERAL_OR_SIGN =
  /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|([=:]\s*)(?=[\p{L}_$([{])/gu;

/** True if the content contains a secret. References by name and code that computes a secret do not count. */
export function contentHoldsSecret(content: FunctionContent): boolean {
  return holdsSecret(withoutNames(content));
}

/** Removes code such as `token = next()` and `password: string`, which only looks like a secret. */
function plainCode(text: string): string {
  const named = text.replaceAll(REFERENCE, "");
  return named.replaceAll(LITERAL_OR_SIGN, (all, _literal, sign?: string) =>
    sign === undefined ? all : `${sign},`,
  );
}

function withoutNames({ code, ...content }: FunctionContent): FunctionContent {
  if (!code) return content;
  const plain = {
    ...code,
    source: plainCode(code.source),
    tests: plainCode(code.tests),
    grants: code.grants.filter((grant) => !SecretGrant.safeParse(grant).success),
  };
  return { ...content, code: plain };
}

function distinct<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)];
}
