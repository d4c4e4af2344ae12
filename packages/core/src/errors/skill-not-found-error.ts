import { MetahumanError } from "./metahuman-error.ts";

/** No installed skill has this id. Suggests the nearest ids. */
export class SkillNotFoundError extends MetahumanError {
  override readonly name = "SkillNotFoundError";
  readonly code = "SKILL_NOT_FOUND";
}
