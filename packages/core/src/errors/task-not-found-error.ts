import { MetahumanError } from "./metahuman-error.ts";

/** No task has this id or fits these words. Suggests the nearest tasks. */
export class TaskNotFoundError extends MetahumanError {
  override readonly name = "TaskNotFoundError";
  readonly code = "TASK_NOT_FOUND";
}
