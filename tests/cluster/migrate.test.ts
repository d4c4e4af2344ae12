import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { newRecords } from "@metahuman/core/memory/testing/test-record";
import { zipOf } from "@metahuman/core/transfer/testing/open-space";
import { mh, mhProcess } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { OWNER, startTestServer } from "../support/server.ts";
import { type Cluster, openCluster } from "./nodes.ts";
import { SECRET_KEY } from "./secret-key.ts";
import { findPrograms, PASSWORD } from "./server.ts";

const Report = z.object({
  profiles: z.array(
    z.object({
      username: z.string(),
      state: z.string(),
      kinds: z.record(z.string(), z.object({ count: z.number(), hash: z.string() })),
    }),
  ),
});
const Items = z.object({ total: z.number() });
const MEMORIES = Number(process.env["CLUSTER_MEMORIES"] ?? 3_000);

const ZOE = { username: "zoe", password: "one more good password" };

const programs = await findPrograms();

describe.runIf(programs)("mh migrate", () => {
  let cluster: Cluster;
  let home: string;
  let ada: Client;
  /** Only the address is an option: the servers get it in METAHUMAN_DATABASE_URL. */
  let environment: Record<string, string>;
  beforeAll(async () => {
    cluster = await openCluster(programs ?? "");
    const { METAHUMAN_DATABASE_URL: _url, ...others } = cluster.environment;
    environment = others;
    home = await mkdtemp(join(tmpdir(), "mh-files-"));
    const server = await startTestServer({ home });
    ada = await server.owner();
    await ada.post("/api/operator", { goal: 'create a file called plan.md with the text "all is well"' });
    await ada.post("/api/operator", { goal: "remind me on 2031-05-06 at 9:00 to prune the roses" });
    const files = Array.from({ length: MEMORIES }, () => newRecords.memory()).map(
      (memory): [string, string] => [`memory/episodic/2026/${memory.id}.json`, JSON.stringify(memory)],
    );
    const zip = new Blob([Uint8Array.from(await zipOf(Object.fromEntries(files)))], {
      type: "application/zip",
    });
    expect((await ada.upload("/api/import", zip)).status).toBe(200);
    await server.end("SIGTERM");
  }, 120_000);
  afterAll(async () => {
    await cluster.remove();
    await rm(home, { recursive: true, force: true });
  });

  const into = (...more: string[]) => ["migrate", "--to", cluster.database.url(), "--json", ...more];

  it("describes the problem with the address, the user, the rights and the key", async () => {
    await cluster.database.sql("CREATE ROLE guest LOGIN PASSWORD 'guest'");
    const { METAHUMAN_SECRET_KEY: _key, ...without } = environment;
    const sentences = [
      [
        ["migrate", "--to", "mysql://db.example/mh"],
        environment,
        "--to is not the address of a PostgreSQL database.",
      ],
      [
        ["migrate", "--to", cluster.database.url({ password: "wrong" })],
        environment,
        "The database server rejects the user or password in --to.",
      ],
      [
        ["migrate", "--to", cluster.database.url({ database: "missing" })],
        environment,
        "The database named in --to does not exist.",
      ],
      [
        ["migrate", "--to", cluster.database.url({ user: "guest", password: "guest" })],
        environment,
        "The database user lacks a permission.",
      ],
      [["migrate", "--to", cluster.database.url()], without, "METAHUMAN_SECRET_KEY is not set."],
      [
        ["migrate", "--to", join(home, "copy")],
        environment,
        "A migration goes from files into a database, or back.",
      ],
      [["migrate", "--from", cluster.database.url(), "--to", home], environment, "The database has no data"],
    ] as const;
    for (const [args, env, sentence] of sentences) {
      const { code, err } = await mh(home, args, env);
      expect(err).toContain(sentence);
      expect(code).not.toBe(0);
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), SECRET_KEY])
        expect(err).not.toContain(secret);
    }
  }, 60_000);

  it("completes after it was killed, and nobody is served an incomplete profile", async () => {
    const killed = await mhProcess(
      home,
      ["migrate", "--to", cluster.database.url()],
      environment,
      undefined,
      {
        at: /copying memories \(1000\)/,
        signal: "SIGKILL",
      },
    );
    expect(killed.code).not.toBe(0);
    expect(await cluster.database.sql("SELECT count(*) FROM metahuman.accounts")).toBe("0");
    expect(Number(await cluster.database.sql("SELECT count(*) FROM metahuman.records"))).toBeGreaterThan(500);
    const early = await cluster.start("early");
    expect(await early.client().post("/api/auth/setup", ZOE)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining("has not ended") } },
    });
    const page = await (await early.client().raw("GET", "/setup")).text();
    expect(page).toContain("A migration has not finished");
    expect(page).not.toContain("<form");
    await early.end("SIGTERM");
    const { code, out, err } = await mh(home, into(), environment);
    expect(err).toBe("");
    expect(code).toBe(0);
    const [profile] = Report.parse(JSON.parse(out)).profiles;
    expect(profile).toMatchObject({ username: "ada", state: "moved" });
    expect(profile?.kinds["memories"]?.count).toBeGreaterThanOrEqual(MEMORIES);
  }, 120_000);

  it("lets a person continue after the move, and after the move back, which is killed in the middle once", async () => {
    const node = await cluster.start("one");
    const there = ada.at(node.url);
    expect(await there.get("/api/auth/me")).toMatchObject({ status: 200, body: { username: "ada" } });
    expect(await there.get("/api/files/content?path=out/plan.md")).toMatchObject({
      body: { content: "all is well" },
    });
    expect(Items.parse((await there.get("/api/memories?query=notebook&limit=1")).body).total).toBeGreaterThan(
      0,
    );
    expect(Items.parse((await there.get("/api/runs")).body).total).toBe(2);
    const again = await mh(home, into(), environment);
    expect(again.code).not.toBe(0);
    await there.post("/api/operator", { goal: 'append "more" to plan.md' });

    const back = await mkdtemp(join(tmpdir(), "mh-back-"));
    const out = ["migrate", "--from", cluster.database.url(), "--to", back];
    expect((await mh(back, out, environment)).err).toContain("A server uses this profile.");
    await node.end("SIGTERM");
    // The lease of the server may not have ended yet.
    const begun = async () => {
      const killed = await mhProcess(back, out, environment, undefined, {
        at: /copying memories \(1000\)/,
        signal: "SIGKILL",
      });
      return killed.err;
    };
    await expect.poll(begun, { timeout: 60_000, interval: 2_000 }).toMatch(/copying memories \(1000\)/);
    const half = await startTestServer({ home: back });
    expect(await half.client().post("/api/auth/setup", ZOE)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining("has not ended") } },
    });
    expect((await half.client().signIn(OWNER)).status).toBe(401);
    await half.end("SIGTERM");
    const { code, err } = await mh(back, out, environment);
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining("uses this profile") });
    const server = await startTestServer({ home: back });
    const here = ada.at(server.url);
    expect(Items.parse((await here.get("/api/runs")).body).total).toBe(3);
    // They are listed as far as they are indexed.
    const listed = async () => Items.parse((await here.get("/api/memories?limit=1")).body).total;
    await expect.poll(listed, { timeout: 30_000 }).toBeGreaterThanOrEqual(MEMORIES);
    expect((await mh(back, ["audit", "verify"])).code).toBe(0);
    await server.dispose();
    await rm(back, { recursive: true, force: true });
  }, 240_000);
});
