import type { TargetAction } from "./change-words.ts";
import type { Action } from "../contract/run.ts";
import { escapeRegExp, plainWords, stemOf } from "../text/words.ts";
import {
  anaphorIn,
  asksFor,
  asksForChange,
  asksOnlyToCopy,
  asksOnlyToLook,
  asksToAdd,
  asksToPause,
  identifyingStems,
  identifyingWords,
  mayAskForChange,
  mentionsAllOf,
  mentionsKind,
  withoutInformationRequests,
} from "./target-words.ts";
import {
  containsForm,
  pathCarriesText,
  type PriorText,
  readTexts,
  sourceOf,
  sourceOfText,
  type TargetNaming,
  textsOf,
  titleOf,
} from "./target-source.ts";
import { isOwnCorrection, isOwnFact, isOwnFunctionCall, isOwnGoal } from "./own-words.ts";
import { stringsIn } from "../contract/parse-json.ts";
import { isRecord as isJsonObject } from "../text/is-record.ts";

interface Target {
  kind: "path" | Kind | "host" | "program";
  value: string;
  taking: TargetAction;
  /** The address that is data only if its path carries some. */
  address?: string;
}

type Kind = "task" | "schedule" | "memory";

const NAMED = { named: true } as const;

/**
 * Returns whether the person named, literally and in this conversation, what a call deletes, overwrites, changes, moves, sends
 * or executes, and wrote what it schedules or remembers. Other calls count as named, as do calls on what the run itself
 * created.
 */
export function isNamedTarget(action: Action, prior: PriorText): TargetNaming {
  const namings = [
    ...targetsOf(action)
      .filter(({ address }) => address === undefined || pathCarriesText(address, prior))
      .map((target) => targetNamingOf(target, prior)),
    ...(hasOwnText(action) ? [isWrittenBy(action, prior)] : []),
  ];
  return (
    namings.find((naming) => !naming.named && naming.set === undefined) ??
    namings.find((naming) => !naming.named) ??
    NAMED
  );
}

/**
 * Whether the person asked for anything to be written. Where they only ask a question or to be shown something, no call may write: neither
 * a new file nor a task, except a file whose name they wrote, and what a function writes that they promoted.
 */
export function isAskedFor({ tool, args }: Action, prior: PriorText): TargetNaming {
  if (prior.function !== undefined || !currentTexts(prior).every(asksOnlyToLook)) return NAMED;
  // What a person says of themselves in a question may be remembered.
  if (tool === "memory_remember" && readTexts(prior).length === 0) return NAMED;
  const texts = textsOf(prior);
  const isNamed = stringsIn([args["path"], args["to"]])
    .flatMap((value) => formsOf({ kind: "path", value }))
    .some((form) => form.includes(".") && texts.some((text) => occursIn(text, form)));
  if (isNamed) return NAMED;
  return { named: false, source: sourceOfText(stringsIn(args).join("\n"), prior) ?? "the model" };
}

/** True for a call that deletes, overwrites, changes, moves, sends, executes, schedules or remembers something. */
export function needsNaming(action: Action): boolean {
  return targetsOf(action).length > 0 || hasOwnText(action);
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
      return [path("path", text("action").startsWith("insert") ? "append" : "overwrite")];
    case "table_edit":
      return [path("path", text("action") === "add" ? "append" : "overwrite")];
    case "fs_append":
      return args["create"] === true ? [] : [path("path", "append")];
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
    case "memory_forget":
      return [{ kind: "memory", value: text("id"), taking: "delete" }];
    case "http_get":
    case "web_watch":
      return sendingHost(text("url"), args["headers"]);
    case "shell_safe":
      return [{ kind: "program", value: programOf(args["argv"]), taking: "run" }];
    default:
      return [];
  }
}

/** Headers that say which form of a page is wanted. A longer value is data. */
const PLAIN_HEADER = /^accept(?:-language)?$/iu;
const MAX_PLAIN_HEADER = 100;

/** A URL with a query, and headers other than the usual ones, send data to their host; a path may. */
function sendingHost(url: string, headers: unknown): Target[] {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const sendsHeader = Object.entries(isJsonObject(headers) ? headers : {}).some(
    ([name, value]) => !PLAIN_HEADER.test(name) || String(value).length > MAX_PLAIN_HEADER,
  );
  const sends = (parsed?.search ?? "") !== "" || sendsHeader;
  return parsed && (sends || parsed.pathname !== "/")
    ? [{ kind: "host", value: parsed.host, taking: "send", ...(!sends && { address: parsed.href }) }]
    : [];
}

function programOf(argv: unknown): string {
  const program: unknown = Array.isArray(argv) ? argv[0] : undefined;
  return typeof program === "string" ? program : "";
}

function targetNamingOf(target: Target, prior: PriorText): TargetNaming {
  const texts = textsOf(prior);
  const title = isRecord(target.kind) ? titleOf(target.value, prior) : "";
  if (namingTexts(target, prior).some((text) => isNamedIn(text, target, title))) return NAMED;
  if (wasCreatedByRun(target, prior) || isOwnText(target, prior)) return NAMED;
  const source = sourceOf([...formsOf(target), title], withoutCallsOn(target, prior));
  const isFree = target.taking === "append" ? isFreeToExtend : isFreeToChange;
  if ((source === undefined || source.isListing) && isFree(target, prior)) return NAMED;
  if (source === undefined && prior.function && !containsForm(prior.function.parameters, formsOf(target)))
    return NAMED;
  const set = source?.isListing === true ? setNamedIn(texts, target) : undefined;
  return { named: false, source: source?.name ?? "the model", ...(set !== undefined && { set }) };
}

/** True for a file with the operator's own text, unless something else than this file named it to the run. */
function isOwnText(target: Target, prior: PriorText): boolean {
  if (target.kind !== "path" || prior.ownTexts?.includes(target.value) !== true) return false;
  const source = sourceOf(formsOf(target), withoutCallsOn(target, prior));
  return source === undefined || source.isListing;
}

/** Without the calls on this file itself, because their results contain its name anyway. */
function withoutCallsOn({ kind, value }: Target, prior: PriorText): PriorText {
  if (kind !== "path" || prior.scratchpad === undefined) return prior;
  return {
    ...prior,
    scratchpad: prior.scratchpad.filter(({ observation }) => observation?.outputs?.["path"] !== value),
  };
}

/**
 * The texts that may name the target: where the person asks for no change now, only what they say beyond asking for information. A host
 * that is sent to, or a program, may be named by a question, which it answers.
 */
function namingTexts({ taking }: Target, prior: PriorText): string[] {
  const texts = textsOf(prior);
  const asksForChanges = [prior.request, ...(prior.answers ?? [])].some(mayAskForChange);
  return taking === "send" || taking === "run" || asksForChanges
    ? texts
    : texts.map(withoutInformationRequests);
}

/** The maximum length of a request that only confirms an earlier one, such as "yes, do that please", in words. */
const MAX_CONFIRMATION = 5;

/** The person's current request: the request and the answers, and the message before a request of a few words. */
function currentTexts({ request, conversation = [], answers = [] }: PriorText): string[] {
  const before = plainWords(request).length <= MAX_CONFIRMATION ? conversation.slice(-1) : [];
  return [request, ...answers, ...before];
}

/**
 * True for a change of a record that the person mentions without its title: "push my tasks to Monday", "mark it as
 * done". "It" is one thing, so a run that has changed another one of the kind must ask; so must one whose request
 * refers to a file.
 */
function isFreeToChange({ kind, value, taking }: Target, prior: PriorText): boolean {
  if (taking !== "change" || !isRecord(kind)) return false;
  if (prior.made?.includes(value) === true) return true;
  if (currentTexts(prior).some((text) => asksForChange(kind, text) && mentionsAllOf(kind, text))) return true;
  return [prior.request, ...(prior.answers ?? [])].some((text) => {
    if (!asksForChange(kind, text) || FILE_NAME.test(text)) return false;
    const anaphor = anaphorIn(text) ?? (kind === "schedule" && asksToPause(text) ? "one" : undefined);
    return anaphor === "several" || (anaphor === "one" && !hasChangedOther(kind, value, prior));
  });
}

const FILE_NAME = /[\p{L}\p{N}_-]\.\p{L}{1,5}(?![\p{L}\p{N}])|\/\p{L}/u;

const isRecord = (kind: Target["kind"]): kind is Kind =>
  kind === "task" || kind === "schedule" || kind === "memory";

function hasChangedOther(kind: Kind, value: string, { scratchpad = [] }: PriorText): boolean {
  return scratchpad.some(
    ({ action, observation }) =>
      action !== undefined &&
      observation?.success === true &&
      targetsOf(action).some(
        (target) => target.kind === kind && target.value !== value && target.taking === "change",
      ),
  );
}

/**
 * True for an addition to a file that the conversation made, that a search for the person's words found, or that belongs to
 * what they want to add to: "add it to my notes" for `out/notes/today.md`.
 */
function isFreeToExtend({ value }: Target, prior: PriorText): boolean {
  const [, bare = value] = formsOf({ kind: "path", value });
  if (prior.made?.some((path) => path === value || path === `out/${bare}`) === true) return true;
  const texts = textsOf(prior);
  const folders = value.split("/").slice(0, -1).flatMap(plainWords).map(stemOf);
  const adding = texts.filter(asksToAdd);
  if (
    adding.some((text) => plainWords(text).some((word) => folders.includes(stemOf(word)) && word !== "out"))
  )
    return true;
  if (adding.length > 0 && setNamedIn(texts, { kind: "path", value, taking: "append" }) !== undefined)
    return true;
  if (adding.length === 0) return false;
  const words = new Set(texts.flatMap(identifyingStems));
  return (prior.scratchpad ?? []).some(
    ({ action, observation }) =>
      action?.tool === "fs_search" &&
      observation?.success === true &&
      identifyingStems(String(action.args["query"])).some((word) => words.has(word)) &&
      containsForm(observation.outputs, formsOf({ kind: "path", value })),
  );
}

function isNamedIn(text: string, target: Target, title: string): boolean {
  const { kind, value, taking } = target;
  if (value === "") return false;
  if (kind === "path") return isPathNamedIn(text, value, taking);
  if (kind === "host") return formsOf(target).some((form) => occursIn(text, form, { isHost: true }));
  if (kind === "program") return occursIn(text, value);
  if (occursIn(text, value)) return true;
  const identifying = identifyingWords(title).map(stemOf);
  if (identifying.length === 0) return false;
  const words = new Set(plainWords(text).map(stemOf));
  if (asksFor(taking, text)) return identifying.some((word) => words.has(word));
  return identifying.length > 1 && identifying.every((word) => words.has(word));
}

/**
 * Accepts a path with or without root and extension. A bare word names a file only if the request asks for such a
 * call.
 */
function isPathNamedIn(text: string, value: string, taking: TargetAction): boolean {
  const forms = formsOf({ kind: "path", value });
  if (taking === "append") {
    const words = new Set(plainWords(text).map(stemOf));
    const stems = identifyingWords((forms.at(-1) ?? "").replace(/(?<=.)\.[^.]*$/u, "")).map(stemOf);
    if (stems.some((stem) => words.has(stem))) return true;
  }
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
  return new RegExp(`${before}${escapeRegExp(form)}${after}`, "iu").test(text);
}

function isFolder(text: string, name: string): boolean {
  return occursIn(text, `${name}/`) || occursIn(text, `folder ${name}`) || occursIn(text, `${name} folder`);
}

const SETS = { task: "tasks", schedule: "schedules", memory: "memories" } as const;

/** Returns the folder, extension or kind that the person named in a request for such a call. */
function setNamedIn(texts: readonly string[], { kind, value, taking }: Target): string | undefined {
  const asking = texts.filter((text) => asksFor(taking, text));
  if (isRecord(kind)) return asking.some((text) => mentionsKind(kind, text)) ? SETS[kind] : undefined;
  if (kind !== "path") return undefined;
  const parts = value.split("/").filter((part) => part !== "");
  const folders = parts.slice(0, -1).map((_part, index) => parts.slice(0, index + 1).join("/"));
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
  const written = new RegExp(String.raw`(?<![\p{L}\p{N}])\*?${escapeRegExp(ending)}(?![\p{L}\p{N}])`, "iu");
  return asking.some((text) => written.test(text)) ? `*${ending}` : undefined;
}

/** True for what the run created or moved, which it may change or remove again. */
function wasCreatedByRun({ kind, value, taking }: Target, { scratchpad = [] }: PriorText): boolean {
  if (taking === "change") return scratchpad.some((entry) => createdIds(entry).includes(value));
  if (kind !== "path") return false;
  const forms = new Set(formsOf({ kind, value }).slice(0, 2));
  return scratchpad.some(({ action, observation }) => {
    const { path, to, archived, created } = observation?.outputs ?? {};
    if (observation?.success !== true || archived !== undefined) return false;
    const isWritten = action?.tool === "fs_write" || (action?.tool === "fs_append" && created === true);
    if (isWritten) return typeof path === "string" && forms.has(path);
    const isPlaced = action?.tool === "fs_move" || action?.tool === "fs_copy";
    return isPlaced && typeof to === "string" && forms.has(to);
  });
}

/** The ids of the records that a call created. */
function createdIds({ action, observation }: NonNullable<PriorText["scratchpad"]>[number]): string[] {
  if (observation?.success !== true || !/^(?:task_create|remind|schedule_create)$/u.test(action?.tool ?? ""))
    return [];
  const { id, task } = observation.outputs ?? {};
  const taskId = typeof task === "object" && task !== null && "id" in task ? task.id : undefined;
  return [id, taskId].filter((one) => typeof one === "string");
}

/** True for a call with text that acts later as the person's own: the goal of a schedule, a fact to remember. */
const hasOwnText = ({ tool }: Action): boolean => tool === "schedule_create" || tool === "memory_remember";

/** Whether the person wrote what a call schedules or remembers, or asked for it. */
function isWrittenBy({ tool, args }: Action, prior: PriorText): TargetNaming {
  const texts = textsOf(prior);
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : "");
  const asUnnamed = (words: string): TargetNaming => ({
    named: false,
    source: sourceOfText(words, prior) ?? "the model",
  });
  if (tool === "schedule_create") {
    const { goal } = args;
    const what = [text("goal"), text("functionId")].filter((one) => one !== "");
    if (prior.function && !containsForm(prior.function.parameters, what)) return { named: true };
    if (typeof goal === "string") return isOwnGoal(goal, texts) ? { named: true } : asUnnamed(goal);
    const title = titleOf(text("functionId"), prior);
    return isOwnFunctionCall(title, stringsIn(args["values"]), texts) ? { named: true } : asUnnamed(title);
  }
  const fact = text("text");
  const replaced = text("replaces");
  if (replaced !== "")
    return isOwnCorrection(fact, titleOf(replaced, prior), texts) ? { named: true } : asUnnamed(fact);
  const read = readTexts(prior).map((one) => one.text);
  const now = [prior.request, ...(prior.answers ?? [])];
  return isOwnFact(fact, { now, texts, read }) ? { named: true } : asUnnamed(fact);
}
