import { copy } from "./copy.ts";
import type { Expectation, Recipe } from "@metahuman/core/contract/function";
import type { SkillCard, SkillInput } from "@metahuman/core/contract/skill";
import { asText } from "@metahuman/core/text/format";
import { looseValue, placeholderProblem, readArgument, renumbered } from "./call-values.ts";

type Action = Recipe["actions"][number];

/** An expectation about the outcome of a call, as typed. */
export interface ExpectationLine {
  key: number;
  field: string;
  is: Expectation["is"];
  text: string;
  /** The expectation from which the line was created; it is used while the line is unchanged. */
  kept?: Expectation;
}

/** A call of a recipe, as typed. */
export interface CallLine {
  key: number;
  skill: string;
  /** The text typed for each argument, by name. */
  texts: Record<string, string>;
  /** The values from which the texts were created: an unchanged text keeps its value. */
  kept: Readonly<Record<string, unknown>>;
  expect: ExpectationLine[];
}

/** The calls of an edited recipe, and the requests for it. */
export class RecipeDraft {
  calls = $state<CallLine[]>([]);
  /** The requests that it matches, one per line. */
  templates = $state("");
  /** The installed skills, once loaded. */
  skills = $state.raw<readonly SkillCard[]>([]);
  /** Whether saving was attempted: from then on, missing values are shown as problems. */
  isSubmitted = $state(false);

  readonly #parameters: () => readonly string[];
  #keys = 0;

  /** `parameters` are the current names of the function's parameters. */
  constructor(parameters: () => readonly string[]) {
    this.#parameters = parameters;
  }

  take(recipe: Recipe | undefined): void {
    this.templates = recipe?.promptTemplates.join("\n") ?? "";
    this.calls = (recipe?.actions ?? []).map((action) => this.#call(action));
    this.isSubmitted = false;
  }

  add(): void {
    this.calls.push(this.#call({ skill: "", args: {}, expect: [] }));
  }

  /** Moves a call up or down by one; other calls keep their references to it. */
  move(from: number, by: -1 | 1): void {
    const to = from + by;
    const [call] = to < 0 || to >= this.calls.length ? [] : this.calls.splice(from, 1);
    if (!call) return;
    this.calls.splice(to, 0, call);
    this.#renumber((step) => (step === from + 1 ? to + 1 : step === to + 1 ? from + 1 : step));
  }

  /** Removes a call. References to it become problems. */
  remove(index: number): void {
    this.calls.splice(index, 1);
    this.#renumber((step, own) => (step === index + 1 ? own : step > index + 1 ? step - 1 : step));
  }

  /** Sets the skill of a call; arguments and references that the skill does not have are removed. */
  choose(call: CallLine, skill: string): void {
    const { inputs = [], outputs = [] } = this.card(skill) ?? {};
    const names = new Set(inputs.map(({ name }) => name));
    call.skill = skill;
    call.texts = Object.fromEntries(Object.entries(call.texts).filter(([name]) => names.has(name)));
    call.kept = Object.fromEntries(Object.entries(call.kept).filter(([name]) => names.has(name)));
    call.expect = call.expect.filter(({ field }) => outputs.includes(field.split(".")[0] ?? ""));
  }

  expectMore(call: CallLine): void {
    call.expect.push({ key: (this.#keys += 1), field: "", is: "present", text: "" });
  }

  card(skill: string): SkillCard | undefined {
    return this.skills.find(({ id }) => id === skill);
  }

  /** The arguments of a call: those that are set or required, and the other possible ones. */
  inputsOf({ skill, kept }: CallLine): { shown: SkillInput[]; more: SkillInput[] } {
    const known = this.card(skill)?.inputs ?? [];
    const own = Object.keys(kept).filter((name) => !known.some((input) => input.name === name));
    return {
      shown: [
        ...known.filter(({ name, required }) => required || Object.hasOwn(kept, name)),
        ...own.map((name) => ({ name, type: "any", required: false })),
      ],
      more: known.filter(({ name, required }) => !required && !Object.hasOwn(kept, name)),
    };
  }

  /** The recipe as typed. */
  recipe(): Recipe {
    return {
      promptTemplates: this.templates
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean),
      actions: this.calls.map((call) => ({
        skill: call.skill,
        args: Object.fromEntries(
          this.#names(call).flatMap((name) => {
            const read = this.#argument(call, name);
            return read === undefined
              ? []
              : [[name, read.problem === undefined ? read.value : call.texts[name]]];
          }),
        ),
        expect: call.expect.map(expectationOf),
      })),
    };
  }

  /** The problem of a field: the `skill` of a call, an argument, or an expectation. */
  problem(call: CallLine, field: string): string | undefined {
    const key = `${call.key} ${field}`;
    return this.#wrong[key] ?? (this.isSubmitted ? this.#missing[key] : undefined);
  }

  /** The number of fields with problems. */
  readonly problemCount = $derived.by(
    () =>
      Object.keys(this.#wrong).length + Object.keys(this.#missing).length + (this.calls.length === 0 ? 1 : 0),
  );

  readonly #wrong = $derived.by(() => {
    const skills = this.calls.map(({ skill }) => skill);
    const known = { parameters: this.#parameters(), card: (skill: string) => this.card(skill) };
    const wrong: Record<string, string> = {};
    for (const [index, call] of this.calls.entries()) {
      const report = (field: string, problem: string | undefined) => {
        if (problem !== undefined) wrong[`${call.key} ${field}`] = problem;
      };
      if (call.skill !== "" && this.skills.length > 0 && !this.card(call.skill))
        report("skill", copy.skillMissing(call.skill));
      for (const name of this.#names(call)) {
        const read = this.#argument(call, name);
        if (read) report(name, read.problem ?? placeholderProblem(read.value, index, skills, known));
      }
      for (const line of call.expect)
        report(`then ${line.key}`, placeholderProblem(expectationOf(line).value, index, skills, known));
    }
    return wrong;
  });

  readonly #missing = $derived.by(() => {
    const missing: Record<string, string> = {};
    for (const call of this.calls) {
      if (call.skill === "") missing[`${call.key} skill`] = copy.chooseSkill;
      for (const { name, required } of this.card(call.skill)?.inputs ?? [])
        if (required && !this.#argument(call, name)) missing[`${call.key} ${name}`] = copy.required;
      for (const { key, field } of call.expect)
        if (field.trim() === "") missing[`${call.key} then ${key}`] = copy.chooseField;
    }
    return missing;
  });

  /** The value of an argument; undefined if it is omitted. An empty text is omitted unless it was saved as empty. */
  #argument(call: CallLine, name: string): ReturnType<typeof readArgument> | undefined {
    const text = call.texts[name];
    if (text === undefined) return undefined;
    if (Object.hasOwn(call.kept, name) && text === asText(call.kept[name])) return { value: call.kept[name] };
    const input = this.card(call.skill)?.inputs.find((one) => one.name === name);
    if (text === "" && !(input?.required && input.type === "string")) return undefined;
    return readArgument(text, input);
  }

  #names({ kept, texts }: CallLine): string[] {
    return [...new Set([...Object.keys(kept), ...Object.keys(texts)])];
  }

  #renumber(numberOf: (step: number, own: number) => number): void {
    for (const [index, call] of this.calls.entries()) {
      const again = (text: string) => renumbered(text, (step) => numberOf(step, index + 1));
      for (const [name, text] of Object.entries(call.texts)) call.texts[name] = again(text);
      for (const line of call.expect) line.text = again(line.text);
    }
  }

  #call({ skill, args, expect }: Action): CallLine {
    return {
      key: (this.#keys += 1),
      skill,
      texts: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, asText(value)])),
      kept: args,
      expect: expect.map((kept) => ({
        key: (this.#keys += 1),
        field: kept.field,
        is: kept.is,
        text: expectedText(kept),
        kept,
      })),
    };
  }
}

function expectationOf({ field, is, text, kept }: ExpectationLine): Expectation {
  if (kept && field === kept.field && is === kept.is && text === expectedText(kept)) return kept;
  if (is === "present") return { field: field.trim(), is };
  // Patterns and names of types are always text.
  return { field: field.trim(), is, value: is === "equals" ? looseValue(text) : text };
}

function expectedText({ value }: Expectation): string {
  return value === undefined ? "" : asText(value);
}
