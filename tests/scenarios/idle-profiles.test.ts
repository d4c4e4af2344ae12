import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Client } from "../support/client.ts";
import { startServerHere, type TestServer } from "../support/server.ts";

const BEN = { username: "ben", password: "another good password" };

let home: string;
let server: TestServer;
let ada: Client;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "mh-idle-"));
  await mkdir(join(home, "etc"));
  await writeFile(join(home, "etc/server.json"), JSON.stringify({ profiles: { idleTimeoutMs: 1_000 } }));
  server = await startServerHere({ home, env: { LOG_LEVEL: "debug" } });
  ada = await server.owner();
  await ada.post("/api/profiles", BEN);
}, 60_000);
afterAll(async () => {
  await server.dispose();
  await rm(home, { recursive: true, force: true });
});

const closed = (username: string): number =>
  server
    .output()
    .split("\n")
    .filter((line) => line.includes("an idle profile was closed") && line.includes(`"${username}"`)).length;

it("closes a profile after its last response, and keeps one open whose events are read", async () => {
  const stop = new AbortController();
  const stream = await ada.raw("GET", "/api/events", undefined, {}, stop.signal);
  expect(stream.status).toBe(200);
  const ben = server.client();
  await ben.signIn(BEN);
  expect(
    (await ben.post("/api/memories", { type: "observation", content: "The walnut is cracked." })).status,
  ).toBe(201);
  await expect.poll(() => closed("ben"), { timeout: 20_000 }).toBeGreaterThan(0);
  // Her last request is older than his.
  expect(closed("ada")).toBe(0);
  expect(JSON.stringify((await ben.get("/api/memories?query=walnut")).body)).toContain("cracked");
  stop.abort();
  await expect.poll(() => closed("ada"), { timeout: 20_000 }).toBeGreaterThan(0);
  expect((await ada.get("/api/tasks")).status).toBe(200);
}, 60_000);
