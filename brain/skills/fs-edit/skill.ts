import { ArchiveEntry } from "@metahuman/core/contract/http";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { formatCount } from "@metahuman/core/text/format";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { isJson } from "@metahuman/core/contract/parse-json";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { exactPreview, joinNames } from "../support/phrasing.ts";
import { assessRewrite, rewriteFile } from "../support/rewrite-file.ts";
import { isOtherText } from "../support/amendment.ts";
import { undoWrite } from "../support/reversal.ts";
import { MAX_TEXT, WorkspacePath } from "../support/workspace-path.ts";
import { readToEdit } from "../support/editable-text.ts";
import { type EditedText, editText, type TextEdit } from "./edit-text.ts";
import * as grammar from "./phrases.ts";

const MAX_WORDS = 10_000;
/** How many of the old texts the outputs keep. */
const MAX_BEFORE = 20;
interface Args extends TextEdit {
  path: string;
}

interface PlannedEdit extends EditedText {
  path: string;
  old: string;
}

/** The words of a box are its item, whichever name they have. */
function withItem({ find, ...args }: Args): Args {
  const isBox = args.action === "check" || args.action === "uncheck";
  if (find === undefined) return args;
  return isBox && args.item === undefined ? { ...args, item: find } : { ...args, find };
}

async function planEdit(given: Args, files: WorkspaceFiles, signal?: AbortSignal): Promise<PlannedEdit> {
  const args = withItem(given);
  assertComplete(args);
  const { path } = await files.existing(args.path, signal);
  const { content, withMark } = await readToEdit(files, path, signal);
  const edited = editText(content, args, path);
  if (path.endsWith(".json") && isJson(content) && !isJson(edited.text))
    throw new InvalidArgsError(`${path} is a JSON file, and this change would make it unreadable.`, {
      suggestions: [`Say which value to set, like: set port to 8080 in ${path}.`],
      context: { path },
    });
  return { path, ...edited, old: withMark(content), text: withMark(edited.text) };
}

/** Throws `InvalidArgsError` unless the arguments name one place, and the text that their action needs. */
function assertComplete(args: Args): void {
  const problem = problemOf(args);
  if (problem !== undefined) throw new InvalidArgsError(problem);
}

function problemOf({ action, find, line, item, end, text }: Args): string | undefined {
  const isInsertion = action === "insert_before" || action === "insert_after";
  const isBox = action === "check" || action === "uncheck";
  if (action === "sort" || action === "dedupe") {
    const isPlaced = [find, line, item, end, text].some((one) => one !== undefined);
    return isPlaced ? `To ${action} lines, name only the file.` : undefined;
  }
  if ([find ?? line, item, end].filter((one) => one !== undefined).length !== 1)
    return "Name either the words to find, the line, the item, or the end.";
  if (find !== undefined && line !== undefined && isInsertion)
    return "Text is inserted beside a whole line. Name only the line.";
  if (isBox) return item === undefined ? `To ${action} a box, name the item.` : undefined;
  if (action === "remove") return undefined;
  if (end !== undefined) return "The end can only be removed. To add text there, use fs_append.";
  if (item !== undefined)
    return "An item can only be removed, checked or unchecked. Name the words to find, or the line.";
  if (action === "swap" && (find === undefined || text === undefined))
    return "To swap words, give both: one to find, the other as the text.";
  if (text === undefined) return `To ${action.replace("_", " ")}, give the new text.`;
  return isInsertion && line === undefined ? "Name the line beside which the text is inserted." : undefined;
}

export const fsEdit = defineSkill({
  id: "fs_edit",
  summary: "Change text or tick boxes in a file",
  category: "files",
  input: z.strictObject({
    path: WorkspacePath,
    action: z
      .enum([
        "replace",
        "swap",
        "remove",
        "insert_before",
        "insert_after",
        "check",
        "uncheck",
        "sort",
        "dedupe",
      ])
      .default("replace"),
    find: z
      .string()
      .min(1)
      .max(MAX_WORDS)
      .optional()
      .describe("Words that occur exactly once in the file, or several times with `all`"),
    line: z
      .union([
        z
          .int()
          .refine((at) => at !== 0, "Lines count from 1")
          .describe("From 1; -1 is the last line"),
        z.string().min(1).max(MAX_WORDS).describe("Words that are in exactly one line"),
      ])
      .optional()
      .describe("A whole line; with `find`, the line in which these words are"),
    item: z.string().min(1).max(MAX_WORDS).optional().describe("To remove or check: an item of a list"),
    end: z
      .string()
      .min(1)
      .max(MAX_TEXT + 1)
      .optional()
      .describe("To remove the text with which the file ends, exactly"),
    text: z.string().max(MAX_WORDS).optional().describe("The new words or lines"),
    all: z.boolean().default(false).describe("Every place that matches"),
  }),
  output: z.strictObject({
    path: z.string(),
    action: z.string(),
    isLine: z.boolean().describe("True if whole lines changed"),
    count: z.int().positive().describe("The number of places that matched"),
    before: z.array(z.string()).describe("What was there, at most 20 places"),
    after: z.string().optional().describe("The new words or lines"),
    bytes: z.int().nonnegative().describe("The size of the whole file afterwards"),
    archived: ArchiveEntry.describe("The old text"),
  }),
  effects: "write",
  risk: "medium",
  ...grammar,
  assess: async (args, { files }) => {
    const { path, old, text, before } = await planEdit(args, files);
    return assessRewrite(files, {
      path,
      before: old,
      after: text,
      facts: [
        { label: "changes", value: formatCount(before.length, "place") },
        { label: "old text", value: "kept in the archive" },
      ],
    });
  },
  reverse: undoWrite("path", () => false),
  amend: ({ args: { action, text, find, path } }, { words }) =>
    action === "replace" && typeof find === "string" && typeof text === "string" && isOtherText(words, text)
      ? [{ skill: "fs_edit", args: { path, action, find: text, text: words } }]
      : undefined,
  narrate: ({ path, action, isLine, count, before, after = "" }) => {
    const old = count === 1 ? `“${exactPreview(before[0] ?? "")}”` : "";
    const places = formatCount(count, isLine ? "line" : "place");
    switch (action) {
      case "replace":
        return count === 1
          ? `Replaced ${old} with “${exactPreview(after)}” in ${path}.`
          : `Put “${exactPreview(after)}” in ${places} of ${path}.`;
      case "remove":
        return count === 1
          ? `Removed ${isLine ? "the line " : ""}${old} from ${path}.`
          : `Removed “${exactPreview(before[0] ?? "")}” from ${places} of ${path}.`;
      case "swap":
        return `Swapped “${exactPreview(before[0] ?? "")}” and “${exactPreview(before.find((one) => one !== before[0]) ?? after)}” in ${places} of ${path}.`;
      case "sort":
        return `Sorted the lines of ${path}.`;
      case "dedupe":
        return `Removed ${formatCount(count, "repeated line")} from ${path}: ${joinNames(
          before.map((line) => `“${exactPreview(line)}”`),
          count,
        )}.`;
      case "check":
      case "uncheck":
        return `${action === "check" ? "Ticked" : "Cleared the box of"} ${count === 1 ? old : formatCount(count, "item")} in ${path}.`;
      default:
        return `Added “${exactPreview(after)}” ${action === "insert_before" ? "before" : "after"} ${old === "" ? places : old} in ${path}.`;
    }
  },
  run: async (args, call) => {
    const { files } = call.ports;
    const { path } = await files.existing(args.path, call.signal);
    const { plan, archived, bytes } = await rewriteFile(path, call, () => planEdit(args, files, call.signal));
    return {
      path,
      action: args.action,
      isLine: plan.isLine,
      count: plan.before.length,
      before: plan.before.slice(0, MAX_BEFORE),
      ...(args.text !== undefined && args.action !== "remove" && { after: args.text }),
      bytes,
      archived,
    };
  },
});
