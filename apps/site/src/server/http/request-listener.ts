import type { IncomingMessage, ServerResponse } from "node:http";
import type { Brain } from "@metahuman/boot/brain";
import {
  BodyTooLargeError,
  ForbiddenHostError,
  MethodNotAllowedError,
  NotFoundError,
} from "@metahuman/boot/errors";
import type { Logger } from "@metahuman/boot/log";
import type { ServerConfig } from "@metahuman/core/contract/config";
import { identify } from "../api/caller.ts";
import type { Caller } from "../api/caller.ts";
import { checkOrigin } from "../api/origin.ts";
import { checkAnnouncedLength, createBodyBudget, readBody } from "./request-body.ts";
import { connectionOf } from "./connection.ts";
import { isServedHost } from "./hosts.ts";
import type { ServedHosts } from "./hosts.ts";
import type { LiveStreams } from "./live-streams.ts";
import { refuse } from "./refuse.ts";
import { requestPath } from "./request-path.ts";
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

/** The largest body without a session or token, in bytes. */
const MAX_ANONYMOUS_BODY = 65_536;

/** The part of the memory for bodies that all callers without a session or token share. */
const ANONYMOUS_SHARE = 1 / 8;

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * What stands before every page, file and endpoint, in this order: host, method, path, announced length, built files,
 * session, origin, body. What is left is the site's, with its body read. Whatever is refused here is answered in the one
 * shape of problems.
 */
export function createRequestListener({ ready, bound, live, log }: ListenerOptions): RequestListener {
  const budgets = { signedIn: createBodyBudget(), anonymous: createBodyBudget() };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { brain, site } = await ready;
    const settings = brain.config.current().server;
    const { allowedHosts, trustedProxies, maxBodyBytes, maxImportBytes } = settings;
    checkHost(request, { ...bound, allowed: allowedHosts });
    checkMethod(request);
    const path = requestPath(request.url);
    const isUpload = UPLOADS.has(path);
    checkAnnouncedLength(request, isUpload ? maxImportBytes : maxBodyBytes);
    if (site.serveStatic(path, request, response)) return;
    // Doors of the framework that this site does not use: image service, actions, server islands.
    if (path.startsWith("/_")) throw nothingAt(path);
    // Pages identify their readers themselves: where that fails they show a page, not a problem.
    const identity = path.startsWith("/api/") ? await identified(request, brain) : {};
    if (isUpload && identity.caller && request.headers.expect !== undefined) response.writeContinue();
    const body = isUpload ? undefined : await bodyFrom(request, response, identity, settings);
    const connection = connectionOf(request, response, trustedProxies);
    const locals = { brain, live, log, connection, ...identity };
    const handle = (next: () => unknown) =>
      site.handler(body ? Object.assign(request, { body }) : request, response, next, locals);
    const sayNothing = () => refuse(request, response, nothingAt(path));
    await handle(() => {
      if (!request.headers.accept?.includes("text/html")) return sayNothing();
      request.url = "/404";
      return handle(sayNothing);
    });
  }

  /** The body, held against the memory for bodies until the request is answered. */
  async function bodyFrom(
    request: IncomingMessage,
    response: ServerResponse,
    { caller, refusal }: { caller?: Caller; refusal?: Error },
    { maxBodyBytes, maxBodiesInFlightBytes }: ServerConfig,
  ): Promise<Buffer | undefined> {
    // Anybody can be a guest.
    const hasAccount = caller !== undefined && caller.me.role !== "guest";
    const maxBytes = hasAccount ? maxBodyBytes : Math.min(maxBodyBytes, MAX_ANONYMOUS_BODY);
    const budget = hasAccount ? budgets.signedIn : budgets.anonymous;
    const ceiling = Math.max(maxBytes, maxBodiesInFlightBytes * (hasAccount ? 1 : ANONYMOUS_SHARE));
    let held = 0;
    response.once("close", () => budget.giveBack(held));
    const take = (bytes: number): void => {
      budget.take(bytes, ceiling);
      held += bytes;
    };
    try {
      checkAnnouncedLength(request, maxBytes);
      if (request.headers.expect !== undefined) response.writeContinue();
      return await readBody(request, { maxBytes, take });
    } catch (error) {
      // To sign in again helps who sends this; to send less does not.
      throw refusal !== undefined && error instanceof BodyTooLargeError ? refusal : error;
    }
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

/** Who asks. Throws `ForbiddenOriginError` for what another site asks for in somebody's name. */
async function identified({ method = "", headers: sent }: IncomingMessage, brain: Brain) {
  const names = ["authorization", "cookie", "host", "origin", "sec-fetch-site"];
  const headers = new Headers(
    names.flatMap((name): [string, string][] => {
      const value = sent[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
  const identity = await identify(headers, brain);
  checkOrigin({ method, headers }, identity.caller);
  return identity;
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
