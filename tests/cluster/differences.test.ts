import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { migrations } from "@metahuman/postgres/migrations/all";
import type { Client } from "../support/client.ts";
import { type Cluster, openCluster } from "./nodes.ts";
import { findPrograms } from "./server.ts";

const programs = await findPrograms();
const MINUTE = 60_000;
const Made = z.object({ task: z.object({ createdAt: z.iso.datetime() }) });
const Listed = z.object({
  items: z.array(z.object({ title: z.string(), next: z.array(z.iso.datetime()) })),
});
const Notices = z.object({ items: z.array(z.object({ title: z.string() })) });

describe.runIf(programs)("servers that differ", () => {
  let cluster: Cluster;
  /** Servers whose clock is right, five minutes ahead and five minutes behind. */
  let right: Client;
  let ahead: Client;
  let behind: Client;
  const shifted = async (name: string, minutes: number) =>
    (
      await cluster.start(name, {
        NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "shifted-clock.ts")).href}`,
        SHIFT_CLOCK_MS: String(minutes * MINUTE),
      })
    ).url;
  beforeAll(async () => {
    cluster = await openCluster(programs ?? "");
    right = await (await cluster.start("right")).owner();
    ahead = right.at(await shifted("ahead", 5));
    behind = right.at(await shifted("behind", -5));
  }, 120_000);
  afterAll(() => cluster.remove());

  it("agree on the time, whatever their clocks say", async () => {
    for (const client of [right, ahead, behind]) {
      const { task } = Made.parse((await client.post("/api/tasks", { title: "Prune the roses" })).body);
      expect(Math.abs(Date.parse(task.createdAt) - Date.now())).toBeLessThan(MINUTE);
    }
    const person = { username: "ben", password: "another good password" };
    expect((await right.post("/api/profiles", person)).status).toBe(201);
    for (const first of [ahead, behind]) {
      const there = first.at(first.url);
      expect((await there.signIn(person)).status).toBe(200);
      for (const { url } of [right, ahead, behind])
        expect((await there.at(url).get("/api/auth/me")).status).toBe(200);
    }
  });

  it("remind a person once, at the moment that was asked for", async () => {
    expect(
      (await behind.post("/api/operator", { goal: "remind me in 2 minutes to sow the peas" })).status,
    ).toBe(200);
    expect(
      (await ahead.post("/api/operator", { goal: "remind me in 4 minutes to reap the beans" })).status,
    ).toBe(200);
    const { items } = Listed.parse((await right.get("/api/schedules")).body);
    const minutesUntil = (word: string) => {
      const next = items.find(({ title }) => title.includes(word))?.next[0];
      return (Date.parse(next ?? "") - Date.now()) / MINUTE;
    };
    // A minute counts from the one that the clock shows, so up to one has passed; the clocks differ by five.
    for (const [word, minutes] of [
      ["peas", 2],
      ["beans", 4],
    ] as const) {
      expect(minutesUntil(word)).toBeGreaterThan(minutes - 1.5);
      expect(minutesUntil(word)).toBeLessThanOrEqual(minutes + 0.5);
    }
    // Each server executes the schedules of this person.
    const titles = async () =>
      Notices.parse((await right.get("/api/notices")).body).items.map(({ title }) => title);
    await expect
      .poll(titles, { timeout: 140_000, interval: 1_000 })
      .toEqual([expect.stringContaining("peas")]);
  }, 180_000);

  it("work with tables that are one step newer, and refuse those that are two steps newer", async () => {
    const known = migrations.length;
    const add = (version: number) =>
      cluster.database.sql(
        `INSERT INTO metahuman.migrations (version, name) VALUES (${version}, 'a later step')`,
      );
    await add(known + 1);
    const older = await cluster.start("older");
    expect(await right.at(older.url).get("/api/ready")).toMatchObject({ status: 200 });
    await add(known + 2);
    expect(await cluster.failure({ METAHUMAN_NODE: "oldest" })).toContain(
      `The database was written by a later version of MetaHuman OS (schema ${known + 2}; this version knows up to ${known}).`,
    );
    // Servers that run already continue, so that all can be replaced.
    expect(await right.get("/api/ready")).toMatchObject({ status: 200 });
  }, 60_000);
});
