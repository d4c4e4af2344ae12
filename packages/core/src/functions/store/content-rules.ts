import type { FunctionContent, NewFunction } from "../../contract/function.ts";
import { SecretGrant } from "../../contract/grants.ts";
import { InvalidArgsError } from "../../errors/request-errors.ts";
import { redact } from "../../log/redact.ts";
import { canonicalJson } from "../../runs/canonical-json.ts";

/** Completes what was left out of a new function; its name is found by the store. */
export function completed(draft: NewFunction, name: string): FunctionContent {
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
    kind: draft.kind ?? strengthOf(draft),
    ...(recipe && { recipe }),
    ...(code && { code }),
    ...(provenance && { provenance }),
  };
}

/** The strongest form that the content has. */
export function strengthOf({ recipe, code }: Pick<NewFunction, "recipe" | "code">): FunctionContent["kind"] {
  return code ? "code" : recipe ? "recipe" : "guide";
}

/**
 * Throws `InvalidArgsError` for content that contradicts itself, and for content that holds a secret: functions are
 * files that people read, search, export and put into prompts.
 */
export function assertSound(content: FunctionContent): void {
  const { kind, recipe, code, parameters } = content;
  if (kind === "recipe" && !recipe) throw new InvalidArgsError("A function of kind recipe needs a recipe.");
  if (kind === "code" && !code) throw new InvalidArgsError("A function of kind code needs code.");
  const names = parameters.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new InvalidArgsError(`The parameter ${twice} is there twice.`);
  if (holdsSecret(content)) {
    throw new InvalidArgsError("The function holds something that looks like a password, key or token.", {
      suggestions: ["Take it out and let the function ask for it, or read it from the environment."],
    });
  }
}

/** The name of a secret, in the place that it is filled into, with the scheme that stands before it in a header. */
const REFERENCE = /(?:\b(?:[Bb]earer|[Bb]asic|[Dd]igest|[Tt]oken)\s+)?\$\{secret:[A-Z_][A-Z0-9_]{0,63}\}/gu;

/** Strings, templates and comments of TypeScript, or else what stands before a value that is written as none of these. */
const LITERAL_OR_SIGN =
  /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|([=:]\s*)(?=[\p{L}_$([{])/gu;

/** Whether some text in it looks like a secret. The names of secrets are none, nor is code that computes one. */
export function holdsSecret(content: FunctionContent): boolean {
  const plain = withoutNames(content);
  return canonicalJson(redact(plain)) !== canonicalJson(plain);
}

/** Code in which `token = next()` and `password: string` no longer look like a word and its secret. */
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
