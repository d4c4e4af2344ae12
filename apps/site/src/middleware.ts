import type { APIContext } from "astro";
import { defineMiddleware } from "astro:middleware";
import { MethodNotAllowedError } from "@metahuman/boot/errors";
import { identify } from "./server/api/caller.ts";
import { problemResponse } from "./server/api/problem-response.ts";
import { compressPage } from "./server/http/compress-page.ts";
import { routeTable } from "./server/api/route-table.ts";

/** Pages for people who are not signed in, and those that say that something failed. */
const doorways: ReadonlySet<string> = new Set(["/login", "/setup", "/404", "/500"]);

/**
 * Finds out who asks for a page and leads people who are not signed in to where they can be; our server has identified
 * the callers of endpoints before it read their bodies. It permits nothing: every endpoint and every page checks for
 * itself.
 */
export const onRequest = defineMiddleware(async (context, next) => {
  const { locals, request, routePattern } = context;
  // The built site gets its locals from our server (server/request-listener.ts); `astro dev` has none.
  if (import.meta.env.DEV) {
    const { developmentLocals } = await import("./server/http/development.ts");
    Object.assign(locals, await developmentLocals(context.clientAddress));
  }
  if (routePattern.startsWith("/api/")) {
    try {
      checkMethod(routePattern, request.method);
      if (import.meta.env.DEV) Object.assign(locals, await identify(request.headers, locals.brain));
    } catch (error) {
      return problemResponse(error, locals.log);
    }
    return next();
  }
  Object.assign(locals, await identify(request.headers, locals.brain));
  return (await elsewhere(context)) ?? compressPage(await next(), request.headers.get("Accept-Encoding"));
});

function checkMethod(pattern: string, method: string): void {
  const methods = routeTable.get(pattern);
  // Neither the API's description nor its "nothing here" stands in the table; both look after themselves.
  if (methods === undefined || methods.size === 0 || methods.has(method === "HEAD" ? "GET" : method)) return;
  const allow = [...methods.keys()];
  throw new MethodNotAllowedError(`This address takes ${allow.join(", ")}, not ${method}.`, {
    context: { allow },
  });
}

/** Where somebody belongs instead of the page they asked for. */
async function elsewhere({ locals, routePattern, url, redirect }: APIContext): Promise<Response | undefined> {
  // Guests have one page, and nobody else has it.
  if (
    locals.caller?.me.role === "guest" &&
    routePattern !== "/guest" &&
    routePattern !== "/404" &&
    routePattern !== "/500"
  )
    return redirect("/guest");
  if (routePattern === "/guest" && locals.caller?.me.role !== "guest")
    return redirect(locals.caller ? "/" : "/login");
  const isDoorway = doorways.has(routePattern);
  if (locals.caller !== undefined)
    return routePattern === "/login" || routePattern === "/setup" ? redirect("/") : undefined;
  if (routePattern === "/404" || routePattern === "/500") return undefined;
  const door = (await locals.brain.accounts.isEmpty()) ? "/setup" : "/login";
  if (routePattern === door) return undefined;
  return redirect(
    isDoorway || url.pathname === "/" ? door : `${door}?to=${encodeURIComponent(url.pathname + url.search)}`,
  );
}
