import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

/**
 * The treatment of a request.
 * - a number: it is refused with this status and reaches no store.
 * - `silence`: nobody answers.
 * - `lost answer`: the store carries it out, and the connection ends before the answer.
 * - `cut off`: the connection ends in the middle of the answer.
 * - `no conditions`: the store does not see its conditions, as if it knew none.
 */
export type Fault = number | "silence" | "lost answer" | "cut off" | "no conditions";

/** A proxy before an object store, with faults. */
export interface FaultyProxy {
  endpoint: string;
  /** How many requests have arrived. */
  received(): number;
  /** Faults of the requests that follow, in their order; afterwards, `always`. */
  next(...faults: readonly (Fault | undefined)[]): void;
  /** The fault of every request without one of its own; undefined ends it. */
  always(fault: Fault | undefined): void;
  close(): Promise<void>;
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target);
  const waiting: (Fault | undefined)[] = [];
  let usual: Fault | undefined;
  let count = 0;

  const handle = (from: IncomingMessage, to: ServerResponse): void => {
    count += 1;
    const fault = waiting.length > 0 ? waiting.shift() : usual;
    if (typeof fault === "number") {
      from.resume();
      to.writeHead(fault, { "content-type": "application/xml" });
      to.end(`<?xml version="1.0"?><Error><Code>${codeOf(fault)}</Code></Error>`);
      return;
    }
    if (fault === "silence") {
      from.resume();
      return;
    }
    const { "if-match": ifMatch, "if-none-match": ifNoneMatch, ...others } = from.headers;
    const conditions = {
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
      ...(ifNoneMatch !== undefined && { "if-none-match": ifNoneMatch }),
    };
    const headers = fault === "no conditions" ? others : { ...others, ...conditions };
    const { method, url } = from;
    const sent = request({ hostname, port, method, path: url, headers }, (answer) => {
      if (fault === "lost answer") {
        answer.resume().once("end", () => to.destroy());
        return;
      }
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      if (fault === "cut off")
        answer.once("data", (bytes: Buffer) =>
          to.write(bytes.subarray(0, bytes.length / 2), () => to.destroy()),
        );
      else answer.pipe(to);
    });
    sent.on("error", () => to.destroy());
    from.pipe(sent);
  };

  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    received: () => count,
    next: (...faults) => void waiting.push(...faults),
    always(fault) {
      usual = fault;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function codeOf(status: number): string {
  if (status === 403) return "SignatureDoesNotMatch";
  if (status === 501) return "NotImplemented";
  return status === 503 ? "SlowDown" : "InternalError";
}
