import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { serveBeforeAll } from "../support/before-all.ts";
import type { Client } from "../support/client.ts";
import { sendRaw } from "../support/raw-http.ts";
import { OWNER, startServerHere, type TestServer } from "../support/server.ts";

const me = {
  username: "ada",
  displayName: "Ada L.",
  role: "owner",
  mode: "dual",
  trustLevel: "supervised_auto",
  createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
};
const problem = (code: string) => ({ error: { code, message: expect.any(String) as unknown } });

describe("the first owner", () => {
  let server: TestServer;
  afterEach(() => server.dispose());

  it("is created once, from this machine, and signed in", async () => {
    server = await startServerHere();
    expect(server.setupCode).toMatch(/\w{4,}/);
    const client = server.client();
    const created = await client.post("/api/auth/setup", { ...OWNER, displayName: "Ada L." });
    expect(created).toMatchObject({ status: 201, body: me });
    const cookie = created.headers.getSetCookie()[0] ?? "";
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).toMatch(/Path=\/(;|$)/);
    expect(cookie).not.toMatch(/Secure/);
    expect(await client.get("/api/auth/me")).toMatchObject({ status: 200, body: me });
    expect(await server.client().post("/api/auth/setup", { ...OWNER, username: "eve" })).toMatchObject({
      status: 409,
      body: problem("CONFLICT"),
    });
  });

  it("requires the setup code if the connection may be from another person", async () => {
    server = await startServerHere();
    const client = server.client();
    const proxied = { "x-forwarded-for": "203.0.113.9" };
    expect((await client.post("/api/auth/setup", OWNER, proxied)).status).toBe(403);
    expect((await client.post("/api/auth/setup", { ...OWNER, setupCode: "WRONG" }, proxied)).status).toBe(
      403,
    );
    expect(
      (await client.post("/api/auth/setup", { ...OWNER, setupCode: server.setupCode }, proxied)).status,
    ).toBe(201);
  });

  it("is not created from invalid values, and can still be created afterwards", async () => {
    server = await startServerHere();
    const attempts: [object, number][] = [
      [{ username: "ada" }, 400],
      [{ username: "ada", password: "short" }, 422],
      [{ username: "Ada Lovelace", password: OWNER.password }, 422],
      [{ username: "../ada", password: OWNER.password }, 422],
      [{ ...OWNER, role: "owner" }, 400],
    ];
    for (const [body, status] of attempts) {
      expect((await server.client().post("/api/auth/setup", body)).status).toBe(status);
    }
    expect((await server.client().post("/api/auth/setup", OWNER)).status).toBe(201);
  });
});

describe("a session", () => {
  let server: TestServer;
  let owner: Client;
  serveBeforeAll((served) => ({ server, owner } = served));

  const signedIn = async () => {
    const client = server.client();
    expect((await client.signIn(OWNER)).status).toBe(200);
    return client;
  };

  it("is required, and an invented one is refused", async () => {
    expect(await server.client().get("/api/auth/me")).toMatchObject({
      status: 401,
      body: problem("NOT_SIGNED_IN"),
    });
    for (const cookie of [
      "metahuman_session=x",
      `metahuman_session=${"a".repeat(43)}`,
      "metahuman_session=",
    ]) {
      expect((await server.client().get("/api/auth/me", { cookie })).status).toBe(401);
    }
    expect((await server.client().get("/api/auth/me", { authorization: "Bearer made-up" })).status).toBe(401);
  });

  it("returns who signed in, as a flat object", async () => {
    const client = server.client();
    expect(await client.signIn(OWNER)).toMatchObject({
      status: 200,
      body: { username: "ada", role: "owner", mode: "dual" },
    });
  });

  it("is refused to an unknown name in the same words as to a wrong password", async () => {
    const wrong = await server.client().signIn({ ...OWNER, password: "wrong password" });
    const unknown = await server.client().signIn({ username: "nobody", password: "wrong password" });
    expect(wrong).toMatchObject({ status: 401, body: problem("WRONG_CREDENTIALS") });
    expect(unknown.body).toEqual(wrong.body);
  });

  it("is recorded in the audit log if it is refused: who and from where, without the typed text", async () => {
    const typed = "pa55-typed-as-the-name";
    await server.client().signIn({ ...OWNER, password: "not-the-password" });
    await server.client().signIn({ username: typed, password: "not-the-password" });
    const recorded = async () => JSON.stringify((await owner.get("/api/audit?query=sign_in_failed")).body);
    await expect.poll(recorded).toContain('"account":"ada"');
    await expect.poll(recorded).toContain("No account has this name.");
    const text = await recorded();
    expect(text).toContain('"address":"127.0.0.1"');
    expect(text).not.toMatch(/not-the-password|pa55-typed/);
  });

  it("ends at sign-out with its streams, but not the sessions of others", async () => {
    const [leaving, staying] = [await signedIn(), await signedIn()];
    const stays = new AbortController();
    const left = leaving.events("/api/events")[Symbol.asyncIterator]();
    const kept = staying.events("/api/events", { signal: stays.signal })[Symbol.asyncIterator]();
    await left.next();
    await kept.next();
    const cookie = leaving.credentials;
    expect((await leaving.post("/api/auth/logout")).status).toBe(204);
    for (let next = await left.next(); next.done !== true; next = await left.next());
    expect((await server.client().get("/api/auth/me", cookie)).status).toBe(401);
    expect((await staying.get("/api/auth/me")).status).toBe(200);
    stays.abort();
  });

  it.each([
    ["POST /api/tasks", "application/json", '{"title":"Planted"}'],
    ["GET /api/events", "application/json", "{}"],
    ["POST /api/files/content?path=out/planted.md", "application/octet-stream", "Planted"],
    ["POST /api/inbox?name=planted.md", "application/octet-stream", "Planted"],
  ])("that has ended does not carry out %s, whose body arrives later", async (line, type, body) => {
    const leaving = await signedIn();
    const head = [
      `${line} HTTP/1.1`,
      `Host: ${new URL(server.url).host}`,
      `Origin: ${server.url}`,
      `Cookie: ${leaving.credentials["cookie"]}`,
      `Content-Type: ${type}`,
      `Content-Length: ${body.length}`,
    ];
    async function* afterSigningOut(): AsyncGenerator<Buffer> {
      await leaving.post("/api/auth/logout");
      yield Buffer.from(body.slice(1));
    }
    const answer = await sendRaw(
      server.url,
      `${head.join("\r\n")}\r\n\r\n${body.slice(0, 1)}`,
      afterSigningOut(),
    ).catch((error: unknown) => error);
    // A request that is streamed is cut off.
    if (!(answer instanceof Error)) expect(answer).toMatchObject({ status: 401 });
    expect(await owner.get("/api/tasks")).toMatchObject({ body: { total: 0 } });
    for (const path of ["out/planted.md", "inbox/planted.md"])
      expect((await owner.get(`/api/files/content?path=${path}`)).status).toBe(404);
  });

  it("ends everywhere else when the password changes", async () => {
    const elsewhere = await signedIn();
    const changed = { ...OWNER, password: "an even better battery" };
    const wrong = { current: "wrong password", next: changed.password };
    expect(await owner.post("/api/auth/password", wrong)).toMatchObject({
      status: 401,
      body: { error: { message: "The current password is wrong." } },
    });
    expect(
      (await owner.post("/api/auth/password", { current: OWNER.password, next: changed.password })).status,
    ).toBe(204);
    expect((await elsewhere.get("/api/auth/me")).status).toBe(401);
    expect((await owner.get("/api/auth/me")).status).toBe(200);
    expect(
      (await owner.post("/api/auth/password", { current: changed.password, next: OWNER.password })).status,
    ).toBe(204);
  });

  it("has a cookie for HTTPS only if the browser uses HTTPS", async () => {
    const answer = await server.client().post("/api/auth/login", OWNER, { "x-forwarded-proto": "https" });
    expect(answer.headers.getSetCookie()[0]).toMatch(/; Secure/);
  });

  it.each([
    ["a foreign Origin", { origin: "http://evil.example" }],
    ["another port's Origin", { origin: "http://127.0.0.1:1" }],
    ["no Origin to speak of", { origin: "null" }],
    ["a foreign site by the browser's word", { "sec-fetch-site": "cross-site" }],
    ["a sibling site by the browser's word", { "sec-fetch-site": "same-site" }],
  ])("changes nothing for %s", async (_whose, headers) => {
    const refused = { status: 403, body: problem("FORBIDDEN_ORIGIN") };
    expect(await owner.post("/api/tasks", { title: "From elsewhere" }, headers)).toMatchObject(refused);
    expect(await owner.get("/api/tasks", headers)).toMatchObject(refused);
    expect(await server.client().post("/api/auth/login", OWNER, headers)).toMatchObject(refused);
    expect(await owner.get("/api/tasks")).toMatchObject({ body: { total: 0 } });
  });

  it("requires an Origin for changes, and none for reads", async () => {
    const bare = { headers: owner.credentials };
    expect((await fetch(`${server.url}/api/tasks`, bare)).status).toBe(200);
    const post = {
      ...bare,
      method: "POST",
      body: '{"title":"x"}',
      headers: { ...owner.credentials, "content-type": "application/json" },
    };
    expect((await fetch(`${server.url}/api/tasks`, post)).status).toBe(403);
    const sameOrigin = { ...post, headers: { ...post.headers, "sec-fetch-site": "same-origin" } };
    expect((await fetch(`${server.url}/api/tasks`, sameOrigin)).status).toBe(201);
  });
});

describe("signing in", () => {
  let server: TestServer;
  afterEach(() => server.dispose());

  it("is refused after too many wrong passwords, also for the right one, with the time to wait", async () => {
    server = await startServerHere();
    await server.owner();
    const statuses: number[] = [];
    for (let tries = 0; tries < 20; tries += 1) {
      statuses.push((await server.client().signIn({ ...OWNER, password: `wrong ${tries}` })).status);
    }
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(statuses.at(-1)).toBe(429);
    const right = await server.client().signIn(OWNER);
    expect(right).toMatchObject({ status: 429, body: problem("RATE_LIMITED") });
    expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it(
    "works for more people at once than may fail, with the right password, and for the owner after them",
    { timeout: 120_000 },
    async () => {
      server = await startServerHere();
      const owner = await server.owner();
      const bob = { username: "bob", password: "a battery of horses" };
      expect((await owner.post("/api/profiles", bob)).status).toBe(201);
      const people = Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? OWNER : bob));
      const answers = await Promise.all(people.map((person) => server.client().signIn(person)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect((await server.client().signIn(OWNER)).status).toBe(200);
      const guesses = Array.from({ length: 15 }, (_, n) =>
        server.client().signIn({ ...OWNER, password: `wrong ${n}` }),
      );
      const refused = (await Promise.all(guesses)).filter(({ status }) => status === 429);
      expect(refused).toHaveLength(5);
    },
  );

  it("counts the address that a trusted proxy forwards, and never one that another client claims", async () => {
    const from = async (address: string, password: string) => {
      const proxied = { "x-forwarded-for": address };
      return (await server.client().post("/api/auth/login", { ...OWNER, password }, proxied)).status;
    };
    const statuses = async () => {
      await server.owner();
      for (let n = 0; n < 2; n += 1) await from("203.0.113.9", "wrong password");
      return [await from("198.51.100.7", OWNER.password), await from("203.0.113.9", OWNER.password)];
    };
    const login = { attempts: 2 };
    expect(await configured({ login, trustedProxies: ["127.0.0.1"] }, statuses)).toEqual([200, 429]);
    expect(await configured({ login }, statuses)).toEqual([429, 429]);
  });

  it("lasts as long as the configuration says", async () => {
    const session = { idleTimeoutMs: 60_000, absoluteTimeoutMs: 6_000 };
    await configured({ session }, async () => {
      const client = await server.owner();
      expect((await client.get("/api/auth/me")).status).toBe(200);
      // The test is about the passing of time.
      await expect
        .poll(async () => (await client.get("/api/auth/me")).body, { timeout: 10_000, interval: 250 })
        .toMatchObject(problem("SESSION_EXPIRED"));
      expect((await client.get("/api/auth/me")).status).toBe(401);
    });
  });

  /** Calls `work` with a server that has its own settings. */
  async function configured<Result>(settings: object, work: () => Promise<Result>): Promise<Result> {
    const home = await mkdtemp(join(tmpdir(), "metahuman-"));
    try {
      await mkdir(join(home, "etc"));
      await writeFile(join(home, "etc/server.json"), JSON.stringify(settings));
      server = await startServerHere({ home });
      const result = await work();
      await server.dispose();
      return result;
    } finally {
      await rm(home, { recursive: true });
    }
  }
});
