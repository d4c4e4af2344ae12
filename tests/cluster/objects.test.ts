import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { OperatorAnswer, OperatorPending } from "@metahuman/core/contract/http";
import { openBucket } from "@metahuman/s3/object-store";
import { type FaultyProxy, startFaultyProxy } from "@metahuman/s3/testing/faulty-proxy";
import { type S3Server, startS3 } from "@metahuman/s3/testing/start-s3";
import type { Client } from "../support/client.ts";
import { mh } from "../support/cli.ts";
import { type Cluster, openCluster } from "./nodes.ts";
import { findPrograms } from "./server.ts";

const programs = await findPrograms();
const Archived = z.object({ items: z.array(z.object({ id: z.string(), title: z.string() })) });

describe.runIf(programs)("two servers whose files are in an object store", () => {
  let cluster: Cluster;
  let server: S3Server;
  /** Between the servers and the store. */
  let proxy: FaultyProxy;
  let environment: Record<string, string>;
  let here: Client;
  let there: Client;
  beforeAll(async () => {
    cluster = await openCluster(programs ?? "");
    server = await startS3();
    const { bucket, endpoint } = server.options;
    proxy = await startFaultyProxy(endpoint);
    environment = {
      METAHUMAN_WORKSPACE: `s3://${bucket}/company`,
      AWS_ENDPOINT_URL: proxy.endpoint,
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
    };
    const start = (name: string) => cluster.start(name, environment);
    const [one, two] = await Promise.all([start("one"), start("two")]);
    here = await one.owner();
    there = here.at(two.url);
  }, 120_000);
  afterAll(async () => {
    await cluster.remove();
    await proxy.close();
    await server.close();
  });

  const ask = async (client: Client, goal: string) =>
    OperatorAnswer.parse((await client.post("/api/operator", { goal })).body);

  it("read what was written at the other one, and keep it under the prefix only", async () => {
    expect(await ask(here, 'create a file called notes/a.md with the text "all see"')).toMatchObject({
      outcome: "answered",
    });
    expect(await there.get("/api/files/content?path=out/notes/a.md")).toMatchObject({
      body: { content: "all see" },
    });
    expect(await ask(there, 'append "and add" to notes/a.md')).toMatchObject({ outcome: "answered" });
    expect(await here.get("/api/files/content?path=out/notes/a.md")).toMatchObject({
      body: { content: "all see\nand add" },
    });
    const bucket = openBucket(server.options);
    const keys = (await Array.fromAsync(bucket.below("").list(""))).map(({ key }) => key);
    bucket.close();
    expect(keys).toContain("company/profiles/ada/out/notes/a.md");
    expect(keys.filter((key) => !key.startsWith("company/"))).toEqual([]);
  });

  it("lose no line of several that both append", async () => {
    const lines = Array.from({ length: 6 }, (_, n) => `line-${n}`);
    await Promise.all(lines.map((line, n) => ask(n % 2 === 0 ? here : there, `append "${line}" to log.md`)));
    const { body } = await here.get("/api/files/content?path=out/log.md");
    for (const line of lines) expect(JSON.stringify(body).split(line)).toHaveLength(2);
  }, 60_000);

  it("restore at one what was deleted at the other", async () => {
    await ask(here, 'create a file called gone.md with the text "here"');
    const asked = await here.post("/api/operator", { goal: "delete gone.md" });
    const { pending } = OperatorPending.parse(asked.body);
    const approvalId = pending?.kind === "approval" ? pending.approvalId : "";
    expect((await there.post(`/api/approvals/${approvalId}`, { decision: "once" })).status).toBe(200);
    const removed = async () =>
      Archived.parse((await there.get("/api/archive")).body).items.find(({ title }) => title === "gone.md");
    await expect.poll(async () => (await removed())?.title).toBe("gone.md");
    const id = (await removed())?.id ?? "";
    expect((await there.post(`/api/archive/${id}/restore`)).status).toBe(200);
    expect(await here.get("/api/files/content?path=out/gone.md")).toMatchObject({
      body: { content: "here" },
    });
  });

  it("say that programs and git cannot be used there, and refuse further folders", async () => {
    const answer = await ask(here, "git status");
    expect(JSON.stringify(answer)).toContain("object store, not in folders");
    const listed = JSON.stringify((await here.get("/api/skills")).body);
    expect(listed).toContain('"fs_list"');
    expect(listed).not.toMatch(/"git_status"|"shell_safe"/);
    const command = await mh(cluster.shared, ["-u", "ada", "operator", "git status"], {
      ...cluster.environment,
      ...environment,
    });
    expect(command.out + command.err).toContain("object store, not in folders");
    const roots = { workspaceRoots: { pictures: "/tmp" } };
    expect(await here.send("PATCH", "/api/settings", roots)).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringContaining("in an object store") } },
    });
  });

  it("export files with their archive, and import them into another account", async () => {
    const zip = await (await here.raw("GET", "/api/export")).blob();
    const dora = { username: "dora", password: "one more good password" };
    expect((await here.post("/api/profiles", dora)).status).toBe(201);
    const other = there.at(there.url);
    await other.signIn(dora);
    expect((await other.upload("/api/import", zip)).status).toBe(200);
    expect(await other.get("/api/files/content?path=out/notes/a.md")).toMatchObject({
      body: { content: "all see\nand add" },
    });
    expect(await other.get("/api/storage")).toMatchObject({ status: 200 });
  });

  it("show a new person of the same name nothing of the one who was removed", async () => {
    const carl = { username: "carl", password: "yet another password" };
    expect((await here.post("/api/profiles", carl)).status).toBe(201);
    const first = here.at(here.url);
    await first.signIn(carl);
    await ask(first, 'create a file called mine.md with the text "private"');
    expect((await there.send("DELETE", "/api/profiles/carl")).status).toBeLessThan(300);
    expect((await there.post("/api/profiles", carl)).status).toBe(201);
    for (const { url } of [here, there]) {
      const second = here.at(url);
      await second.signIn(carl);
      expect((await second.get("/api/files/content?path=out/mine.md")).status).toBe(404);
    }
  });

  it("respond with 503 to requests for files while the store fails, serve everything else, and recover", async () => {
    const path = "/api/files/content?path=out/log.md";
    for (const fault of [500, 503, "lost answer"] as const) {
      proxy.always(fault);
      const refused = await here.get(path);
      expect(refused).toMatchObject({ status: 503, body: { error: { code: "STORAGE_UNAVAILABLE" } } });
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await here.post("/api/tasks", { title: "Water the beans" })).status).toBe(201);
      expect((await here.get("/api/ready")).status).toBe(200);
      const run = await ask(here, 'append "during" to log.md');
      expect(JSON.stringify(run)).toContain("The object store cannot be used now.");
      proxy.always(undefined);
      expect((await here.get(path)).status).toBe(200);
    }
    expect(await ask(there, 'append "afterwards" to log.md')).toMatchObject({ outcome: "answered" });
    const { body } = await here.get(path);
    expect(JSON.stringify(body)).not.toContain("during");
    expect(JSON.stringify(body)).toContain("afterwards");
  }, 60_000);

  it("end at the start with a sentence for another bucket, a missing one and a wrong address", async () => {
    const wrong = [
      ["s3://files/elsewhere", "is not the one that the other servers of this database use"],
      ["s3://missing/company", "The bucket named in METAHUMAN_WORKSPACE does not exist."],
      ["s3://files/../up", "METAHUMAN_WORKSPACE is not the address of a bucket."],
      ["https://files", "METAHUMAN_WORKSPACE is not the address of a folder or bucket."],
    ] as const;
    for (const [METAHUMAN_WORKSPACE, sentence] of wrong) {
      const output = await cluster.failure({ ...environment, METAHUMAN_WORKSPACE });
      expect(output).toContain(sentence);
      expect(output).not.toContain("S3RVER");
    }
  }, 60_000);

  it("end at the start with a sentence for wrong credentials, and for a store without conditional writes", async () => {
    const rejected = await cluster.failure({ ...environment, AWS_ACCESS_KEY_ID: "WRONG" });
    expect(rejected).toContain("The object store rejects the credentials of this server.");
    expect(rejected).not.toContain("WRONG");
    const careless = await startFaultyProxy(server.options.endpoint);
    careless.always("no conditions");
    expect(await cluster.failure({ ...environment, AWS_ENDPOINT_URL: careless.endpoint })).toContain(
      "The object store does not check the conditions of writes",
    );
    await careless.close();
    // The mark of the others is still theirs.
    expect(await cluster.failure({ ...environment, METAHUMAN_NODE: "later" })).toBeUndefined();
  }, 60_000);

  it("serve commands, too", async () => {
    const listed = await mh(cluster.shared, ["-u", "ada", "files", "list", "out"], {
      ...cluster.environment,
      ...environment,
    });
    expect(listed.out).toContain("log.md");
  });
});
