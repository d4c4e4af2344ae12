import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { mh } from "../support/cli.ts";
import { Client } from "../support/client.ts";
import { startOwnedServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let owner: Client;
let script: Client;

const Made = z.looseObject({ token: z.string() });

/** The output of a command on the data of the running server. */
async function command(...args: string[]): Promise<unknown> {
  const { code, out, err } = await mh(server.home, ["--json", ...args]);
  expect([code, err]).toEqual([0, expect.anything()]);
  return JSON.parse(out);
}

beforeAll(async () => {
  ({ server, owner } = await startOwnedServer());
  const { token } = Made.parse(await command("token", "create", "backup"));
  script = new Client(server.url, { bearer: token });
});
afterAll(() => server.dispose());

describe("a script with a token", () => {
  it("acts as the person who created it, and needs no Origin for changes", async () => {
    expect(await script.get("/api/auth/me")).toMatchObject({
      status: 200,
      body: { username: "ada", role: "owner" },
    });
    expect((await script.post("/api/tasks", { title: "Back up" })).status).toBe(201);
    expect(
      (await script.post("/api/tasks", { title: "Back up" }, { origin: "http://elsewhere.example" })).status,
    ).toBe(201);
  });

  it("is bound to the same mode and trust level", async () => {
    await owner.send("PUT", "/api/mode", { mode: "emulation" });
    expect((await script.post("/api/tasks", { title: "No" })).status).toBe(403);
    await owner.send("PUT", "/api/mode", { mode: "dual" });
  });

  it("uses the operator, and is named in the audit log", async () => {
    expect(await script.post("/api/operator", { goal: "make sandwich file" })).toMatchObject({
      status: 200,
      body: { outcome: "answered" },
    });
    expect(await owner.get("/api/audit?event=skill_called")).toMatchObject({
      body: { items: [{ surface: "api" }] },
    });
  });

  it("is refused once the token is revoked, and its streams end", async () => {
    const { token } = Made.parse(await command("token", "create", "short"));
    const short = new Client(server.url, { bearer: token });
    const stream = short.events("/api/events");
    await stream.next();
    await command("token", "revoke", "short");
    for (let next = await stream.next(); next.done !== true; next = await stream.next());
    expect((await short.get("/api/auth/me")).status).toBe(401);
  });

  it("is not replaced by a cookie", async () => {
    const { cookie = "" } = owner.credentials;
    expect((await script.get("/api/auth/me", { authorization: "Bearer wrong", cookie })).status).toBe(401);
  });
});

describe("the command line beside the server", () => {
  it("sees what the server did, and the server what it did", async () => {
    await owner.post("/api/tasks", { title: "Seen from the terminal" });
    expect(JSON.stringify(await command("task", "list"))).toContain("Seen from the terminal");
    await command("task", "add", "Seen on the page");
    expect(JSON.stringify((await owner.get("/api/tasks")).body)).toContain("Seen on the page");
    await command("remember", "The attic key is under the mat");
    expect(JSON.stringify((await owner.get("/api/recall?query=attic%20key")).body)).toContain(
      "under the mat",
    );
  });

  it("changes the mode for both at once", async () => {
    await command("mode", "agent");
    expect(await owner.get("/api/auth/me")).toMatchObject({ body: { mode: "agent" } });
    await command("mode", "dual");
  });

  it("reports the runs it starts to an open page", async () => {
    const leave = new AbortController();
    const stream = owner.events("/api/events", { signal: leave.signal });
    await stream.next();
    const waiting = mh(server.home, ["--json", "operator", "delete sandwich.txt"]);
    for await (const { event, data } of stream) {
      if (event === "approvals" && JSON.stringify(data).includes("sandwich.txt")) break;
    }
    leave.abort();
    expect((await waiting).code).toBe(5);
  });
});

it("records who signed in, out and what they changed about themselves", async () => {
  await owner.send("PUT", "/api/trust", { trustLevel: "bounded_auto" });
  const leaving = await server.owner();
  await leaving.post("/api/auth/logout");
  const { items } = z
    .looseObject({ items: z.array(z.looseObject({ event: z.string(), details: z.unknown() })) })
    .parse((await owner.get("/api/audit?limit=500")).body);
  expect(items.map(({ event }) => event)).toEqual(
    expect.arrayContaining(["signed_in", "signed_out", "settings_changed"]),
  );
  expect(items.find(({ event }) => event === "settings_changed")?.details).toEqual({
    trustLevel: { from: "supervised_auto", to: "bounded_auto" },
  });
});
