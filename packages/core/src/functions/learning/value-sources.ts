import type { ValueProvenance } from "../../contract/function.ts";
import { placeholder, type Source } from "../../contract/placeholders.ts";
import { capitalize } from "../../text/format.ts";
import type { ComposedValue } from "./compose-steps.ts";
import { describeFoundPath, describeParameter } from "./parameters.ts";
import { knownOutputs, type OutputValue } from "./known-outputs.ts";
import { leavesOf } from "./leaves.ts";
import type { FactsOf, MadeCall } from "./learnable-run.ts";
import type { ParameterTable } from "./parameter-table.ts";
import type { PromptSpan } from "./prompt-spans.ts";
import { containsWords } from "./text-pieces.ts";

export interface Templating {
  request: string;
  calls: readonly MadeCall[];
  spans: readonly PromptSpan[];
  /** The person's answers to questions of the run. */
  answers: readonly string[];
  today: string;
  table: ParameterTable;
  factsOf: FactsOf;
}

/** The position of a value in a call. */
export interface Place {
  skill: string;
  arg: string;
  /** The name for a parameter: that of the argument, or of the field of a record in it. */
  name: string;
  index: number;
  isPath: boolean;
  /** True for a value inside an argument: an element of a list or a field of an object. */
  isInside: boolean;
}

/** The maximum number of words in a value that is searched for inside longer text. */
const MAX_WORDS_WITHIN = 4;

/**
 * Finds the sources of the values of one run (words of the request, answers, outputs), records them, and creates the
 * parameters.
 */
export class ValueSources {
  readonly #run: Templating;
  readonly outputs: ReturnType<typeof knownOutputs>;
  readonly provenance: ValueProvenance[] = [];
  /** Outputs that were used as the only element of a list, by step number. */
  readonly singleItems: { step: number; list: string }[] = [];
  /** Complete texts that a model composed and that have no other source. */
  readonly composedTexts: ComposedValue[] = [];
  /** Every value that a model composed, by its parameter. */
  readonly composedValues: Record<string, unknown> = {};
  /**
   * Words that may occur inside a path: names, or the nouns for several things if the run contains no names. In "the
   * Blue team", only the name may vary.
   */
  readonly within: readonly PromptSpan[];

  constructor(run: Templating) {
    this.#run = run;
    this.outputs = knownOutputs(run.calls, run);
    const texts = run.calls.flatMap(({ args }) =>
      leavesOf(args).flatMap(({ value }) => (typeof value === "string" ? [value] : [])),
    );
    const findable = run.spans.filter(
      ({ value, type }) =>
        typeof value === "string" &&
        value.length > 1 &&
        value.split(/\s+/).length <= MAX_WORDS_WITHIN &&
        type !== "date",
    );
    const times = ({ value }: PromptSpan): number =>
      texts.filter((text) => containsWords(text, String(value))).length;
    const named = findable.filter((span) => span.kind === "named" && times(span) > 0);
    this.within = named.length > 0 ? named : findable.filter((span) => times(span) > 1);
  }

  get run(): Templating {
    return this.#run;
  }

  note({ index, arg }: Pick<Place, "index" | "arg">, from: ValueProvenance["from"], detail: string): void {
    const step = index + 1;
    const isKnown = this.provenance.some(
      (one) => one.step === step && one.argument === arg && one.from === from && one.detail === detail,
    );
    if (!isKnown) this.provenance.push({ step, argument: arg, from, detail });
  }

  fromRequest(source: Source, place: Place): string {
    this.note(place, "request", "from your request");
    return placeholder(source);
  }

  fromOutput({ source, onlyOneOf }: OutputValue, place: Place): string {
    if (onlyOneOf !== undefined) this.singleItems.push({ step: source.step, list: onlyOneOf });
    this.note(place, "output", `what step ${String(source.step)} found (${source.field})`);
    return placeholder(source);
  }

  composed(value: string | number, place: Place, why = "composed by the model"): string {
    this.note(place, "composed", why);
    return this.#composedParameter(value, this.#run.table.addComposed(place.name));
  }

  #composedParameter(value: string | number, name: string): string {
    this.composedValues[name] = value;
    return placeholder({ kind: "parameter", name });
  }

  /** A path that the model chose, with the one of this run as an example. */
  composedPath(path: string, place: Place, why: string): string {
    this.note(place, "composed", why);
    const description = describeFoundPath(place.name, place.skill, path);
    return this.#composedParameter(path, this.#run.table.addFoundPath(place.name, description));
  }

  composedText(value: string, place: Place): string {
    this.note(place, "composed", "composed by the model");
    // A single word may be equal by chance.
    const isOneWord = !/\S\s+\S/u.test(value);
    const known = isOneWord ? undefined : this.composedTexts.find((one) => one.value === value);
    const name = known?.name ?? this.#run.table.addComposed(place.name);
    if (!place.isInside) this.composedTexts.push({ index: place.index, arg: place.arg, name, value });
    return this.#composedParameter(value, name);
  }

  /** Calls `find`, and removes the parameters and origins that it recorded if it returns undefined. */
  attempt<Found>(find: () => Found | undefined): Found | undefined {
    const restoreParameters = this.#run.table.savepoint();
    const [origins, items] = [this.provenance.length, this.singleItems.length];
    const found = find();
    if (found === undefined) {
      restoreParameters();
      this.provenance.splice(origins);
      this.singleItems.splice(items);
    }
    return found;
  }

  /** The words of the request that are equal to this value. */
  verbatim(value: string, place: Place): Source | undefined {
    return this.#parameterFor(
      this.#run.spans.filter((span) => span.value === value),
      place,
    );
  }

  /** The words of the request that mean this value. A path may be given without its root. */
  whole(value: unknown, place: Place): Source | undefined {
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    const bare = place.isPath && typeof value === "string" ? value.replace(/^out\//, "") : value;
    return this.#parameterFor(
      this.#run.spans.filter((span) => {
        if (typeof value === "number") return span.value === value;
        if (span.value === value) return true;
        return span.type === "path" && (span.value === bare || span.value === `${String(bare)}/`);
      }),
      place,
    );
  }

  /** A value that differs from the words of the request by its capital letter only. */
  withCapital(value: string, place: Place): Source | undefined {
    if (place.isPath) return undefined;
    const source = this.#parameterFor(
      this.#run.spans.filter((span) => typeof span.value === "string" && capitalize(span.value) === value),
      place,
    );
    return source?.kind === "parameter" ? { ...source, form: "capital" } : undefined;
  }

  #parameterFor(
    fitting: readonly PromptSpan[],
    { name: preferredName, skill }: Pick<Place, "name" | "skill">,
  ): Source | undefined {
    const isNamed = ({ kind }: PromptSpan): boolean => kind === "named";
    const spans = [...fitting.filter(isNamed), ...fitting.filter((span) => !isNamed(span))];
    for (const span of spans) {
      const name = this.#run.table.addFromSpan(span, preferredName, describeParameter(preferredName, skill));
      if (name !== undefined) return { kind: "parameter", name };
    }
    return undefined;
  }
}
