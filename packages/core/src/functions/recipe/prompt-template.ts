import type { FunctionMemory, FunctionParameter } from "../../contract/function.ts";
import { afterFiller, trailingFiller } from "../../language/tokens/filler-phrases.ts";
import { compileSkill, matchLiteral, grammarOf, type Grammar } from "../../language/grammar/grammar.ts";
import type { SkillGrammar, Slot } from "../../language/grammar/phrase.ts";
import { type Pattern, TemplateError } from "../../language/grammar/template.ts";
import { tokenize, type Token } from "../../language/tokens/tokens.ts";

/** A prompt template, compiled for the grammar. */
export interface PromptTemplate {
  /** A list of one, the form that the grammar compiles. */
  skillGrammars: readonly [SkillGrammar];
  grammar: Grammar;
  /** The words that a request must contain, in any form. */
  required: readonly (Pattern & { kind: "word" })[];
  /** The number of words that the template explains, and the words. */
  literals: number;
  words: ReadonlySet<string>;
  /** Constant file names and quotations, by the slot that reads them. */
  fixed: Readonly<Record<string, string>>;
  /** Second slots of a parameter, by the slot that must have the same value. */
  repeated: Readonly<Record<string, string>>;
  /** The names of its parameters. */
  binds: readonly string[];
}

/** `${name}` or `{name}`. */
const SLOT = /\$?\{\s*([A-Za-z]\w*)\s*\}/g;
/** A word in place of a slot while the template is parsed. It occurs in no request. */
const STAND_IN = "zqslot";
const WORD = /^[\p{L}\p{N}][\p{L}\p{N}'-]*$/u;

const SLOT_TYPES: Readonly<Partial<Record<FunctionParameter["type"], Slot>>> = {
  string: { type: "text" },
  path: { type: "path" },
  date: { type: "date" },
  number: { type: "number" },
};

const known = new WeakMap<object, readonly PromptTemplate[]>();

/**
 * The prompt templates of a function, and those derived from its examples; compiled once per read of its file. Omits
 * templates that the grammar cannot parse: those that begin with a slot, or have a slot for a list or an object.
 */
export function promptTemplates(
  content: Pick<FunctionMemory, "parameters" | "recipe" | "examples">,
): readonly PromptTemplate[] {
  const templates = known.get(content.parameters) ?? readTemplates(content);
  known.set(content.parameters, templates);
  return templates;
}

/** False if a required word of the template occurs in no form, so that the request cannot match. */
export function mayMatch({ grammar, required }: PromptTemplate, tokens: readonly Token[]): boolean {
  return required.every((word) =>
    tokens.some((token) => matchLiteral(grammar, token, word, false) !== undefined),
  );
}

function readTemplates(
  content: Pick<FunctionMemory, "parameters" | "recipe" | "examples">,
): PromptTemplate[] {
  const prompts = [...(content.recipe?.promptTemplates ?? []), ...content.examples.flatMap(exampleTemplate)];
  return [...new Set(prompts)].flatMap((text) => compilePromptTemplate(text, content.parameters) ?? []);
}

/** The prompt of an example with slots in place of its values; empty if a value does not occur in it. */
function exampleTemplate({ prompt, parameters }: FunctionMemory["examples"][number]): string[] {
  if (parameters === undefined) return [];
  let template = prompt;
  const byLength = Object.entries(parameters).toSorted(
    ([, one], [, other]) => String(other).length - String(one).length,
  );
  for (const [name, value] of byLength) {
    const written = typeof value === "string" || typeof value === "number" ? String(value) : "";
    if (written === "" || template.split(written).length !== 2) continue;
    template = template.replace(written, () => `{${name}}`);
  }
  return template === prompt && byLength.length > 0 ? [] : [template];
}

function compilePromptTemplate(
  text: string,
  parameters: readonly FunctionParameter[],
): PromptTemplate | undefined {
  const names: string[] = [];
  const marked = text.replaceAll(SLOT, (_, name: string) => ` ${STAND_IN}${String(names.push(name) - 1)} `);
  const tokens = withoutFiller(tokenize(marked));
  const slots: Record<string, Slot> = {};
  const fixed: Record<string, string> = {};
  const repeated: Record<string, string> = {};
  const pieces: string[] = [];
  const words = new Set<string>();
  let literals = 0;
  for (const token of tokens) {
    const place = token.text.startsWith(STAND_IN) ? Number(token.text.slice(STAND_IN.length)) : -1;
    const name = names[place];
    if (name !== undefined) {
      const slot = SLOT_TYPES[parameters.find((parameter) => parameter.name === name)?.type ?? "object"];
      if (slot === undefined) return undefined;
      const again = slots[name] === undefined ? name : `${name}Again${String(pieces.length)}`;
      if (again !== name) repeated[again] = name;
      slots[again] = slot;
      pieces.push(`{${again}}`);
    } else if (token.kind === "path" || token.kind === "quoted") {
      const literal = `fixed${String(pieces.length)}`;
      slots[literal] = { type: "path" };
      fixed[literal] = token.text;
      literals += 1;
      pieces.push(`{${literal}}`);
    } else if (token.kind === "word" && WORD.test(token.text)) {
      literals += 1;
      words.add(token.text);
      pieces.push(token.text);
    } else if (token.kind !== "mark" || /^[.;!?]$/.test(token.text)) {
      // Several sentences are several clauses; they are read as a plan, or not at all.
      return undefined;
    }
  }
  if (pieces.length === 0) return undefined;
  const skill: SkillGrammar = {
    id: "recipe",
    reads: false,
    phrases: [{ template: pieces.join(" "), slots }],
  };
  try {
    const required = compileSkill(skill).rules.flatMap(({ pattern }) =>
      (pattern.kind === "sequence" ? pattern.parts : [pattern]).filter((part) => part.kind === "word"),
    );
    const binds = Object.keys(slots).filter(
      (name) => fixed[name] === undefined && repeated[name] === undefined,
    );
    const skillGrammars = [skill] as const;
    return {
      skillGrammars,
      grammar: grammarOf(skillGrammars),
      required,
      literals,
      words,
      fixed,
      repeated,
      binds,
    };
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

/** Removes filler phrases at the beginning and the end. */
function withoutFiller(tokens: readonly Token[]): readonly Token[] {
  const { at } = afterFiller(tokens, 0, tokens.length);
  const kept = tokens.slice(at);
  for (let end = 1; end <= kept.length; end++)
    if (trailingFiller(kept, end, kept.length) !== undefined) return kept.slice(0, end);
  return kept;
}
