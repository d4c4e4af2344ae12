import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";

/** A load balancer without sessions: each request goes to the next server. */
export interface Proxy {
  url: string;
  close(): Promise<void>;
}

/** Answers 502 when the next server cannot be reached, and breaks off when it ends in the middle of a response. */
export async function startProxy(ports: readonly number[]): Promise<Proxy> {
  let turn = 0;
  const forward = (from: IncomingMessage, to: ServerResponse): void => {
    const port = ports[(turn += 1) % ports.length];
    const { method, url, headers } = from;
    const sent = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
      answer.on("error", () => to.destroy());
    });
    sent.on("error", () => {
      if (to.headersSent) to.destroy();
      else to.writeHead(502).end();
    });
    to.on("close", () => sent.destroy());
    from.pipe(sent);
  };
  const server = createServer(forward).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
