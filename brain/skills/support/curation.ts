import type { CurationOutcome, CurationRequest } from "@metahuman/core/contract/curation";

/** Writes and improves functions. */
export interface Curator {
  /**
   * Carries the workflow out: gather, write, verify with one informed retry, publish. Throws `ModelUnavailableError` when
   * there is neither a draft nor a model.
   */
  curate(
    request: CurationRequest,
    options: { runId: string; isDirect: boolean; signal: AbortSignal },
  ): Promise<CurationOutcome>;
}
