import { type ScratchpadEntry } from "@metahuman/core/contract/run";
import { yieldToEventLoop } from "@metahuman/core/async/yield-to-event-loop";
import type { EarlierCall } from "@metahuman/core/language/references/earlier-calls";
import { isRecord } from "@metahuman/core/text/is-record";
import { ANSWER_SKILL } from "./answer-writer.ts";
import { ACTION_FORMS, type ActionKind } from "./action-words.ts";
import { type Derived, addShape, addTableFacts, derivedFrom } from "./derived.ts";
import { type Facts, factsOf, parsedJson } from "./facts.ts";
import { stem, significantWords, withoutNumbering } from "./mentions.ts";
import { type Today, dayNumber, quantitiesIn, todayOf } from "./quantities.ts";
import {
  callsIn,
  entriesOf,
  type ObservedCall,
  type ObservedTask,
  tasksIn,
  textWithKeys,
} from "./observed-calls.ts";
import { type Table, labelsIn, tablesIn } from "./records.ts";
import { NEGATION } from "./vocabulary.ts";

/** True for a step with an observation, except those that write or check an answer. */
export const isObserved = ({ action, observation }: ScratchpadEntry): boolean =>
  action !== undefined && action.tool !== ANSWER_SKILL && observation !== undefined;

/** A review step: it has an observation but no call, and rejects the answer. */
export const isReview = ({ action, observation }: ScratchpadEntry): boolean =>
  action === undefined && observation !== undefined;

/** The material on which an answer may be based. */
export interface AnswerEvidence {
  request: string;
  /** Earlier turns, oldest first. */
  conversation: readonly { role: "person" | "operator"; text: string }[];
  memories: readonly string[];
  scratchpad: readonly ScratchpadEntry[];
  now: Date;
  timeZone: string;
  /** Everything else in the prompt: open tasks, the persona. */
  known?: readonly string[];
  /** The counts of the workspace's entries; evidence for a sentence about folders and files only. */
  workspace?: string;
  /** The calls of earlier runs of the conversation, oldest first. */
  earlierCalls?: readonly EarlierCall[];
  /** What these calls returned, as the prompts show it. */
  earlierResults?: string;
}

/** The evidence in the forms that the rules need. Each part is computed on first use. */
export interface PreparedEvidence {
  readonly source: AnswerEvidence;
  readonly today: Today;
  /** Numbers of the observations that may be cited. */
  readonly steps: ReadonlySet<number>;
  readonly calls: readonly ObservedCall[];
  /** Everything that was said, remembered and observed, in lower case. */
  readonly text: string;
  /** The same without punctuation and spaces inside numbers. */
  readonly digits: string;
  /** Numbers next to letters or punctuation, as in "40G", "x6", "8080:80", "ages 8-12" and "2004.md". */
  readonly looseNumbers: ReadonlySet<number>;
  /** Stems of the observed words, and of the words of the conversation and the memories. */
  readonly observedStems: ReadonlySet<string>;
  readonly sourceStems: ReadonlySet<string>;
  readonly memoryStems: ReadonlySet<string>;
  readonly facts: Facts;
  /** The same facts, with counts and columns of texts and tables. */
  readonly counted: Facts;
  /** The results of arithmetic over these numbers. */
  readonly derived: Derived;
  readonly tasks: readonly ObservedTask[];
  /** Lines and records of the evidence, in lower case. The contents of one belong together. */
  readonly lines: readonly string[];
  /** The observed texts without field names. */
  readonly observedText: string;
  /** Tables, lists of records and lists of "name: value" in the evidence. */
  readonly tables: readonly Table[];
  /** Numbers by the noun before them: "seat 45". */
  readonly labels: ReadonlyMap<string, ReadonlySet<number>>;
  /** Abbreviated labels as first letter and number: "c3" for "ch. 3". */
  readonly shortLabels: ReadonlySet<string>;
  /**
   * Sentences of memories, earlier turns and observed texts that report an action of this kind, and the earlier calls that did one. If
   * these are known, what the operator said of itself is not a report.
   */
  reports(kind: ActionKind): readonly string[];
}

/** The line of a prompt with the topics of the conversation, which are not a row of a table. */
const TOPICS = /^Topics: .*$/gmu;

const stemsOf = (text: string): Set<string> => new Set(significantWords(text).map(stem));

export function memoize<T>(compute: () => T): () => T {
  let computed: { value: T } | undefined;
  return () => (computed ??= { value: compute() }).value;
}

interface Basis {
  source: AnswerEvidence;
  observed: readonly ScratchpadEntry[];
  sourceTexts: readonly string[];
}

/** The evidence last prepared for a run, by its last observation. An answer is checked twice: streaming and complete. */
const lastPrepared = new WeakMap<object, { basis: Basis; evidence: PreparedEvidence }>();

const basisOf = (source: AnswerEvidence): Basis => ({
  source,
  observed: source.scratchpad.filter(isObserved),
  sourceTexts: [
    withoutNumbering(source.request),
    ...source.conversation.map(({ text }) => text),
    ...source.memories,
    ...(source.known ?? []),
    ...(source.earlierResults === undefined ? [] : [source.earlierResults]),
  ],
});

export function prepareEvidence(source: AnswerEvidence): PreparedEvidence {
  const basis = basisOf(source);
  const key = basis.observed.at(-1)?.observation;
  if (key === undefined) return preparedFrom(basis);
  const last = lastPrepared.get(key);
  if (last && isSameBasis(last.basis, basis)) return last.evidence;
  const evidence = preparedFrom(basis);
  lastPrepared.set(key, { basis, evidence });
  return evidence;
}

/** The evidence with the counts of the workspace; `undefined` without them. */
export const evidenceWithWorkspace = ({
  workspace,
  ...source
}: AnswerEvidence): PreparedEvidence | undefined =>
  workspace === undefined
    ? undefined
    : preparedFrom(basisOf({ ...source, known: [...(source.known ?? []), workspace] }));

/** Skills that return a list of what is there or fits, with sizes and scores as the only numbers. */
const LISTS: ReadonlySet<string> = new Set(["fs_list", "fs_search", "memory_search", "function_search"]);

const PARTS: readonly ((evidence: PreparedEvidence) => unknown)[] = [
  ({ calls }) => calls,
  ({ text }) => text,
  ({ observedStems }) => observedStems,
  ({ sourceStems }) => sourceStems,
  ({ memoryStems }) => memoryStems,
  ({ facts }) => facts,
  ({ counted }) => counted,
  ({ derived }) => derived,
  ({ lines }) => lines,
  ({ tables }) => tables,
  ({ tasks }) => tasks,
  ({ labels }) => labels,
  ({ digits }) => digits,
  ({ looseNumbers }) => looseNumbers,
  ({ observedText }) => observedText,
];

/**
 * Prepares the evidence of a run part by part and yields to the event loop after each, while its model is being asked.
 * The check of the answer then uses the prepared parts. Ends early once `signal` is aborted.
 */
export async function indexEvidence(source: AnswerEvidence, signal: AbortSignal): Promise<void> {
  const evidence = prepareEvidence(source);
  for (const prepare of PARTS) {
    if (signal.aborted) return;
    prepare(evidence);
    await yieldToEventLoop();
  }
}

/** Compares observations by identity, because they are immutable. */
const isSameBasis = (a: Basis, b: Basis): boolean =>
  a.source.now.getTime() === b.source.now.getTime() &&
  a.source.timeZone === b.source.timeZone &&
  a.observed.length === b.observed.length &&
  a.observed.every(({ step, action, observation }, index) => {
    const other = b.observed[index];
    return step === other?.step && action === other.action && observation === other.observation;
  }) &&
  a.source.conversation.length === b.source.conversation.length &&
  a.source.memories.length === b.source.memories.length &&
  a.sourceTexts.length === b.sourceTexts.length &&
  a.sourceTexts.every((part, index) => part === b.sourceTexts[index]);

/** As `prepareEvidence`, for evidence that is not that of a run's last observation. */
export const prepareOtherEvidence = (source: AnswerEvidence): PreparedEvidence =>
  preparedFrom(basisOf(source));

function preparedFrom({ source, observed, sourceTexts }: Basis): PreparedEvidence {
  const today = statedToday(source) ?? todayOf(source);
  const calls = memoize(() => callsIn(observed));
  const text = memoize(() =>
    [...sourceTexts, ...calls().map((call) => `${call.tool} ${call.text}`)].join("\n").toLowerCase(),
  );
  const digits = memoize(() => text().replaceAll(/(?<=\d)[ ()/-]+(?=\d)/gu, ""));
  const looseNumbers = memoize(() => looseNumbersIn(text()));
  const observedStems = memoize(() =>
    stemsOf(
      calls()
        .map((call) => call.text)
        .join("\n"),
    ),
  );
  const sourceStems = memoize(() => stemsOf(sourceTexts.join("\n")));
  const memoryStems = memoize(() =>
    stemsOf(
      [
        ...source.memories,
        ...source.conversation.filter(({ role }) => role === "person").map((turn) => turn.text),
      ].join("\n"),
    ),
  );
  const facts = memoize(() => factsOf(source, observed, sourceTexts, today));
  const tables = memoize(() => [
    ...sourceTexts.map((part) => part.replaceAll(TOPICS, "")).flatMap(tablesIn),
    ...observed.flatMap(({ action, observation }) =>
      [action?.args, observation?.outputs]
        .flatMap(tablesIn)
        .map((table): Table => (LISTS.has(action?.tool ?? "") ? { ...table, isListing: true } : table)),
    ),
  ]);
  const counted = memoize(() => {
    for (const part of new Set(facts().texts)) addShape(facts(), part);
    for (const table of tables()) addTableFacts(facts(), table);
    return facts();
  });
  const derived = memoize(() => derivedFrom(counted()));
  const tasks = memoize(() => tasksIn(observed));
  const lines = memoize(() => [
    ...sourceTexts.flatMap((part) => part.toLowerCase().split("\n")),
    ...observed.flatMap(({ action, observation }) =>
      linesOf([action?.args, observation?.outputs ?? observation?.content]),
    ),
  ]);
  const observedText = memoize(() =>
    observed.map(({ observation }) => textsIn(observation?.outputs ?? observation?.content)).join("\n"),
  );
  const labels = memoize(() => labelsIn(text()));
  const shortLabels = memoize(() => shortLabelsIn(text()));
  const reports = memoize(() => reportsIn(source, observed));
  return {
    source,
    today,
    steps: new Set(observed.map(({ step }) => step)),
    get calls() {
      return calls();
    },
    get text() {
      return text();
    },
    get digits() {
      return digits();
    },
    get looseNumbers() {
      return looseNumbers();
    },
    get observedStems() {
      return observedStems();
    },
    get sourceStems() {
      return sourceStems();
    },
    get memoryStems() {
      return memoryStems();
    },
    get facts() {
      return facts();
    },
    get counted() {
      return counted();
    },
    get derived() {
      return derived();
    },
    get tasks() {
      return tasks();
    },
    get lines() {
      return lines();
    },
    get observedText() {
      return observedText();
    },
    get tables() {
      return tables();
    },
    get shortLabels() {
      return shortLabels();
    },
    get labels() {
      return labels();
    },
    reports: (kind) => reports().get(kind) ?? [],
  };
}

const DATE_OR_TIME = /\d{4}-\d{2}-\d{2}(?:t[\d:.]+z?)?|(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?!\d)/g;

const NUMBER_NEXT_TO_LETTER = /(?<=[a-z×:/_-])\d+(?!\d|[.,]\d)|(?<![\d.,])\d+(?=[a-z×/_-]|\.[a-z])/g;

const looseNumbersIn = (text: string): Set<number> =>
  new Set(
    [...text.replaceAll(DATE_OR_TIME, " ").matchAll(NUMBER_NEXT_TO_LETTER)].map(([number]) => Number(number)),
  );

const SHORT_LABEL = /(?<![a-z\u00DF-\u024F])([a-z])[a-z]{0,3}\.?\s?(\d{1,4})(?![a-z\d])/g;

const shortLabelsIn = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(SHORT_LABEL)].map(([, first = "", number = ""]) => `${first}${String(Number(number))}`),
  );

/** Today as the request states it. */
function statedToday({ request }: AnswerEvidence): Today | undefined {
  const stated =
    /(?:today is|heute ist|aujourd['’]hui,? (?:c['’]est|nous sommes)|hoy es)([^.!?\n]*\d)/iu.exec(
      request,
    )?.[1];
  const day = stated === undefined ? undefined : quantitiesIn(stated).days[0];
  if (day?.year === undefined || day.month === undefined || day.day === undefined) return undefined;
  const number = dayNumber(day.year, day.month, day.day);
  return { year: day.year, number, weekday: new Date(number * 86_400_000).getUTCDay() };
}

const textsIn = (value: unknown): string => {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textsIn).join("\n");
  return isRecord(value) ? Object.values(value).map(textsIn).join("\n") : "";
};

/** The lines of every text, and every record without nested records. */
export function linesOf(value: unknown): string[] {
  if (typeof value === "string") {
    const json = parsedJson(value);
    return json === undefined ? value.toLowerCase().split("\n") : linesOf(json);
  }
  if (Array.isArray(value)) return value.flatMap(linesOf);
  if (!isRecord(value)) return [];
  const parts = Object.values(value);
  const own = parts.some(
    (part) =>
      isRecord(part) ||
      (typeof part === "string" && part.includes("\n")) ||
      (Array.isArray(part) && part.some(isRecord)),
  )
    ? []
    : [textWithKeys(value).toLowerCase().replaceAll("\n", " ")];
  return [...own, ...parts.flatMap(linesOf)];
}

/** Sentences that report a past action, and earlier calls, by kind; questions and denials are left out. */
function reportsIn(source: AnswerEvidence, observed: readonly ScratchpadEntry[]): Map<ActionKind, string[]> {
  const texts = [
    ...source.memories,
    ...(source.known ?? []),
    ...source.conversation.flatMap(({ role, text }) =>
      role === "operator" && source.earlierCalls !== undefined ? [] : [text],
    ),
    source.request,
    ...observed.map(({ action, observation }) =>
      textWithKeys([
        action?.tool.startsWith("fs_write") ? [] : action?.args,
        observation?.outputs ?? observation?.content,
      ]),
    ),
  ];
  const reports = new Map<ActionKind, string[]>();
  for (const { kinds, success, text } of callsIn(entriesOf(source.earlierCalls ?? [])))
    for (const kind of success ? kinds : []) reports.set(kind, [...(reports.get(kind) ?? []), text]);
  for (const sentence of texts.flatMap((text) => text.split(/(?<=[.!?])\s+|\n/u))) {
    if (sentence.trim().endsWith("?") || NEGATION.test(sentence)) continue;
    const lower = sentence.toLowerCase();
    for (const word of lower.split(/[^\p{L}-]+/u)) {
      const kind = ACTION_FORMS.get(word);
      if (kind) reports.set(kind, [...(reports.get(kind) ?? []), lower]);
    }
  }
  return reports;
}
