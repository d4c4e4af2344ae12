import { isDeepStrictEqual } from "node:util";
import type { FunctionExample, FunctionParameter, Recipe, ValueProvenance } from "../../contract/function.ts";
import { type Piece, placeholder, type Source, sourcesIn } from "../../contract/placeholders.ts";
import { isoDay, wallTimeOf } from "../../language/dates/clock.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";
import { isRecord } from "../../text/is-record.ts";
import { alignTexts, withWholeNames } from "./align-texts.ts";
import { assignments } from "./cover-run.ts";
import { expectationsOf, isUnsafeToReplay, nonDefaultArgs } from "./generalize-run.ts";
import { knownOutputs } from "./known-outputs.ts";
import type { FactsOf, LearnableRun, MadeCall } from "./learnable-run.ts";
import { type PromptSpan, promptSpans, spansOf, withSlots } from "./prompt-spans.ts";
import { describeSlot, freeName, namesForWords } from "./parameters.ts";
import { repeatsValueWords } from "./text-pieces.ts";
import { isUnaskedRead, trimCalls, withoutUnusedReads } from "./trim.ts";
import { stringsIn } from "../../contract/parse-json.ts";

/** The recipe that makes the calls of both runs. */
export interface GeneralizedPair {
  recipe: Recipe;
  parameters: FunctionParameter[];
  /** One per run, in the order of the runs. */
  examples: [FunctionExample, FunctionExample];
  provenance: ValueProvenance[];
}

type Pair<Value> = readonly [Value, Value];

/** One of the runs with what its values are searched in. */
interface Side {
  run: LearnableRun;
  calls: readonly MadeCall[];
  /** All calls of the run, with the reads that are left out. */
  made: readonly MadeCall[];
  spans: PromptSpan[];
  outputs: ReturnType<typeof knownOutputs>;
  today: string;
}

/**
 * Compares the calls of two runs: text that both have is constant, and text in which they differ is a parameter if each
 * request contains its own. So "Nina Falk,active" and "Tom Ude,active" become `${name},active`, although one run alone
 * does not show which words its planner composed. Calls that are independent of each other may have another order, and
 * reads that no request orders and no call uses are left out. Undefined if the runs make different calls, if a difference has
 * no source in the requests, or if nothing but the skills is common to them.
 */
export function generalizePair(
  first: LearnableRun,
  second: LearnableRun,
  factsOf: FactsOf,
): GeneralizedPair | undefined {
  const [mine, theirs] = [callsOf(first, factsOf), callsOf(second, factsOf)];
  if (isUnsafeToReplay(first, mine, factsOf) || isUnsafeToReplay(second, theirs, factsOf)) return undefined;
  const compare = (calls: readonly MadeCall[], others: readonly MadeCall[]): GeneralizedPair | undefined => {
    const order = calls.map(({ skill }) => skill);
    const [aligned] = assignments(order, others);
    if (calls.length === 0 || aligned === undefined) return undefined;
    const sides = [sideOf(first, calls, mine), sideOf(second, aligned, theirs)] as const;
    return generalizeSides(sides, factsOf);
  };
  const asked = (run: LearnableRun, calls: readonly MadeCall[]): MadeCall[] =>
    calls.filter((call) => !isUnaskedRead(call, { request: run.request, calls }, factsOf));
  const found = compare(mine, theirs);
  if (!found) return compare(asked(first, mine), asked(second, theirs));
  const { request } = first;
  const used = withoutUnusedReads(mine, found.recipe.actions, { request, factsOf });
  const isSame = used.length === mine.length;
  return (isSame ? undefined : compare(used, asked(second, theirs))) ?? found;
}

function generalizeSides(sides: Pair<Side>, factsOf: FactsOf): GeneralizedPair | undefined {
  const [{ calls }, { calls: others }] = sides;
  const table = new SlotTable(sides);
  const actions: Recipe["actions"] = [];
  for (const [index, call] of calls.entries()) {
    const other = others[index];
    const action = other?.skill === call.skill && actionOf([call, other], index, table, factsOf);
    if (!action) return undefined;
    actions.push(action);
  }
  const examples = sides.map((side, index) => exampleOf(side, table.valuesOf(index)));
  const [mine, theirs] = examples;
  const values = [table.requiredValues(0), table.requiredValues(1)];
  const written = [...actions, { skill: "", args: { defaults: table.defaults }, expect: [] }];
  if (!mine || !theirs || values.some((each) => repeatsValueWords(each, written))) return undefined;
  if (!haveCommonText(written)) return undefined;
  if (sides.some((side) => keepsFoundNumber(actions, side, factsOf))) return undefined;
  return {
    recipe: { promptTemplates: [...new Set([table.templateOf(0), table.templateOf(1)])], actions },
    parameters: table.parameters,
    examples: [mine, theirs],
    provenance: table.provenance,
  };
}

const callsOf = (run: LearnableRun, factsOf: FactsOf): MadeCall[] =>
  trimCalls(run, factsOf).map((call) => ({ ...call, args: nonDefaultArgs(call, factsOf) }));

function sideOf(run: LearnableRun, calls: readonly MadeCall[], made: readonly MadeCall[]): Side {
  return {
    run,
    calls,
    made,
    spans: promptSpans(run),
    outputs: knownOutputs(calls, { request: run.request, answers: [] }),
    today: isoDay(wallTimeOf(run.now, run.timeZone)),
  };
}

const exampleOf = ({ run, calls }: Side, parameters: Record<string, unknown>): FunctionExample => ({
  prompt: run.request,
  parameters,
  skillSequence: calls.map(({ skill }) => skill),
  ...(run.executionTimeMs !== undefined && { executionTimeMs: run.executionTimeMs }),
  ...(run.fixture && { fixture: run.fixture }),
});

interface Place {
  skill: string;
  arg: string;
  /** The field of a record in the argument. */
  field?: string;
  index: number;
  isPath: boolean;
  /** True for a part of a text. */
  isPart?: true;
}

function actionOf(
  [call, other]: Pair<MadeCall>,
  index: number,
  table: SlotTable,
  factsOf: FactsOf,
): Recipe["actions"][number] | undefined {
  const facts = factsOf(call.skill);
  const args: Record<string, unknown> = {};
  for (const arg of new Set([...Object.keys(call.args), ...Object.keys(other.args)])) {
    const values = [call.args[arg], other.args[arg]] as const;
    const place = { skill: call.skill, arg, index, isPath: facts?.pathArgs.includes(arg) ?? false };
    const isFixed = facts?.fixedArgs.includes(arg) === true;
    const template = values.includes(undefined)
      ? table.optional(values, place)
      : isFixed
        ? equalOrNone(values)
        : templateOf(values, place, table);
    if (template === undefined) return undefined;
    args[arg] = template;
  }
  const theirs = expectationsOf(other, args, facts);
  const expect = expectationsOf(call, args, facts).filter((one) =>
    theirs.some((each) => isDeepStrictEqual(one, each)),
  );
  return { skill: call.skill, args, expect };
}

const equalOrNone = ([one, other]: Pair<unknown>): unknown =>
  isDeepStrictEqual(one, other) ? one : undefined;

/** The template of an argument, or of a value in it; undefined if the values have nothing in common that explains them. */
function templateOf(values: Pair<unknown>, place: Place, table: SlotTable): unknown {
  const [one, other] = values;
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) return undefined;
    const parts = one.map((part, index) => templateOf([part, other[index]], place, table));
    return parts.includes(undefined) ? undefined : parts;
  }
  if (isRecord(one) && isRecord(other)) {
    if (!isDeepStrictEqual(Object.keys(one).toSorted(), Object.keys(other).toSorted())) return undefined;
    const parts = Object.keys(one).map((key) => [
      key,
      templateOf([one[key], other[key]], { ...place, field: key }, table),
    ]);
    return parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts);
  }
  if (typeof one === "string" && typeof other === "string") return textTemplate([one, other], place, table);
  if (isDeepStrictEqual(one, other)) return one;
  const slot =
    typeof one === "number" && typeof other === "number" ? table.slotFor([one, other], place) : undefined;
  return slot && placeholder(slot);
}

function textTemplate(texts: Pair<string>, place: Place, table: SlotTable): string | undefined {
  if (texts.some((text) => sourcesIn(text).length > 0)) return undefined;
  const [one, other] = texts;
  const known = one === other ? undefined : (table.slotFor(texts, place) ?? table.outputFor(texts, place));
  if (known) return placeholder(known);
  const pieces = one === other ? table.withToday(one, place) : piecesOfBoth(texts, place, table);
  if (pieces === undefined) return undefined;
  const template = pieces.map((piece) => (typeof piece === "string" ? piece : placeholder(piece))).join("");
  if (!place.isPath) return template;
  // A number that nobody said may be that of the day or the year.
  if (pieces.some((piece) => typeof piece === "string" && /\d/u.test(piece))) return undefined;
  return placeholder(table.pathWithDefault(template, texts, place));
}

/** The common text and the slots of two texts that differ. */
function piecesOfBoth(texts: Pair<string>, place: Place, table: SlotTable): Piece[] | undefined {
  const aligned = alignTexts(...texts);
  if (aligned === undefined) return undefined;
  const part: Place = { ...place, isPart: true };
  const find = (differs: Pair<string>): Source | undefined =>
    table.slotFor(differs, part) ?? table.todayFor(differs);
  const pieces: Piece[] = [];
  for (const segment of withWholeNames(aligned, (differs) => table.isFound(differs, part))) {
    if (typeof segment === "string") {
      pieces.push(segment);
      continue;
    }
    const source = find(segment.differs);
    if (source === undefined) return undefined;
    pieces.push(source);
  }
  return pieces;
}

const NUMBER = /\d+(?:\.\d+)?/gu;

/**
 * True if a constant text contains a number that an earlier call of the run found and that its request does not say: both
 * runs read the same file, and the next one may read other numbers.
 */
function keepsFoundNumber(
  actions: Recipe["actions"],
  { run: { request }, calls, made }: Side,
  factsOf: FactsOf,
): boolean {
  const stated = new Set(request.match(NUMBER));
  return actions.some(({ args }, index) => {
    const last = made.findIndex((call) => call === calls[index]);
    const found = new Set(
      made
        .slice(0, last)
        .filter(({ skill }) => factsOf(skill)?.reads === true)
        .flatMap(({ outputs }) => stringsIn(outputs))
        .flatMap((text) => text.match(NUMBER) ?? []),
    );
    return stringsIn(args)
      .flatMap((text) => text.replaceAll(/\$\{[^}]*\}/gu, " ").match(NUMBER) ?? [])
      .some((number) => found.has(number) && !stated.has(number));
  });
}

/** True if a constant text of the calls has a word that shows the purpose. A file extension or a root has none. */
function haveCommonText(actions: Recipe["actions"]): boolean {
  const texts = actions.flatMap(({ args }) => stringsIn(args));
  return texts.some((text) => {
    const constant = text
      .replaceAll(/\$\{[^}]*\}/gu, " ")
      .replace(/\.\w{1,5}$/u, "")
      .replace(/^(?:out|inbox)\//u, "");
    const words = constant.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
    return words.some((word) => !FUNCTION_WORDS.has(word));
  });
}

interface Slot {
  parameter: FunctionParameter;
  /** Where each request says the value; undefined if it does not. */
  spans: Pair<PromptSpan | undefined>;
}

/** The parameters of two runs, with the words of each request that are their values. */
class SlotTable {
  readonly #sides: Pair<Side>;
  readonly #slots: Slot[] = [];
  readonly provenance: ValueProvenance[] = [];

  constructor(sides: Pair<Side>) {
    this.#sides = sides;
  }

  get parameters(): FunctionParameter[] {
    return this.#slots.map(({ parameter }) => parameter);
  }

  get defaults(): unknown[] {
    return this.#slots.flatMap(({ parameter }) =>
      parameter.default === undefined ? [] : [parameter.default],
    );
  }

  valuesOf(side: number): Record<string, unknown> {
    return Object.fromEntries(
      this.#slots.flatMap(({ parameter, spans }) => {
        const span = spans[side];
        return span ? [[parameter.name, span.value]] : [];
      }),
    );
  }

  requiredValues(side: 0 | 1): Record<string, unknown> {
    const required = this.parameters.flatMap((one) => (one.required ? [one.name] : []));
    return Object.fromEntries(
      Object.entries(this.valuesOf(side)).filter(([name]) => required.includes(name)),
    );
  }

  templateOf(side: 0 | 1): string {
    const spans = this.#slots.flatMap(({ parameter: { name }, spans: each }) => {
      const span = each[side];
      return span ? [{ name, span }] : [];
    });
    return withSlots(this.#sides[side].run.request, spans);
  }

  /** True if each request says its own of these values, in the same form. */
  isFound(values: Pair<string | number>, place: Place): boolean {
    return this.#spansFor(values, place) !== undefined;
  }

  /** The parameter whose values are these; undefined if a request does not say its value. */
  slotFor(values: Pair<string | number>, place: Place): Source | undefined {
    const found = this.#spansFor(values, place);
    if (found === undefined) return undefined;
    const { spans, form } = found;
    const known = this.#slots.find((slot) => slot.spans.every((span, side) => isSame(span, spans[side])));
    const name = known?.parameter.name ?? this.#add({ parameter: describeSlot(spans, place), spans });
    this.#note(place, "request", "from your request");
    return { kind: "parameter", name, ...(form !== "whole" && form !== undefined && { form }) };
  }

  /** The result of an earlier call that both values are. */
  outputFor([one, other]: Pair<string>, place: Place): Source | undefined {
    const [mine, theirs] = [
      this.#sides[0].outputs.sourceOf(one, place.index),
      this.#sides[1].outputs.sourceOf(other, place.index),
    ];
    if (!mine || mine.isChosen || mine.onlyOneOf !== undefined) return undefined;
    if (!isDeepStrictEqual(mine.source, theirs?.source)) return undefined;
    this.#note(place, "output", `what step ${String(mine.source.step)} found (${mine.source.field})`);
    return mine.source;
  }

  todayFor([one, other]: Pair<string>): Source | undefined {
    return one === this.#sides[0].today && other === this.#sides[1].today ? { kind: "today" } : undefined;
  }

  /** A text that both runs have; the day on which both ran stands for the day of the next run. */
  withToday(text: string, place: Place): Piece[] {
    this.#note(place, "constant", "always the same");
    const [{ today }, { today: other }] = this.#sides;
    if (today !== other || !text.includes(today)) return [text];
    return text
      .split(today)
      .flatMap((part, index): Piece[] => (index === 0 ? [part] : [{ kind: "today" }, part]))
      .filter((piece) => piece !== "");
  }

  /** An argument that only one run has: it may be stated. Undefined if its value is not in the request. */
  optional(values: Pair<unknown>, place: Place): string | undefined {
    const side = values[0] === undefined ? 1 : 0;
    const value = values[side];
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    const own = this.#sides[side];
    const [span] = this.#free(spansOf(value, own.spans, place).whole, side);
    // An argument that the other request states and its run left out would be lost in every replay.
    const others = this.#sides[1 - side]?.spans ?? [];
    const isLeftOut =
      span !== undefined && span.type !== "string" && others.some(({ type }) => type === span.type);
    if (span === undefined || isLeftOut) return undefined;
    const spans: Pair<PromptSpan | undefined> = side === 0 ? [span, undefined] : [undefined, span];
    const parameter = { ...describeSlot([span, span], place), required: false };
    this.#note(place, "request", "from your request, if it says one");
    return placeholder({ kind: "parameter", name: this.#add({ parameter, spans }) });
  }

  /** The path of a call, which a request may name, too. */
  pathWithDefault(template: string, paths: Pair<string>, place: Place): Source {
    const spans = this.#sides.map(
      (side, index) => this.#free(spansOf(paths[index] ?? "", side.spans, place).whole, index)[0],
    );
    const known = this.#slots.find(({ parameter }) => parameter.default === template);
    const name =
      known?.parameter.name ??
      this.#add({
        parameter: {
          name: place.arg,
          type: "path",
          description: `Where ${place.skill} finds or puts it, when the request does not say.`,
          required: false,
          default: template,
        },
        spans: [spans[0], spans[1]],
      });
    return { kind: "parameter", name };
  }

  #spansFor(
    values: Pair<string | number>,
    place: Place,
  ): { spans: Pair<PromptSpan>; form: "capital" | "slug" | "whole" | undefined } | undefined {
    const [mine, theirs] = this.#sides.map((side, index) => spansOf(values[index] ?? "", side.spans, place));
    if (!mine || !theirs) return undefined;
    for (const form of ["whole", "capital", "slug"] as const) {
      const spans = this.#pairOf(mine[form], theirs[form]);
      if (spans) return { spans, form };
    }
    return undefined;
  }

  /** Words of each request that have one type and belong to no other parameter; those of a known parameter first. */
  #pairOf(mine: readonly PromptSpan[], theirs: readonly PromptSpan[]): Pair<PromptSpan> | undefined {
    const isKnown = this.#slots.find(
      ({ spans: [one, other] }) =>
        mine.some((span) => isSame(span, one)) && theirs.some((span) => isSame(span, other)),
    );
    const [one, other] = isKnown?.spans ?? [];
    if (one && other) return [one, other];
    for (const span of this.#free(mine, 0)) {
      const match = this.#free(theirs, 1).find(({ type }) => type === span.type);
      if (match) return [span, match];
    }
    return undefined;
  }

  #free(spans: readonly PromptSpan[], side: number): PromptSpan[] {
    const taken = this.#slots.flatMap((slot) => slot.spans[side] ?? []);
    const free = spans.filter(({ start, end }) => taken.every((one) => one.end <= start || end <= one.start));
    return free.toSorted((one, other) => Number(other.kind === "named") - Number(one.kind === "named"));
  }

  #add({ parameter, spans }: Slot): string {
    const taken = this.#slots.map((slot) => slot.parameter.name);
    const [span] = spans;
    const names = span ? namesForWords(parameter.name, span, this.#sides[0].run.request) : [parameter.name];
    const name = freeName(parameter, names, taken);
    this.#slots.push({ parameter: { ...parameter, name }, spans });
    return name;
  }

  #note({ index, arg }: Place, from: ValueProvenance["from"], detail: string): void {
    const entry = { step: index + 1, argument: arg, from, detail };
    if (!this.provenance.some((one) => isDeepStrictEqual(one, entry))) this.provenance.push(entry);
  }
}

const isSame = (one: PromptSpan | undefined, other: PromptSpan | undefined): boolean =>
  one?.start === other?.start && one?.end === other?.end && one?.type === other?.type;
