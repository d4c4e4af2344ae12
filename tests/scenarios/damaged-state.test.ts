import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mh } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { startDamagedServer } from "../support/damaged-home.ts";
import type { TestServer } from "../support/server.ts";

let server: TestServer;
let owner: Client;

beforeAll(async () => {
  server = await startDamagedServer();
  owner = await server.owner();
});
afterAll(() => server.dispose());

describe("a server on data whose state database is damaged", () => {
  it("accepts sign-ins, keeps memories, and refuses requests with advice", async () => {
    const added = await owner.post("/api/memories", { type: "observation", content: "ferns drink a lot" });
    expect(added.status).toBe(201);
    expect((await owner.get("/api/tasks")).body).toMatchObject({ total: 1 });
    expect(await owner.post("/api/operator", { goal: "add a task: x" })).toMatchObject({
      status: 500,
      body: { error: { code: "STORAGE_CORRUPT", suggestions: [expect.stringContaining("start anew")] } },
    });
    expect((await owner.get("/api/state")).body).toMatchObject({
      problem: { code: "STORAGE_CORRUPT" },
      backups: [{ name: expect.stringMatching(/^state\.db\.backup-/u) as unknown }],
    });
  });

  it("is reported by mh doctor, and works again after mh database restore, without a restart", async () => {
    const doctor = await mh(server.home, ["doctor"]);
    expect(doctor.out).toMatch(/BROKEN +Conversations: .*state\.db/u);
    expect(doctor.code).toBe(1);
    expect((await mh(server.home, ["database", "status"])).out).toContain("state.db.backup-");
    expect((await mh(server.home, ["database", "start-anew"])).code).not.toBe(0);

    const restored = await mh(server.home, ["database", "restore"]);
    expect(restored.out).toMatch(
      /Restored state\.db\.backup-\S+\. The old file is kept as state\.db\.corrupt-/u,
    );
    expect((await owner.get("/api/conversations")).body).toMatchObject({ total: 1 });
    expect((await owner.get("/api/state")).body).not.toHaveProperty("problem");
    expect((await owner.post("/api/operator", { goal: "add a task: x" })).status).toBeLessThan(300);
    expect((await owner.post("/api/state/start-anew")).status).toBe(409);
  });
});
