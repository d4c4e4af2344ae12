/** Arguments that mean something else in one skill than in the others. */
const OF_SKILL: Readonly<Record<string, string>> = {
  "task_create.description": "More about the task",
  "task_create.due": "When the task is due",
  "task_create.priority": "How urgent the task is",
  "task_create.tags": "The tags of the task",
  "task_create.title": "What the task is called",
  "task_update.due": "When the task is due",
  "task_update.title": "What the task is called",
  "fs_mkdir.path": "The folder to create",
  "fs_write.path": "The file to write",
  "fs_append.path": "The file to add to",
  "fs_delete.path": "The file or folder to delete",
  "fs_list.path": "The folder to look in",
  "fs_search.path": "The folder to search",
  "fs_search.query": "The words to search for",
  "fs_copy.from": "The file or folder to copy",
  "fs_copy.to": "Where the copy goes",
  "fs_move.from": "The file or folder to move",
  "fs_move.to": "Where it goes",
  "table_edit.path": "The table",
  "table_edit.row": "The row, by a value in it",
  "table_edit.column": "The column",
  "table_edit.value": "The new value",
  "table_edit.values": "The values of the new row",
  "memory_remember.text": "What to remember",
  "memory_search.query": "What to look up",
  "remind.text": "What to be reminded of",
  "remind.when": "When to be reminded",
  "schedule_create.goal": "What to do",
  "schedule_create.when": "When to do it",
};

const OF_ANY_SKILL: Readonly<Record<string, string>> = {
  content: "The text to write",
  due: "When it is due",
  find: "The text to replace",
  folder: "The folder",
  path: "The file or folder",
  query: "The words to search for",
  text: "The text to write",
  title: "The title",
  url: "The web address",
  when: "When to do it",
};

/**
 * The description of a parameter that becomes an argument of a skill: “When the task is due.” `more` ends the sentence.
 */
export function describeParameter(argument: string, skill: string, more = ""): string {
  const known = OF_SKILL[`${skill}.${argument}`] ?? OF_ANY_SKILL[argument];
  return `${known ?? `The ${wordsOf(argument)}`}${more}.`;
}

/** "maxWords" → "max words" */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_.-]+/gu, " ")
    .trim()
    .toLowerCase();
