import type { ErrorDetail } from "../contract/problem.ts";
import { MetahumanError } from "./metahuman-error.ts";
import { fromNodeError, systemCode } from "./node-error.ts";
import { capitalize } from "../text/format.ts";

/**
 * Converts any thrown value to the form that may leave this process. Typed errors keep their message; an abort
 * becomes `CANCELLED`, an exceeded time limit `TIMEOUT`; failed system calls become typed errors without machine
 * paths. Everything else becomes `UNEXPECTED_ERROR` with a fixed message, because unknown text may contain paths or
 * secrets.
 */
export function toErrorDetail(error: unknown): ErrorDetail {
  if (error instanceof MetahumanError) return error.toDetail();
  if (error instanceof Error && error.name === "AbortError")
    return { code: "CANCELLED", message: "The work was cancelled." };
  if (error instanceof Error && error.name === "TimeoutError")
    return { code: "TIMEOUT", message: "The time limit was exceeded." };
  if (systemCode(error) !== undefined) {
    const typed = fromNodeError(error, "the requested path");
    if (typed instanceof MetahumanError)
      return {
        code: typed.code,
        message: capitalize(typed.message),
        context: { systemCode: systemCode(error) },
      };
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    code: "UNEXPECTED_ERROR",
    message: "Something unexpected went wrong.",
    ...(/^[A-Za-z]{1,64}$/.test(kind) && { context: { kind } }),
  };
}
