import type { FunctionMemory, FunctionParameter } from "../../contract/function.ts";
import { afterFiller, trailingFiller } from "../../language/tokens/filler-phrases.ts";
import { compileSkill, fits, grammarOf, type Grammar } from "../../language/grammar/grammar.ts";
import type { SkillGrammar, Slot } from "../../language/grammar/phrase.ts";
import { type Pattern, TemplateError } from "../../language/grammar/template.ts";
import { tokenize, type Token } from "../../language/tokens/tokens.ts";

/** One way to ask for a function, in the terms of the grammar. */
export interface PromptTemplate {
  /** The one phrase; the list is what the grammar is compiled for. */
  skillGrammars: readonly [SkillGrammar];
  grammar: Grammar;
  /** The words that a request must have, each in some form. */
  required: readonly (Pattern & { kind: "word" })[];
  /** How many words of a request the template itself explains, and which. */
  literals: number;
  words: ReadonlySet<string>;
  /** Names of files and quotations that must stand in the request exactly so, by the slot that reads them. */
  fixed: Readonly<Record<string, string>>;
  /** Slots of parameters that stand in it a second time, by the slot that must say the same. */
  repeated: Readonly<Record<string, string>>;
  /** The parameters it binds. */
  binds: readonly string[];
}

/** `${name}` or `{name}`. */
const SLOT = /\$?\{\s*([A-Za-z]\w*)\s*\}/g;
/** What stands for a slot while the words around it are read; a word that nobody writes. */
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
 * The prompt templates of a function, and those its examples amount to; compiled once for each read of its file. Left
 * out is what the grammar cannot read: one that begins with a slot, or has a slot for a list or an object.
 */
export function promptTemplates(
  content: Pick<FunctionMemory, "parameters" | "recipe" | "examples">,
): readonly PromptTemplate[] {
  const templates = known.get(content.parameters) ?? readTemplates(content);
  known.set(content.parameters, templates);
  return templates;
}

/** False when a word of the template is in none of the tokens, in no form: then the grammar cannot read them by it. */
export function mayMatch({ grammar, required }: PromptTemplate, tokens: readonly Token[]): boolean {
  return required.every((word) => tokens.some((token) => fits(grammar, token, word, false) !== undefined));
}

function readTemplates(
  content: Pick<FunctionMemory, "parameters" | "recipe" | "examples">,
): PromptTemplate[] {
  const said = [...(content.recipe?.promptTemplates ?? []), ...content.examples.flatMap(exampleTemplate)];
  return [...new Set(said)].flatMap((text) => compiled(text, content.parameters) ?? []);
}

/** An example's prompt with its parameters' values as slots; none when a value is not in it. */
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

function compiled(text: string, parameters: readonly FunctionParameter[]): PromptTemplate | undefined {
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

/** How people begin and end an order is no part of it. */
function withoutFiller(tokens: readonly Token[]): readonly Token[] {
  const { at } = afterFiller(tokens, 0, tokens.length);
  const kept = tokens.slice(at);
  for (let end = 1; end <= kept.length; end++)
    if (trailingFiller(kept, end, kept.length) !== undefined) return kept.slice(0, end);
  return kept;
}
