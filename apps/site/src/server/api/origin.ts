import { ForbiddenOriginError } from "@metahuman/core/errors/access-errors";
import type { Caller } from "./caller.ts";

/**
 * Prevents cross-site request forgery. Rejects every request with the `Origin` of another site. A request with a
 * session cookie that changes something must have the `Origin` of this server, because browsers send cookies
 * automatically. Requests with a bearer token need none. Throws `ForbiddenOriginError`.
 */
export function checkOrigin(request: Pick<Request, "method" | "headers">, caller: Caller | undefined): void {
  if (caller?.kind === "token") return;
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const host = request.headers.get("host");
  if (origin !== null && hostOf(origin) !== host?.toLowerCase()) throw refusedOrigin();
  if (site !== null && site !== "same-origin" && site !== "none") throw refusedOrigin();
  if (changesSomething(request) && caller !== undefined && origin === null && site !== "same-origin") {
    throw new ForbiddenOriginError("A request with a session cookie needs an Origin header.", {
      suggestions: ["Send an Origin header that matches the Host, or use a bearer token (mh token create)."],
    });
  }
}

function changesSomething({ method }: Pick<Request, "method">): boolean {
  return method !== "GET" && method !== "HEAD";
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function refusedOrigin(): ForbiddenOriginError {
  return new ForbiddenOriginError("This request was made by another site.");
}
