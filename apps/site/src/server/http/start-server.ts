import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Brain } from "@metahuman/boot/brain";
import { collectWhenQuiet } from "@metahuman/boot/heap";
import type { Logger } from "@metahuman/boot/log";
import { within } from "@metahuman/boot/waiting";
import { answerBrokenRequest } from "./broken-request.ts";
import { urlHost } from "./hosts.ts";
import { listenProblem } from "./listen-error.ts";
import { createLiveStreams } from "./live-streams.ts";
import { createRequestListener } from "./request-listener.ts";
import { loadSiteBuild } from "./site-build.ts";
import type { SiteBuild } from "./site-build.ts";

export interface ServerOptions {
  /** An address or a name of this machine. */
  host: string;
  /** 0 lets the system choose. */
  port: number;
  log: Logger;
  /** Called once the port is ours. */
  wake: () => Promise<Brain>;
}

export interface RunningServer {
  /** Where a person on this machine reaches it. */
  url: string;
  /** What lets a browser elsewhere create the first owner; absent once there is an account. */
  setupCode?: string;
  /** Takes no more requests, ends streams, lets running skills finish up to ten seconds, and closes the brain. */
  close(): Promise<void>;
}

/** How long running skills get on the way out, in milliseconds. */
const GRACE_MS = 10_000;

/** How long the answers to runs that have just been interrupted may take to be written, in milliseconds. */
const LAST_WORDS_MS = 250;

/** After so long without a request nobody minds being stopped for a moment, in milliseconds. */
const QUIET_MS = 2_000;

/** In milliseconds: a request must arrive within these; an answer may take as long as the run behind it. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 10_000,
  // A request without a Host is refused by ours, in the one shape of problems.
  requireHostHeader: false,
};

/**
 * Serves the built site and its API. Resolves once requests are answered. The port is claimed first, so that a second
 * server touches no data; throws `PortTakenError` and whatever waking the brain throws, with nothing left open.
 */
export async function startServer({ host, port, log, wake }: ServerOptions): Promise<RunningServer> {
  const live = createLiveStreams();
  const ready = Promise.withResolvers<{ brain: Brain; site: SiteBuild }>();
  const server = createServer(limits);
  const bound = await listen(server, host, port);
  const collector = collectWhenQuiet({
    quietMs: QUIET_MS,
    onFailure: (error) => log.warn({ err: error }, "Memory could not be given back."),
  });
  let closing = false;
  const answer = createRequestListener({ ready: ready.promise, bound, live, log });
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    // A connection that was kept open may still bring something; to its sender we are gone already.
    if (closing) request.socket.destroy();
    else {
      response.on("close", () => collector.touch());
      void answer(request, response);
    }
  };
  server.on("request", take);
  // Without an answer of ours, Node would invite the body before anything was checked.
  server.on("checkContinue", take);
  server.on("clientError", answerBrokenRequest);

  try {
    const { brain, site } = await open(wake);
    brain.accounts.onRevoked(({ credentialIds }) => live.endOf(credentialIds));
    const setupCode = await brain.accounts.setupCode();
    ready.resolve({ brain, site });
    return {
      url: `http://${localName(host)}:${bound.port}`,
      ...(setupCode !== undefined && { setupCode }),
      close: async () => {
        closing = true;
        collector.close();
        const gone = once(server, "close");
        server.close();
        live.close();
        await brain.close({ graceMs: GRACE_MS });
        await within(LAST_WORDS_MS, gone, undefined);
        server.closeAllConnections();
      },
    };
  } catch (error) {
    collector.close();
    live.close();
    server.close();
    server.closeAllConnections();
    throw error;
  }
}

/** Both or neither. */
async function open(wake: () => Promise<Brain>): Promise<{ brain: Brain; site: SiteBuild }> {
  const [brain, site] = await Promise.allSettled([wake(), loadSiteBuild()]);
  if (brain.status === "rejected") throw brain.reason;
  if (site.status === "fulfilled") return { brain: brain.value, site: site.value };
  await brain.value.close({ graceMs: 0 });
  throw site.reason;
}

/** Claims the port; throws what `listenProblem` makes of the system's reasons against it. */
async function listen(server: Server, host: string, port: number): Promise<{ host: string; port: number }> {
  server.listen({ host, port });
  try {
    await once(server, "listening");
  } catch (error) {
    throw listenProblem(error, { host, port });
  }
  const address = server.address();
  return { host, port: typeof address === "object" && address !== null ? address.port : port };
}

/** By which name this machine reaches what is bound to `host`. */
function localName(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "[::1]" : urlHost(host);
}
