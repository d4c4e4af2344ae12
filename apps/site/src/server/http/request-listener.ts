import type { IncomingMessage, ServerResponse } from "node:http";
import type { Brain } from "@metahuman/boot/brain";
import {
  BodyTooLargeError,
  InvalidRequestError,
  MethodNotAllowedError,
} from "@metahuman/core/errors/request-errors";
import { ForbiddenHostError, SessionExpiredError } from "@metahuman/core/errors/access-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { StorageUnavailableError } from "@metahuman/core/errors/storage-errors";
import type { Logger } from "@metahuman/core/log/logger";
import type { ServerConfig } from "@metahuman/core/contract/config";
import { identify, type Caller, type OpenProfile } from "../api/caller.ts";
import { checkOrigin } from "../api/origin.ts";
import { checkAnnouncedLength, createBodyBudget, readBody } from "./request-body.ts";
import { connectionFor } from "./connection.ts";
import { isServedHost, type ServedHosts } from "./hosts.ts";
import type { LiveStreams } from "./live-streams.ts";
import { sendProblem } from "./problem.ts";
import { setSecurityHeaders } from "./security-headers.ts";
import type { ServeStatic } from "./static-files.ts";

/** The handler built from `pages/`. Calls `next` if no page or endpoint has the path. */
export type SiteHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => unknown,
  locals: object,
) => Promise<void>;

export interface SiteBuild {
  handler: SiteHandler;
  serveStatic: ServeStatic;
}

export interface ListenerOptions {
  /** The brain and the site; earlier requests wait for them. */
  ready: Promise<{ brain: Brain; site: SiteBuild }>;
  /** The bound address. */
  bound: Omit<ServedHosts, "allowed">;
  live: LiveStreams;
  log: Logger;
}

/** Uploads too large to buffer: their handlers stream the body after they know the caller. */
const UPLOADS: ReadonlySet<string> = new Set(["/api/import", "/api/inbox"]);

/** Node also parses other methods (TRACE, LINK, …), some of which make the framework fail. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The largest body without a session or token, in bytes. */
const MAX_ANONYMOUS_BODY = 65_536;

/** The share of the memory for bodies that all callers without a session or token use together. */
const ANONYMOUS_SHARE = 1 / 8;

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Handles every request before the site does. Checks host, method, path and announced length, serves static files, then
 * checks session, origin and body. The site receives the request with its body already read. Rejections are problem responses.
 */
export function createRequestListener({ ready, bound, live, log }: ListenerOptions): RequestListener {
  let isReady = false;
  ready.then(
    () => (isReady = true),
    // The code that opens them reports the failure.
    () => undefined,
  );
  const budgets = { signedIn: createBodyBudget(), anonymous: createBodyBudget() };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isReady && request.url === "/api/ready") throw starting();
    const { brain, site } = await ready;
    const settings = brain.config.current().server;
    const { allowedHosts, trustedProxies, maxBodyBytes, maxImportBytes } = settings;
    checkHost(request, { ...bound, allowed: allowedHosts });
    checkMethod(request);
    const path = requestPath(request.url);
    const isUpload = UPLOADS.has(path);
    checkAnnouncedLength(request, isUpload ? maxImportBytes : maxBodyBytes);
    if (site.serveStatic(path, request, response)) return;
    // Endpoints of the framework that this site does not use: image service, actions, server islands.
    if (path.startsWith("/_")) throw notFoundAt(path);
    // Pages identify their caller themselves, because they show errors as a page.
    const openProfile = profilesFor(brain, response);
    const { follow, hasEnded } = createCredentialWatch(request, response, isUpload);
    const parts = { brain, openProfile, onSignedIn: follow };
    const identity = path.startsWith("/api/") ? await identifyCaller(request, parts) : {};
    if (isUpload && identity.caller && request.headers.expect !== undefined) response.writeContinue();
    const body = isUpload ? undefined : await bufferBody(request, response, identity, settings);
    if (hasEnded()) throw new SessionExpiredError("Your session has ended. Sign in again.");
    const connection = connectionFor(request, response, trustedProxies);
    const locals = { brain, openProfile, live, log, connection, ...identity };
    const handle = (next: () => unknown) =>
      site.handler(body ? Object.assign(request, { body }) : request, response, next, locals);
    const sendNotFound = () => sendProblem(request, response, notFoundAt(path));
    await handle(() => {
      if (!request.headers.accept?.includes("text/html")) return sendNotFound();
      request.url = "/404";
      return handle(sendNotFound);
    });
  }

  /**
   * Follows a session or token until the response has closed, because a body may take minutes to arrive. If it ends before, the
   * request is not carried out, and an upload, which its handler reads, is cut off.
   */
  function createCredentialWatch(request: IncomingMessage, response: ServerResponse, isUpload: boolean) {
    let hasEnded = false;
    const onEnd = () => {
      hasEnded = true;
      if (isUpload && !request.complete) request.destroy();
    };
    return {
      follow: (credentialId: string): void => {
        const release = live.begin({ credentialId, onEnd });
        if (response.closed) release();
        else response.once("close", release);
      },
      hasEnded: () => hasEnded,
    };
  }

  /** Reads the body and counts it against the memory for bodies until the response closes. */
  async function bufferBody(
    request: IncomingMessage,
    response: ServerResponse,
    { caller, refusal }: { caller?: Caller; refusal?: Error },
    { maxBodyBytes, maxBodiesInFlightBytes }: ServerConfig,
  ): Promise<Buffer | undefined> {
    // Anyone can be a guest.
    const hasAccount = caller !== undefined && caller.me.role !== "guest";
    const maxBytes = hasAccount ? maxBodyBytes : Math.min(maxBodyBytes, MAX_ANONYMOUS_BODY);
    const budget = hasAccount ? budgets.signedIn : budgets.anonymous;
    const ceiling = Math.max(maxBytes, maxBodiesInFlightBytes * (hasAccount ? 1 : ANONYMOUS_SHARE));
    let bufferedBytes = 0;
    response.once("close", () => budget.release(bufferedBytes));
    const reserve = (bytes: number): void => {
      budget.reserve(bytes, ceiling);
      bufferedBytes += bytes;
    };
    try {
      checkAnnouncedLength(request, maxBytes);
      if (request.headers.expect !== undefined) response.writeContinue();
      return await readBody(request, { maxBytes, reserve });
    } catch (error) {
      // The caller must sign in again; a smaller body would not help.
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
      const status = response.headersSent ? undefined : sendProblem(request, response, error);
      if (status === undefined) response.destroy();
      if (status === undefined || status === 500) log.error({ err: error }, "A request failed.");
    }
  };
}

/** Opens profiles that stay open until the response has ended or was cut off. */
function profilesFor(brain: Brain, response: ServerResponse): OpenProfile {
  return async (account) => {
    const { profile, release } = await brain.holdProfile(account.username, account);
    if (response.closed) release();
    else response.once("close", release);
    return profile;
  };
}

/** Identifies the caller. Throws `ForbiddenOriginError` for a cross-site request. */
async function identifyCaller(
  { method = "", headers: sent }: IncomingMessage,
  parts: Parameters<typeof identify>[1],
) {
  const names = ["authorization", "cookie", "host", "origin", "sec-fetch-site"];
  const headers = new Headers(
    names.flatMap((name): [string, string][] => {
      const value = sent[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
  const identity = await identify(headers, parts);
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
  throw new MethodNotAllowedError(`The method ${method} is not supported.`, { context: { allow: METHODS } });
}

function starting(): StorageUnavailableError {
  return new StorageUnavailableError("The server is starting.", {
    suggestions: ["Try again in a moment."],
    context: { retryAfterMs: 1_000 },
  });
}

function notFoundAt(path: string): NotFoundError {
  return new NotFoundError(`There is nothing at ${path}.`);
}

/**
 * The path of a request target, decoded once. Throws `InvalidRequestError` for an absolute target, for escapes that do not
 * decode, and for anything that another decoder could read differently: a second encoding, a backslash, `?` or `#`, a control
 * character, a dot segment. No page or file has such a path.
 */
export function requestPath(target: string | undefined): string {
  const encoded = /^(\/[^?#]*)/.exec(target ?? "")?.[1];
  if (encoded === undefined || encoded.startsWith("//")) throw invalidAddress();
  const path = decoded(encoded);
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
  if (/[\u0000-\u001f\u007f\\%?#]/.test(path) || /%2f/i.test(encoded)) throw invalidAddress();
  if (path.split("/").some((segment) => segment === "." || segment === "..")) throw invalidAddress();
  return path;
}

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    throw invalidAddress(error);
  }
}

function invalidAddress(cause?: unknown): InvalidRequestError {
  return new InvalidRequestError("The address is ambiguous.", { cause });
}
