import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";

/** The platform's own: a test may make that of a scripted server the global one. */
const { fetch } = globalThis;

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
}

export type Answer = (asked: Asked, response: ServerResponse) => unknown;

/** A real HTTP server with scripted responses, so that faults happen on a real connection. */
export interface ScriptedServer {
  /** For the client of the page: relative addresses resolve to this server. */
  fetch: typeof globalThis.fetch;
  /** All requests, in order. */
  asked: Asked[];
  /**
   * Sets the response to `method path`: returned values are sent as JSON, or the function writes the response itself.
   */
  on(route: string, answer: Answer): void;
  /** Destroys every open connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const routes = new Map<string, Answer>();
  const asked: Asked[] = [];
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://here");
    const one: Asked = {
      method: request.method ?? "GET",
      path: url.pathname,
      query: url.searchParams,
      body: await bodyOf(request),
    };
    asked.push(one);
    const handle = routes.get(`${one.method} ${one.path}`);
    const value = handle
      ? await handle(one, response)
      : problem(response, 404, "NOT_FOUND", "There is nothing here.");
    if (value !== undefined)
      response.setHeader("Content-Type", "application/json").end(JSON.stringify(value));
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const base = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return {
    fetch: (input, init) => fetch(new URL(input instanceof Request ? input.url : input, base), init),
    asked,
    on: (route, handle) => routes.set(route, handle),
    cut: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A problem response in the shape of the API. */
export function problem(response: ServerResponse, status: number, code: string, message: string): unknown {
  response.statusCode = status;
  return { error: { code, message } };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text === "" ? undefined : (JSON.parse(text) as unknown);
}
