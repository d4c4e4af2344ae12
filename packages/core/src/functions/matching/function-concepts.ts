import type { FunctionMemory, FunctionParameter } from "../../contract/function.ts";
import { piecesOf, sourcesIn } from "../../contract/placeholders.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";
import { familyOf, familyWords, kindsOfVerb, plainForm, type VerbKind, VERB_PHRASES } from "./families.ts";
import { type Parties, partiesOf } from "./parties.ts";
import { CHANGES_NOTHING, kindsOfCalls, kindsOfOtherStatuses, READS } from "./kinds-of-calls.ts";
import { type Conjunct, type ParsedTemplate, parseTemplate, QUOTED_SLOT, SLOT } from "./parse-template.ts";
import { templatesOf } from "./request-templates.ts";
import { beginsWithNumber, isCode, isIdentifier } from "./value-forms.ts";
import { plainWords } from "../../text/words.ts";

/** How a value is recognized: by its form, or as words of a certain kind. */
export type SlotType = "date" | "number" | "time" | "path" | "url" | "email" | "enum" | "name" | "text";

/** A required parameter, or one that a request may leave out and that a template fills. */
export interface Slot {
  name: string;
  isOptional: boolean;
  /** Its default, if that contains other values: `call ${name}`. */
  preset: string | undefined;
  type: SlotType;
  /** The options of an enum, as written in its description. */
  options: readonly string[];
  /** Words directly before or after the value in the function's templates. */
  before: ReadonlySet<string>;
  after: ReadonlySet<string>;
  /** Families of the words that name the parameter. */
  labels: ReadonlySet<string>;
  /** The text around the value if it is a part of a path: `notes/` and `.md`. */
  frames: readonly { prefix: string; suffix: string }[];
  /** A kind of folder: the value may be a bare word. */
  isFolder: boolean;
  /** True if the function's templates put the value in quotation marks. */
  isQuoted: boolean;
  /** True if one of its templates contains the value more than once. */
  isRepeated: boolean;
  /** True if names of files keep their extension. */
  hasExtension: boolean;
  /** The texts of its examples and taught requests. */
  values: readonly string[];
  /** The plain form of the word that all its example texts start with: "send" of "send the invoice to Ada". */
  start: string | undefined;
  /** True if its example values are proper names: "Oslo", "Lena Fischer". */
  isProper: boolean;
  /** True for a number that is stored as written. */
  isDigits: boolean;
  /** True if one of its example values starts with a capital. */
  isCapital: boolean;
  /** True if one of its example values contains a digit. */
  hasDigit: boolean;
  /** True if its example values are codes: "RX4471", "3B". */
  isCode: boolean;
  /** True if they start with a number: "12 Hill Street". */
  hasNumberFirst: boolean;
  /** True if each is an identifier: "2.4.0", "0042", "gate-7". */
  isOneWord: boolean;
}

/** The words that request a function, read from its templates, its description and its calls. */
export interface FunctionConcepts {
  templates: readonly (readonly Conjunct[])[];
  /** The names of the slots in the order of each template. */
  orders: readonly (readonly string[])[];
  /** The possible meanings of the verb in a request. */
  kinds: ReadonlySet<VerbKind>;
  /** The meanings of its templates' verbs that its skills do not have: "order" for a function that adds a task. */
  ownKinds: ReadonlySet<VerbKind>;
  /** Additional meanings of its verb: what it reads for later calls. */
  alsoKinds: ReadonlySet<VerbKind>;
  /** Verbs in the function's own templates. */
  verbs: ReadonlySet<string>;
  /** Families of the nouns in its templates, and the nouns as written, to distinguish singular from plural. */
  nouns: ReadonlySet<string>;
  literals: ReadonlySet<string>;
  /** The literals and the words of their families: candidates for the correction of a typing error. */
  vocabulary: ReadonlySet<string>;
  /** Families in its description, its constant arguments, and the words that a value has in every example. */
  known: ReadonlySet<string>;
  slots: readonly Slot[];
  /** Prepositions before a constant place in its templates, and never before a value. */
  placePrepositions: ReadonlySet<string>;
  /** Families of the places that something is taken from, or put to, where a template names both, or a value and its target. */
  directions: ReadonlyMap<string, "from" | "to">;
  /** Who gives and who gets something, where its templates hand something over. */
  parties: Parties;
  isReadOnly: boolean;
  /** True if it adds an event or a fact to a file or a memory. */
  isRecord: boolean;
  /** True if it writes a file of its own, and neither adds to one nor keeps what is in it. */
  writesAnew: boolean;
  /** True if it makes a file or a folder, and uses none that exists. */
  makesNew: boolean;
  /** True if one of its calls creates a task. */
  makesTask: boolean;
  /** True if one of its templates is a question: "what's in the inbox folder". */
  isQuestion: boolean;
}

type ReadableFunction = Pick<
  FunctionMemory,
  "parameters" | "recipe" | "examples" | "title" | "summary" | "steps" | "taught"
>;

const QUESTION = /^(?:what|which|where|who|when|how|is|are|do|does|have|has|any)\b/iu;

const READABLE = new Set<FunctionParameter["type"]>(["string", "number", "date", "path"]);

/** True if every required value can be recognized by its words. */
export const isReadable = ({ parameters }: Pick<FunctionMemory, "parameters">): boolean =>
  parameters.every(
    ({ type, required, default: defaultValue }) =>
      !required || defaultValue !== undefined || READABLE.has(type),
  );

const compiled = new WeakMap<object, FunctionConcepts>();

/** Cached for each version of a function. */
export function conceptsOf(content: ReadableFunction): FunctionConcepts {
  const key = content.recipe ?? content;
  const cached = compiled.get(key);
  if (cached) return cached;
  const concepts = read(content);
  compiled.set(key, concepts);
  return concepts;
}

function read(content: ReadableFunction): FunctionConcepts {
  const texts = templatesOf(content);
  const parsed = texts.map((text) => parseTemplate(text));
  const verbs = new Set(parsed.flatMap(({ conjuncts }) => conjuncts.flatMap((one) => [...one.verbs])));
  const fromSkills = kindsOfCalls(content);
  const fromVerbs = [...verbs].map((verb) => kindsOfVerb(verb));
  // A verb may have several meanings; the calls show which of them the function has.
  const kinds = new Set<VerbKind>(fromSkills);
  const ofOtherStatuses = kindsOfOtherStatuses(content);
  for (const kindsOfOne of fromVerbs) {
    const shared = [...kindsOfOne].filter((kind) => fromSkills.has(kind));
    for (const kind of shared.length > 0 ? shared : kindsOfOne)
      if (!ofOtherStatuses.has(kind)) kinds.add(kind);
  }
  const actions = content.recipe?.actions ?? [];
  const alsoKinds = new Set<VerbKind>([
    ...(actions.some(({ skill }) => READS.has(skill) || skill === "http_get")
      ? (["show", "fetch"] as const)
      : []),
    ...(actions.some(({ skill }) => skill === "task_update_status") ? (["set"] as const) : []),
    // "Take the {dish} off the menu", for a function that moves a file: its own words ask for nothing else.
    ...VERB_PHRASES.flatMap(([kind, pattern]) =>
      texts.some((text) => text.toLowerCase().search(pattern) >= 0) ? [kind] : [],
    ),
  ]);
  const ownKinds = fromVerbs.filter((kindsOfOne) => [...kindsOfOne].every((kind) => !fromSkills.has(kind)));
  return {
    templates: parsed.map(({ conjuncts }) => conjuncts),
    orders: parsed.map(({ around }) => around.map(({ name }) => name)),
    kinds,
    ownKinds: new Set(
      ownKinds.flatMap((kindsOfOne) => [...kindsOfOne].filter((kind) => !alsoKinds.has(kind))),
    ),
    alsoKinds,
    verbs,
    nouns: new Set(parsed.flatMap(({ conjuncts }) => conjuncts.flatMap((one) => [...one.nouns]))),
    literals: new Set(parsed.flatMap(({ literals }) => [...literals])),
    vocabulary: new Set(
      parsed.flatMap((one) => [...one.literals]).flatMap((word) => [word, ...familyWords(word)]),
    ),
    known: knownFamilies(content),
    slots: content.parameters
      .filter(
        ({ name, type, required, default: defaultValue }) =>
          (required && defaultValue === undefined) ||
          // A value that a request may leave out, or whose default depends on others. A text with a fixed default does not count: any
          // words could be it.
          (((!required && defaultValue === undefined) ||
            sourcesIn(defaultValue).length > 0 ||
            (defaultValue !== undefined && type !== "string")) &&
            parsed.some(({ around }) => around.some((one) => one.name === name))),
      )
      .map((parameter) => slotOf(parameter, content, parsed)),
    placePrepositions: placePrepositionsIn(texts),
    directions: new Map(texts.flatMap(directionsIn)),
    parties: partiesOf(content),
    isReadOnly: actions.every(({ skill }) => CHANGES_NOTHING.has(skill)),
    isRecord: actions.some(({ skill }) => skill === "fs_append" || skill === "memory_remember"),
    writesAnew:
      actions.some(({ skill }) => skill === "fs_write") &&
      actions.every(({ skill }) => !/^(?:fs_(?:append|read|copy|move|mkdir)|task_create)$/u.test(skill)),
    makesNew:
      actions.some(({ skill }) => /^fs_(?:write|mkdir)$/u.test(skill)) &&
      actions.every(({ skill }) => !/^fs_(?:append|read|copy|move|delete|edit)$/u.test(skill)),
    makesTask: actions.some(({ skill }) => skill === "task_create"),
    isQuestion: texts.some((text) => QUESTION.test(text.trim())),
  };
}

const PLACE_PREPOSITION = /\b(from|out of)\s+(?:(?:the|my|our)\s+)?(\{|\$\{|[\p{L}\d]+)/giu;

function placePrepositionsIn(templates: readonly string[]): ReadonlySet<string> {
  const found = templates.flatMap((text) =>
    [...text.matchAll(PLACE_PREPOSITION)].map(([, word = "", next = ""]) => ({
      preposition: word.toLowerCase(),
      isValue: next.includes("{"),
    })),
  );
  return new Set(
    found
      .filter(({ preposition }) => found.every((one) => one.preposition !== preposition || !one.isValue))
      .map(({ preposition }) => preposition),
  );
}

const FROM_TO = /\bfrom (?:(?:the|my|our) )?(\p{L}+) (?:in)?to (?:(?:the|my|our) )?(\p{L}+)/iu;
/** "{text} to the minutes": a constant that something is added to. */
const VALUE_TO = /\{\w+\} (?:in|on)?to (?:the|my|our) (\p{L}+)\W*$/iu;

/** "From drafts to signed": both are constants. */
function directionsIn(template: string): [string, "from" | "to"][] {
  const [, target] = VALUE_TO.exec(template) ?? [];
  if (target !== undefined) return [[familyOf(target.toLowerCase()), "to"]];
  const [, from, to] = FROM_TO.exec(template) ?? [];
  if (from === undefined || to === undefined) return [];
  return [
    [familyOf(from.toLowerCase()), "from"],
    [familyOf(to.toLowerCase()), "to"],
  ];
}

/** The position in a file where a skill adds text. */
const PLACES_OF_SKILL: Readonly<Record<string, readonly string[]>> = { fs_append: ["end", "bottom"] };

function knownFamilies({
  title,
  summary,
  steps,
  parameters,
  recipe,
  examples,
}: ReadableFunction): Set<string> {
  const constants = (recipe?.actions ?? []).flatMap(({ args }) => constantsIn(args));
  const texts = [
    title,
    summary,
    ...steps,
    ...parameters.flatMap(({ name, description }) => [name, description]),
    ...constants,
    ...(recipe?.actions ?? []).flatMap(({ skill }) => PLACES_OF_SKILL[skill] ?? []),
  ].join(" ");
  const values = new Set(
    examples.flatMap(({ parameters: bound = {} }) =>
      Object.values(bound).flatMap((value) => plainWords(String(value)).map(familyOf)),
    ),
  );
  const families = plainWords(texts.replaceAll(SLOT, " "))
    .filter((word) => !FUNCTION_WORDS.has(word))
    .map(familyOf);
  // A title contains the values of one example, which do not apply to other requests.
  return new Set([...families.filter((family) => !values.has(family)), ...constantWords(examples)]);
}

/** Two runs show what stays the same; one does not. */
const MIN_EXAMPLES = 2;

/** The families of words that a parameter's value has in every example: "client" of `clients/ada.md` and `clients/ben.md`. */
function constantWords(examples: ReadableFunction["examples"]): string[] {
  const bound = examples.flatMap(({ parameters }) => (parameters ? [parameters] : []));
  const [first, ...others] = bound;
  if (first === undefined || bound.length < MIN_EXAMPLES) return [];
  const wordsOf = (value: unknown): string[] =>
    typeof value === "string" ? plainWords(value.replace(FILE_EXTENSION, "")) : [];
  return Object.entries(first).flatMap(([name, value]) => {
    const later = others.map((one) => new Set(wordsOf(one[name])));
    return wordsOf(value)
      .filter((word) => !FUNCTION_WORDS.has(word) && later.every((words) => words.has(word)))
      .map(familyOf);
  });
}

const FILE_EXTENSION = /\.[a-z]{1,5}$/u;

function constantsIn(value: unknown): string[] {
  if (typeof value === "string") return piecesOf(value).filter((piece) => typeof piece === "string");
  if (Array.isArray(value)) return value.flatMap(constantsIn);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(constantsIn) : [];
}

function slotOf(
  parameter: FunctionParameter,
  content: ReadableFunction,
  parsed: readonly ParsedTemplate[],
): Slot {
  const { recipe, examples } = content;
  const { name, description } = parameter;
  const values = examples.flatMap(({ parameters = {} }) => {
    const value = parameters[name];
    return typeof value === "string" ? [value] : [];
  });
  const strings = (recipe?.actions ?? []).flatMap(({ skill, args }) =>
    Object.entries(args).flatMap(([argument, value]) =>
      typeof value === "string" && value.includes(`\${${name}}`) ? [{ skill, argument, value }] : [],
    ),
  );
  const places = parsed.flatMap(({ around }) => around.filter((one) => one.name === name));
  const options = optionsIn(description);
  const isPart = ({ argument, value }: { argument: string; value: string }): boolean =>
    PLACE_ARGUMENT.test(argument) && value !== `\${${name}}`;
  return {
    name,
    isOptional: !parameter.required || parameter.default !== undefined,
    preset:
      typeof parameter.default === "string" && sourcesIn(parameter.default).length > 0
        ? parameter.default
        : undefined,
    type: slotType(parameter, { values, options, strings }),
    options,
    before: new Set(places.flatMap(({ before }) => before)),
    after: new Set(places.flatMap(({ after }) => after)),
    labels: new Set(
      plainWords(name.replaceAll(/[_A-Z]/gu, " $&")).flatMap((word) => labelsOf(word, parameter, values)),
    ),
    frames: strings.filter(isPart).flatMap(({ value }) => {
      const [prefix = "", suffix = "", ...others] = value.split(`\${${name}}`);
      return others.length === 0 && !/[$]/u.test(prefix + suffix) ? [{ prefix, suffix }] : [];
    }),
    isQuoted: templatesOf(content).some((text) =>
      [...text.matchAll(QUOTED_SLOT)].some(([whole]) => whole.includes(`{${name}}`)),
    ),
    isFolder: strings.some(
      ({ skill, argument, value }) =>
        (skill === "fs_list" && argument === "path") ||
        (isPart({ argument, value }) && value.startsWith(`\${${name}}/`)),
    ),
    values,
    start: startOf(values),
    isRepeated: parsed.some(({ around }) => around.filter((one) => one.name === name).length > 1),
    hasExtension: values.length > 0 && values.every((value) => /\.\w{1,5}$/u.test(value)),
    isDigits:
      parameter.type === "string" && values.length > 0 && values.every((value) => /^\d+$/u.test(value)),
    isCapital: values.some((value) => /^\p{Lu}/u.test(value)),
    hasDigit: values.some((value) => /\d/u.test(value)),
    isCode: values.length > 0 && values.every(isCode),
    hasNumberFirst: values.length > 0 && values.every(beginsWithNumber),
    isOneWord: values.length > 0 && values.every(isIdentifier),
    isProper: values.length > 0 && values.every((value) => PROPER_NAME.test(value)),
  };
}

/** The same word for several texts of more than one word each. */
function startOf(values: readonly string[]): string | undefined {
  const starts = new Set(values.map((value) => /^(\p{Ll}+)\s/u.exec(value)?.[1]));
  const [start] = starts;
  return values.length >= MIN_EXAMPLES && starts.size === 1 && start !== undefined
    ? plainForm(start)
    : undefined;
}

function slotType(
  { name, type }: FunctionParameter,
  {
    values,
    options,
    strings,
  }: { values: string[]; options: string[]; strings: { skill: string; argument: string; value: string }[] },
): SlotType {
  if (type === "date" || type === "number" || type === "path") return type;
  // "A person or company" with the value "Ada Berg" describes any name.
  if (options.length > 1 && values.every((value) => options.some((one) => isSameWord(one, value))))
    return "enum";
  const all = (pattern: RegExp): boolean => values.length > 0 && values.every((value) => pattern.test(value));
  if (
    all(/^https?:\/\//iu) ||
    strings.some(({ skill, argument }) => skill === "http_get" && argument === "url")
  )
    return strings.every(({ value }) => value !== `\${${name}}`) && !all(/^https?:/iu) ? "name" : "url";
  if (all(/^\S+@\S+\.\S+$/u)) return "email";
  if (all(/^(?:[01]\d|2[0-3]):[0-5]\d$/u)) return "time";
  // The number of an invoice is a text of digits.
  if (all(/^\d+$/u) && strings.every(({ argument }) => !PLACE_ARGUMENT.test(argument))) return "number";
  const isName = strings.some(
    ({ skill, argument }) => PLACE_ARGUMENT.test(argument) || skill === "json_update",
  );
  return isName ? "name" : "text";
}

const isSameWord = (one: string, other: string): boolean => one.toLowerCase() === other.trim().toLowerCase();

/** Words for the same parameter: "destination: Rome" names the city. */
const LABELS: readonly (readonly string[])[] = [
  ["place", "city", "town", "destination", "location"],
  ["person", "name", "who"],
  ["amount", "sum", "price", "total"],
  ["text", "content", "message"],
  ["fault", "problem", "issue", "defect", "reason", "cause"],
  ["purpose", "occasion", "reason"],
];

/** The same for days: "I leave on monday and come back on friday". */
const LABELS_OF_DAYS: readonly (readonly string[])[] = [
  ["start", "departure", "leave", "leaving"],
  ["end", "return", "back"],
  ["due", "deadline", "until", "back"],
];

/** Words that begin names of places, too: "the town library". They label only names: "the town Ulm". */
const IN_NAMES_OF_PLACES: ReadonlySet<string> = new Set(["city", "town"]);

function labelsOf(word: string, { type }: FunctionParameter, values: readonly string[]): readonly string[] {
  const groups = type === "date" ? [...LABELS, ...LABELS_OF_DAYS] : LABELS;
  const isName = values.every((value) => PROPER_NAME.test(value));
  return (groups.find((group) => group.includes(word)) ?? [word])
    .filter((label) => label === word || isName || !IN_NAMES_OF_PLACES.has(label))
    .map(familyOf);
}

const PLACE_ARGUMENT = /^(?:path|from|to|folder)$/u;
const PROPER_NAME = /^\p{Lu}[\p{L}'’.-]*(?:\s\p{Lu}[\p{L}'’.-]*)*$/u;

/** "Low, normal or high", also after "one of": the options of a value. */
function optionsIn(description: string): string[] {
  const listed =
    /^(?:(?:one|any|either) of:?\s*)?((?:[\w-]+(?:,\s*|\s*\/\s*))*[\w-]+,?\s*(?:or|\/|,)\s*[\w-]+)\.?$/iu.exec(
      description.trim(),
    );
  return listed?.[1] === undefined
    ? []
    : listed[1].split(/\s*(?:,|\/|\bor\b)\s*/iu).filter((word) => word !== "");
}
