import { z } from "zod";
import { toErrorDetail } from "@metahuman/boot/errors";
import { shownPath } from "@metahuman/boot/home";
import type { ErrorDetail, Problem } from "@metahuman/core/contract/problem";
import { problemStatus } from "./problem-status.ts";

/** A failure as HTTP answers it: no stack, no cause, nothing but what the error says of itself. */
export interface ProblemAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Problem;
}

const Wait = z.object({ retryAfterMs: z.number().nonnegative() });
const Methods = z.object({ allow: z.array(z.string()) });

/** Any thrown value as the one shape of problems, with the status its code stands for. */
export function problemOf(error: unknown): ProblemAnswer {
  const { code, message, context, suggestions } = withoutServerPath(toErrorDetail(error));
  return {
    status: problemStatus[code],
    headers: headersFor(code, context),
    body: {
      error: {
        code,
        message,
        ...(context !== undefined && { details: context }),
        ...(suggestions !== undefined && { suggestions }),
      },
    },
  };
}

/** A configuration error names its file as the terminal needs it; what leaves this machine names it from the data root on. */
function withoutServerPath(detail: ErrorDetail): ErrorDetail {
  const file = z.object({ file: z.string() }).safeParse(detail.context).data?.file;
  if (file === undefined) return detail;
  const shown = shownPath(file);
  return {
    ...detail,
    message: detail.message.replaceAll(file, shown),
    context: { ...detail.context, file: shown },
  };
}

function headersFor(code: ErrorDetail["code"], context: ErrorDetail["context"]): Record<string, string> {
  if (code === "RATE_LIMITED" || code === "SERVER_BUSY") {
    const wait = Wait.safeParse(context);
    return {
      "Retry-After": String(wait.success ? Math.max(1, Math.ceil(wait.data.retryAfterMs / 1_000)) : 60),
    };
  }
  if (code === "METHOD_NOT_ALLOWED") {
    const methods = Methods.safeParse(context);
    return methods.success ? { Allow: methods.data.allow.join(", ") } : {};
  }
  if (code === "NOT_SIGNED_IN" || code === "SESSION_EXPIRED") return { "WWW-Authenticate": "Bearer" };
  return {};
}
