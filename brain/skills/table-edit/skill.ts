import { ArchiveEntry } from "@metahuman/core/contract/http";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { dayOf } from "@metahuman/core/language/dates/clock";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { amountIn } from "../fs-read/tables.ts";
import { linePreview } from "../support/phrasing.ts";
import { undoWrite } from "../support/reversal.ts";
import { assessRewrite, rewriteFile } from "../support/rewrite-file.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import { readToEdit } from "../support/editable-text.ts";
import { isMarkdown } from "../support/markdown-table.ts";
import { assertAskedCell } from "./asked-cell.ts";
import { type EditedTable, editTable, namesInTable, type TableEdit } from "./edit-table.ts";
import * as grammar from "./phrases.ts";

const MAX_WORDS = 2_000;

interface Args extends TableEdit {
  path: string;
}

interface PlannedEdit extends EditedTable {
  path: string;
  old: string;
}

async function planEdit(
  args: Args,
  files: WorkspaceFiles,
  { now, timeZone, signal }: { now: Date; timeZone: string; signal?: AbortSignal },
): Promise<PlannedEdit> {
  assertComplete(args);
  const { path } = await files.existing(args.path, signal);
  if (!/\.(?:csv|tsv)$/iu.test(path) && !isMarkdown(path))
    throw new InvalidArgsError(`${path} is not a CSV, TSV or Markdown file.`, {
      suggestions: ["Change other text with fs_edit, and JSON with json_update."],
      context: { path },
    });
  const { content, withMark } = await readToEdit(files, path, signal);
  const edited = editTable(content, args, path, dayOf({ now, timeZone }));
  return { path, ...edited, old: withMark(content), text: withMark(edited.text) };
}

function assertComplete({ action, row, column, value, values }: Args): void {
  const problem =
    action === "sort" || action === "set_all" || action.endsWith("_column")
      ? column === undefined
        ? `To ${action === "sort" ? "sort the rows" : action === "set_all" ? "set all rows" : action.replace("_", " a ")}, name the column.`
        : action === "rename_column" && value === undefined
          ? "To rename a column, give its new name as the value."
          : action === "set_all" && value === undefined
            ? "To set all rows, give the new value."
            : undefined
      : action === "add"
        ? values === undefined
          ? "To add a row, give its values."
          : undefined
        : row === undefined
          ? `To ${action === "set" ? "set a cell" : "remove a row"}, name the row by a value in it.`
          : action === "set" && value === undefined && typeof values !== "object"
            ? "To set a cell, name its column and give its new value."
            : undefined;
  if (problem !== undefined) throw new InvalidArgsError(problem);
}

/** True for words that may be the value of a cell instead of this one: no sentence, and an amount for an amount. */
const isLike = (words: string, value: unknown): boolean =>
  !/\b(?:is|are|was|should|shall|must|has|have)\b/iu.test(words) &&
  (typeof value !== "string" || amountIn(value) === undefined || amountIn(words) !== undefined);

export const TableEditArgs = z.strictObject({
  path: WorkspacePath,
  action: z.enum(["set", "set_all", "add", "remove", "sort", "add_column", "rename_column", "remove_column"]),
  row: z
    .string()
    .min(1)
    .max(MAX_WORDS)
    .optional()
    .describe("To set or remove: a value that only this row has, such as a name")
    .meta({ examples: ["Otto Berg"] }),
  column: z.string().min(1).max(MAX_WORDS).optional().describe("The name of the column"),
  value: z
    .string()
    .max(MAX_WORDS)
    .optional()
    .describe(
      "To set: the new value of the cell; to rename a column: its new name; to add one: the value in all rows",
    ),
  values: z
    .union([
      z.record(z.string(), z.union([z.string().max(MAX_WORDS), z.number()])),
      z.string().min(1).max(MAX_WORDS),
    ])
    .optional()
    .describe(
      'To add a row, or set several cells of one: the values by column, {"name": "Nina Falk", "paid": "yes"}. To add a column: the values by row',
    )
    .meta({ examples: [{ name: "Nina Falk", paid: "yes" }] }),
  descending: z.boolean().optional(),
});

export const tableEdit = defineSkill({
  id: "table_edit",
  summary: "Set a cell, add or remove a row in a CSV, TSV or Markdown table",
  category: "files",
  input: TableEditArgs,
  output: z.strictObject({
    path: z.string(),
    action: z.string(),
    changed: z.boolean().describe("False if the cell had this value, or the rows this order, already"),
    row: z
      .string()
      .describe(
        "What the row is called; of a new or removed row all its cells; of several how many they are",
      ),
    column: z.string().optional(),
    before: z.string().optional().describe("The old value of the cell"),
    after: z.string().optional().describe("The new value of the cell"),
    cells: z
      .record(z.string(), z.string())
      .optional()
      .describe("The values of a new row, of several cells that were set, or of a new column by row"),
    hasTotal: z.boolean().describe("True if the table has a row of totals, which is not recalculated"),
    bytes: z.int().nonnegative().optional().describe("The size of the whole file afterwards"),
    archived: ArchiveEntry.optional().describe("The old text"),
  }),
  effects: "write",
  risk: "medium",
  ...grammar,
  assess: async (args, { files }, { timeZone }) => {
    const { path, old, text, row } = await planEdit(args, files, { now: new Date(), timeZone });
    return assessRewrite(files, {
      path,
      before: old,
      after: text,
      facts: [
        ...(row === ""
          ? [{ label: "column", value: linePreview(args.column ?? "") }]
          : [
              {
                label: args.action === "sort" || args.action === "set_all" ? "rows" : "row",
                value: linePreview(row),
              },
            ]),
        { label: "old text", value: "kept in the archive" },
      ],
    });
  },
  reverse: undoWrite("path", () => false),
  amend: ({ args: { action, path, column, values }, outputs: { row, after } }, { words }) =>
    action === "set" &&
    values === undefined &&
    typeof path === "string" &&
    typeof row === "string" &&
    isLike(words, after)
      ? [
          {
            skill: "table_edit",
            args: { path, action, row, ...(typeof column === "string" && { column }), value: words },
          },
        ]
      : undefined,
  narrate: ({ path, action, changed, row, column = "", before = "", after = "", cells = {}, hasTotal }) => {
    const total = hasTotal ? " Its row of totals was not recalculated." : "";
    const quoteCell = (value: string): string => (value === "" ? "empty" : `“${linePreview(value)}”`);
    const several = Object.entries(cells).map(([name, value]) => [linePreview(name), quoteCell(value)]);
    switch (action) {
      case "set":
        if (several.length > 0)
          return changed
            ? `Changed the row ${linePreview(row)} of ${path}: ${several.map((cell) => cell.join(" to ")).join(", ")}.${total}`
            : `The row ${linePreview(row)} of ${path} has these values already: ${several.map((cell) => cell.join(" ")).join(", ")}.`;
        return changed
          ? `Changed ${linePreview(column)} of ${linePreview(row)} from ${quoteCell(before)} to ${quoteCell(after)} in ${path}.${total}`
          : `${linePreview(column)} of ${linePreview(row)} is ${quoteCell(after)} already in ${path}.`;
      case "set_all":
        return changed
          ? `Changed ${linePreview(column)} to ${quoteCell(after)} in ${row} of ${path}.${total}`
          : `${linePreview(column)} is ${quoteCell(after)} in all rows of ${path} already.`;
      case "add":
        return `Added a row to ${path}: ${several.map((cell) => cell.join(" ")).join(", ")}.${total}`;
      case "add_column": {
        const filled = several.length > 0 ? `: ${several.map((cell) => cell.join(" ")).join(", ")}` : "";
        const value =
          after === "" ? "" : ` with ${quoteCell(after)} in ${filled === "" ? "all" : "the other"} rows`;
        return `Added the column “${linePreview(column)}” to ${path}${value}${filled}.`;
      }
      case "rename_column":
        return `Renamed the column “${linePreview(column)}” to “${linePreview(after)}” in ${path}.`;
      case "remove_column":
        return `Removed the column “${linePreview(column)}” from ${path}.`;
      case "sort":
        return changed
          ? `Sorted the ${row} of ${path} by ${linePreview(column)}.`
          : `The rows of ${path} are sorted by ${linePreview(column)} already.`;
      default:
        return `Removed the row “${linePreview(row)}” from ${path}.${total}`;
    }
  },
  run: async (args, call) => {
    const { files } = call.ports;
    const planned = await planEdit(args, files, call);
    const { action } = args;
    if (action === "set" && !call.isDirect) {
      const { row, column, after, cells } = planned;
      assertAskedCell(call.request, {
        ...namesInTable(planned.old, planned.path),
        row,
        cells: cells ?? (column === undefined ? {} : { [column]: after ?? "" }),
      });
    }
    const outputs = ({ path, row, column, before, after, cells, hasTotal }: PlannedEdit) => ({
      path,
      action,
      row,
      hasTotal,
      ...(column !== undefined && { column, before, after }),
      ...(cells && { cells }),
    });
    if (planned.text === planned.old) return { ...outputs(planned), changed: false };
    const { plan, archived, bytes } = await rewriteFile(planned.path, call, () =>
      planEdit(args, files, call),
    );
    return { ...outputs(plan), changed: true, bytes, archived };
  },
});
