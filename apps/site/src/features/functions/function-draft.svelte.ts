import type { CodeDraft } from "@metahuman/core/contract/curation";
import type { CodeToInspect } from "@metahuman/core/contract/code-inspection";
import type {
  FunctionContent,
  FunctionExample,
  FunctionKind,
  FunctionMemory,
  FunctionParameter,
  NewFunction,
  FunctionCode,
  Recipe,
} from "@metahuman/core/contract/function";
import { skillGrants } from "@metahuman/core/contract/code-grants";
import { stepOfCall } from "@metahuman/core/text/step-of-call";
import { RecipeDraft } from "./recipe-draft.svelte.ts";

/** A line of an edited list: its key stays the same when it moves. */
export interface Line {
  key: number;
  text: string;
}

interface ExampleLine extends Line {
  /** The other fields of the example, preserved while its words stay the same. */
  kept?: FunctionExample;
}

/** The editable fields; a missing one stays unchanged. */
type Change = Partial<Omit<FunctionContent, "name">>;

interface ParameterLine {
  key: number;
  parameter: FunctionParameter;
}

/** The draft of a function: a new one, or changes to a version. */
export class FunctionDraft {
  title = $state("");
  summary = $state("");
  tags = $state("");
  skills = $state("");
  kind = $state<FunctionKind>("guide");
  source = $state(CODE_TEMPLATE.source);
  tests = $state(CODE_TEMPLATE.tests);
  /** The skills and secrets that the code may use, separated by commas. */
  grants = $state("");
  steps = $state<Line[]>([]);
  examples = $state<ExampleLine[]>([]);
  parameters = $state<ParameterLine[]>([]);
  readonly parameterNames = $derived.by(() => this.parameters.map(({ parameter }) => parameter.name));
  readonly recipe = new RecipeDraft(() => this.parameterNames);
  /** The edited version; absent for a new function. */
  base = $state.raw<FunctionMemory>();

  readonly isCode = $derived(this.kind === "code");
  readonly hasCalls = $derived.by(() => this.kind === "recipe" || this.base?.recipe !== undefined);
  /** Whether its calls were changed to an invalid state. */
  readonly callsAreFaulty = $derived.by(
    () =>
      this.hasCalls && this.recipe.problemCount > 0 && isDifferent(this.recipe.recipe(), this.base?.recipe),
  );

  /** The name of a new function if it is already chosen; otherwise it is derived from the title. */
  #name: string | undefined;

  /** Whether there are unsaved changes. */
  readonly dirty = $derived.by(() => JSON.stringify(this.#content()) !== this.#clean);

  #clean = $state("");
  #keys = 0;

  constructor(base?: FunctionMemory) {
    this.take(base);
  }

  /** Starts from a version, or empty. */
  take(base: FunctionMemory | undefined): void {
    this.base = base;
    this.title = base?.title ?? "";
    this.summary = base?.summary ?? "";
    this.tags = base?.tags.join(", ") ?? "";
    this.skills = base?.skillsUsed.join(", ") ?? "";
    this.kind = base?.kind ?? "guide";
    this.recipe.take(base?.recipe);
    this.source = base?.code?.source ?? CODE_TEMPLATE.source;
    this.tests = base?.code?.tests ?? CODE_TEMPLATE.tests;
    this.grants = (base?.code?.grants ?? []).join(", ");
    this.steps = (base?.steps ?? [""]).map((text) => this.#line(text));
    this.examples = (base?.examples ?? []).map((kept) => ({ ...this.#line(kept.prompt), kept }));
    this.parameters = (base?.parameters ?? []).map((parameter) => this.#parameter(parameter));
    this.#clean = JSON.stringify(this.#content());
  }

  /** Rebases the draft onto a newer version: all fields as typed, or only the changed ones. */
  rebase(newer: FunctionMemory, what: "changes" | "all"): void {
    const changed = this.change();
    const typed = what === "all" ? { ...newer, ...this.#content() } : { ...newer, ...changed };
    this.take(newer);
    const clean = this.#clean;
    this.take(typed);
    this.base = newer;
    this.#clean = clean;
  }

  addStep(after = this.steps.length - 1): void {
    this.steps.splice(after + 1, 0, this.#line(""));
  }

  /** Moves a step up or down by one; a step at the end stays. */
  moveStep(from: number, by: -1 | 1): void {
    const to = from + by;
    const [step] = to < 0 || to >= this.steps.length ? [] : this.steps.splice(from, 1);
    if (step) this.steps.splice(to, 0, step);
  }

  addExample(): void {
    this.examples.push(this.#line(""));
  }

  addParameter(): void {
    this.parameters.push(this.#parameter({ name: "", type: "string", description: "", required: true }));
  }

  /**
   * Sets the kind of a new function. Code starts from a template, and its parameters if there are none; a recipe starts
   * with an empty call.
   */
  choose(kind: FunctionKind): void {
    this.kind = kind;
    if (kind === "recipe" && this.recipe.calls.length === 0) this.recipe.add();
    const isTemplate = this.source === CODE_TEMPLATE.source;
    const names = this.parameters.map(({ parameter }) => parameter.name).join();
    const templateNames = TEMPLATE_PARAMETERS.map(({ name }) => name).join();
    if (this.isCode && isTemplate && names === "")
      this.parameters = TEMPLATE_PARAMETERS.map((parameter) => this.#parameter(parameter));
    if (!this.isCode && isTemplate && names === templateNames) this.parameters = [];
  }

  /** Applies text that was written elsewhere, as a change that can be discarded. */
  fill({ name, title, description, code, tests, parameters, grants, examplePrompts }: CodeDraft): void {
    this.kind = "code";
    this.source = code;
    this.tests = tests;
    this.parameters = parameters.map((parameter) => this.#parameter(parameter));
    if (grants) this.grants = grants.join(", ");
    if (this.base) return;
    this.#name = name;
    this.title = title ?? name.replaceAll("-", " ");
    this.summary = description;
    this.examples = examplePrompts.map((prompt) => this.#line(prompt));
  }

  /** Grants the code one more skill. */
  grant(skill: string): void {
    this.grants = [...listed(this.grants), skill].join(", ");
  }

  /** The code as typed, for checks. */
  readonly inspected = $derived.by((): CodeToInspect => ({
    source: this.source,
    tests: this.tests,
    grants: listed(this.grants),
    parameters: $state.snapshot(this.parameters).map(({ parameter }) => parameter),
  }));

  /** The content of a new function. */
  created(): NewFunction {
    return { ...(this.#name !== undefined && { name: this.#name }), ...this.#content() };
  }

  /** The fields that differ from the base version. */
  change(): Change {
    const now = this.#content();
    const before = this.base;
    if (!before) return now;
    const change: Change = {};
    if (now.title !== before.title) change.title = now.title;
    if (now.summary !== before.summary) change.summary = now.summary;
    if (isDifferent(now.tags, before.tags)) change.tags = now.tags;
    if (isDifferent(now.steps, before.steps)) change.steps = now.steps;
    if (isDifferent(now.skillsUsed, before.skillsUsed)) change.skillsUsed = now.skillsUsed;
    if (isDifferent(now.parameters, before.parameters)) change.parameters = now.parameters;
    if (isDifferent(now.examples, before.examples)) change.examples = now.examples;
    if (now.kind !== before.kind) change.kind = now.kind;
    if (now.recipe && isDifferent(now.recipe, before.recipe)) change.recipe = now.recipe;
    if (now.code && isDifferent(now.code, before.code)) change.code = now.code;
    return change;
  }

  #content() {
    const { base } = this;
    const grants = listed(this.grants);
    const recipe = this.hasCalls ? this.recipe.recipe() : undefined;
    const code = { ...(base?.code ?? CODE_TEMPLATE), source: this.source, tests: this.tests, grants };
    // The grants of code and the calls of a recipe already name the skills: a second list could differ.
    const skills = usedBy({ kind: this.kind, recipe, grants });
    const before = base && usedBy({ ...base, grants: base.code?.grants ?? [] });
    const typedSteps = this.steps.map(({ text }) => text.trim()).filter(Boolean);
    return {
      title: this.title.trim(),
      summary: this.summary.trim(),
      tags: listed(this.tags),
      steps: this.kind === "recipe" && recipe ? this.#stepsOf(recipe) : typedSteps,
      skillsUsed: skills && isDifferent(skills, before) ? skills : listed(this.skills),
      parameters: $state.snapshot(this.parameters).map(({ parameter }) => parameter),
      examples: this.examples
        .filter(({ text }) => text.trim() !== "")
        .map(({ text, kept }) => (kept?.prompt === text.trim() ? kept : { prompt: text.trim() })),
      kind: this.kind,
      ...(recipe && { recipe }),
      ...(this.isCode && { code }),
    };
  }

  /** The steps of a recipe: what its calls do. A call that is not edited keeps its words. */
  #stepsOf({ actions }: Recipe): string[] {
    const { steps = [], recipe: before } = this.base ?? {};
    const earlier = before?.actions ?? [];
    if (before && !isDifferent(actions, earlier)) return steps;
    const wordsOf = new Map(
      steps.length === earlier.length ? earlier.map((call, at) => [callKey(call), steps[at]]) : [],
    );
    return actions
      .filter(({ skill }) => skill !== "")
      .map((call) => {
        const { skill } = call;
        return wordsOf.get(callKey(call)) ?? stepOfCall(call, this.recipe.card(skill)?.summary ?? skill);
      });
  }

  #parameter(parameter: FunctionParameter): ParameterLine {
    return { key: (this.#keys += 1), parameter: { ...parameter } };
  }

  #line(text: string): Line {
    return { key: (this.#keys += 1), text };
  }
}

/** The skills derived from the content; undefined if only a person can tell. */
function usedBy({
  kind,
  recipe,
  grants,
}: Pick<FunctionContent, "kind" | "recipe"> & { grants: readonly string[] }): string[] | undefined {
  switch (kind) {
    case "code":
      return skillGrants(grants);
    case "recipe":
      return [...new Set(recipe?.actions.map(({ skill }) => skill))];
    case "guide":
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** What a step says of a call: its expectations are left out. */
const callKey = ({ skill, args }: Recipe["actions"][number]): string => JSON.stringify([skill, args]);

/** Splits words at commas. */
function listed(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim().replace(/^#/, ""))
    .filter(Boolean);
}

function isDifferent(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

/** The template of a code function: small, typed, tested, and passing every check. */
const CODE_TEMPLATE: FunctionCode = {
  language: "typescript",
  entry: "main",
  source: `interface Parameters {
  name: string;
}

/** Says what it does in a sentence. */
export async function main({ name }: Parameters) {
  // Files, tasks and memory are reached by skills, once granted below:
  // const { content } = await skills.fs_read({ path: "notes/today.md" });
  return { greeting: \`Hello, \${name}!\` };
}
`,
  tests: `assert.deepEqual(await main({ name: "Ada" }), { greeting: "Hello, Ada!" });
`,
  grants: [],
};

const TEMPLATE_PARAMETERS: readonly FunctionParameter[] = [
  { name: "name", type: "string", description: "Whom to greet", required: true },
];
