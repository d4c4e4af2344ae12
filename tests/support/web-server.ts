import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { z } from "zod";

/** A web server of this machine. */
export interface WebServer {
  /** The host with its port, as in `privateHosts`. */
  host: string;
  /** Ends every connection; resolves when nothing listens any more. */
  close(): Promise<void>;
}

const Address = z.looseObject({ port: z.int() });

/** Starts a web server on a free port. */
export async function startWebServer(listener: RequestListener): Promise<WebServer> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: `127.0.0.1:${Address.parse(server.address()).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
