import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { migrations } from "@metahuman/postgres/migrations/all";
import { mh } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { OWNER } from "../support/server.ts";
import { type Cluster, openCluster } from "./nodes.ts";
import { checkOut, commitBeforeLastStep, type OlderVersion, startOlderVersion } from "./older-version.ts";
import { findPrograms } from "./server.ts";

const programs = await findPrograms();
const commit = programs === undefined ? undefined : await commitBeforeLastStep();
const Listed = z.object({ items: z.array(z.object({ goal: z.string(), outcome: z.string() })) });

describe.runIf(commit !== undefined)(
  "the version before the last step of the schema, beside this one",
  () => {
    let cluster: Cluster;
    let home: string;
    let sources: Awaited<ReturnType<typeof checkOut>>;
    let older: OlderVersion;
    let newer: Client;
    const startOlder = () =>
      startOlderVersion(sources.folder, { ...cluster.environment, METAHUMAN_HOME: home });
    const steps = async () =>
      Number(await cluster.database.sql("SELECT max(version) FROM metahuman.migrations"));
    const requests = async () =>
      Listed.parse((await newer.get("/api/runs")).body)
        .items.map(({ goal, outcome }) => `${goal}: ${outcome}`)
        .toReversed();

    beforeAll(async () => {
      cluster = await openCluster(programs ?? "");
      home = await mkdtemp(join(tmpdir(), "mh-older-home-"));
      sources = await checkOut(commit ?? "");
      older = await startOlder();
      await older.setUp(OWNER);
    }, 120_000);
    afterAll(async () => {
      await older.end();
      await cluster.remove();
      await sources.remove();
      await rm(home, { recursive: true, force: true });
    });

    it("works on while this version makes the step, and each shows what the other one stored", async () => {
      expect(await steps()).toBe(migrations.length - 1);
      expect(await older.ask(OWNER.username, 'append "one" to log.md')).toBe("answered");
      newer = await (await cluster.start("newer")).owner();
      expect(await steps()).toBe(migrations.length);
      expect(await requests()).toEqual(['append "one" to log.md: answered']);
      const answer = await newer.post("/api/operator", { goal: 'append "two" to log.md' });
      expect(answer).toMatchObject({ status: 200, body: { outcome: "answered" } });
      expect(await older.ask(OWNER.username, 'append "three" to log.md')).toBe("answered");
      const all = ["one", "two", "three"].map((word) => `append "${word}" to log.md: answered`);
      expect(await requests()).toEqual(all);
      expect(await older.requests(OWNER.username)).toEqual(all);
      const { body } = await newer.get("/api/files/content?path=out/log.md");
      expect(body).toMatchObject({ content: "one\ntwo\nthree" });
    }, 120_000);

    it("starts again on the newer schema, and the audit log of both verifies", async () => {
      await older.end();
      older = await startOlder();
      expect(await older.ask(OWNER.username, 'append "four" to log.md')).toBe("answered");
      expect(await requests()).toContain('append "four" to log.md: answered');
      expect(await steps()).toBe(migrations.length);
      expect(await mh(cluster.shared, ["audit", "verify"], cluster.environment)).toMatchObject({ code: 0 });
    }, 120_000);
  },
);
