import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { plainWords } from "@metahuman/core/text/words";
import type { PlanState } from "../../planner.ts";
import { type Continued, withoutFiller } from "./short-orders.ts";

// A note, a list or a letter whose text the request holds: "make a note for the plumber: the tap drips".

const MAX_LENGTH = 2_000;
const MAX_NAME = 60;
const ITEMS = String.raw`(?:[\p{L}-]+\s+)?(?:to-?\s?do\s+list|list|checklist|menu)|plan|programme|schedule\s+of\s+the\s+day`;
const PROSE = "note|memo|letter|message|card|invitation|text|page";
const KIND = String.raw`(?<items>${ITEMS})|(?<prose>${PROSE})|(?<file>file)`;
const NAME = String.raw`(?:\s+(?:called|named|titled)\s+["“]?(?<name>[^:"”]{1,60}?)["”]?|\s+(?:for|to|of|about|on)\s+(?<purpose>[^:]{1,60}?))?`;
const ORDERED = String.raw`(?:make|write|create|start|begin|save|store|take|draft|prepare|draw\s+up|set\s+up)(?:\s+(?:me|us))?(?:\s+(?:an?|the|my|our|new))*\s+`;
/** With a colon, what follows is the text, whoever is asked to write it. */
const WITH_COLON = new RegExp(
  String.raw`^(?:${ORDERED}|(?:an?\s+|my\s+|our\s+|the\s+)?)(?:${KIND})${NAME}\s*:\s*(?<content>\S.*)$`,
  "isu",
);
/** "With" may describe a text that has to be thought of; several items or values are the text itself. */
const WITH_ITEMS = new RegExp(
  String.raw`^${ORDERED}(?:${KIND})${NAME}\s+(?:with|containing|saying)\s+(?<content>\S.*(?:,|\band\b|\d).*)$`,
  "isu",
);
/** "… to packing.md": where the text is to be written. */
const PLACE = /^(?<content>\S.*?)\s+(?:to|in|into|as)\s+(?:the\s+file\s+)?(?<path>\S+\.\p{L}+)$/isu;
/** A text that has to be looked up or thought of. */
const DESCRIBED =
  /^(?:my|all|the\s+(?:names|contents?|list|results?)|some|ideas|a\s+(?:list|summary|description))\b/iu;

/** The call that writes the text of a request into a new file; undefined for any other request. */
export function newText(state: PlanState): Continued | undefined {
  const { request, skills } = state;
  if (request.length > MAX_LENGTH || !skills.some(({ id }) => id === "fs_write")) return undefined;
  const { text } = withoutFiller(request);
  const { items, prose, file, name, purpose, content } =
    (WITH_COLON.exec(text) ?? WITH_ITEMS.exec(text))?.groups ?? {};
  if (content === undefined || DESCRIBED.test(content)) return undefined;
  const place = PLACE.exec(content)?.groups;
  const written = place?.["content"] ?? content;
  // A letter with something in it is to be thought of; without a purpose a to-do list is tasks.
  const isDictated = WITH_COLON.test(text) || /^(?:note|memo)$/iu.test(prose ?? "note");
  const areTasks = /to-?\s?do/iu.test(items ?? "") && purpose === undefined && name === undefined;
  const path = place?.["path"] ?? pathFor({ kind: items ?? prose ?? "", name, purpose });
  if (
    !isDictated ||
    areTasks ||
    path === undefined ||
    (file !== undefined && name === undefined && purpose === undefined)
  )
    return undefined;
  const isList = items !== undefined || (file !== undefined && written.includes(","));
  const lines = isList
    ? written.split(/\s*[,;\n]\s*(?:and\s+)?|\s+and\s+(?=[^,]*$)/iu).filter((line) => line !== "")
    : [withEndMark(written, request)];
  const call = callOf("fs_write", fromRequest({ path, content: lines.join("\n") }), request);
  return { calls: [call] };
}

/** A text with the mark at the end of the request, which belongs to its last sentence. */
function withEndMark(text: string, request: string): string {
  const mark = /[.!?]+$/u.exec(request.trim())?.[0] ?? "";
  return request.trim().endsWith(`${text}${mark}`) ? `${text}${mark}` : text;
}

/** "plumber-note.txt" for a note for the plumber; undefined for a name that is a sentence. */
function pathFor({
  kind,
  name,
  purpose,
}: {
  kind: string;
  name: string | undefined;
  purpose: string | undefined;
}): string | undefined {
  if (name !== undefined && /^\S+\.\p{L}\p{N}?\p{L}*$/u.test(name)) return name;
  const words = plainWords(name ?? `${purpose ?? ""} ${kind}`).filter(
    (word, index) => index > 0 || !/^(?:the|my|our|an?)$/u.test(word),
  );
  const slug = words.join("-");
  return slug === "" || slug.length > MAX_NAME ? undefined : `${slug}.txt`;
}
