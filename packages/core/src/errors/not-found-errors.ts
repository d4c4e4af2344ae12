import { MetahumanError } from "./metahuman-error.ts";

/** There is no such thing, or none this person may know of. */
export class NotFoundError extends MetahumanError {
  override readonly name = "NotFoundError";
  readonly code = "NOT_FOUND";
}

/** There is no file or folder at this workspace path. Suggests the nearest existing paths. */
export class FileNotFoundError extends MetahumanError {
  override readonly name = "FileNotFoundError";
  readonly code = "FILE_NOT_FOUND";
}

/** No function has this id or name in this scope. Suggests the nearest names. */
export class FunctionNotFoundError extends MetahumanError {
  override readonly name = "FunctionNotFoundError";
  readonly code = "FUNCTION_NOT_FOUND";
}

/** No memory has this id. */
export class MemoryNotFoundError extends MetahumanError {
  override readonly name = "MemoryNotFoundError";
  readonly code = "MEMORY_NOT_FOUND";
}

/** No installed skill has this id. Suggests the nearest ids. */
export class SkillNotFoundError extends MetahumanError {
  override readonly name = "SkillNotFoundError";
  readonly code = "SKILL_NOT_FOUND";
}

/** No task has this id or fits these words. Suggests the nearest tasks. */
export class TaskNotFoundError extends MetahumanError {
  override readonly name = "TaskNotFoundError";
  readonly code = "TASK_NOT_FOUND";
}
