import { posix } from "node:path";
import { stem } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import type { Resolution } from "../conversation/resolution.ts";
import type { ShortOrder } from "../conversation/short-orders.ts";
import type { Subject, SubjectOf } from "../conversation/subjects.ts";

// Short orders for a file or a folder of the conversation as a whole: "rename it to menu.txt", "show me the list", "make a copy of it in
// old/". They become the same order with the path.

/** What a thing with a path is called besides its name. */
const GENERIC_NAME =
  /^(?:(?:the|that|this|my)\s+)?(?:(?:new|same)\s+)?(?:whole\s+)?(?<noun>it|that|them|there|list|file|folder|table|thing|copy|lot)$/iu;
/** "On it" and "it say" are what is asked of it. */
const WITHIN = /^(?:on|in|inside)\s+|\s+say$/giu;

/** Orders for a file or a folder as a whole. */
export function readPathOrder(
  { verb, what, value = "" }: ShortOrder,
  subject: SubjectOf<"text" | "table" | "file" | "folder">,
): Resolution | undefined {
  const { kind, path } = subject;
  const named = what.replace(WITHIN, "");
  const noun = GENERIC_NAME.exec(named)?.groups?.["noun"]?.toLowerCase();
  const words = plainWords(path.replaceAll(/[/._-]/gu, " ")).map(stem);
  const isMeant =
    noun === undefined
      ? named === "" ||
        plainWords(named)
          .slice(1)
          .every((word) => words.includes(stem(word)))
      : noun === "list"
        ? kind === "text" && subject.isList
        : noun === "folder"
          ? kind === "folder" || verb === "show"
          : noun === "copy"
            ? /\bcopy\b/iu.test(subject.request)
            : noun !== "table" || kind === "table";
  const isReference = noun !== undefined || /^(?:it|that|them|there|the|this|my|)(?:\s|$)/iu.test(named);
  if (!isMeant || !isReference) return undefined;
  switch (verb) {
    case "show":
      return kind === "folder" || noun === "folder"
        ? { kind: "request", request: `list the files in ${kind === "folder" ? path : posix.dirname(path)}` }
        : { kind: "request", request: `show ${path}` };
    case "copy":
      // Words without an ending name a folder.
      return kind === "folder"
        ? undefined
        : { kind: "request", request: `copy ${path} to ${/[/.]/u.test(value) ? value : `${value}/`}` };
    case "move":
      return { kind: "request", request: `move ${path} to ${value}` };
    case "rename": {
      // A file keeps its ending only if the person says so.
      if (kind !== "folder" && !/^\S+\.\p{L}\S*$/u.test(value)) return undefined;
      const name = value.replaceAll(" ", "-");
      const folder = posix.dirname(path.replace(/\/$/u, ""));
      return {
        kind: "request",
        request: `rename ${path} to ${name.includes("/") ? name : posix.join(folder, name)}`,
      };
    }
    case "remove":
      if (noun === "copy" && kind !== "folder") return { kind: "request", request: `delete ${path}` };
      // "Delete the shopping list" means the file that was just made or shown, unless one of its lines is called so.
      return noun === undefined && named !== "" && subject.age === 0 && !hasLine(subject, named)
        ? { kind: "request", request: `delete ${path}` }
        : undefined;
    case "add":
    case "set":
    case "done":
    case "count":
    case "where":
    case "when":
    case "undo":
      return undefined;
    default:
      return verb satisfies never;
  }
}

function hasLine(subject: Subject, words: string): boolean {
  const itemWords = words.toLowerCase().replace(/^(?:the|that|this|my)\s+/u, "");
  return subject.kind === "text" && subject.lines.some((line) => line.toLowerCase().includes(itemWords));
}
