import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serveBeforeAll } from "../support/before-all.ts";
import type { Client } from "../support/client.ts";
import type { TestServer } from "../support/server.ts";

// Changes by an owner for everybody: the flags of the operator, and accounts.

let server: TestServer;
let owner: Client;
serveBeforeAll((served) => ({ server, owner } = served));

describe("the switches of the operator", () => {
  it("are set by the owner, written to etc/, and apply from then on", async () => {
    const set = (flags: Record<string, unknown>) =>
      owner.send("PATCH", "/api/settings", { flags: { operator: flags } });
    expect(await set({ useFunctions: false })).toMatchObject({
      status: 200,
      body: { flags: { operator: { useFunctions: false, reactV2: true } } },
    });
    expect(JSON.parse(await readFile(join(server.home, "etc/runtime.json"), "utf8"))).toEqual({
      operator: { useFunctions: false },
    });
    expect((await set({ useMagic: true })).status).toBe(400);
    expect((await set({ useFunctions: "no" })).status).toBe(400);
    await set({ useFunctions: true });
    expect((await owner.get("/api/settings")).body).toMatchObject({
      flags: { operator: { useFunctions: true } },
    });
  });
});

describe("an unusable configuration file", () => {
  it("is named by its path in the data root, not by its place on the machine", async () => {
    const file = join(server.home, "etc/memory.json");
    await writeFile(file, "{ maxMemories");
    await expect
      .poll(async () => JSON.stringify((await owner.get("/api/settings")).body))
      .toContain('"configProblem":"etc/memory.json, line 1');
    const refused = await owner.send("PATCH", "/api/settings", {
      flags: { operator: { useFunctions: true } },
    });
    expect(refused).toMatchObject({
      status: 500,
      body: { error: { code: "CONFIG_INVALID", details: { file: "etc/memory.json" } } },
    });
    expect(JSON.stringify(refused.body)).not.toContain(server.home);
    await rm(file);
    await expect
      .poll(async () => (await owner.get("/api/settings")).body)
      .not.toHaveProperty("configProblem");
  });
});

describe("people", () => {
  const bob = { username: "bob", password: "a battery of horses" };
  const send = (method: string, body?: unknown) => owner.send(method, "/api/profiles/bob", body);

  it("are added, given a role and a password, and removed by the owner", async () => {
    expect((await owner.post("/api/profiles", bob)).status).toBe(201);
    expect((await owner.post("/api/profiles", bob)).status).toBe(409);
    const member = server.client();
    await member.signIn(bob);
    expect(
      (await member.send("PATCH", "/api/settings", { flags: { operator: { reactV2: false } } })).status,
    ).toBe(403);

    expect(await send("PATCH", { role: "owner" })).toMatchObject({
      status: 200,
      body: { account: { username: "bob", role: "owner" } },
    });
    expect((await member.get("/api/auth/me")).status).toBe(401);
    expect((await send("PATCH", { password: "short" })).status).toBe(422);
    expect((await send("PATCH", { password: "another battery of horses" })).status).toBe(200);
    expect((await server.client().signIn(bob)).status).toBe(401);

    expect((await send("DELETE")).status).toBe(204);
    expect((await send("DELETE")).status).toBe(404);
    expect((await send("PATCH", { role: "member" })).status).toBe(404);
  });

  it("leave nothing at their place if they are removed while they work, and their name is free", async () => {
    expect((await owner.post("/api/profiles", bob)).status).toBe(201);
    const member = server.client();
    await member.signIn(bob);
    await member.get("/api/tasks");
    const work = async (): Promise<void> => {
      const memory = { type: "curated", content: "The garage code is 4711" };
      while ((await member.post("/api/memories", memory)).status === 201);
    };
    const working = Promise.all([work(), work(), work(), work()]);
    await expect.poll(async () => (await owner.get("/api/health")).status).toBe(200);
    expect((await send("DELETE")).status).toBe(204);
    await working;
    expect(await readdir(join(server.home, "profiles"))).not.toContain("bob");
    expect((await owner.post("/api/profiles", bob)).status).toBe(201);
    const next = server.client();
    await next.signIn(bob);
    expect((await next.get("/api/memories")).body).toMatchObject({ total: 0 });
    expect((await send("DELETE")).status).toBe(204);
    expect(server.output()).not.toContain("STORAGE_CORRUPT");
  });

  it("always include an owner", async () => {
    const self = "/api/profiles/ada";
    expect((await owner.send("PATCH", self, { role: "member" })).status).toBe(409);
    expect((await owner.send("DELETE", self)).status).toBe(409);
    expect((await owner.get("/api/auth/me")).status).toBe(200);
  });

  it("appear in the audit log of who changed them, without their passwords", async () => {
    const { body } = await owner.get("/api/audit?query=account_&limit=50");
    const text = JSON.stringify(body);
    for (const event of ["account_added", "account_changed", "account_removed"])
      expect(text).toContain(event);
    expect(text).not.toContain("battery");
  });
});
