import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Brain } from "@metahuman/boot/brain";
import { type ConflictError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { Logger } from "@metahuman/core/log/logger";
import { withTimeout } from "@metahuman/core/async/with-timeout";
import { handleClientError } from "./problem.ts";
import { urlHost } from "./hosts.ts";
import { createLiveStreams } from "./live-streams.ts";
import { createRequestListener, type SiteBuild, type SiteHandler } from "./request-listener.ts";
import { fromNodeError, systemCode } from "@metahuman/core/errors/node-error";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { PortTakenError } from "@metahuman/core/errors/service-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { loadStaticFiles } from "./static-files.ts";

export interface ServerOptions {
  /** An address or a name of this machine. */
  host: string;
  /** 0 lets the system choose. */
  port: number;
  log: Logger;
  /** Called after the port is bound. */
  openBrain: () => Promise<Brain>;
}

export interface RunningServer {
  /** The URL for a browser on this machine. */
  url: string;
  /** The code that a browser on another machine needs to create the owner; absent once an account exists. */
  setupCode?: string;
  /** Why no owner can be created although there is no account. */
  setupProblem?: ConflictError;
  /** Stops accepting requests, ends streams, gives running skills up to ten seconds, and closes the brain. */
  close(): Promise<void>;
}

/** How long running skills may take to finish on shutdown, in milliseconds. */
const GRACE_MS = 10_000;

/** How long open responses may take to finish on shutdown, in milliseconds. */
const FINAL_RESPONSES_MS = 250;

/** Time limits for the arrival of a request, in milliseconds. A response has none: a run may take long. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 10_000,
  // The request listener rejects a request without a Host with a problem response.
  requireHostHeader: false,
};

/**
 * Serves the built site and its API. Resolves when requests are answered. Binds the port first, so that a second server never
 * touches the data. Throws `PortTakenError` and what `openBrain` throws, and then leaves nothing open.
 */
export async function startServer({ host, port, log, openBrain }: ServerOptions): Promise<RunningServer> {
  const live = createLiveStreams();
  const ready = Promise.withResolvers<{ brain: Brain; site: SiteBuild }>();
  const server = createServer(limits);
  const bound = await listen(server, host, port);
  let isClosing = false;
  const answer = createRequestListener({ ready: ready.promise, bound, live, log });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    // A kept-alive connection may still send requests during shutdown.
    if (isClosing) request.socket.destroy();
    else void answer(request, response);
  };
  server.on("request", onRequest);
  // Without a listener, Node would request the body before any check.
  server.on("checkContinue", onRequest);
  server.on("clientError", handleClientError);

  try {
    const { brain, site } = await openBrainAndSite(openBrain);
    brain.accounts.onRevoked(({ credentialIds }) => live.endOf(credentialIds));
    const [setupCode, setupProblem] = [await brain.accounts.setupCode(), await brain.accounts.setupProblem()];
    ready.resolve({ brain, site });
    return {
      url: `http://${localHost(host)}:${bound.port}`,
      ...(setupCode !== undefined && { setupCode }),
      ...(setupProblem && { setupProblem }),
      close: async () => {
        isClosing = true;
        const closed = once(server, "close");
        server.close();
        live.close();
        await brain.close({ graceMs: GRACE_MS });
        await withTimeout(FINAL_RESPONSES_MS, closed, undefined);
        server.closeAllConnections();
      },
    };
  } catch (error) {
    live.close();
    server.close();
    server.closeAllConnections();
    throw error;
  }
}

/** Opens both; if one fails, closes the other. */
async function openBrainAndSite(openBrain: () => Promise<Brain>): Promise<{ brain: Brain; site: SiteBuild }> {
  const [brain, site] = await Promise.allSettled([openBrain(), loadSiteBuild()]);
  if (brain.status === "rejected") throw brain.reason;
  if (site.status === "fulfilled") return { brain: brain.value, site: site.value };
  await brain.value.close({ graceMs: 0 });
  throw site.reason;
}

/** Binds the port. Throws the error of `describeListenError`. */
async function listen(server: Server, host: string, port: number): Promise<{ host: string; port: number }> {
  server.listen({ host, port });
  try {
    await once(server, "listening");
  } catch (error) {
    throw describeListenError(error, { host, port });
  }
  const address = server.address();
  return { host, port: typeof address === "object" && address !== null ? address.port : port };
}

/** The host name by which this machine reaches a server bound to `host`. */
function localHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "[::1]" : urlHost(host);
}

/** Explains why the address cannot be bound, and what to set `HOST` or `PORT` to. */
function describeListenError(error: unknown, { host, port }: { host: string; port: number }): Error {
  const address = `http://${urlHost(host)}:${port}`;
  const options = { cause: error, context: { host, port } };
  switch (systemCode(error)) {
    case "EADDRINUSE":
      return new PortTakenError(`${address} is already in use.`, {
        ...options,
        suggestions: [
          `Stop what runs there, or choose another port: PORT=${port === 4322 ? 4323 : 4322} npm start.`,
        ],
      });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new InvalidArgsError(`HOST is ${host}, which is not an address of this machine.`, {
        ...options,
        suggestions: [
          "Leave HOST unset to serve only this machine, or set it to 0.0.0.0 to serve others too.",
        ],
      });
    case "EACCES":
    case "EPERM":
      return new PermissionDeniedError(`The system does not permit serving on port ${port}.`, {
        ...options,
        suggestions: ["Choose a port above 1023: PORT=4321 npm start."],
      });
    default:
      return fromNodeError(error, address);
  }
}

const BUILD = resolve(import.meta.dirname, "../../../dist");
const Entry = z.object({ handler: z.custom<SiteHandler>((value) => typeof value === "function") });

/** Loads the built site. Throws `NotFoundError` if it has not been built. */
async function loadSiteBuild(): Promise<SiteBuild> {
  const entry = resolve(BUILD, "server/programs/site.mjs");
  if (!existsSync(entry)) {
    throw new NotFoundError("The site is not built yet.", {
      suggestions: ["Run npm start, which builds it, or npm run build."],
    });
  }
  const module: Promise<unknown> = import(pathToFileURL(entry).href);
  const serveStatic = await loadStaticFiles(resolve(BUILD, "client"));
  return { handler: Entry.parse(await module).handler, serveStatic };
}
