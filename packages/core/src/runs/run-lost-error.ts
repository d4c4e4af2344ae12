import { MetahumanError } from "../errors/metahuman-error.ts";

/** This process no longer holds the run it was carrying out: its lease passed, or the run was ended elsewhere. */
export class RunLostError extends MetahumanError {
  override readonly name = "RunLostError";
  readonly code = "CONFLICT";

  constructor(runId: string) {
    super(`The run ${runId} is no longer carried out here.`);
  }
}
