import type { FunctionParameter } from "../../contract/function.ts";
import type { PromptSpan } from "./prompt-spans.ts";
import { partsOfPath, placeholder } from "../../contract/placeholders.ts";
import { indexOfWords, split } from "./text-pieces.ts";

/** The parameters found so far: each stands for some words of the request, or has a default. */
export class ParameterTable {
  readonly #parameters: FunctionParameter[] = [];
  readonly #spans = new Map<string, PromptSpan>();
  readonly #answers = new Map<string, string>();
  readonly #values: Record<string, unknown> = {};

  get parameters(): readonly FunctionParameter[] {
    return this.#parameters;
  }

  /** What those that stand for words of the request were in it. */
  get values(): Readonly<Record<string, unknown>> {
    return this.#values;
  }

  /** The parameter for these words, a new one if need be; `undefined` when another stands for some of them. */
  forSpan(span: PromptSpan, wish: string, description: string): string | undefined {
    for (const [name, known] of this.#spans) {
      if (known.start === span.start && known.end === span.end && known.type === span.type) return name;
      if (known.start < span.end && span.start < known.end) return undefined;
    }
    const name = this.#add({ name: wish, type: span.type, description, required: true });
    this.#spans.set(name, span);
    this.#values[name] = span.value;
    return name;
  }

  /**
   * The parameters, with defaults for paths that lie in a folder which another one stands for: `trips/oslo/list.md` after
   * `trips/oslo`. A request may say them all the same.
   */
  withDerivedPaths(): FunctionParameter[] {
    const paths = this.#parameters.flatMap((parameter) => {
      const value = this.#values[parameter.name];
      const isSaid = parameter.type === "path" && typeof value === "string";
      return isSaid ? [{ parameter, path: value.replace(/^out\//, "").replace(/\/+$/, "") }] : [];
    });
    return this.#parameters.map((parameter) => {
      const path = paths.find((one) => one.parameter === parameter)?.path;
      const folders = paths.filter((one) => path?.startsWith(`${one.path}/`) === true);
      const [folder] = folders.toSorted((one, other) => other.path.length - one.path.length);
      if (path === undefined || folder === undefined) return parameter;
      const rest = path.slice(folder.path.length + 1);
      // A number or day belongs to the one request.
      if (/\d/.test(rest)) return parameter;
      const file = paths.find(
        (one) => !one.path.startsWith(`${folder.path}/`) && partsOfPath(one.path).name === rest,
      );
      const source = (name: string, form?: "name"): string =>
        placeholder({ kind: "parameter", name, ...(form && { form }) });
      const name = file
        ? source(file.parameter.name, "name")
        : split([rest], partsOfPath(folder.path).name, { form: "name" })
            .map((piece) => (typeof piece === "string" ? piece : source(folder.parameter.name, "name")))
            .join("");
      return { ...parameter, required: false, default: `${source(folder.parameter.name)}/${name}` };
    });
  }

  /** A parameter that a request may leave out. The same default for the same name is one parameter. */
  withDefault(wish: string, type: FunctionParameter["type"], preset: unknown, description: string): string {
    const known = this.#parameters.find(
      ({ name, default: other }) => name.replace(/\d+$/, "") === wish && other === preset,
    );
    return known?.name ?? this.#add({ name: wish, type, description, required: false, default: preset });
  }

  /** A value that has to be thought up for each request. */
  composed(wish: string, type: FunctionParameter["type"] = "string"): string {
    const what = type === "string" ? "Text" : "A value";
    return this.#add({
      name: wish,
      type,
      description: `${what} to compose for this request.`,
      required: true,
    });
  }

  /** A value that the person gave when the run asked for it. The same answer is one parameter. */
  answered(wish: string, answer: string): string {
    const known = this.#answers.get(answer);
    if (known !== undefined) return known;
    const description = "Ask the person; the request does not say.";
    const name = this.#add({ name: wish, type: "string", description, required: true });
    this.#answers.set(answer, name);
    return name;
  }

  /** The request with slots in place of the words that parameters stand for, also where it says the same words again. */
  templateOf(request: string, written = (name: string): string => `{${name}}`): string {
    const places = [...this.#spans].map(([name, { start, end }]) => ({ name, start, end }));
    const isFree = (start: number, end: number): boolean =>
      places.every((other) => other.end <= start || end <= other.start);
    for (const [name, span] of this.#spans) {
      // Another number or day that is as large may be another one.
      if (span.type !== "string" && span.type !== "path") continue;
      const said = request.slice(span.start, span.end);
      for (let at = indexOfWords(request, said, 0); at >= 0; at = indexOfWords(request, said, at + 1))
        if (isFree(at, at + said.length)) places.push({ name, start: at, end: at + said.length });
    }
    return places
      .toSorted((one, other) => other.start - one.start)
      .reduce(
        (text, { name, start, end }) => `${text.slice(0, start)}${written(name)}${text.slice(end)}`,
        request,
      );
  }

  #add(parameter: FunctionParameter): string {
    let name = parameter.name.replaceAll(/\W/g, "_").replace(/^[^A-Za-z]+/, "") || "value";
    const wish = name;
    for (let count = 2; this.#parameters.some((one) => one.name === name); count++)
      name = `${wish}${String(count)}`;
    this.#parameters.push({ ...parameter, name });
    return name;
  }
}
