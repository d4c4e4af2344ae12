import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createLogger, logLevel } from "@metahuman/core/log/logger";
import { AgentName } from "@metahuman/core/contract/agents";
import { builtServe, PROGRAMS } from "./built-programs.ts";
import { Client } from "./client.ts";

export const REPOSITORY = resolve(import.meta.dirname, "../..");
const MAIN = join(PROGRAMS, "server.mjs");
/** The same options as in `launch` of scripts/commands.mjs, like MALLOC_ARENA_MAX below. */
const FLAGS = ["--max-semi-space-size=1"];
/** As `npm start` does: programs are compiled once, not at every start. */
export const COMPILED = join(REPOSITORY, "node_modules/.cache/compile");

export interface ServerSetting {
  /** The data root; a fresh one, removed at the end, when left out. */
  home?: string;
  /** Added to an environment in which no model server answers. */
  env?: Record<string, string>;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The real server, on a free port and a new data root. */
export interface TestServer {
  url: string;
  home: string;
  setupCode: string | undefined;
  /** Everything that the server has printed. */
  output(): string;
  /** Creates a client that is not signed in. */
  client(): Client;
  /** Signs in as the owner, who is created at the first call. */
  owner(): Promise<Client>;
  /** Ends the server if it runs, and removes the data root if it was a new one. */
  dispose(): Promise<void>;
}

/** The real server as its own process. */
export interface ServerProcess extends TestServer {
  pid: number;
  /** Sends a signal and waits until the process ends. */
  end(signal?: NodeJS.Signals): Promise<Ended>;
}

export const OWNER = { username: "ada", password: "correct horse battery" };

/** `etc/agents.json` with which no agent starts by itself: otherwise what a test finds depends on the minute of the hour. */
export const AGENTS_OFF = Object.fromEntries(AgentName.options.map((name) => [name, { enabled: false }]));

/** Creates a data root in which no agent starts by itself. */
async function freshHome(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "metahuman-"));
  await mkdir(join(folder, "etc"));
  await writeFile(join(folder, "etc", "agents.json"), JSON.stringify(AGENTS_OFF));
  return folder;
}

function environment(home: string, env: Record<string, string>): Record<string, string | undefined> {
  return {
    PATH: process.env["PATH"],
    PORT: "0",
    METAHUMAN_HOME: home,
    OLLAMA_HOST: "http://127.0.0.1:9",
    ...env,
  };
}

/** Signs in as the owner, who is created at the first call. */
async function signInOwner(url: string): Promise<Client> {
  const client = new Client(url);
  const response = await client.post("/api/auth/setup", OWNER);
  const signedIn = response.status === 409 ? await client.signIn(OWNER) : response;
  if (signedIn.status >= 300) throw new Error(`The sign-in failed: ${JSON.stringify(signedIn.body)}`);
  return client;
}

/**
 * Starts the built server in the process of the test and serves over HTTP. This is fast, because the modules are loaded and compiled
 * already. Tests of the process itself (start, signals, kills) use `startTestServer`.
 */
export async function startServerHere({ home, env = {} }: ServerSetting = {}): Promise<TestServer> {
  const folder = home ?? (await freshHome());
  let output = "";
  const serve = await builtServe();
  const logger = createLogger({
    level: logLevel(env),
    to: {
      write: (line) => {
        output += line;
      },
    },
  });
  const server = await serve({ env: environment(folder, env), logger });
  await server.announced;
  let closed: Promise<void> | undefined;
  return {
    url: server.url,
    home: folder,
    setupCode: server.setupCode,
    output: () => output,
    client: () => new Client(server.url),
    owner: () => signInOwner(server.url),
    dispose: async () => {
      await (closed ??= server.close());
      if (home === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A data root whose owner has a profile and is signed in. */
export interface OwnedHome {
  home: string;
  session: Client;
}

let original: Promise<OwnedHome> | undefined;

/**
 * Creates a data root with the profile and a session of the owner, in which no agent starts by itself. It is a copy of one that is
 * created once per process: hashing the password and creating the databases take longer than copying.
 */
export async function createOwnedHome(): Promise<OwnedHome> {
  const { home, session } = await (original ??= createOriginal());
  const folder = await mkdtemp(join(tmpdir(), "metahuman-"));
  cpSync(home, folder, { recursive: true });
  return { home: folder, session };
}

async function createOriginal(): Promise<OwnedHome> {
  const home = await freshHome();
  process.once("exit", () => rmSync(home, { recursive: true, force: true }));
  const server = await startServerHere({ home });
  const session = await server.owner();
  // Opens the profile, which creates its databases.
  await session.get("/api/tasks");
  await server.dispose();
  return { home, session };
}

interface Owned<Server extends TestServer> {
  server: Server;
  /** Signed in. */
  owner: Client;
}

/** Starts a server on a new data root whose owner is signed in. */
export const startOwnedServer = (): Promise<Owned<TestServer>> =>
  onOwnedHome((home) => startServerHere({ home }));

/** Starts a server as its own process on a new data root whose owner is signed in. */
export const startOwnedProcess = (): Promise<Owned<ServerProcess>> =>
  onOwnedHome((home) => startTestServer({ home }));

async function onOwnedHome<Server extends TestServer>(
  start: (home: string) => Promise<Server>,
): Promise<Owned<Server>> {
  const { home, session } = await createOwnedHome();
  const server = await start(home);
  async function dispose(): Promise<void> {
    await server.dispose();
    await rm(home, { recursive: true, force: true });
  }
  return { server: { ...server, dispose }, owner: session.at(server.url) };
}

/** Starts the server as a process, or reports how it ended instead. */
export async function tryToStart({ home, env = {} }: ServerSetting = {}): Promise<
  ServerProcess | (Ended & { output: string })
> {
  const folder = home ?? (await freshHome());
  const child = spawn(process.execPath, [...FLAGS, MAIN], {
    // The location of the data depends on METAHUMAN_HOME only, not on the current folder.
    cwd: tmpdir(),
    env: { NODE_COMPILE_CACHE: COMPILED, MALLOC_ARENA_MAX: "1", ...environment(folder, env) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ready = Promise.withResolvers<RegExpExecArray>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const line = /ready at (http:\S+)(?:.*setup code[^:]*: ([A-Z0-9-]+))?/i.exec(output);
      if (line && output.endsWith("\n")) ready.resolve(line);
    });
  }
  const ended = once(child, "close").then((): Ended => ({ code: child.exitCode, signal: child.signalCode }));
  const first = await Promise.race([ready.promise, ended]);
  if (!Array.isArray(first)) return { ...first, output };

  const [, url = "", setupCode] = first;
  return {
    url,
    home: folder,
    pid: child.pid ?? 0,
    setupCode,
    output: () => output,
    client: () => new Client(url),
    owner: () => signInOwner(url),
    end: async (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
    dispose: async () => {
      child.kill("SIGKILL");
      await ended;
      if (home === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the server as a process; throws with all it printed when it does not come up. */
export async function startTestServer(setting: ServerSetting = {}): Promise<ServerProcess> {
  const started = await tryToStart(setting);
  if ("url" in started) return started;
  throw new Error(`The server ended with ${started.code ?? started.signal}:\n${started.output}`);
}
