import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export const PASSWORD = "a password with ä and @";

/** A PostgreSQL server with a database of its own, on this machine. */
export interface TestServer {
  /** The address for a user, by default the superuser. */
  url(options?: { user?: string; password?: string; database?: string }): string;
  /** Executes SQL as the superuser. */
  sql(text: string): Promise<string>;
  /** Locks a table, so that every statement that uses it waits. */
  lock(table: string): Promise<{ release(): Promise<void> }>;
  start(): Promise<void>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
  /** Ends the server at once, as if the machine had lost its power. */
  crash(): Promise<void>;
  /** The ids of its processes, the main one first. */
  processes(): Promise<number[]>;
  /** Stops all its processes where they are, or lets them continue: connections stay open, and nothing answers. */
  signal(name: "SIGSTOP" | "SIGCONT"): Promise<void>;
  /** The user as which it runs; undefined if it is that of this process. */
  userId: number | undefined;
  remove(): Promise<void>;
}

/**
 * The folder with the server's programs: that of the variable `CLUSTER_PROGRAMS`, else those of the newest version that is installed;
 * undefined where PostgreSQL is not installed.
 */
export async function findPrograms(): Promise<string | undefined> {
  const given = process.env["CLUSTER_PROGRAMS"];
  if (given !== undefined) return given;
  const installed = "/usr/lib/postgresql";
  const versions = existsSync(installed) ? await readdir(installed) : [];
  const folders = [
    ...versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => join(installed, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")));
}

/** Whether an extension is installed beside the programs, so that a database can create it. */
export async function hasExtension(programs: string, name: string): Promise<boolean> {
  const config = join(programs, "pg_config");
  if (!existsSync(config)) return false;
  const { stdout } = await run(config, ["--sharedir"]);
  return existsSync(join(stdout.trim(), "extension", `${name}.control`));
}

/** Creates and starts a server. Without `isDurable`, it flushes nothing to disk. As root, it runs as the user of the system's package, because it refuses to run as root. */
export async function startServer(programs: string, { isDurable = false } = {}): Promise<TestServer> {
  const place = await newPlace(programs);
  const passwordFile = join(place.folder, "password");
  await writeFile(passwordFile, PASSWORD);
  await place.call("initdb", [
    ...["--pgdata", place.data, "--username", "postgres", "--pwfile", passwordFile],
    ...["--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"],
  ]);
  const server = serverIn(place, { max_connections: 60, fsync: isDurable ? "on" : "off" });
  await server.start();
  return server;
}

/** Starts a standby that receives every change of a server, and returns it once it does. */
export async function startStandby(
  programs: string,
  primary: Pick<TestServer, "url" | "sql">,
): Promise<TestServer> {
  const place = await newPlace(programs);
  await place.call("pg_basebackup", [
    ...["--dbname", primary.url(), "--pgdata", place.data],
    ...["--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf", "--no-sync"],
  ]);
  const standby = serverIn(place, { max_connections: 60, fsync: "off" });
  await standby.start();
  // From now on, a change is acknowledged when the standby has it, too.
  await primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await primary.sql("SELECT pg_reload_conf()");
  return standby;
}

/** Where a server keeps its data, and how its programs are called. */
interface Place {
  folder: string;
  data: string;
  port: number;
  userId: number | undefined;
  call(program: string, args: string[]): Promise<unknown>;
}

async function newPlace(programs: string): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "mh-cluster-"));
  const identity = process.getuid?.() === 0 ? await systemUser() : undefined;
  if (identity) await chown(folder, identity.uid, identity.gid);
  return {
    folder,
    data: join(folder, "data"),
    port: await freePort(),
    userId: identity?.uid,
    call: (program, args) =>
      run(join(programs, program), args, {
        ...identity,
        env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" },
      }),
  };
}

function serverIn(
  { folder, data, port, userId, call }: Place,
  settings: Readonly<Record<string, string | number>>,
): TestServer {
  const address = ({ user = "postgres", password = PASSWORD, database = "postgres" } = {}) =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  const flags = Object.entries({ port, unix_socket_directories: folder, ...settings }).map(
    ([name, value]) => `-c ${name}=${value}`,
  );
  const control = (...args: string[]) => call("pg_ctl", ["--pgdata", data, "--wait", ...args]);
  const server: TestServer = {
    url: address,
    sql: async (text) =>
      (
        await run("psql", ["--quiet", "--tuples-only", "--no-align", "--command", text, address()])
      ).stdout.trim(),
    async lock(table) {
      const holder = spawn("psql", ["--quiet", address()], { stdio: ["pipe", "pipe", "inherit"] });
      holder.stdin.write(`BEGIN; LOCK TABLE ${table}; SELECT 'locked';\n`);
      await once(holder.stdout, "data");
      return {
        async release() {
          holder.stdin.end("COMMIT;\n");
          await once(holder, "exit");
        },
      };
    },
    async start() {
      await control("start", "--log", join(folder, "log"), "--options", flags.join(" "));
    },
    async promote() {
      await control("promote");
    },
    async crash() {
      await control("stop", "--mode", "immediate");
    },
    async processes() {
      const [first] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
      const main = Number(first);
      const { stdout } = await run("ps", ["-o", "pid=", "--ppid", String(main)]);
      return [main, ...stdout.trim().split(/\s+/).map(Number)];
    },
    async signal(name) {
      for (const pid of await server.processes()) process.kill(pid, name);
    },
    userId,
    async remove() {
      if (existsSync(join(data, "postmaster.pid"))) await control("stop", "--mode", "immediate");
      await rm(folder, { recursive: true, force: true });
    },
  };
  return server;
}

/** The user that the system's package of PostgreSQL created. */
async function systemUser(): Promise<{ uid: number; gid: number }> {
  const { stdout } = await run("id", ["-u", "postgres"]);
  const uid = Number(stdout);
  const { stdout: group } = await run("id", ["-g", "postgres"]);
  return { uid, gid: Number(group) };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** A process that uses the database (`worker.ts`). */
export interface Worker {
  /** The next line that it prints; undefined after its end. */
  line(): Promise<string | undefined>;
  send(text: string): void;
  signal(name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void;
  ended: Promise<unknown>;
}

export function startWorker(...args: string[]): Worker {
  const child = spawn(process.execPath, [join(import.meta.dirname, "worker.ts"), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = linesOf(child.stdout);
  return {
    line: async () => (await lines.next()).value,
    send: (text) => void child.stdin.write(`${text}\n`),
    signal: (name) => void child.kill(name),
    ended: once(child, "exit"),
  };
}

async function* linesOf(stream: AsyncIterable<unknown>): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const chunk of stream) {
    const lines = `${rest}${String(chunk)}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}
