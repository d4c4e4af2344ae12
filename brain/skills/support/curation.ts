import type { CurationOutcome, CurationRequest } from "@metahuman/core/contract/curation";
import type { SkillCall } from "../define-skill.ts";

/** The call that requests a function. */
export interface CurationCall extends Pick<SkillCall, "runId" | "isDirect" | "reached" | "signal"> {
  /** The key of the call; a repeated call with the same key resumes from staging. */
  callKey: string;
}

/** Generates and improves functions. */
export interface Curator {
  /**
   * Runs the workflow: gather, write, verify with one retry, publish. Reports the start and end of each stage. Throws
   * `ModelUnavailableError` if there is neither a draft nor a model.
   */
  curate(request: CurationRequest, call: CurationCall): Promise<CurationOutcome>;
}
