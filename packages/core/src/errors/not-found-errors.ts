import { MetahumanError } from "./metahuman-error.ts";

/** The item does not exist or is not visible to this person. */
export class NotFoundError extends MetahumanError {
  override readonly name = "NotFoundError";
  readonly code = "NOT_FOUND";
}

/** There is no file or folder at this workspace path. Suggests similar paths. */
export class FileNotFoundError extends MetahumanError {
  override readonly name = "FileNotFoundError";
  readonly code = "FILE_NOT_FOUND";
}

/** There is no function with this id or name in this scope. Suggests similar names. */
export class FunctionNotFoundError extends MetahumanError {
  override readonly name = "FunctionNotFoundError";
  readonly code = "FUNCTION_NOT_FOUND";
}

/** There is no memory with this id. */
export class MemoryNotFoundError extends MetahumanError {
  override readonly name = "MemoryNotFoundError";
  readonly code = "MEMORY_NOT_FOUND";
}

/** There is no installed skill with this id. Suggests similar ids. */
export class SkillNotFoundError extends MetahumanError {
  override readonly name = "SkillNotFoundError";
  readonly code = "SKILL_NOT_FOUND";
}

/** There is no task with this id or these words. Suggests similar tasks. */
export class TaskNotFoundError extends MetahumanError {
  override readonly name = "TaskNotFoundError";
  readonly code = "TASK_NOT_FOUND";
}
