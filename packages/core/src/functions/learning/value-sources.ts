import type { ValueProvenance } from "../../contract/function.ts";
import { placeholder, type Source } from "../../contract/placeholders.ts";
import { capitalize } from "../../text/format.ts";
import type { ComposedValue } from "./compose-steps.ts";
import { knownOutputs, type OutputValue } from "./known-outputs.ts";
import { leavesOf } from "./leaves.ts";
import type { FactsOf, MadeCall } from "./learnable-run.ts";
import type { ParameterTable } from "./parameter-table.ts";
import type { PromptSpan } from "./prompt-spans.ts";
import { holds } from "./text-pieces.ts";

export interface Templating {
  request: string;
  calls: readonly MadeCall[];
  spans: readonly PromptSpan[];
  /** What the person said when the run asked. */
  answers: readonly string[];
  today: string;
  table: ParameterTable;
  factsOf: FactsOf;
}

/** Where a value stands. */
export interface Place {
  skill: string;
  arg: string;
  index: number;
  isPath: boolean;
  /** True for a value inside of an argument: a list's element, an object's field. */
  isInside: boolean;
}

/** Words that are looked for inside of longer text. */
const MOST_WORDS_WITHIN = 4;

/**
 * What the values of one run come from: words of the request, answers and outputs. Records for every value where it comes
 * from, and makes the parameters.
 */
export class ValueSources {
  readonly #run: Templating;
  readonly outputs: ReturnType<typeof knownOutputs>;
  readonly provenance: ValueProvenance[] = [];
  /** Outputs that were taken as the only element of a list, by the number of their step. */
  readonly onlyOnes: { step: number; list: string }[] = [];
  /** Whole texts that a model made up, of no other source. */
  readonly composedTexts: ComposedValue[] = [];
  /**
   * Words that may be found inside of a path: names, or, where the run has none, what is said of several things. Of
   * "the Blue team" the name is what may be another one.
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
        value.split(/\s+/).length <= MOST_WORDS_WITHIN &&
        type !== "date",
    );
    const times = ({ value }: PromptSpan): number =>
      texts.filter((text) => holds(text, String(value))).length;
    const named = findable.filter((span) => span.kind === "named" && times(span) > 0);
    this.within = named.length > 0 ? named : findable.filter((span) => times(span) > 1);
  }

  get run(): Templating {
    return this.#run;
  }

  note({ index, arg }: Pick<Place, "index" | "arg">, from: ValueProvenance["from"], detail: string): void {
    const step = index + 1;
    const known = this.provenance.some(
      (one) => one.step === step && one.argument === arg && one.from === from && one.detail === detail,
    );
    if (!known) this.provenance.push({ step, argument: arg, from, detail });
  }

  fromRequest(source: Source, place: Place): string {
    this.note(place, "request", "from your request");
    return placeholder(source);
  }

  fromOutput({ source, onlyOneOf }: OutputValue, place: Place): string {
    if (onlyOneOf !== undefined) this.onlyOnes.push({ step: source.step, list: onlyOneOf });
    this.note(place, "output", `what step ${String(source.step)} found (${source.field})`);
    return placeholder(source);
  }

  composed(place: Place, type: "string" | "number", why = "composed by the model"): string {
    this.note(place, "composed", why);
    return placeholder({ kind: "parameter", name: this.#run.table.addComposed(place.arg, type) });
  }

  composedText(value: string, place: Place): string {
    this.note(place, "composed", "composed by the model");
    const name = this.#run.table.addComposed(place.arg);
    if (!place.isInside) this.composedTexts.push({ index: place.index, arg: place.arg, name, value });
    return placeholder({ kind: "parameter", name });
  }

  /** The words of the request that are exactly this value. */
  verbatim(value: string, place: Place): Source | undefined {
    return this.#parameterFor(
      this.#run.spans.filter((span) => span.value === value),
      place,
    );
  }

  /** The words of the request that mean this value: a path may be said without its root. */
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

  /** "Water the rose", where the request says "water the rose". */
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
    { arg, skill }: Pick<Place, "arg" | "skill">,
  ): Source | undefined {
    const span = fitting.find(({ kind }) => kind === "named") ?? fitting[0];
    if (span === undefined) return undefined;
    const name = this.#run.table.addFromSpan(span, arg, `The ${arg} for ${skill}.`);
    return name === undefined ? undefined : { kind: "parameter", name };
  }
}
