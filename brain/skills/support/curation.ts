import type { CurationOutcome, CurationRequest } from "@metahuman/core/contract/curation";
import type { SkillCall } from "../define-skill.ts";

/** The call that asks for a function. */
export interface CurationCall extends Pick<SkillCall, "runId" | "isDirect" | "reached" | "signal"> {
  /** The same when a call that was broken off is made again: then it goes on from staging. */
  callKey: string;
}

/** Writes and improves functions. */
export interface Curator {
  /**
   * Carries the workflow out: gather, write, verify with one informed retry, publish. Tells of each stage when it begins
   * and when it ends. Throws `ModelUnavailableError` when there is neither a draft nor a model.
   */
  curate(request: CurationRequest, call: CurationCall): Promise<CurationOutcome>;
}
