import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { TestServer } from "./server.ts";

/** A TCP proxy with a fixed address whose database server can change, as after a failover. */
export interface MovingAddress {
  url: string;
  /** Sends new connections to another server; existing ones stay. */
  leadTo(server: Pick<TestServer, "url">): void;
  close(): Promise<void>;
}

export async function openMovingAddress(first: Pick<TestServer, "url">): Promise<MovingAddress> {
  const portOf = (server: Pick<TestServer, "url">) => Number(new URL(server.url()).port);
  let port = portOf(first);
  const listener = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const url = new URL(first.url());
  url.port = String(address.port);
  return {
    url: url.href,
    leadTo(server) {
      port = portOf(server);
    },
    async close() {
      listener.close();
      await once(listener, "close");
    },
  };
}
