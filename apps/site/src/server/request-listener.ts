import type { IncomingMessage, ServerResponse } from "node:http";
import type { Brain } from "@metahuman/boot/brain";
import { ForbiddenHostError, MethodNotAllowedError, NotFoundError } from "@metahuman/boot/errors";
import type { Logger } from "@metahuman/boot/log";
import { checkAnnouncedLength, readBody } from "./body.ts";
import { connectionOf } from "./connection.ts";
import { isServedHost } from "./hosts.ts";
import type { ServedHosts } from "./hosts.ts";
import type { LiveStreams } from "./live-streams.ts";
import { refuse } from "./refuse.ts";
import { requestPath } from "./request-target.ts";
import { setSecurityHeaders } from "./security-headers.ts";
import type { SiteBuild } from "./site-build.ts";

export interface ListenerOptions {
  /** What answers, once it is there; requests that come earlier wait. */
  ready: Promise<{ brain: Brain; site: SiteBuild }>;
  /** As it was bound. */
  bound: Omit<ServedHosts, "allowed">;
  live: LiveStreams;
  log: Logger;
}

/** What is larger than memory should hold: the handler takes it piece by piece, once it knows from whom it comes. */
const UPLOADS: ReadonlySet<string> = new Set(["/api/import", "/api/inbox"]);

/** Node also reads methods that no site takes (TRACE, LINK, …), and the framework fails on some of them. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * What stands before every page, file and endpoint, in this order: host, method, path, announced length, built files, body. What
 * is left is the site's, with its body read. Whatever is refused here is answered in the one shape of problems.
 */
export function createRequestListener({ ready, bound, live, log }: ListenerOptions): RequestListener {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { brain, site } = await ready;
    const { allowedHosts, trustedProxies, maxBodyBytes, maxImportBytes } = brain.config.current().server;
    checkHost(request, { ...bound, allowed: allowedHosts });
    checkMethod(request);
    const path = requestPath(request.url);
    const isUpload = UPLOADS.has(path);
    checkAnnouncedLength(request, isUpload ? maxImportBytes : maxBodyBytes);
    if (site.serveStatic(path, request, response)) return;
    // Doors of the framework that this site does not use: image service, actions, server islands.
    if (path.startsWith("/_")) throw nothingAt(path);
    if (request.headers.expect !== undefined) response.writeContinue();
    const body = isUpload ? undefined : await readBody(request, maxBodyBytes);
    const locals = { brain, live, log, connection: connectionOf(request, response, trustedProxies) };
    const handle = (next: () => unknown) =>
      site.handler(body ? Object.assign(request, { body }) : request, response, next, locals);
    const sayNothing = () => refuse(request, response, nothingAt(path));
    await handle(() => {
      if (!request.headers.accept?.includes("text/html")) return sayNothing();
      request.url = "/404";
      return handle(sayNothing);
    });
  }

  return async (request, response) => {
    const started = performance.now();
    response.on("close", () => {
      const path = request.url?.split("?")[0];
      log.debug({
        method: request.method,
        path,
        status: response.statusCode,
        ms: performance.now() - started,
      });
    });
    setSecurityHeaders(response);
    try {
      await answer(request, response);
    } catch (error) {
      const status = response.headersSent ? undefined : refuse(request, response, error);
      if (status === undefined) response.destroy();
      if (status === undefined || status === 500)
        log.error({ err: error }, "A request could not be answered.");
    }
  };
}

function checkHost(request: IncomingMessage, served: ServedHosts): void {
  const named = request.headersDistinct.host ?? [];
  if (named.length === 1 && isServedHost(named[0], served)) return;
  throw new ForbiddenHostError("This host is not served here.", {
    suggestions: ["Add the name to server.allowedHosts in etc/server.json if it is yours."],
  });
}

function checkMethod({ method = "" }: IncomingMessage): void {
  if (METHODS.includes(method)) return;
  throw new MethodNotAllowedError(`Nothing here takes ${method}.`, { context: { allow: METHODS } });
}

function nothingAt(path: string): NotFoundError {
  return new NotFoundError(`There is nothing at ${path}.`);
}
