import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { TestServer } from "./server.ts";

/** The version that the proxy reports: PostgreSQL 13.12. */
const OLDER = "130012";

/** Starts a proxy in front of a server that replaces its version by that of PostgreSQL 13. Returns the address of the proxy. */
export async function startOlderServer(
  actual: Pick<TestServer, "url" | "sql">,
): Promise<{ url: string; close(): Promise<void> }> {
  const version = await actual.sql("SHOW server_version_num");
  if (version.length !== OLDER.length) throw new Error(`${version} is not as long as ${OLDER}`);
  const url = new URL(actual.url());
  const port = Number(url.port);
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    client.pipe(upstream);
    upstream.on("data", (bytes) =>
      client.write(Buffer.from(bytes.toString("latin1").replaceAll(version, OLDER), "latin1")),
    );
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  url.port = String(address.port);
  return {
    url: url.href,
    async close() {
      server.close();
      await once(server, "close");
    },
  };
}
