import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../support/client.ts";
import { sendRaw } from "../support/raw-http.ts";
import {
  createOwnedHome,
  OWNER,
  startServerHere,
  startTestServer,
  tryToStart,
  type Ended,
  type ServerProcess,
  type ServerSetting,
  type TestServer,
} from "../support/server.ts";

let home: string;
const servers: TestServer[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "metahuman-"));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.dispose();
  await rm(home, { recursive: true, force: true });
});

async function start(setting: ServerSetting = {}): Promise<ServerProcess> {
  const server = await startTestServer({ home, ...setting });
  servers.push(server);
  return server;
}

/** A server whose owner is signed in. */
async function startOwned(): Promise<{ server: ServerProcess; owner: Client }> {
  await rm(home, { recursive: true, force: true });
  const owned = await createOwnedHome();
  ({ home } = owned);
  const server = await start();
  return { server, owner: owned.session.at(server.url) };
}

/** Another server on the same data, for tests that need no process of their own. */
async function startHere(): Promise<TestServer> {
  const server = await startServerHere({ home });
  servers.push(server);
  return server;
}

/** The exit and output of a start that must fail. */
async function failedStart(setting: ServerSetting): Promise<Ended & { output: string }> {
  const started = await tryToStart({ home, ...setting });
  if (!("url" in started)) return started;
  servers.push(started);
  throw new Error(`It came up:\n${started.output()}`);
}

describe("a server that cannot serve", () => {
  const sentence = /^[^\n]{10,500}[.!]\n$/;

  it("names the taken port", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    try {
      const { code, output } = await failedStart({ env: { PORT: port } });
      expect(code).toBe(1);
      expect(output).toMatch(sentence);
      expect(output).toContain(port);
      expect(output).toContain("PORT=");
    } finally {
      other.close();
    }
  });

  it("names the data root it cannot write", async () => {
    await writeFile(join(home, "profiles"), "a file where a folder belongs");
    const { code, output } = await failedStart({});
    expect(code).toBe(1);
    expect(output).toMatch(sentence);
    expect(output).toContain(home);
  });

  it("names file, line and reason of a broken configuration", async () => {
    await mkdir(join(home, "etc"));
    await writeFile(join(home, "etc/operator.json"), '{\n  "runs": {\n    "maxConcurrent": 2,,\n  }\n}\n');
    const { code, output } = await failedStart({});
    expect(code).toBe(1);
    expect(output).toMatch(/operator\.json/);
    expect(output).toMatch(/line 3|:3/);
    expect(output).not.toMatch(/\n\s+at /);
  });

  it("names an invalid setting", async () => {
    await mkdir(join(home, "etc"));
    await writeFile(join(home, "etc/server.json"), JSON.stringify({ maxBodyBytes: "many" }));
    await expect(startServerHere({ home })).rejects.toThrow(/server\.json.*maxBodyBytes/s);
  });

  it.each(["-1", "http", "4321x", "99999"])("refuses an invalid port: %s", async (port) => {
    await expect(startServerHere({ home, env: { PORT: port } })).rejects.toThrow("PORT");
  });

  it("names an address that does not belong to this machine", async () => {
    await expect(startServerHere({ home, env: { HOST: "203.0.113.77" } })).rejects.toThrow("203.0.113.77");
  });
});

describe("a server that serves", () => {
  it("prints one line: its address, and the setup code while there is no account", async () => {
    const server = await start();
    expect(server.output()).toMatch(
      /^MetaHuman OS is ready at http:\/\/127\.0\.0\.1:\d+ [^\n]*setup code[^\n]*\n$/,
    );
    await server.owner();
    await server.end();
    const again = await start();
    expect(again.output()).toMatch(/^MetaHuman OS is ready at http:\/\/127\.0\.0\.1:\d+\n$/);
  });

  it("loads no code that only servers on PostgreSQL need", async () => {
    const hook = `import { registerHooks } from "node:module";
      registerHooks({ load: (url, context, next) => (console.error("loads " + url), next(url, context)) });`;
    const imported = `data:text/javascript,${encodeURIComponent(hook)}`;
    const server = await start({ env: { NODE_OPTIONS: `--import ${imported}` } });
    await server.owner();
    const loaded = server.output().match(/(?<=^loads ).*$/gm) ?? [];
    expect(loaded.join("\n")).toContain("better-sqlite3");
    expect(loaded.filter((url) => /postgres|[/]pg[/]/.test(url))).toEqual([]);
  });

  it("reports that other machines can connect, and still refuses unlisted names", async () => {
    const server = await start({ env: { HOST: "0.0.0.0" } });
    expect(server.output()).toMatch(/Other machines can reach/);
    expect((await server.client().get("/api/health")).status).toBe(200);
  });

  it("serves names that the configuration lists", async () => {
    await mkdir(join(home, "etc"));
    await writeFile(join(home, "etc/server.json"), JSON.stringify({ allowedHosts: ["box.local"] }));
    const server = await startHere();
    const asked = (host: string) => sendRaw(server.url, `GET /api/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect((await asked("box.local")).status).toBe(200);
    expect((await asked("other.local")).status).toBe(403);
  });

  it.each([
    ["SIGTERM", 200],
    ["SIGINT", 5],
  ] as const)(
    "ends cleanly on %s, with %i streams open and idle connections kept, and responds before",
    { timeout: 60_000 },
    async (signal, count) => {
      const { server, owner } = await startOwned();
      const streams = Array.from({ length: count }, () =>
        owner.events("/api/events")[Symbol.asyncIterator](),
      );
      await Promise.all(streams.map((stream) => stream.next()));
      expect((await owner.get("/api/auth/me")).status).toBe(200);
      expect(await server.end(signal)).toEqual({ code: 0, signal: null });
      for (const stream of streams)
        for (let next = await stream.next(); next.done !== true; next = await stream.next());
      const again = await startHere();
      expect((await again.client().signIn(OWNER)).status).toBe(200);
    },
  );
});
