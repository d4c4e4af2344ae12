import { activityList } from "./activity-list/skill.ts";
import { archiveRestore } from "./archive-restore/skill.ts";
import { askUser } from "./ask-user/skill.ts";
import { calculateSkill } from "./calculate/skill.ts";
import { conversationalResponse } from "./conversational-response/skill.ts";
import type { Skill } from "./define-skill.ts";
import { envCheck } from "./env-check/skill.ts";
import { executeCode } from "./execute-code/skill.ts";
import { fsAppend } from "./fs-append/skill.ts";
import { fsCopy } from "./fs-copy/skill.ts";
import { fsDelete } from "./fs-delete/skill.ts";
import { fsEdit } from "./fs-edit/skill.ts";
import { fsExists } from "./fs-exists/skill.ts";
import { fsList } from "./fs-list/skill.ts";
import { fsMkdir } from "./fs-mkdir/skill.ts";
import { fsMove } from "./fs-move/skill.ts";
import { fsSearch } from "./fs-search/skill.ts";
import { fsRead } from "./fs-read/skill.ts";
import { fsWrite } from "./fs-write/skill.ts";
import { functionCurate } from "./function-curate/skill.ts";
import { functionFromPattern } from "./function-from-pattern/skill.ts";
import { functionList } from "./function-list/skill.ts";
import { functionLoad } from "./function-load/skill.ts";
import { functionRegister } from "./function-register/skill.ts";
import { functionRun } from "./function-run/skill.ts";
import { functionSearch } from "./function-search/skill.ts";
import { gitCommit } from "./git-commit/skill.ts";
import { gitDiff } from "./git-diff/skill.ts";
import { gitStatus } from "./git-status/skill.ts";
import { httpGet } from "./http-get/skill.ts";
import { jsonUpdate } from "./json-update/skill.ts";
import { memoryForget } from "./memory-forget/skill.ts";
import { memoryRemember } from "./memory-remember/skill.ts";
import { memorySearch } from "./memory-search/skill.ts";
import { remind } from "./remind/skill.ts";
import { runAgent } from "./run-agent/skill.ts";
import { scheduleCreate } from "./schedule-create/skill.ts";
import { scheduleDelete } from "./schedule-delete/skill.ts";
import { scheduleList } from "./schedule-list/skill.ts";
import { scheduleUpdate } from "./schedule-update/skill.ts";
import { stopAgent } from "./stop-agent/skill.ts";
import { skillSearch } from "./skill-search/skill.ts";
import { shellSafe } from "./shell-safe/skill.ts";
import { summarizeFile } from "./summarize-file/skill.ts";
import { tableEdit } from "./table-edit/skill.ts";
import { taskCreate } from "./task-create/skill.ts";
import { taskDelete } from "./task-delete/skill.ts";
import { taskFind } from "./task-find/skill.ts";
import { taskList } from "./task-list/skill.ts";
import { taskUpdate } from "./task-update/skill.ts";
import { taskUpdateStatus } from "./task-update-status/skill.ts";
import { webSearch } from "./web-search/skill.ts";
import { webWatch } from "./web-watch/skill.ts";
import { writeTodos } from "./write-todos/skill.ts";

/** Every built-in skill. The list is explicit so that it does not depend on the content of a folder. */
export const installedSkills: readonly Skill[] = [
  fsRead,
  fsList,
  fsSearch,
  fsWrite,
  fsAppend,
  fsEdit,
  fsCopy,
  fsMove,
  fsDelete,
  archiveRestore,
  fsMkdir,
  fsExists,
  jsonUpdate,
  tableEdit,
  summarizeFile,
  taskList,
  taskFind,
  taskCreate,
  taskUpdate,
  taskUpdateStatus,
  taskDelete,
  scheduleCreate,
  scheduleList,
  scheduleUpdate,
  scheduleDelete,
  remind,
  activityList,
  memorySearch,
  memoryRemember,
  memoryForget,
  conversationalResponse,
  askUser,
  runAgent,
  stopAgent,
  writeTodos,
  skillSearch,
  calculateSkill,
  envCheck,
  functionList,
  functionSearch,
  functionLoad,
  functionRun,
  functionRegister,
  functionCurate,
  functionFromPattern,
  executeCode,
  gitStatus,
  gitDiff,
  gitCommit,
  shellSafe,
  httpGet,
  webSearch,
  webWatch,
];
