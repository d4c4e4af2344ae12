import type { Action, ScratchpadEntry } from "../contract/run.ts";
import { indexOfSource } from "./own-words.ts";

/** The text and the observations that precede a call. */
export interface PriorText {
  request: string;
  /** Earlier messages of the person in this conversation. */
  conversation?: readonly string[];
  /** The person's answers in this run, the questions that they confirmed, and their reasons for denials. */
  answers?: readonly string[];
  /** The observations of the run; also the source of titles of tasks and memories. */
  scratchpad?: readonly Pick<ScratchpadEntry, "action" | "observation">[];
  memories?: readonly string[];
  /** Titles of tasks and schedules and texts of memories that are known without an observation, by id. */
  titles?: Readonly<Record<string, string>>;
  /** The ids and canonical paths of what earlier requests of this conversation created or changed. */
  made?: readonly string[];
  /** The files that hold exactly what the operator wrote into them in this conversation. */
  ownTexts?: readonly string[];
  /** Set if a promoted function makes the call; `parameters` are its arguments. */
  function?: { parameters: unknown };
}

export type TargetNaming =
  | { named: true }
  | {
      named: false;
      /** The origin of the target: a file, a page, "a memory", "the model". */
      source: string;
      /** Set if the target was found by listing something that the person named: "out/tmp/", "*.log", "tasks". */
      set?: string;
    };

/** The person's texts in this conversation: the request, earlier messages, and answers. */
export const textsOf = ({ request, conversation = [], answers = [] }: PriorText): string[] => [
  request,
  ...conversation,
  ...answers,
];

/** The title or text of a record: the stored one, otherwise the one that the run has seen; `""` if neither is known. */
export function titleOf(id: string, { scratchpad = [], titles = {} }: PriorText): string {
  if (Object.hasOwn(titles, id)) return titles[id] ?? "";
  const seen = scratchpad.map(({ observation }) => titleIn(observation?.outputs, id));
  return seen.findLast((title) => title !== "") ?? "";
}

function titleIn(outputs: unknown, id: string): string {
  if (typeof outputs !== "object" || outputs === null) return "";
  const record: Record<string, unknown> = { ...outputs };
  const { title, content } = record;
  if (record["id"] === id && typeof title === "string") return title;
  if (record["id"] === id && typeof content === "string") return content;
  return (
    Object.values(outputs)
      .map((value: unknown) => titleIn(value, id))
      .find((found) => found !== "") ?? ""
  );
}

/** Calls that show targets without text of others that could ask for anything. */
const LISTINGS = new Set(
  (
    "fs_list fs_search fs_exists task_list task_find task_update task_update_status schedule_list schedule_update " +
    "memory_search"
  ).split(" "),
);

/** Returns where the run saw one of the forms of a target; content that it read takes precedence over listings. */
export function sourceOf(
  given: readonly string[],
  { scratchpad = [], memories = [] }: PriorText,
): { name: string; isListing: boolean } | undefined {
  const forms = given.filter((form) => form.length > 2);
  const seen = scratchpad.filter(({ action, observation }) => {
    if (!action || !observation) return false;
    return observation.success && containsForm(observation.outputs ?? observation.content, forms);
  });
  const read = seen.findLast(({ action }) => !LISTINGS.has(action?.tool ?? ""));
  if (read?.action) return { name: nameOf(read.action), isListing: false };
  const listing = seen.at(-1)?.action;
  if (listing) return { name: nameOf(listing), isListing: true };
  return memories.some((memory) => containsForm(memory, forms))
    ? { name: "a memory", isListing: false }
    : undefined;
}

/** Calls whose results are texts that others may have written. */
const READS = new Set(
  (
    "fs_read fs_search summarize_file http_get web_search memory_search shell_safe git_diff git_status execute_code " +
    "function_run"
  ).split(" "),
);

/** The texts that the run has read, with the name of each source, oldest first. */
export function readTexts({ scratchpad = [] }: PriorText): { name: string; text: string }[] {
  return scratchpad.flatMap(({ action, observation }) => {
    if (!action || observation?.success !== true || !READS.has(action.tool)) return [];
    return [{ name: nameOf(action), text: JSON.stringify(observation.outputs ?? observation.content) }];
  });
}

const WEB = new Set(["http_get", "web_search"]);
/** The maximum number of characters that a path may have in words that neither the person nor a page wrote. */
const MAX_OWN_PATH = 40;

/**
 * True if the path of a web address may carry data to its host: it has a number or a longer word that the run read in a file, a task or
 * a memory, or more than `MAX_OWN_PATH` characters, in words that neither the person nor a page wrote. An address that was
 * read as a whole was not composed, so it carries nothing.
 */
export function pathCarriesText(address: string, prior: PriorText): boolean {
  const observations = (prior.scratchpad ?? []).flatMap(({ action, observation }) =>
    action && observation?.success === true
      ? [{ tool: action.tool, seen: observation.outputs ?? observation.content }]
      : [],
  );
  const memories = prior.memories ?? [];
  if ([...memories, ...observations.map(({ seen }) => seen)].some((seen) => containsForm(seen, [address])))
    return false;
  const pages = observations.filter(({ tool }) => WEB.has(tool)).map(({ seen }) => seen);
  const ownTexts = [
    ...memories,
    ...observations.filter(({ tool }) => !WEB.has(tool)).map(({ seen }) => seen),
  ];
  const words = (decoded(new URL(address).pathname).match(/[\p{L}\p{N}]{4,}/gu) ?? []).filter(
    (word) => ![...textsOf(prior), ...pages].some((text) => containsForm(text, [word])),
  );
  return (
    words.join("").length > MAX_OWN_PATH ||
    words.some(
      (word) => (word.length > 5 || /\d/u.test(word)) && ownTexts.some((text) => containsForm(text, [word])),
    )
  );
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The name of the source that contains most words of a text. */
export function sourceOfText(words: string, prior: PriorText): string | undefined {
  const read = readTexts(prior);
  const memories = (prior.memories ?? []).map((text) => ({ name: "a memory", text }));
  const sources = [...memories, ...read];
  const at = indexOfSource(
    words,
    sources.map(({ text }) => text),
  );
  return at === undefined ? undefined : sources[at]?.name;
}

/** True if a value contains one of the forms, ignoring case. */
export function containsForm(value: unknown, forms: readonly string[]): boolean {
  const text = JSON.stringify(value ?? "").toLowerCase();
  return forms.some((form) => text.includes(JSON.stringify(form.toLowerCase()).slice(1, -1)));
}

function nameOf({ tool, args }: Action): string {
  const { path, url } = args;
  if (tool === "fs_list") return "a listing";
  if (tool.startsWith("fs_") || tool === "summarize_file") return typeof path === "string" ? path : "a file";
  if (tool === "http_get" && typeof url === "string") return url;
  if (tool.startsWith("memory_")) return "a memory";
  if (tool.startsWith("task_")) return "a task";
  if (tool.startsWith("schedule_")) return "a schedule";
  return `what ${tool} returned`;
}
