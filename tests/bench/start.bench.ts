import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../support/client.ts";
import { startTestServer, type ServerProcess } from "../support/server.ts";
import type { Row } from "./row.ts";

export const name = "start";

const STARTS = 5;
const STREAMS = 1_000;
/** Long enough for work after an answer (embedding, audit, garbage collection) and for the index to close. */
const SETTLED_MS = 10_000;
const IDLE_MS = 50_000;

/**
 * How long the built site takes from the start of its process to the first answered request, how much memory it holds
 * when it has nothing to do, and what open streams add. Medians of several starts on one data root.
 */
export async function run(): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-bench-"));
  try {
    const times: number[] = [];
    const sizes: number[] = [];
    for (let starts = 0; starts < STARTS; starts += 1) {
      const begun = performance.now();
      const server = await startTestServer({ home });
      await server.client().get("/api/health");
      times.push(performance.now() - begun);
      sizes.push(residentMegabytes(server));
      await server.end();
      await server.dispose();
    }
    return [
      { what: "process start to first answered request", figure: median(times), unit: "ms", target: 1_500 },
      { what: "resident memory, just started", figure: median(sizes), unit: "MB", target: 150 },
      ...(await inUse(home)),
    ];
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Measures the same after a sign-in and a request, with many open tabs. */
async function inUse(home: string): Promise<Row[]> {
  await compileAll(home);
  const server = await startTestServer({ home });
  const leave = new AbortController();
  try {
    const owner = await signInAndAsk(server);
    await quiet(SETTLED_MS);
    const settled = residentMegabytes(server);
    await quiet(IDLE_MS);
    const idle = residentMegabytes(server);
    const woken = performance.now();
    await owner.get("/api/memories?limit=1");
    const restartMs = Math.round(performance.now() - woken);
    const streams = Array.from({ length: STREAMS }, () =>
      owner.raw("GET", "/api/events", undefined, {}, leave.signal),
    );
    await Promise.all(streams);
    const full = residentMegabytes(server);
    const asked = performance.now();
    await owner.get("/api/auth/me");
    return [
      { what: "resident memory, ten seconds after an answer", figure: settled, unit: "MB", target: 150 },
      { what: "resident memory, a minute after an answer", figure: idle, unit: "MB", target: 150 },
      { what: "the next request to the index, which rested", figure: restartMs, unit: "ms" },
      {
        what: `memory per open stream, at ${STREAMS}`,
        figure: Math.round(((full - idle) / STREAMS) * 1_000),
        unit: "kB",
      },
      {
        what: `an answer beside ${STREAMS} open streams`,
        figure: Math.round(performance.now() - asked),
        unit: "ms",
      },
    ];
  } finally {
    leave.abort();
    await server.dispose();
  }
}

async function signInAndAsk(server: ServerProcess): Promise<Client> {
  const owner = await server.owner();
  await owner.get("/");
  await owner.post("/api/operator", { goal: "make sandwich file" });
  return owner;
}

/** Starts and ends a server once, which caches the compiled code. */
async function compileAll(home: string): Promise<void> {
  const server = await startTestServer({ home });
  await signInAndAsk(server);
  await quiet(2_000);
  await server.end();
  await server.dispose();
}

function quiet(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function residentMegabytes({ pid }: ServerProcess): number {
  return Math.round(Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString()) / 1_000);
}

function median(values: readonly number[]): number {
  return Math.round([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}
