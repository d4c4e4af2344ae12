import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { mh } from "../support/cli.ts";
import { Client } from "../support/client.ts";
import { describedRoutes, type DescribedRoute } from "../support/openapi.ts";
import { OWNER, startOwnedServer, type TestServer } from "../support/server.ts";

// Callers with fewer permissions than an account: guests of a public profile, and tokens with a limited scope.

let server: TestServer;
let owner: Client;
let member: Client;
let routes: DescribedRoute[];

const BOB = { username: "bob", password: "a battery of horses" };
const problem = (code: string) => ({ error: { code, message: expect.any(String) as unknown } });

beforeAll(async () => {
  ({ server, owner } = await startOwnedServer());
  expect((await owner.post("/api/profiles", BOB)).status).toBe(201);
  member = server.client();
  await member.signIn(BOB);
  await owner.post("/api/memories", { type: "curated", content: "The attic key is under the mat" });
  routes = await describedRoutes(owner);
});
afterAll(() => server.dispose());

const addressOf = ({ path }: DescribedRoute) => path.replace(/\{\w+\}/, "librarian");

async function guestOf(username: string): Promise<Client> {
  const guest = server.client();
  const answer = await guest.post("/api/auth/login", { guestOf: username });
  expect(answer).toMatchObject({ status: 200, body: { role: "guest", mode: "emulation", username } });
  return guest;
}

describe("a guest", () => {
  it("finds no public profile until an owner makes theirs public", async () => {
    for (const guestOf of ["ada", "bob", "nobody"])
      expect(await server.client().post("/api/auth/login", { guestOf })).toMatchObject({
        status: 404,
        body: problem("NOT_FOUND"),
      });
    expect((await owner.get("/api/settings")).body).toMatchObject({ publicProfile: false });
    expect((await member.send("PATCH", "/api/settings", { publicProfile: true })).status).toBe(403);
    expect(await owner.send("PATCH", "/api/settings", { publicProfile: true })).toMatchObject({
      status: 200,
      body: { publicProfile: true },
    });
    await guestOf("ada");
    expect((await server.client().post("/api/auth/login", { guestOf: "bob" })).status).toBe(404);
  });

  it("may read its session, chat and sign out; every other route refuses it", async () => {
    const guest = await guestOf("ada");
    const open = routes.filter(({ guests }) => guests).map(({ method, path }) => `${method} ${path}`);
    expect(open.sort()).toEqual(["GET /api/auth/me", "POST /api/auth/logout", "POST /api/operator"]);
    for (const route of routes.filter(({ needs, guests }) => needs !== "nothing" && !guests)) {
      const answer = await guest.send(route.method, addressOf(route), route.hasBody ? {} : undefined);
      expect([route.method, route.path, answer.status]).toEqual([route.method, route.path, 403]);
    }
    expect((await guest.post("/api/auth/logout")).status).toBe(204);
    expect((await guest.get("/api/auth/me")).status).toBe(401);
  });

  it("chats without skills, memory or records in the profile", async () => {
    const guest = await guestOf("ada");
    const before = (await owner.get("/api/memories_all")).body;
    const asked = await guest.post("/api/operator", {
      goal: 'create a file called guest.md with the text "hello"',
    });
    expect(asked).toMatchObject({ status: 200, body: { actions: [], planner: "conversation" } });
    const recalled = await guest.post("/api/operator", { goal: "where is the attic key?" });
    expect(JSON.stringify(recalled.body)).not.toContain("under the mat");
    expect((await owner.get("/api/memories_all")).body).toEqual(before);
    expect((await owner.get("/api/runs")).body).toMatchObject({ total: 0 });
    expect((await owner.get("/api/conversations")).body).toMatchObject({ total: 0 });
  });

  it("learns that nothing can answer without a model, and nothing about the server", async () => {
    const guest = await guestOf("ada");
    const { result } = z
      .looseObject({ result: z.string() })
      .parse((await guest.post("/api/operator", { goal: "how are you?" })).body);
    expect(result).toContain("cannot answer at the moment");
    expect(result).not.toMatch(/etc\/|Ollama|switch/u);
  });

  it("cannot continue another guest's conversation, nor stop runs of others", async () => {
    const [one, other] = [await guestOf("ada"), await guestOf("ada")];
    const { conversationId, runId } = z
      .looseObject({ conversationId: z.string(), runId: z.string() })
      .parse((await one.post("/api/operator", { goal: "hello" })).body);
    expect((await one.post("/api/operator", { goal: "again", conversationId })).status).toBe(200);
    expect((await other.post("/api/operator", { goal: "me too", conversationId })).status).toBe(404);
    expect((await other.post(`/api/runs/${runId}/cancel`)).status).toBe(403);
  });

  it("sees one page, and nobody else sees it", async () => {
    const guest = await guestOf("ada");
    for (const page of ["/", "/memory", "/runs", "/settings", "/login"]) {
      const answer = await guest.get(page, { accept: "text/html" });
      expect([page, answer.status, answer.headers.get("location")]).toEqual([page, 302, "/guest"]);
    }
    expect((await guest.get("/guest", { accept: "text/html" })).status).toBe(200);
    expect((await owner.get("/guest", { accept: "text/html" })).headers.get("location")).toBe("/");
    expect((await server.client().get("/guest", { accept: "text/html" })).headers.get("location")).toBe(
      "/login",
    );
    expect((await server.client().get("/login", { accept: "text/html" })).body).toContain("guest of");
  });

  it("may send 64 KB at most", async () => {
    const guest = await guestOf("ada");
    expect((await guest.post("/api/operator", { goal: "a".repeat(70_000) })).status).toBe(413);
  });

  it("is signed out when the profile is made private again, also from the terminal", async () => {
    const guest = await guestOf("ada");
    expect((await mh(server.home, ["guests", "off"])).out).toContain("Guests may not chat");
    expect((await guest.get("/api/auth/me")).status).toBe(401);
    expect((await server.client().post("/api/auth/login", { guestOf: "ada" })).status).toBe(404);
    expect(JSON.parse((await mh(server.home, ["--json", "guests", "on"])).out)).toEqual({
      username: "ada",
      publicProfile: true,
    });
    await guestOf("ada");
    expect((await mh(server.home, ["guests", "perhaps"])).code).not.toBe(0);
  });
});

describe("a token", () => {
  async function tokenOf(...args: string[]): Promise<Client> {
    const { code, out, err } = await mh(server.home, ["--json", "token", "create", ...args]);
    expect([code, err]).toEqual([0, expect.anything()]);
    const { token } = z.looseObject({ token: z.string() }).parse(JSON.parse(out));
    return new Client(server.url, { bearer: token });
  }

  it.each(["read", "operate"])("of scope %s is refused by every route that needs more", async (scope) => {
    const order = ["read", "operate", "manage"];
    const token = await tokenOf(`matrix ${scope}`, "--scope", scope);
    for (const route of routes.filter(({ needs }) => needs !== "nothing")) {
      if (order.indexOf(route.scope ?? "manage") <= order.indexOf(scope)) continue;
      const answer = await token.send(route.method, addressOf(route), route.hasBody ? {} : undefined);
      expect([route.method, route.path, answer.status]).toEqual([route.method, route.path, 403]);
    }
  });

  it("of scope read changes nothing", async () => {
    const token = await tokenOf("looks", "--scope", "read");
    expect((await token.get("/api/memories?query=attic")).status).toBe(200);
    expect(await token.post("/api/tasks", { title: "No" })).toMatchObject({
      status: 403,
      body: {
        error: { code: "FORBIDDEN", suggestions: ["Create one: mh token create <name> --scope operate"] },
      },
    });
    const passwords = { current: OWNER.password, next: "another password" };
    expect((await token.post("/api/auth/password", passwords)).status).toBe(403);
    const writes = routes.filter(({ scope, method }) => scope === "read" && method !== "GET");
    expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /api/auth/logout",
      "POST /api/schedules/preview",
    ]);
  });

  it("of scope operate works, and cannot change its own permissions", async () => {
    const token = await tokenOf("works", "--scope", "operate");
    expect((await token.post("/api/tasks", { title: "Yes" })).status).toBe(201);
    expect((await token.post("/api/operator", { goal: "list my tasks" })).status).toBe(200);
    expect((await token.send("PUT", "/api/trust", { trustLevel: "bounded_auto" })).status).toBe(403);
    expect((await token.send("PUT", "/api/mode", { mode: "agent" })).status).toBe(403);
  });

  it("is listed with its scope and expiry, and is refused if the request is invalid", async () => {
    await tokenOf("monthly", "--scope", "read", "--expires", "30d");
    const { out } = await mh(server.home, ["token", "list"]);
    expect(out).toMatch(/monthly +read +expires \d{4}-\d\d-\d\d \d\d:\d\d/);
    expect(out).toMatch(/works +operate +no expiry/);
    expect((await mh(server.home, ["token", "create", "x", "--scope", "admin"])).err).toContain("no scope");
    expect((await mh(server.home, ["token", "create", "x", "--expires", "soon"])).err).toContain(
      "12h, 30d, 8w",
    );
  });
});
