import type { Source } from "../../contract/placeholders.ts";
import type { MadeCall } from "./learnable-run.ts";
import { stringsIn } from "../../contract/parse-json.ts";

/** A value in the outputs of a call. */
export interface OutputValue {
  source: Extract<Source, { kind: "step" }>;
  value: unknown;
  /** True if the value is one of several in a list, so that using it was a choice. */
  isChosen: boolean;
  /** The path of the one-element list that contains the value. A replay requires one element, too. */
  onlyOneOf?: string;
  /** True if the value is also an argument of the call. */
  isEcho: boolean;
}

/** Outputs with few possible values. Equal texts elsewhere are a coincidence. */
const FIELDS_WITH_FEW_VALUES = /(?:^|\.)(?:status|priority|kind|type|trust|contentType|state|extractive)$/;
const DAY_OR_TIME = /^\d{4}-\d{2}-\d{2}|^\d{1,2}:\d{2}$/u;
/** Words in a request that select the first of several items. */
const NAMES_THE_FIRST = /\b(?:first|top|latest|newest|best|oldest|earliest)\b/i;

/** The outputs of a call with text or lists, without its arguments and without outputs of few possible values. */
export function fieldsWithOwnText({ args, outputs }: MadeCall): string[] {
  const given = textsIn(args);
  return Object.entries(outputs).flatMap(([field, value]) => {
    if (FIELDS_WITH_FEW_VALUES.test(field) || !/^\w+$/.test(field)) return [];
    const own = textsIn(value).filter((text) => !given.some((one) => isEchoOf(text, one)));
    return own.some((text) => /[\p{L}\p{N}]/u.test(text)) ? [field] : [];
  });
}

function isEchoOf(value: unknown, given: string): boolean {
  return typeof value === "string" && (value === given || value.endsWith(`/${given}`));
}

/** Finds the values of later calls in the outputs of earlier calls of one run. */
export function knownOutputs(
  calls: readonly MadeCall[],
  { request, answers }: { request: string; answers: readonly string[] },
) {
  const mayTakeFirst = answers.length === 0 && NAMES_THE_FIRST.test(request);
  const bySteps = calls.map((call, index) => {
    const given = textsIn(call.args);
    const isEcho = (value: unknown): boolean => given.some((text) => isEchoOf(value, text));
    const found = valuesIn(call.outputs, {
      step: index + 1,
      field: "",
      isChosen: false,
      mayTakeFirst,
      isEcho,
    });
    // A value that the person selected is not a result of the search, even if it is the best match.
    const picked = new Set(
      answers.length === 0 ? [] : found.flatMap((one) => (one.isChosen ? [one.value] : [])),
    );
    return found.map((one) => (picked.has(one.value) ? { ...one, isChosen: true } : one));
  });

  /** The outputs of the calls before `index`, latest first. */
  function outputsBefore(index: number): OutputValue[] {
    return bySteps.slice(0, index).toReversed().flat();
  }

  /** The source of a text, equal except for white space at the end. Values chosen from a list are not a source. */
  function sourceOf(text: string, index: number): OutputValue | undefined {
    const candidates = outputsBefore(index).filter(
      ({ value, source, isEcho }) =>
        typeof value === "string" &&
        value !== "" &&
        !FIELDS_WITH_FEW_VALUES.test(source.field) &&
        // Two calls may have the same day by chance; neither gave it to the other.
        !(isEcho && DAY_OR_TIME.test(value)),
    );
    const exact = candidates.find(({ value, isChosen }) => value === text && !isChosen);
    if (exact || candidates.some(({ value }) => value === text)) return exact;
    const trimmed = candidates.find(
      ({ value, isChosen }) => typeof value === "string" && value.trimEnd() === text && !isChosen,
    );
    if (trimmed) return { ...trimmed, source: { ...trimmed.source, trim: true } };
    return mayTakeFirst ? firstLine(text, candidates) : undefined;
  }

  /** The source of a number; undefined if several outputs are equal to it. */
  function sourceOfNumber(value: number, index: number): OutputValue | undefined {
    const same = outputsBefore(index).filter(
      (one) => one.value === value && !/(?:^|\.)bytes$/.test(one.source.field),
    );
    return same.length === 1 && !same[0]?.isChosen ? same[0] : undefined;
  }

  /** True if a text that was read contains this one, and the call did not search for it. */
  function occursIn(text: string, index: number): boolean {
    return outputsBefore(index).some(
      ({ value, isEcho }) => typeof value === "string" && !isEcho && value.includes(text),
    );
  }

  /**
   * True for a file out of a list of one, such as the only hit of a search: that it is the right one was judged when it was
   * seen, unless the request asks for the first one.
   */
  function isSelectedFile({ onlyOneOf }: OutputValue): boolean {
    return onlyOneOf !== undefined && !mayTakeFirst;
  }

  return { before: outputsBefore, sourceOf, sourceOfNumber, occursIn, isSelectedFile };
}

function firstLine(text: string, candidates: readonly OutputValue[]): OutputValue | undefined {
  const found = candidates.find(
    ({ value, isChosen }) =>
      typeof value === "string" && !isChosen && value.includes("\n") && value.split(/\r?\n/)[0] === text,
  );
  return found && { ...found, source: { ...found.source, field: `${found.source.field}.lines.0` } };
}

interface Place {
  step: number;
  field: string;
  isChosen: boolean;
  onlyOneOf?: string;
  mayTakeFirst: boolean;
  isEcho: (value: unknown) => boolean;
}

function valuesIn(value: unknown, place: Place): OutputValue[] {
  const { step, field, isChosen, onlyOneOf, mayTakeFirst, isEcho } = place;
  const fieldPath = (key: string): string => (field === "" ? key : `${field}.${key}`);
  if (Array.isArray(value))
    return value.flatMap((part, index) =>
      valuesIn(part, {
        ...place,
        field: fieldPath(String(index)),
        isChosen: isChosen || (value.length > 1 && !(index === 0 && mayTakeFirst)),
        ...(value.length === 1 && { onlyOneOf: field }),
      }),
    );
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, part]) =>
      // Placeholders cannot contain such a name.
      valuesIn(part, { ...place, field: fieldPath(key), isChosen: isChosen || !/^\w+$/.test(key) }),
    );
  return [
    {
      source: { kind: "step", step, field },
      value,
      isChosen,
      isEcho: isEcho(value),
      ...(onlyOneOf !== undefined && { onlyOneOf }),
    },
  ];
}

const textsIn = (value: unknown): string[] => stringsIn(value).filter((text) => text !== "");
