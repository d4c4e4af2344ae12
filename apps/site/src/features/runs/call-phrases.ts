import type { Action } from "@metahuman/core/contract/run";
import { firstLine, truncate, uncapitalize } from "@metahuman/core/text/format";

/**
 * The verbs of a skill in a sentence: while it runs, when it has ended, and after "Couldn't"; then its object, if it
 * has one.
 */
type Phrase = readonly [doing: string, done: string, base: string, object?: string];

/** `{name}` is replaced with an argument of the call, `{name|word}` with the word if the argument is left out. */
const PHRASES: Readonly<Record<string, Phrase>> = {
  fs_read: ["Reading", "Read", "read", "{path}"],
  fs_write: ["Writing", "Wrote", "write", "{path}"],
  fs_append: ["Adding to", "Added to", "add to", "{path}"],
  fs_edit: ["Changing", "Changed", "change", "{path}"],
  fs_list: ["Listing", "Listed", "list", "{path|files}"],
  fs_search: ["Searching files for", "Searched files for", "search files for", "“{query}”"],
  fs_mkdir: ["Creating the folder", "Created the folder", "create the folder", "{path}"],
  fs_move: ["Moving", "Moved", "move", "{from}"],
  fs_delete: ["Deleting", "Deleted", "delete", "{path}"],
  fs_exists: ["Checking for", "Checked for", "check for", "{path}"],
  json_update: ["Changing", "Changed", "change", "{path}"],
  table_edit: ["Changing", "Changed", "change", "{path}"],
  summarize_file: ["Summarizing", "Summarized", "summarize", "{path}"],
  activity_list: ["Looking up what was done", "Looked up what was done", "look up what was done"],
  memory_search: ["Searching memory", "Searched memory", "search memory"],
  memory_remember: ["Remembering a fact", "Remembered a fact", "remember this"],
  memory_forget: ["Forgetting a memory", "Forgot a memory", "forget this"],
  task_create: ["Creating the task", "Created the task", "create the task", "“{title}”"],
  task_list: ["Listing tasks", "Listed tasks", "list tasks"],
  task_find: ["Finding the task", "Found the task", "find the task", "“{query}”"],
  task_update: ["Changing a task", "Changed a task", "change the task"],
  task_update_status: ["Updating a task", "Updated a task", "update the task"],
  task_delete: ["Deleting a task", "Deleted a task", "delete the task"],
  web_search: ["Searching the web for", "Searched the web for", "search the web for", "“{query}”"],
  web_watch: ["Checking", "Checked", "check", "{url}"],
  http_get: ["Fetching", "Fetched", "fetch", "{url}"],
  shell_safe: ["Running a program", "Ran a program", "run the program"],
  execute_code: ["Running code", "Ran code", "run the code"],
  function_run: ["Running a function", "Ran a function", "run the function"],
  function_search: ["Searching functions", "Searched functions", "search functions"],
  function_load: ["Loading a function", "Loaded a function", "load the function"],
  conversational_response: ["Writing an answer", "Wrote an answer", "write an answer"],
  skill_search: ["Searching skills", "Searched skills", "search skills"],
  git_status: ["Reading the state of", "Read the state of", "read the state of", "the repository"],
  git_diff: ["Comparing changes", "Compared changes", "compare changes"],
  git_commit: ["Committing changes", "Committed changes", "commit the changes"],
  calculate: ["Calculating", "Calculated", "calculate", "{expression}"],
  fs_copy: ["Copying", "Copied", "copy", "{from}"],
  archive_restore: ["Restoring", "Restored", "restore", "{entry}"],
  function_list: ["Listing functions", "Listed functions", "list functions"],
  function_from_pattern: ["Creating a function", "Created a function", "create the function"],
  function_register: ["Saving a function", "Saved a function", "save the function"],
  function_curate: ["Generating a function", "Generated a function", "generate the function"],
  schedule_create: ["Scheduling a request", "Scheduled a request", "schedule the request"],
  schedule_list: ["Listing schedules", "Listed schedules", "list schedules"],
  schedule_update: ["Changing a schedule", "Changed a schedule", "change the schedule"],
  schedule_delete: ["Deleting a schedule", "Deleted a schedule", "delete the schedule"],
  remind: ["Setting a reminder", "Set a reminder", "set a reminder"],
  env_check: ["Checking a variable", "Checked a variable", "check the variable", "{name}"],
  write_todos: ["Updating the checklist", "Updated the checklist", "update the checklist"],
  ask_user: ["Asking you", "Asked you", "ask you"],
  stop_agent: ["Stopping the agent", "Stopped the agent", "stop the agent", "{agent}"],
  run_agent: ["Running the agent", "Ran the agent", "run the agent", "{agent}"],
};

/** Whether the skill of a call has a phrase. */
export const isKnownCall = ({ tool }: Pick<Action, "tool">): boolean => PHRASES[tool] !== undefined;

/** "Reading notes/today.md"; the id of a skill without a phrase. */
export function describeDoing(action: Action): string {
  const [doing] = PHRASES[action.tool] ?? [action.tool];
  return withObject(doing, action);
}

/** "Read notes/today.md". */
export function describeDone(action: Action): string {
  const [, done] = PHRASES[action.tool] ?? ["", action.tool];
  return withObject(done, action);
}

/** "Couldn’t read notes/nope.md". */
export function describeFailed(action: Action): string {
  const phrase = PHRASES[action.tool];
  return phrase === undefined ? `${action.tool} failed` : `Couldn’t ${withObject(phrase[2], action)}`;
}

/** "You denied deleting notes/today.md". */
export function describeDenied(action: Action): string {
  const doing = describeDoing(action);
  return `You denied ${PHRASES[action.tool] ? uncapitalize(doing) : doing}`;
}

function withObject(verb: string, { tool, args }: Action): string {
  const object = PHRASES[tool]?.[3]?.replace(
    /\{(\w+)(?:\|(\w+))?\}/u,
    (_match, name: string, otherwise: string | undefined) => {
      const value = args[name];
      if (typeof value !== "string") return otherwise ?? "";
      // A calculation is written as in the question: "15 % of 80?".
      return truncate(name === "expression" ? value.replace(/[\s?]+$/u, "") : firstLine(value), 48);
    },
  );
  return object === undefined || object === "" || object === "“”" ? verb : `${verb} ${object}`;
}
