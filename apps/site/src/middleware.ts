import type { APIContext } from "astro";
import { defineMiddleware } from "astro:middleware";
import { MethodNotAllowedError } from "@metahuman/core/errors/request-errors";
import { identify } from "./server/api/caller.ts";
import { problemResponse } from "./server/http/problem.ts";
import { compressPage } from "./server/http/compress-page.ts";
import { routeTable } from "./server/api/route-table.ts";

/** Pages that need no sign-in. */
const publicPages: ReadonlySet<string> = new Set(["/login", "/setup", "/404", "/500"]);

/**
 * Identifies the caller of a page and redirects people who are not signed in. The server has identified the callers of
 * endpoints before it read their bodies. This grants no access: every endpoint and every page checks for itself.
 */
export const onRequest = defineMiddleware(async (context, next) => {
  const { locals, request, routePattern } = context;
  // The server sets the locals of the built site (server/http/request-listener.ts); `astro dev` runs without it.
  if (import.meta.env.DEV) {
    const { developmentLocals } = await import("./server/http/development.ts");
    Object.assign(locals, await developmentLocals(context.clientAddress));
  }
  if (routePattern.startsWith("/api/")) {
    try {
      checkMethod(routePattern, request.method);
      if (import.meta.env.DEV) Object.assign(locals, await identify(request.headers, locals));
    } catch (error) {
      return problemResponse(error, locals.log);
    }
    return next();
  }
  Object.assign(locals, await identify(request.headers, locals));
  return (await redirectFor(context)) ?? compressPage(await next(), request.headers.get("Accept-Encoding"));
});

function checkMethod(pattern: string, method: string): void {
  const methods = routeTable.get(pattern);
  // The OpenAPI document and the 404 endpoint are not in the table.
  if (methods === undefined || methods.size === 0 || methods.has(method === "HEAD" ? "GET" : method)) return;
  const allow = [...methods.keys()];
  throw new MethodNotAllowedError(`This address takes ${allow.join(", ")}, not ${method}.`, {
    context: { allow },
  });
}

/** The redirect for a page that is not for this caller. */
async function redirectFor({
  locals,
  routePattern,
  url,
  redirect,
}: APIContext): Promise<Response | undefined> {
  // Guests have one page, and only they may open it.
  if (
    locals.caller?.me.role === "guest" &&
    routePattern !== "/guest" &&
    routePattern !== "/404" &&
    routePattern !== "/500"
  )
    return redirect("/guest");
  if (routePattern === "/guest" && locals.caller?.me.role !== "guest")
    return redirect(locals.caller ? "/" : "/login");
  const isPublic = publicPages.has(routePattern);
  if (locals.caller !== undefined)
    return routePattern === "/login" || routePattern === "/setup" ? redirect("/") : undefined;
  if (routePattern === "/404" || routePattern === "/500") return undefined;
  const signInPage = (await locals.brain.accounts.isEmpty()) ? "/setup" : "/login";
  if (routePattern === signInPage) return undefined;
  return redirect(
    isPublic || url.pathname === "/"
      ? signInPage
      : `${signInPage}?to=${encodeURIComponent(url.pathname + url.search)}`,
  );
}
