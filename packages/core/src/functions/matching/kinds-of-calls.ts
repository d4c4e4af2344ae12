import type { FunctionMemory } from "../../contract/function.ts";
import type { VerbKind } from "./families.ts";

const KINDS_OF_SKILL: Readonly<Record<string, readonly VerbKind[]>> = {
  fs_write: ["create", "record"],
  fs_append: ["record"],
  fs_edit: ["set", "delete", "record"],
  fs_move: ["move"],
  fs_copy: ["copy"],
  fs_delete: ["delete"],
  fs_mkdir: ["create"],
  fs_read: ["show"],
  fs_list: ["show"],
  fs_search: ["search"],
  fs_exists: ["show"],
  json_update: ["set"],
  table_edit: ["set", "record", "delete"],
  task_create: ["create", "record"],
  task_update: ["set"],
  task_delete: ["delete"],
  task_list: ["show"],
  task_find: ["show", "search"],
  memory_remember: ["remember"],
  activity_list: ["show"],
  memory_search: ["show", "search"],
  memory_forget: ["delete"],
  summarize_file: ["summarize"],
  http_get: ["fetch"],
  web_search: ["search", "fetch"],
  git_status: ["show", "run"],
  git_diff: ["show", "run"],
  git_commit: ["commit"],
  shell_safe: ["run"],
};
const KINDS_OF_STATUS: Readonly<Record<string, readonly VerbKind[]>> = {
  done: ["complete"],
  blocked: ["hold"],
  todo: ["reopen"],
  in_progress: ["begin", "work", "reopen"],
  cancelled: ["cancel"],
};
/** Of changes of a text; other actions than these may be called by any of the words for `fs_edit`. */
const KINDS_OF_EDIT: Readonly<Record<string, readonly VerbKind[]>> = {
  check: ["complete", "set"],
  uncheck: ["reopen", "set"],
  remove: ["delete"],
};
const KINDS_OF_TABLE_ACTION: Readonly<Record<string, readonly VerbKind[]>> = {
  add: ["record"],
  set: ["set", "record"],
  remove: ["delete"],
};

/**
 * The meanings that only other statuses have than those which a recipe gives to tasks: "set the task … to in progress" does not
 * tick it off.
 */
export function kindsOfOtherStatuses({ recipe }: Pick<FunctionMemory, "recipe">): Set<VerbKind> {
  const given = (recipe?.actions ?? []).flatMap(({ skill, args }) =>
    skill === "task_update_status" ? [String(args["status"])] : [],
  );
  if (given.length === 0 || !given.every((status) => status in KINDS_OF_STATUS)) return new Set();
  const own = new Set(given.flatMap((status) => KINDS_OF_STATUS[status] ?? []));
  return new Set(
    Object.values(KINDS_OF_STATUS)
      .flat()
      .filter((kind) => !own.has(kind)),
  );
}

/** Skills that only look something up. */
export const READS = new Set(
  "fs_read fs_list fs_search fs_exists task_list task_find activity_list memory_search git_status git_diff summarize_file".split(
    " ",
  ),
);
/** Calls that change nothing outside the run, although their result may be the purpose. */
export const CHANGES_NOTHING = new Set([...READS, "http_get", "web_search"]);
/** The meanings of a recipe's calls, in the terms of verbs. */
export function kindsOfCalls({ recipe }: Pick<FunctionMemory, "recipe">): Set<VerbKind> {
  const actions = recipe?.actions ?? [];
  const hasEffect = actions.some(({ skill }) => !READS.has(skill));
  const kinds = actions.flatMap(({ skill, args }): readonly VerbKind[] => {
    // A result that is only looked up for a later call is not the purpose.
    if (hasEffect && READS.has(skill) && skill !== "summarize_file") return [];
    if (skill === "task_update_status") return KINDS_OF_STATUS[String(args["status"])] ?? ["set"];
    if (skill === "fs_edit") return KINDS_OF_EDIT[String(args["action"])] ?? KINDS_OF_SKILL[skill] ?? [];
    if (skill === "table_edit")
      return KINDS_OF_TABLE_ACTION[String(args["action"])] ?? KINDS_OF_SKILL[skill] ?? [];
    if (skill === "fs_move" && (isWholeParameter(args["to"]) || renamesInFolder(args)))
      return ["move", "rename"];
    if (skill === "fs_copy" && recipe?.promptTemplates.some((template) => NAMES_NEW.test(template)) === true)
      return ["copy", "create"];
    if (skill === "fs_write" && /^\$\{steps\.\d+\.content\}$/u.test(String(args["content"]))) return ["copy"];
    if (skill === "fs_write" && /^\$\{steps\.\d+\.body\}$/u.test(String(args["content"])))
      return ["create", "record", "copy"];
    // Scheduling something requires a task for it, and more than the task that follows a record.
    if (skill === "task_create" && actions.length === 1) return ["create", "record", "schedule"];
    return KINDS_OF_SKILL[skill] ?? [];
  });
  return new Set(kinds);
}

/** "New checklist for …": what is copied is a form, and the copy is the purpose. */
const NAMES_NEW = /\bnew\b/iu;

/** True for a new name in the same folder: `scans/${scan}.pdf` to `scans/${name}.pdf`. */
function renamesInFolder({ from, to }: Readonly<Record<string, unknown>>): boolean {
  if (typeof from !== "string" || typeof to !== "string") return false;
  const folder = from.slice(0, from.lastIndexOf("/") + 1);
  return folder !== "" && folder === to.slice(0, to.lastIndexOf("/") + 1) && from !== to;
}

function isWholeParameter(value: unknown): boolean {
  return typeof value === "string" && /^\$\{[A-Za-z]\w*\}$/u.test(value);
}
