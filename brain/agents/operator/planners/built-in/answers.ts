import { oneOf } from "@metahuman/core/text/patterns";
import { HOW_TO_GET_A_MODEL } from "@metahuman/core/contract/model-abilities";
import { PATH } from "@metahuman/core/language/tokens/reorder";
import { plainRequest } from "@metahuman/core/language/grammar/nearest-skills";
import type { Interpretation, PlannedValue, SmallTalkTopic } from "@metahuman/core/language/grammar/plan";
import { capitalize } from "@metahuman/core/text/format";
import type { Skill } from "@metahuman/skills/define-skill";
import { skillGrammar } from "@metahuman/skills/skill-card";
import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";
import { outsideAbilities } from "./outside-abilities.ts";
import { quote, sentences } from "./phrasing.ts";
import { FACT, requestForDatedTask, requestForTask, requestToRemember } from "./statement-requests.ts";

type NotUnderstood = Extract<Interpretation, { kind: "not-understood" }>;
type Answerable = Exclude<Interpretation, { kind: "plan" } | { kind: "ambiguous" }>;

const UNDO =
  "What was deleted or overwritten is in the archive: bring it back with the button under that answer, in Memory, " +
  "Archive, or with mh archive restore.";

const STATES_NEVER_WORDS = oneOf(
  String.raw`never|do\s?n['’]t|does\s?n['’]t|do not|does not|can\s?n?['’]t|cannot|am not|is not|are not`,
  String.raw`is\s?n['’]t|are\s?n['’]t|no longer`,
);
/** "We never eat pork" states something, and forbids nothing. */
const STATES_NEVER = new RegExp(
  String.raw`^(?:i|we|he|she|they|(?:my|our)\s+\p{L}+(?:\s+\p{L}+)?)\s+${STATES_NEVER_WORDS}\s+(?!want\s+you|need\s+you)\S[^?]*$`,
  "iu",
);

/** "Never delete files" is also about later requests. */
const SETS_RULE =
  /\b(?:never(?!\s*mind)|not ever|don['’]?t ever|ever again|from now on|in future|in the future)\b/iu;
const NO_RULE =
  "Nothing was done, and no rule was set by this. What is never done, and what needs your approval, is set under " +
  "Settings → Trust and skills.";

const SMALL_TALK: Readonly<Record<SmallTalkTopic, string>> = {
  greeting: "Hello. Say what you would like to do, or ask “what can you do?”.",
  thanks: "You're welcome.",
  farewell: "Goodbye.",
  "how-are-you": "Ready to work. What would you like to do?",
  "who-are-you":
    "This is MetaHuman OS, an operator that works with your files, tasks and memory. " +
    "Without a language model it understands plain orders; ask “what can you do?” to see them.",
  undo: `There is nothing to undo here, or it cannot be reversed by itself. ${UNDO}`,
  permissions:
    "What is done without asking depends on your trust level. At “supervised”, reading, new files, tasks and notes are done at " +
    "once; overwriting or deleting a file, and anything critical, ask you first. Settings → Trust and skills shows the " +
    "whole table, and changes it for each skill.",
  privacy:
    "Your files, tasks, memories and conversations are plain files in your profile folder on this machine. Nothing is sent anywhere, " +
    "except to the model server, if one is configured, and by skills that use the web, which Settings → Trust and skills can forbid. Mail, calendars " +
    "and other apps are not connected.",
  models: `A language model understands freely worded requests and writes the answers. ${HOW_TO_GET_A_MODEL}`,
  reasons:
    "The steps above an answer show what was done, with which values and why: open them with the line that counts them. " +
    "The page Runs keeps the same for every run, and Settings → Audit every decision.",
  "undo-help": `Say “undo that” after a change. ${UNDO}`,
};

/** Answers without a call, from the request and the catalog alone, with suggested requests. */
export function writeAnswer(
  reading: Answerable,
  skills: readonly Skill[],
  {
    request,
    requestedAt,
    timeZone,
    modelAdvice = HOW_TO_GET_A_MODEL,
    files,
  }: Pick<PlanState, "request" | "requestedAt" | "timeZone" | "modelAdvice"> & {
    /** Files that exist, for the examples of a request that was not understood. */
    files: readonly string[];
  },
): { text: string; suggestions: string[] } {
  switch (reading.kind) {
    case "refrain": {
      const kept = STATES_NEVER.test(request)
        ? requestToRemember(request.trim(), skills, { requestedAt, timeZone })
        : undefined;
      if (kept !== undefined) return { text: sentences.statement(["be remembered"]), suggestions: [kept] };
      return reading.appliedRequest === undefined
        ? { text: SETS_RULE.test(request) ? NO_RULE : "All right, nothing was done.", suggestions: [] }
        : {
            text: `Nothing more was done. ${quote(reading.appliedRequest)} was done before; “undo that” reverses it.`,
            suggestions: ["undo that"],
          };
    }
    case "small-talk":
      return { text: SMALL_TALK[reading.topic], suggestions: [] };
    case "clock":
      return { text: clockWords(reading.asks, requestedAt, timeZone), suggestions: [] };
    case "empty": {
      const clock = { requestedAt, timeZone };
      const suggestions = spread(examplesOf(skills).filter((example) => isComplete(example, skills, clock)));
      const text = ["There was no request. For example:", ...bullets(suggestions.map(quote))].join("\n");
      return { text, suggestions: suggestions };
    }
    case "capabilities":
      return (
        outsideAbilities(request, skills, { requestedAt, timeZone }) ?? {
          text: capabilities(reading.about, skills, modelAdvice),
          suggestions: [],
        }
      );
    case "not-understood":
      return notUnderstood(reading, skills, { requestedAt, timeZone, modelAdvice, files }, request);
    default:
      return reading satisfies never;
  }
}

/** The date, or date and time, in the person's time zone. */
function clockWords(asks: "date" | "time", at: Date, timeZone: string): string {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone }).format(at);
  if (asks === "date") return `It is ${day}.`;
  const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone }).format(at);
  return `It is ${time}, ${day}.`;
}

/** Three lines, spread over the list. */
const spread = (lines: readonly string[]): string[] =>
  [0, 1, 2].flatMap((third) => lines[Math.floor((third * lines.length) / 3)] ?? []);

const bullets = (lines: readonly string[]): string[] => lines.map((line) => `- ${line}`);

/** The simplest example request of a skill. */
function exampleFor(skill: Skill): string | undefined {
  return plainRequest(skillGrammar(skill));
}

function examplesOf(skills: readonly Skill[]): string[] {
  return skills.flatMap((skill) => exampleFor(skill) ?? []);
}

function capabilities(about: readonly string[], skills: readonly Skill[], modelAdvice: string): string {
  const chosen = skills.filter((skill) => about.length === 0 || about.includes(skill.id));
  const groups = Map.groupBy(
    chosen.filter((skill) => exampleFor(skill) !== undefined),
    (skill) => skill.category,
  );
  const lines = (members: readonly Skill[]): string[] =>
    members.map((skill) => `- ${skill.summary}: ${quote(exampleFor(skill) ?? "")}`);
  if (about.length > 0) return ["Say, for example:", ...[...groups.values()].flatMap(lines)].join("\n");
  const parts = [...groups].map(([category, members]) =>
    [`**${capitalize(category)}**`, ...lines(members)].join("\n"),
  );
  return [
    "This works without a language model, in your own words and several things at once (“… and then …”):",
    ...parts,
    `With a language model, freely worded requests work too. ${modelAdvice}`,
  ].join("\n\n");
}

function notUnderstood(
  reading: NotUnderstood,
  skills: readonly Skill[],
  {
    modelAdvice,
    files,
    ...clock
  }: Pick<PlanState, "requestedAt" | "timeZone"> & { modelAdvice: string; files: readonly string[] },
  request: string,
): { text: string; suggestions: string[] } {
  const { understood, nearest, needsModel, statement, dangling, instead, recall, foreign } = reading;
  if (instead)
    return { text: `${gapIn(reading)} ${sentences.insteadSay(instead)}`, suggestions: [...instead] };
  const outside = understood.length === 0 && !foreign ? outsideAbilities(request, skills, clock) : undefined;
  if (outside !== undefined) return outside;
  const fact = statement ?? (understood.length === 0 && FACT.test(request) ? request.trim() : undefined);
  const keep = fact === undefined || foreign === true ? undefined : requestToRemember(fact, skills, clock);
  const [only, ...others] = statement === undefined ? reading.unexplained : [statement];
  const task = only === undefined || others.length > 0 ? undefined : requestForTask(only, skills, clock);
  const dated =
    only === undefined ||
    others.length > 0 ||
    statement !== undefined ||
    foreign === true ||
    understood.length > 0
      ? undefined
      : requestForDatedTask(only, skills, clock);
  if (dated !== undefined && !needsModel)
    return { text: `${gapIn(reading)} Should it become a task?`, suggestions: [dated] };
  const model =
    needsModel || foreign ? modelAdvice : `With a language model, more is understood. ${modelAdvice}`;
  // A name or a fact is missing there, not another wording.
  const isPhrasedWell = foreign !== true && (dangling !== undefined || recall !== undefined);
  const words = reading.unexplained.join(" ");
  const near = foreign
    ? []
    : nearest
        .filter((example) => isFitting(example, words, skills))
        .flatMap(
          (example) => withOwnValues(example, request, skills, clock) ?? examplesThatWork(example, files),
        );
  const kept = [task, keep].filter((one) => one !== undefined);
  function* offered(): Iterable<string> {
    yield* understood;
    yield* kept;
    if (kept.length > 0) return;
    if (!foreign) yield* aboutOwnWords(words, skills, clock);
    // The understood part can be requested by itself. An example with invented names cannot.
    for (const example of [...nearest, ...examplesOf(skills.filter(readsOwnData))])
      if (isFitting(example, words, skills) && isComplete(example, skills, clock)) yield example;
  }
  const suggestions = isPhrasedWell ? [] : firstOf(offered(), MAX_SUGGESTIONS);
  if (understood.length === 0 && kept.length > 0) {
    const choices = [
      ...(task === undefined ? [] : ["become a task"]),
      ...(keep === undefined ? [] : ["be remembered"]),
    ];
    return {
      text: sentences.statement(choices),
      suggestions,
    };
  }
  // Offered requests are not listed a second time.
  const examples = isPhrasedWell ? [] : near.filter((example) => !suggestions.includes(example));
  const text = [
    gapIn(reading),
    ...(understood.length > 0
      ? [`Understood: ${understood.map(quote).join(", ")}. Should only this be done?`]
      : []),
    ...(examples.length > 0
      ? [["Requests like these work:", ...bullets(examples.map(quote))].join("\n")]
      : []),
    ...(dangling === undefined || foreign ? [model] : []),
  ].join("\n\n");
  return { text, suggestions };
}

const MAX_SUGGESTIONS = 3;

/** The first different texts; those after them are not found out, which takes a reading each. */
function firstOf(texts: Iterable<string>, count: number): string[] {
  const found = new Set<string>();
  for (const text of texts) if (found.add(text).size === count) break;
  return [...found];
}

/** Words of rare requests and of deletions, which are suggested only if the request has one of these words. */
const NAMED_BY: readonly (readonly [of: RegExp, named: RegExp])[] = [
  [
    /^(?:get url|check https?:|search the web|watch )/iu,
    /\b(?:url|web|website|page|site|internet|online|link|https?)\b|\.\p{L}{2,4}\//iu,
  ],
  [
    /\b(?:command|code|script|python|javascript)\b/iu,
    /\b(?:command|run|shell|terminal|code|script|program|python|javascript)\b/iu,
  ],
  [
    /^(?:run|stop|start) the \S+$|\bagent\b/iu,
    /\b(?:agent|miner|ingestor|organizer|curator|reflector|run|stop|start)\b/iu,
  ],
  [/\bgit\b|\bcommit\b|\bdiff\b/iu, /\b(?:git|commit|branch|repo|repository|diff|staged)\b/iu],
  [
    /^(?:delete|remove|forget) /iu,
    /\b(?:delet\p{L}+|remov\p{L}+|forget|erase|rid|clear|trash|discard|throw|drop|wipe)\b/iu,
  ],
  [/\.json\b/iu, /\b(?:json|config|configuration|settings?|key|port|version)\b/iu],
  [
    /\b(?:functions?|pattern|skills?|environment)\b/iu,
    /\b(?:functions?|patterns?|skills?|environment|installed|learn(?:ed|t)?)\b/iu,
  ],
];

/** False for an example on a rare subject that the request does not mention, such as a shell command. */
function isFitting(example: string, words: string, skills: readonly Skill[]): boolean {
  const isAgent = skills.some((skill) => skill.category === "agent" && exampleFor(skill) === example);
  return (
    NAMED_BY.every(([of, named]) => !of.test(example) || named.test(words)) &&
    (!isAgent || /\bagents?\b/iu.test(words))
  );
}

/** Requests for what is known of the thing that a request names: memory and files. None without such a word. */
function aboutOwnWords(
  words: string,
  skills: readonly Skill[],
  clock: Pick<PlanState, "requestedAt" | "timeZone">,
): string[] {
  const name = words
    .split(/[^\p{L}\p{N}'’-]+/u)
    .slice(1)
    .find((word) => /^\p{Lu}\p{Ll}{2,}$/u.test(word) && !CALENDAR.test(word));
  const named = name ?? OWN_THING.exec(words)?.[0];
  if (named === undefined) return [];
  return [`what do you know about ${named}`, `search for ${named} in my files`].filter((request) => {
    const reading = interpretAlone({ request, skills, ...clock });
    return reading.kind === "plan" && reading.readOnly;
  });
}

const FILES = new RegExp(PATH, "gu");
const QUOTED = /"[^"]+"/gu;

/** The maximum length of a request in which a file is looked for; the search takes the square of it. */
const MAX_LENGTH = 500;

/** The one file that a request names; undefined for none and for several, and in a long text. */
function fileIn(request: string): string | undefined {
  if (request.length > MAX_LENGTH) return undefined;
  const [path, ...others] = new Set(request.replaceAll(QUOTED, "").match(FILES) ?? []);
  return others.length > 0 ? undefined : path;
}

/**
 * An example with the file and the quotation of the request in place of the first invented ones. Undefined if the request or the
 * example names no file, or if the example is not a request with them.
 */
function withOwnValues(
  example: string,
  request: string,
  skills: readonly Skill[],
  clock: Pick<PlanState, "requestedAt" | "timeZone">,
): string | undefined {
  const path = fileIn(request);
  const places = example.replaceAll(QUOTED, "").match(FILES) ?? [];
  if (path === undefined || places.length === 0) return undefined;
  const [quoted, ...others] = request.match(QUOTED) ?? [];
  const [sample, ...further] = example.match(QUOTED) ?? [];
  const isQuoted = quoted !== undefined && sample !== undefined && others.length + further.length === 0;
  const own = example
    .replace(places[0] ?? "", () => path)
    .replace(isQuoted ? sample : "", () => (isQuoted ? quoted : ""));
  return interpretAlone({ request: own, skills, ...clock }).kind === "plan" ? own : undefined;
}

/** Examples that create the file that they name. */
const CREATES = /^(?:create|make|add|append|write|save|start)\b/iu;
/** Examples that work with any text file and leave it as it is. */
const FOR_ANY_FILE = /^(?:read|summarize|copy)\b/iu;
const TEXT_FILE = /\.(?:md|txt|csv)$/iu;

/** An example that works here: with a file that exists, if it needs one. None if there is no such file. */
function examplesThatWork(example: string, files: readonly string[]): string[] {
  const [place] = example.replaceAll(QUOTED, "").match(FILES) ?? [];
  if (place === undefined || CREATES.test(example)) return [example];
  const file = FOR_ANY_FILE.test(example) ? files.find((path) => TEXT_FILE.test(path)) : undefined;
  return file === undefined ? [] : [example.replace(place, () => file)];
}

const OWN_THING_WORDS = oneOf(
  String.raw`files?|tasks?|to-?dos?|notes?|lists?|things?|papers?|stuff|folders?|memor\p{L}+|schedules?`,
  "reminders?|automations?|functions?|skills?|whole|other|first|last|next|same|new|old",
);
/** Something of the person's own, not of this system. */
const OWN_THING = new RegExp(String.raw`\b(?:the|my|our) (?!${OWN_THING_WORDS}\b)\p{Ll}{3,}`, "iu");
const CALENDAR_WORDS = oneOf(
  "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august",
  "september|october|november|december",
);
const CALENDAR = new RegExp(String.raw`^${CALENDAR_WORDS}$`, "iu");

/** Categories with data in every profile, unlike a repository or the web. */
const OWN_DATA: ReadonlySet<string> = new Set(["files", "tasks", "schedules", "memory", "functions"]);
const readsOwnData = (skill: Skill): boolean => skill.effects === "read" && OWN_DATA.has(skill.category);

/** Which examples of a list of skills are complete, at any time: reading the examples takes as long as reading 2,000 words. */
const knownExamples = new WeakMap<readonly Skill[], Map<string, boolean>>();

/** True for a request that works in any profile: it only reads, and names nothing that may be missing. */
function isComplete(
  example: string,
  skills: readonly Skill[],
  clock: Pick<PlanState, "requestedAt" | "timeZone">,
): boolean {
  const known = knownExamples.get(skills) ?? new Map<string, boolean>();
  knownExamples.set(skills, known);
  const found = known.get(example);
  if (found !== undefined) return found;
  const reading = interpretAlone({ request: example, skills, ...clock });
  const isOpen = (value: PlannedValue): boolean =>
    value.from !== "request" || typeof value.value === "string";
  const isComplete =
    reading.kind === "plan" &&
    reading.calls.every(
      ({ skill: id, args }) =>
        skills.some((skill) => skill.id === id && readsOwnData(skill)) && !Object.values(args).some(isOpen),
    );
  known.set(example, isComplete);
  return isComplete;
}

function gapIn({ unexplained, dangling, recall, needsModel, foreign }: NotUnderstood): string {
  if (foreign) return "Nothing was done: without a language model only English is understood.";
  const gap = unexplained.map(quote).join(", ");
  if (dangling !== undefined)
    return `Nothing was done: it is not clear what ${quote(dangling)} refers to. Name it.`;
  if (recall) {
    const found = `Nothing in memory answers ${quote(recall.clause)}.`;
    return needsModel ? `${found} Any other answer needs a language model, and none is reachable.` : found;
  }
  if (needsModel) return `Nothing was done: ${gap} needs a language model, and none is reachable.`;
  return `Nothing was done: ${gap} was not understood.`;
}
