import type { FunctionParameter } from "../../contract/function.ts";
import { type PromptSpan, withSlots } from "./prompt-spans.ts";
import { partsOfPath, placeholder } from "../../contract/placeholders.ts";
import { descriptionForWords, freeName, namesForWords } from "./parameters.ts";
import { replaceInPieces } from "./text-pieces.ts";

/** The parameters found so far. Each one takes words of the request or has a default. */
export class ParameterTable {
  readonly #request: string;
  #parameters: FunctionParameter[] = [];
  #spans = new Map<string, PromptSpan>();
  #answers = new Map<string, string>();
  #composed = new Set<string>();
  #values: Record<string, unknown> = {};

  constructor(request: string) {
    this.#request = request;
  }

  get parameters(): readonly FunctionParameter[] {
    return this.#parameters;
  }

  /** The values from the request, by parameter name. */
  get values(): Readonly<Record<string, unknown>> {
    return this.#values;
  }

  /** Returns a function that removes all parameters that were added since. */
  savepoint(): () => void {
    const parameters = [...this.#parameters];
    const spans = new Map(this.#spans);
    const answers = new Map(this.#answers);
    const composed = new Set(this.#composed);
    const values = { ...this.#values };
    return () => {
      this.#parameters = parameters;
      this.#spans = spans;
      this.#answers = answers;
      this.#composed = composed;
      this.#values = values;
    };
  }

  /**
   * Returns the parameter for these words and adds it if necessary; `undefined` if the words overlap those of another
   * parameter.
   */
  addFromSpan(span: PromptSpan, preferredName: string, description: string): string | undefined {
    for (const [name, known] of this.#spans) {
      if (known.start === span.start && known.end === span.end && known.type === span.type) return name;
      if (known.start < span.end && span.start < known.end) return undefined;
    }
    const names = namesForWords(preferredName, span, this.#request);
    const about = descriptionForWords(description, preferredName, span);
    const name = this.#add(
      { name: preferredName, type: span.type, description: about, required: true },
      names,
    );
    this.#spans.set(name, span);
    this.#values[name] = span.value;
    return name;
  }

  /**
   * The parameters. A path inside the folder of another parameter gets a default: `trips/oslo/list.md` after
   * `trips/oslo`. A request may still name it.
   */
  withDerivedPaths(): FunctionParameter[] {
    const paths = this.#parameters.flatMap((parameter) => {
      const value = this.#values[parameter.name];
      const isPath = parameter.type === "path" && typeof value === "string";
      return isPath ? [{ parameter, path: value.replace(/^out\//, "").replace(/\/+$/, "") }] : [];
    });
    return this.#parameters.map((parameter) => {
      const path = paths.find((one) => one.parameter === parameter)?.path;
      const folders = paths.filter((one) => path?.startsWith(`${one.path}/`) === true);
      const [folder] = folders.toSorted((one, other) => other.path.length - one.path.length);
      if (path === undefined || folder === undefined) return parameter;
      const rest = path.slice(folder.path.length + 1);
      // A number in the rest (a date, a count) is specific to this request.
      if (/\d/.test(rest)) return parameter;
      const file = paths.find(
        (one) => !one.path.startsWith(`${folder.path}/`) && partsOfPath(one.path).name === rest,
      );
      const source = (name: string, form?: "name"): string =>
        placeholder({ kind: "parameter", name, ...(form && { form }) });
      const name = file
        ? source(file.parameter.name, "name")
        : replaceInPieces([rest], partsOfPath(folder.path).name, { form: "name" })
            .map((piece) => (typeof piece === "string" ? piece : source(folder.parameter.name, "name")))
            .join("");
      return { ...parameter, required: false, default: `${source(folder.parameter.name)}/${name}` };
    });
  }

  /** Adds an optional parameter. Reuses one with the same type and default. */
  addWithDefault(
    preferredName: string,
    type: FunctionParameter["type"],
    preset: unknown,
    description: string,
  ): string {
    const known = this.#parameters.find((other) => other.type === type && other.default === preset);
    return (
      known?.name ?? this.#add({ name: preferredName, type, description, required: false, default: preset })
    );
  }

  /** Reserves a name for a value that a model composed. No word of the request asks for it, so it is not a parameter in the end. */
  addComposed(preferredName: string): string {
    const name = this.#add({ name: preferredName, type: "string", description: "", required: true });
    this.#composed.add(name);
    return name;
  }

  isComposed(name: string): boolean {
    return this.#composed.has(name);
  }

  /** Adds a path that a model finds for each request. */
  addFoundPath(preferredName: string, description: string): string {
    return this.#add({ name: preferredName, type: "string", description, required: true });
  }

  /** Adds a value that the person gave when the run asked for it. Equal answers share one parameter. */
  addAnswered(preferredName: string, answer: string): string {
    const known = this.#answers.get(answer);
    if (known !== undefined) return known;
    const description = "Ask the person; the request does not say.";
    const name = this.#add({ name: preferredName, type: "string", description, required: true });
    this.#answers.set(answer, name);
    return name;
  }

  /** The request with slots in place of the words of parameters, including repeated ones. */
  withPlaceholders(request: string, written?: (name: string) => string): string {
    return withSlots(
      request,
      [...this.#spans].map(([name, span]) => ({ name, span })),
      { written },
    );
  }

  #add(parameter: FunctionParameter, names: readonly string[] = [parameter.name]): string {
    const taken = this.#parameters.map((one) => one.name);
    const name = freeName(parameter, names, taken);
    this.#parameters.push({ ...parameter, name });
    return name;
  }
}
