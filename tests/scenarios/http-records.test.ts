import { mkdir, mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { IndexStatus } from "@metahuman/core/contract/http";
import { Task } from "@metahuman/core/contract/task";
import { serveBeforeAll } from "../support/before-all.ts";
import type { TestServer } from "../support/server.ts";
import type { Client } from "../support/client.ts";

let server: TestServer;
let owner: Client;
serveBeforeAll((served) => ({ server, owner } = served));

const Archived = z.object({ archived: z.looseObject({ id: z.string() }) });

describe("tasks", () => {
  it("are read from words as in the chat, if the request asks for it", async () => {
    const add = (body: object) => owner.post("/api/tasks", body);
    const task = { title: "Trim the hedge on 2031-05-01 high priority" };
    expect(await add({ ...task, asSaid: true })).toMatchObject({
      status: 201,
      body: { task: { title: "Trim the hedge", due: "2031-05-01", priority: "P1" } },
    });
    expect(await add(task)).toMatchObject({ body: { task: task } });
    expect(await add({ title: "Trim it on 31 november", asSaid: true })).toMatchObject({ status: 422 });
    const { body } = await owner.get("/api/tasks");
    for (const { id } of z.object({ items: z.array(Task) }).parse(body).items)
      await owner.send("DELETE", `/api/tasks/${id}`);
  });

  it("are added, changed, listed, deleted and restored", async () => {
    const added = await owner.post("/api/tasks", {
      title: "Water the plants",
      priority: "P1",
      due: "2026-12-01",
    });
    expect(added.status).toBe(201);
    const { task } = z.strictObject({ task: Task }).parse(added.body);
    expect(await owner.send("PUT", `/api/tasks/${task.id}`, { status: "done" })).toMatchObject({
      status: 200,
      body: { task: { status: "done", completedAt: expect.any(String) as unknown } },
    });
    expect(await owner.get("/api/tasks")).toMatchObject({ body: { total: 0 } });
    expect(await owner.get("/api/tasks?includeDone=true")).toMatchObject({ body: { total: 1 } });
    expect(await owner.send("PATCH", `/api/tasks/${task.id}`, { due: null })).not.toHaveProperty(
      "body.task.due",
    );
    const { archived } = Archived.parse((await owner.send("DELETE", `/api/tasks/${task.id}`)).body);
    expect(await owner.get("/api/archive")).toMatchObject({
      body: {
        items: expect.arrayContaining([
          expect.objectContaining({ id: archived.id, kind: "task" }),
        ]) as unknown,
      },
    });
    expect(await owner.get(`/api/archive/${archived.id}`)).toMatchObject({
      status: 200,
      body: { entry: { id: archived.id }, item: { kind: "task", task: { title: "Water the plants" } } },
    });
    expect(await owner.get("/api/archive/task-20260101T000000000Z-nothing~2")).toMatchObject({ status: 404 });
    expect(await owner.post(`/api/archive/${archived.id}/restore`)).toMatchObject({
      status: 200,
      body: { restored: { kind: "task" } },
    });
    expect((await owner.get(`/api/tasks/${task.id}`)).status).toBe(200);
  });

  it("are listed in the requested order", async () => {
    for (const [title, due] of [
      ["Zinc roof", "2031-01-01"],
      ["Apples", "2032-01-01"],
    ])
      await owner.post("/api/tasks", { title, due, tags: ["orders"] });
    const titles = async (sort: string) =>
      z
        .looseObject({ items: z.array(Task) })
        .parse((await owner.get(`/api/tasks?tag=orders&sort=${sort}`)).body)
        .items.map(({ title }) => title);
    expect(await titles("due")).toEqual(["Zinc roof", "Apples"]);
    expect(await titles("title")).toEqual(["Apples", "Zinc roof"]);
    expect(await titles("newest")).toEqual(["Apples", "Zinc roof"]);
  });

  it("may start in progress", async () => {
    const { body } = await owner.post("/api/tasks", { title: "Paint the fence", status: "in_progress" });
    expect(body).toMatchObject({ task: { status: "in_progress" } });
  });

  it.each([
    [{}, 400],
    [{ title: "" }, 422],
    [{ title: "x", priority: "P9" }, 422],
    [{ title: "x", due: "soon" }, 422],
    [{ title: "x", due: "2026-02-30" }, 422],
  ])("are not created from %o", async (body, status) => {
    expect((await owner.post("/api/tasks", body)).status).toBe(status);
  });
});

describe("the person's own data", () => {
  it("has a persona that can be changed in part", async () => {
    const { body } = await owner.send("PUT", "/api/persona", { name: "Hypatia", values: ["clarity"] });
    expect(body).toMatchObject({
      persona: { name: "Hypatia", values: ["clarity"], voice: expect.any(String) as unknown },
    });
    expect((await owner.get("/api/persona")).body).toEqual(body);
  });

  it("has a mode and a trust level, which apply at once", async () => {
    expect(await owner.send("PUT", "/api/mode", { mode: "agent" })).toMatchObject({
      status: 200,
      body: { mode: "agent" },
    });
    expect(
      await owner.send("PUT", "/api/trust", {
        trustLevel: "suggest",
        skillOverrides: { fs_delete: "never" },
      }),
    ).toMatchObject({ body: { trustLevel: "suggest", skillOverrides: { fs_delete: "never" } } });
    expect(await owner.get("/api/auth/me")).toMatchObject({ body: { mode: "agent", trustLevel: "suggest" } });
    expect(await owner.post("/api/trust", { skillOverrides: { fs_delte: "always" } })).toMatchObject({
      status: 422,
      body: { error: { suggestions: expect.arrayContaining(["fs_delete"]) as unknown } },
    });
    expect(await owner.send("PUT", "/api/trust", { skillOverrides: { fs_delete: null } })).toMatchObject({
      body: { trustLevel: "suggest", skillOverrides: {} },
    });
    expect((await owner.send("PUT", "/api/mode", { mode: "turbo" })).status).toBe(422);
    await owner.send("PUT", "/api/mode", { mode: "dual" });
    await owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
  });

  it("shows whole paths only to the operator", async () => {
    const roots = (folder: string) =>
      owner.send("PUT", "/api/settings", { workspaceRoots: { docs: folder } });
    expect((await roots("somewhere/else")).status).toBe(422);
    expect((await roots("../..")).status).toBe(422);
  });

  it("accepts only existing workspace folders that nobody else owns, and changes nothing otherwise", async () => {
    const send = (workspaceRoots: Record<string, string>) =>
      owner.send("PATCH", "/api/settings", {
        displayName: "Somebody",
        workspaceRoots,
        flags: { operator: { useFunctions: false } },
      });
    // Not in the folder for temporary files, which may be below /dev: that belongs to the system.
    const outside = await mkdtemp(join(process.platform === "win32" ? tmpdir() : "/tmp", "workspace-"));
    const shared = join(outside, "shared");
    await mkdir(shared);
    for (const [path, reason] of [
      [join(server.home, "nowhere"), "there is no such folder"],
      [join(server.home, "etc/agents.json"), "this is a file, not a folder"],
      ["/etc", "this folder belongs to the system"],
      ["/", "this folder belongs to the system"],
      [join(server.home, "profiles/ada"), "this folder is inside the profiles folder"],
    ] as const) {
      expect(await send({ shared, docs: path })).toMatchObject({
        status: 422,
        body: { error: { details: { issues: [{ path: "workspaceRoots.docs", message: reason }] } } },
      });
    }
    expect((await owner.get("/api/settings")).body).toMatchObject({
      settings: { displayName: expect.not.stringMatching("Somebody") as unknown, workspaceRoots: {} },
      flags: { operator: { useFunctions: true } },
    });
    const open = (workspaceRoots: Record<string, string>) =>
      owner.send("PATCH", "/api/settings", { workspaceRoots });
    expect((await open({ shared })).status).toBe(200);
    await rmdir(shared);
    // An unavailable folder does not prevent adding another one.
    expect((await open({ shared, home: outside })).status).toBe(200);
    expect((await open({})).body).toMatchObject({ settings: { workspaceRoots: {} } });
    await rmdir(outside);
  });

  it("has settings", async () => {
    expect(await owner.send("PATCH", "/api/settings", { displayName: "Ada" })).toMatchObject({
      status: 200,
      body: { settings: { displayName: "Ada" } },
    });
    expect((await owner.get("/api/settings")).body).toMatchObject({
      settings: { displayName: "Ada" },
      flags: { operator: { useFunctions: true } },
    });
  });
});

describe("other data of the profile", () => {
  it("lists the skills and the models", async () => {
    expect(await owner.get("/api/skills")).toMatchObject({
      body: { items: expect.arrayContaining([expect.objectContaining({ id: "fs_write" })]) as unknown },
    });
    expect(await owner.get("/api/models")).toMatchObject({
      status: 200,
      body: { available: false, summary: expect.any(String) as unknown },
    });
  });

  it("rebuilds its index", async () => {
    const many = Array.from({ length: 200 }, (_, index) => ({
      type: "observation",
      content: `Sighting ${index} of a heron`,
    }));
    expect((await owner.post("/api/memories", many)).status).toBe(201);
    expect(IndexStatus.parse((await owner.get("/api/index")).body).items).toBeGreaterThanOrEqual(200);
    for (const path of ["/api/index", "/api/index?excludeFunctions=true"]) {
      const { status, body } = await owner.post(path);
      expect(status).toBe(202);
      IndexStatus.parse(body);
    }
    await expect
      .poll(async () => IndexStatus.parse((await owner.get("/api/index")).body).rebuilding, {
        timeout: 20_000,
      })
      .toBe(false);
  });

  it("includes an audit log of decisions and actions, and streams it", async () => {
    const leave = new AbortController();
    const stream = owner.events("/api/audit/stream", { signal: leave.signal });
    const next = stream.next();
    const asked = owner.post("/api/operator", { goal: "list my tasks" });
    expect(await next).toMatchObject({
      value: { event: "audit", data: { event: expect.any(String) as unknown } },
    });
    await asked;
    leave.abort();
    expect(await owner.get("/api/audit?event=skill_called")).toMatchObject({
      status: 200,
      body: { items: [{ event: "skill_called", actor: "ada" }] },
    });
  });

  it("includes conversations that can be renamed and deleted", async () => {
    const { conversationId } = z
      .looseObject({ conversationId: z.string() })
      .parse((await owner.post("/api/operator", { goal: "what can you do?" })).body);
    const path = `/api/conversations/${conversationId}`;
    expect(await owner.send("PATCH", path, { title: "Abilities" })).toMatchObject({
      body: { title: "Abilities" },
    });
    expect(await owner.get("/api/conversations?query=abilities")).toMatchObject({
      body: { items: [{ id: conversationId }] },
    });
    expect(await owner.send("PATCH", path, { pinned: true })).toMatchObject({
      body: { title: "Abilities", pinned: true },
    });
    expect(await owner.get("/api/conversations?query=what can you do")).toMatchObject({
      body: {
        items: [{ id: conversationId, match: expect.stringContaining("what can you do?") as unknown }],
      },
    });
    expect((await owner.send("PATCH", path, {})).status).toBe(422);
    expect((await owner.send("DELETE", path)).status).toBe(204);
    expect((await owner.get(path)).status).toBe(404);
  });

  it("is described by the schemas that validate it", async () => {
    expect(await owner.get("/api/openapi.json")).toMatchObject({
      status: 200,
      body: {
        openapi: "3.1.0",
        paths: {
          "/api/operator": { post: { requestBody: expect.any(Object) as unknown } },
          "/api/runs/{id}": { get: {} },
        },
      },
    });
  });
});

it("exports a conversation as Markdown", async () => {
  const ran = z
    .looseObject({ conversationId: z.string() })
    .parse((await owner.post("/api/operator", { goal: "list my tasks" })).body);
  const path = `/api/conversations/${ran.conversationId}/export`;
  const { status, headers, body } = await owner.get(path);
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  expect(headers.get("content-disposition")).toBe(`attachment; filename="${ran.conversationId}.md"`);
  expect(body).toMatch(/^# list my tasks\n[^]*> list my tasks\n[^]*\*\*Operator\*\*/);
});
