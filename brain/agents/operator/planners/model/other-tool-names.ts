/**
 * Names that models use for skills because other assistants have tools of these names. Each is written as its words in alphabetical order,
 * in lower case.
 */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  fs_read: ["file read", "file open", "file view", "file get", "content file get", "contents file get"],
  fs_write: ["file write", "create file", "file save", "file make", "file to write"],
  fs_append: ["append file", "append file to", "add file to"],
  fs_edit: ["edit file", "file update", "file modify", "file in replace", "file replace", "replace str"],
  fs_list: ["files list", "directory list", "dir list", "folder list", "ls"],
  fs_move: ["file move", "file rename", "rename", "mv"],
  fs_copy: ["copy file"],
  fs_delete: ["delete file", "file remove"],
  fs_mkdir: ["create folder", "folder make", "create directory", "directory make", "mkdir"],
  fs_search: ["files search", "files find", "file search", "grep"],
  task_create: ["add task", "new task", "add todo", "create todo"],
  task_list: ["get tasks", "list tasks", "list todos"],
  task_find: ["find tasks", "search tasks", "search task"],
  task_update: ["edit task", "task edit", "modify task"],
  task_delete: ["remove task"],
  remind: ["create reminder", "reminder set", "add reminder", "reminder schedule", "me remind", "reminder"],
  memory_remember: ["remember", "memory save", "add memory", "memory store"],
  memory_search: ["recall", "memories search"],
  http_get: ["fetch url", "fetch", "fetch web", "get url", "open url", "read url", "browse"],
  calculate: ["calculator", "calc"],
  skill_search: ["search tools", "find tools", "search skills"],
};

const SKILLS: ReadonlyMap<string, string> = new Map(
  Object.entries(OTHER_NAMES).flatMap(([skill, names]) =>
    names.map((name): [string, string] => [name, skill]),
  ),
);

/** The skill that a model means by a name that no skill has, from the words of the name in alphabetical order. */
export const skillByOtherName = (sortedWords: string): string | undefined => SKILLS.get(sortedWords);
