import { copy } from "./copy.ts";
import type { Expectation, Recipe } from "@metahuman/core/contract/function";
import type { SkillCard, SkillInput } from "@metahuman/core/contract/skill";
import { looseValue, placeholderProblem, readArgument, renumbered, valueText } from "./call-values.ts";

type Action = Recipe["actions"][number];

/** What has to hold of a call's outcome, as it is typed. */
export interface ExpectationLine {
  key: number;
  field: string;
  is: Expectation["is"];
  text: string;
  /** What it was made of: it stands for that as long as it is not changed. */
  kept?: Expectation;
}

/** A call of a recipe, as it is typed. */
export interface CallLine {
  key: number;
  skill: string;
  /** What is typed for each argument, by its name. */
  texts: Record<string, string>;
  /** The values that texts were made of: an unchanged text stands for its value. */
  kept: Readonly<Record<string, unknown>>;
  expect: ExpectationLine[];
}

/** The calls of a recipe under edit, and the words that ask for them. */
export class RecipeDraft {
  calls = $state<CallLine[]>([]);
  /** The requests it answers to, one a line. */
  templates = $state("");
  /** The skills that are installed, once they are known. */
  skills = $state.raw<readonly SkillCard[]>([]);
  /** It was to be saved: what is missing is told as well. */
  tried = $state(false);

  readonly #parameters: () => readonly string[];
  #keys = 0;

  /** `parameters` are the names of the function's parameters as they stand. */
  constructor(parameters: () => readonly string[]) {
    this.#parameters = parameters;
  }

  take(recipe: Recipe | undefined): void {
    this.templates = recipe?.promptTemplates.join("\n") ?? "";
    this.calls = (recipe?.actions ?? []).map((action) => this.#call(action));
    this.tried = false;
  }

  add(): void {
    this.calls.push(this.#call({ skill: "", args: {}, expect: [] }));
  }

  /** Moves a call up or down by one place; what others take from it, they go on taking from it. */
  move(from: number, by: -1 | 1): void {
    const to = from + by;
    const [call] = to < 0 || to >= this.calls.length ? [] : this.calls.splice(from, 1);
    if (!call) return;
    this.calls.splice(to, 0, call);
    this.#renumber((step) => (step === from + 1 ? to + 1 : step === to + 1 ? from + 1 : step));
  }

  /** Takes a call away. What took something from it is then told as wrong. */
  remove(at: number): void {
    this.calls.splice(at, 1);
    this.#renumber((step, own) => (step === at + 1 ? own : step > at + 1 ? step - 1 : step));
  }

  /** Lets a call use another skill; what that one does not take, or give, goes. */
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

  /** The arguments of a call: those it has and those its skill cannot do without, and those it could have besides. */
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

  /** The recipe as it stands. */
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

  /** What is wrong with a field: of a call's `skill`, of one of its arguments, of what is expected of it. */
  problem(call: CallLine, field: string): string | undefined {
    const place = `${call.key} ${field}`;
    return this.#wrong[place] ?? (this.tried ? this.#missing[place] : undefined);
  }

  /** How many fields cannot stay as they are. */
  readonly faults = $derived.by(
    () =>
      Object.keys(this.#wrong).length + Object.keys(this.#missing).length + (this.calls.length === 0 ? 1 : 0),
  );

  readonly #wrong = $derived.by(() => {
    const skills = this.calls.map(({ skill }) => skill);
    const known = { parameters: this.#parameters(), card: (skill: string) => this.card(skill) };
    const wrong: Record<string, string> = {};
    for (const [at, call] of this.calls.entries()) {
      const report = (field: string, problem: string | undefined) => {
        if (problem !== undefined) wrong[`${call.key} ${field}`] = problem;
      };
      if (call.skill !== "" && this.skills.length > 0 && !this.card(call.skill))
        report("skill", copy.skillMissing(call.skill));
      for (const name of this.#names(call)) {
        const read = this.#argument(call, name);
        if (read) report(name, read.problem ?? placeholderProblem(read.value, at, skills, known));
      }
      for (const line of call.expect)
        report(`then ${line.key}`, placeholderProblem(expectationOf(line).value, at, skills, known));
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

  /** What an argument is; nothing where it is left out. An empty text is left out unless it was there before. */
  #argument(call: CallLine, name: string): ReturnType<typeof readArgument> | undefined {
    const text = call.texts[name];
    if (text === undefined) return undefined;
    if (Object.hasOwn(call.kept, name) && text === valueText(call.kept[name]))
      return { value: call.kept[name] };
    const input = this.card(call.skill)?.inputs.find((one) => one.name === name);
    if (text === "" && !(input?.required && input.type === "string")) return undefined;
    return readArgument(text, input);
  }

  #names({ kept, texts }: CallLine): string[] {
    return [...new Set([...Object.keys(kept), ...Object.keys(texts)])];
  }

  #renumber(numberOf: (step: number, own: number) => number): void {
    for (const [at, call] of this.calls.entries()) {
      const again = (text: string) => renumbered(text, (step) => numberOf(step, at + 1));
      for (const [name, text] of Object.entries(call.texts)) call.texts[name] = again(text);
      for (const line of call.expect) line.text = again(line.text);
    }
  }

  #call({ skill, args, expect }: Action): CallLine {
    return {
      key: (this.#keys += 1),
      skill,
      texts: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, valueText(value)])),
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
  // Patterns and names of types are text, whatever they look like.
  return { field: field.trim(), is, value: is === "equals" ? looseValue(text) : text };
}

function expectedText({ value }: Expectation): string {
  return value === undefined ? "" : valueText(value);
}
