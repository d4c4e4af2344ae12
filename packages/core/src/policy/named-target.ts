import type { Action, ScratchpadEntry } from "../contract/run.ts";
import {
  asksFor,
  asksOnlyToCopy,
  mentionsKind,
  type TargetAction,
  identifyingWords,
} from "./target-words.ts";
import { plainWords } from "../text/words.ts";

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

interface Target {
  kind: "path" | "task" | "schedule" | "memory" | "host" | "program";
  value: string;
  taking: TargetAction;
}

const NAMED = { named: true } as const;

/**
 * Returns whether the person named, literally and in this conversation, what a call deletes, overwrites, moves, sends
 * or executes. Other calls count as named, as do calls on what the run itself created.
 */
export function isNamedTarget(action: Action, prior: PriorText): TargetNaming {
  const namings = targetsOf(action).map((target) => namingOf(target, prior));
  return (
    namings.find((naming) => !naming.named && naming.set === undefined) ??
    namings.find((naming) => !naming.named) ??
    NAMED
  );
}

/** True for a call that deletes, overwrites, changes, moves, sends or executes something. */
export function removesTarget(action: Action): boolean {
  return targetsOf(action).length > 0;
}

/** Returns the origin of a target as a phrase. */
export function sourcePhrase({ source, set }: Extract<TargetNaming, { named: false }>): string {
  if (set !== undefined)
    return `found by listing, as part of ${set}, which you named; asked once for all of it`;
  return source === "the model" ? "chosen by the model, not named by you" : `named in ${source}, not by you`;
}

function targetsOf({ tool, args }: Action): Target[] {
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : "");
  const path = (name: string, taking: TargetAction): Target => ({ kind: "path", value: text(name), taking });
  switch (tool) {
    case "fs_delete":
      return [path("path", "delete")];
    case "fs_move":
      return [path("from", "move"), ...(args["overwrite"] === true ? [path("to", "overwrite")] : [])];
    case "fs_copy":
      return args["overwrite"] === true ? [path("to", "overwrite")] : [];
    case "fs_write":
      return args["overwrite"] === true ? [path("path", "overwrite")] : [];
    case "json_update":
      return args["create"] === true ? [] : [path("path", "overwrite")];
    case "fs_edit":
      return text("action").startsWith("insert") ? [] : [path("path", "overwrite")];
    case "archive_restore":
      return args["overwrite"] === true ? [path("path", "overwrite")] : [];
    case "task_delete":
      return [{ kind: "task", value: text("id"), taking: "delete" }];
    case "task_update":
    case "task_update_status":
      return [{ kind: "task", value: text("id"), taking: "change" }];
    case "schedule_delete":
      return [{ kind: "schedule", value: text("id"), taking: "stop" }];
    case "schedule_update":
      return text("id") === "" ? [] : [{ kind: "schedule", value: text("id"), taking: "change" }];
    case "memory_remember":
      return text("replaces") === "" ? [] : [{ kind: "memory", value: text("replaces"), taking: "change" }];
    case "memory_forget":
      return [{ kind: "memory", value: text("id"), taking: "delete" }];
    case "http_get":
      return sendingHost(text("url"));
    case "shell_safe":
      return [{ kind: "program", value: programOf(args["argv"]), taking: "run" }];
    default:
      return [];
  }
}

/** A URL with a query sends data to its host. */
function sendingHost(url: string): Target[] {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed && parsed.search !== "" ? [{ kind: "host", value: parsed.host, taking: "send" }] : [];
}

function programOf(argv: unknown): string {
  const program: unknown = Array.isArray(argv) ? argv[0] : undefined;
  return typeof program === "string" ? program : "";
}

function namingOf(target: Target, prior: PriorText): TargetNaming {
  const texts = [prior.request, ...(prior.conversation ?? []), ...(prior.answers ?? [])];
  const title = titleOf(target, prior);
  if (texts.some((text) => isNamedIn(text, target, title)) || wasCreatedByRun(target, prior)) return NAMED;
  const source = sourceOf(target, title, prior);
  if (target.taking === "change" && isFreeToChange(target, title, texts, source)) return NAMED;
  if (source === undefined && prior.function && !holds(prior.function.parameters, formsOf(target)))
    return NAMED;
  const set = source?.isListing === true ? setNamedIn(texts, target) : undefined;
  return { named: false, source: source?.name ?? "the model", ...(set !== undefined && { set }) };
}

/**
 * True for a change that no text asked for: of what the person speaks of ("push my tasks to Monday"), or of something whose title
 * the run has not seen. What a file or a page names must be named by the person, too.
 */
function isFreeToChange(
  { kind }: Target,
  title: string,
  texts: readonly string[],
  source: ReturnType<typeof sourceOf>,
): boolean {
  if (source !== undefined && !source.isListing) return false;
  const isKnownKind = kind === "task" || kind === "schedule" || kind === "memory";
  return title === "" || (isKnownKind && texts.some((text) => mentionsKind(kind, text)));
}

function isNamedIn(text: string, target: Target, title: string): boolean {
  const { kind, value, taking } = target;
  if (value === "") return false;
  if (kind === "path") return isPathNamedIn(text, value, taking);
  if (kind === "host") return formsOf(target).some((form) => occursIn(text, form, { isHost: true }));
  if (kind === "program") return occursIn(text, value);
  if (occursIn(text, value)) return true;
  const identifying = identifyingWords(title);
  if (identifying.length === 0) return false;
  const words = new Set(plainWords(text));
  if (asksFor(taking, text)) return identifying.some((word) => words.has(word));
  return identifying.length > 1 && identifying.every((word) => words.has(word));
}

/**
 * Accepts a path with or without root and extension. A bare word names a file only if the request asks for such a
 * call.
 */
function isPathNamedIn(text: string, value: string, taking: TargetAction): boolean {
  const forms = formsOf({ kind: "path", value });
  if (asksOnlyToCopy(taking, text)) return false;
  if (
    forms.some((form) =>
      form.includes("/") || form.includes(".") ? occursIn(text, form) : isFolder(text, form),
    )
  )
    return true;
  if (!asksFor(taking, text)) return false;
  const stem = plainWords((forms.at(-1) ?? "").replace(/(?<=.)\.[^.]*$/u, "")).join(" ");
  // Names of other files do not count as words of the request.
  const words = plainWords(text.replaceAll(/\S*[/\\.]\S*[\p{L}\p{N}]\S*/gu, " ")).join(" ");
  return stem.length > 2 && ` ${words} `.includes(` ${stem} `);
}

/**
 * Returns the accepted spellings of a target: the whole path, the path without its root, the bare name; a host with
 * or without `www.`.
 */
function formsOf({ kind, value }: Pick<Target, "kind" | "value">): string[] {
  if (kind === "host") return [value, value.replace(/^www\./u, "")];
  if (kind !== "path") return [value];
  const parts = value.split("/").filter((part) => part !== "" && part !== ".");
  const whole = parts.join("/");
  const forms = parts.length > 1 ? [whole, parts.slice(1).join("/")] : [whole];
  return [...new Set([`out/${whole}`, ...forms, parts.at(-1) ?? ""])].filter((form) => form !== "");
}

/** True if the form occurs on its own, not as part of a longer name or path. */
function occursIn(text: string, form: string, { isHost = false } = {}): boolean {
  const before = String.raw`(?<![\p{L}\p{N}_\-]|[\p{L}\p{N}_\-]\/)`;
  const after = String.raw`(?!${isHost ? "" : String.raw`\/?`}[\p{L}\p{N}_\-]|\.[\p{L}\p{N}])`;
  return new RegExp(`${before}${escaped(form)}${after}`, "iu").test(text);
}

function isFolder(text: string, name: string): boolean {
  return occursIn(text, `${name}/`) || occursIn(text, `folder ${name}`) || occursIn(text, `${name} folder`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}

const SETS = { task: "tasks", schedule: "schedules", memory: "memories" } as const;

/** Returns the folder, extension or kind that the person named in a request for such a call. */
function setNamedIn(texts: readonly string[], { kind, value, taking }: Target): string | undefined {
  const asking = texts.filter((text) => asksFor(taking, text));
  if (kind === "task" || kind === "schedule" || kind === "memory")
    return asking.some((text) => mentionsKind(kind, text)) ? SETS[kind] : undefined;
  if (kind !== "path") return undefined;
  const parts = value.split("/").filter((part) => part !== "");
  const folders = parts.slice(0, -1).map((_part, at) => parts.slice(0, at + 1).join("/"));
  const named = folders.findLast((folder) =>
    asking.some((text) =>
      formsOf({ kind: "path", value: folder }).some((form) =>
        form === "out" ? isFolder(text, form) : occursIn(text, form),
      ),
    ),
  );
  if (named !== undefined) return `${named}/`;
  const ending = /\.[^.]+$/u.exec(parts.at(-1) ?? "")?.[0].toLowerCase();
  if (ending === undefined) return undefined;
  const written = new RegExp(String.raw`(?<![\p{L}\p{N}])\*?${escaped(ending)}(?![\p{L}\p{N}])`, "iu");
  return asking.some((text) => written.test(text)) ? `*${ending}` : undefined;
}

/** True for what the run created or moved, which it may remove again. */
function wasCreatedByRun({ kind, value }: Target, { scratchpad = [] }: PriorText): boolean {
  if (kind !== "path") return false;
  const forms = new Set(formsOf({ kind, value }).slice(0, 2));
  return scratchpad.some(({ action, observation }) => {
    const { path, to, archived } = observation?.outputs ?? {};
    if (observation?.success !== true || archived !== undefined) return false;
    if (action?.tool === "fs_write") return typeof path === "string" && forms.has(path);
    const isPlaced = action?.tool === "fs_move" || action?.tool === "fs_copy";
    return isPlaced && typeof to === "string" && forms.has(to);
  });
}

/** Returns the title or text of a task or memory from the observations. */
function titleOf({ kind, value }: Target, { scratchpad = [], titles = {} }: PriorText): string {
  if (kind !== "task" && kind !== "schedule" && kind !== "memory") return "";
  const seen = scratchpad.map(({ observation }) => titleIn(observation?.outputs, value));
  return (
    seen.findLast((title) => title !== "") ?? (Object.hasOwn(titles, value) ? titles[value] : undefined) ?? ""
  );
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

const LISTINGS = new Set([
  "fs_list",
  "fs_search",
  "fs_exists",
  "task_list",
  "task_find",
  "schedule_list",
  "memory_search",
]);

/** Returns where the run saw the target; content that it read takes precedence over listings. */
function sourceOf(
  target: Target,
  title: string,
  { scratchpad = [], memories = [] }: PriorText,
): { name: string; isListing: boolean } | undefined {
  const forms = [...formsOf(target), title].filter((form) => form.length > 2);
  const seen = scratchpad.filter(({ action, observation }) => {
    if (!action || !observation) return false;
    return observation.success && holds(observation.outputs ?? observation.content, forms);
  });
  const read = seen.findLast(({ action }) => !LISTINGS.has(action?.tool ?? ""));
  if (read?.action) return { name: nameOf(read.action), isListing: false };
  const listing = seen.at(-1)?.action;
  if (listing) return { name: nameOf(listing), isListing: true };
  return memories.some((memory) => holds(memory, forms)) ? { name: "a memory", isListing: false } : undefined;
}

function holds(value: unknown, forms: readonly string[]): boolean {
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
