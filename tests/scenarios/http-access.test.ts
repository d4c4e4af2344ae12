import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { describedRoutes, type DescribedRoute } from "../support/openapi.ts";
import { startOwnedServer, type TestServer } from "../support/server.ts";
import type { Client } from "../support/client.ts";

let server: TestServer;
let owner: Client;
let member: Client;
let routes: DescribedRoute[];

const PASSWORD = "a battery of horses";
const Id = z.looseObject({ id: z.string() });
const Kept = z.looseObject({
  runId: z.string(),
  conversationId: z.string(),
  pending: z.looseObject({ approvalId: z.string() }).optional(),
});

/** One item of the owner for every kind of id. */
let ids: Record<string, string>;

beforeAll(async () => {
  ({ server, owner } = await startOwnedServer());
  expect((await owner.post("/api/profiles", { username: "bob", password: PASSWORD })).status).toBe(201);
  member = server.client();
  expect((await member.signIn({ username: "bob", password: PASSWORD })).status).toBe(200);
  routes = await describedRoutes(owner);
  ids = await makeOwnersThings();
});
afterAll(() => server.dispose());

async function makeOwnersThings(): Promise<Record<string, string>> {
  const ask = async (goal: string) => Kept.parse((await owner.post("/api/operator", { goal })).body);
  await ask('create a file called notes/secret.md with the text "the plan"');
  const waiting = await ask("delete notes/secret.md");
  const task = z.object({ task: Id }).parse((await owner.post("/api/tasks", { title: "Secret task" })).body)
    .task.id;
  const memory = z
    .object({ memory: Id })
    .parse((await owner.post("/api/memories", { type: "curated", content: "The secret plan" })).body)
    .memory.id;
  const deletable = z.object({ task: Id }).parse((await owner.post("/api/tasks", { title: "Doomed" })).body)
    .task.id;
  const archived = z
    .object({ archived: Id })
    .parse((await owner.send("DELETE", `/api/tasks/${deletable}`)).body).archived.id;
  const schedule = z
    .object({ schedule: Id })
    .parse(
      (await owner.post("/api/schedules", { what: { kind: "reminder", text: "Secret" }, when: "every day" }))
        .body,
    ).schedule.id;
  const written = await owner.post("/api/functions", {
    title: "Secret recipe",
    summary: "The plan",
    steps: ["Carry out the plan."],
    skillsUsed: ["fs_write"],
  });
  return {
    functions: z.object({ function: Id }).parse(written.body).function.id,
    runs: waiting.runId,
    conversations: waiting.conversationId,
    approvals: waiting.pending?.approvalId ?? "",
    tasks: task,
    memories: memory,
    archive: archived,
    schedules: schedule,
    grants: `grant-${"0".repeat(26)}`,
  };
}

/** The path with the id of one of the owner's items. */
function addressOf({ path }: DescribedRoute): string {
  const kind = /^\/api\/([a-z_]+)\/\{id\}/.exec(path)?.[1];
  const named = path.replace("{name}", "librarian");
  return kind === undefined ? named : named.replace("{id}", ids[kind] ?? "missing");
}

/** What routes require in their query. */
const queries: Readonly<Record<string, string>> = {
  "/api/recall": "?query=plan",
  "/api/memories/search": "?query=plan",
  "/api/functions/search": "?query=plan",
  "/api/files/content": "?path=out/notes/secret.md",
};

const call = (client: Client, route: DescribedRoute) =>
  client.send(route.method, addressOf(route), route.hasBody ? {} : undefined);

describe("every route", () => {
  it("is in the OpenAPI document", async () => {
    const folder = resolve(import.meta.dirname, "../../apps/site/src/pages/api");
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    const paths = files
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length)
          .replace(/\.ts$/, "")
          .replace(/\/index$/, ""),
      )
      .filter((path) => path !== "/[...path]")
      .map((path) => `/api${path.replaceAll(/\[(\w+)\]/g, "{$1}")}`);
    expect([...new Set(routes.map(({ path }) => path))].sort()).toEqual(paths.sort());
  });

  it("refuses callers who are not signed in, except for health and sign-in", async () => {
    const open = routes
      .filter(({ needs }) => needs === "nothing")
      .map(({ method, path }) => `${method} ${path}`);
    expect(open.sort()).toEqual([
      "GET /api/health",
      "GET /api/ready",
      "POST /api/auth/login",
      "POST /api/auth/setup",
    ]);
    for (const route of routes.filter(({ needs }) => needs !== "nothing")) {
      const { status, body } = await call(server.client(), route);
      expect([route.method, route.path, status]).toEqual([route.method, route.path, 401]);
      expect(body).toMatchObject({ error: { code: "NOT_SIGNED_IN" } });
    }
  });

  it("shows the owner all of their own data", async () => {
    const streams = ["/api/events", "/api/audit/stream", "/api/runs/{id}/events"];
    for (const route of routes.filter(({ method, path }) => method === "GET" && !streams.includes(path))) {
      const query = queries[route.path] ?? "";
      const { status } = await owner.get(addressOf(route) + query);
      expect([route.path, status]).toEqual([route.path, 200]);
    }
  });

  it("that lists accepts a limit, a cursor, an order and a query, and returns one page", async () => {
    const lists = routes.filter(({ isList }) => isList);
    expect(lists.length).toBeGreaterThan(10);
    for (const list of lists) {
      expect([list.path, list.parameters]).toEqual([
        list.path,
        expect.arrayContaining(["limit", "cursor", "sort", "query"]),
      ]);
      const address = addressOf(list);
      expect([list.path, (await owner.get(`${address}?limit=1&query=zwergtaucher`)).body]).toEqual([
        list.path,
        { items: [], nextCursor: null, total: 0 },
      ]);
      expect([list.path, (await owner.get(`${address}?cursor=nonsense!`)).status]).toEqual([list.path, 422]);
    }
  });

  it("refuses members what only the owner may do", async () => {
    const owners = routes.filter(({ needs }) => needs === "canAdminister");
    expect(owners.length).toBeGreaterThan(0);
    for (const route of owners) expect((await call(member, route)).status).toBe(403);
  });

  it("hides another profile's data: 404 instead", async () => {
    const byId = routes.filter(({ path }) => path.includes("{id}"));
    expect(byId.length).toBeGreaterThan(15);
    for (const route of byId) {
      const body = bodyFor(route);
      const { status, body: answer } = await member.send(route.method, addressOf(route), body);
      expect([route.method, route.path, status]).toEqual([route.method, route.path, 404]);
      // The answer may repeat the request; an id contains words of its title.
      expect(JSON.stringify(answer).replaceAll(addressOf(route).split("/")[3] ?? "", "")).not.toMatch(
        /secret|the plan/i,
      );
    }
    const stream = await member.get(`/api/events?runs=${ids["runs"] ?? ""}`);
    expect(stream.status).toBe(404);
  });

  it("shows a member only their own lists", async () => {
    for (const path of [
      "/api/runs",
      "/api/approvals",
      "/api/conversations",
      "/api/memories",
      "/api/tasks",
      "/api/archive",
      "/api/functions",
      "/api/functions/search?query=plan",
      "/api/audit",
      "/api/memories_all",
      "/api/recall?query=secret%20plan",
      "/api/memories?query=secret",
    ]) {
      const { status, body } = await member.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(JSON.stringify(body)).not.toMatch(/secret|the plan/i);
    }
  });

  it("writes nothing in mode emulation, and the mode can still be changed", async () => {
    expect((await owner.send("PUT", "/api/mode", { mode: "emulation" })).status).toBe(200);
    const writing = new Set([
      "canWriteMemory",
      "canDecideApprovals",
      "canChangeTrust",
      "canChangePersona",
      "canManageFunctions",
    ]);
    const writes = routes.filter(({ needs }) => writing.has(needs));
    expect(writes.length).toBeGreaterThan(10);
    for (const route of writes) {
      const { status } = await owner.send(route.method, addressOf(route), bodyFor(route));
      expect([route.method, route.path, status]).toEqual([route.method, route.path, 403]);
    }
    const asked = await owner.post("/api/operator", {
      goal: 'create a file called emulated.md with the text "no"',
    });
    expect(asked.body).toMatchObject({ actions: [] });
    expect((await owner.send("PUT", "/api/mode", { mode: "dual" })).status).toBe(200);
  });

  it("responds to a token as to a cookie, and requires no Origin with it", async () => {
    // The table above is for cookies; here the same identities use only an id.
    const { Client: Speaker } = await import("../support/client.ts");
    const stranger = new Speaker(server.url, { bearer: "mh_made-up" });
    for (const route of routes.filter(({ needs }) => needs !== "nothing")) {
      expect((await call(stranger, route)).status).toBe(401);
    }
  });
});

/** A valid body, so that only the identity decides. */
function bodyFor({ path, method }: DescribedRoute): unknown {
  if (method === "GET" || method === "DELETE") return undefined;
  if (path.endsWith("/answer")) return { text: "yes" };
  if (path.endsWith("/proposal")) return { decision: "keep" };
  if (path.endsWith("/feedback")) return { verdict: "useful" };
  if (path.startsWith("/api/approvals/")) return { decision: "once" };
  if (path.startsWith("/api/conversations/")) return { title: "Taken" };
  if (path === "/api/functions/{id}") return { version: 1, title: "Taken" };
  if (path === "/api/functions/{id}/restore") return { version: 1 };
  if (path === "/api/functions/{id}/proposals") return { id: `prop-${"0".repeat(26)}`, decision: "accept" };
  if (path === "/api/functions/curate") return { userRequest: "x", functionName: "x" };
  if (path === "/api/functions/promote") return { id: "func-20260101-000000" };
  if (path === "/api/functions") return { title: "x", summary: "", steps: ["x"], skillsUsed: [] };
  if (path === "/api/memories/{id}/feedback") return { verdict: "useful" };
  if (path === "/api/memories") return { type: "curated", content: "x" };
  if (path === "/api/tasks") return { title: "x" };
  if (path === "/api/trust") return { trustLevel: "bounded_auto" };
  return {};
}
