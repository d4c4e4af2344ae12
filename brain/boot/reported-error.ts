import type { ErrorCode, ErrorDetail } from "@metahuman/core/contract/problem";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";

/** What a run says went wrong, as an error again: for callers who asked for one call and want its answer or its failure. */
export class ReportedError extends MetahumanError {
  override readonly name = "ReportedError";
  readonly code: ErrorCode;
  constructor({ code, message, context, suggestions }: ErrorDetail) {
    super(message, { ...(context && { context }), ...(suggestions && { suggestions }) });
    this.code = code;
  }
}
