import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serveBeforeAll } from "../support/before-all.ts";
import { sendRaw } from "../support/raw-http.ts";
import { OWNER, startServerHere, type TestServer } from "../support/server.ts";
import type { Client } from "../support/client.ts";

let server: TestServer;
let owner: Client;
let host: string;

serveBeforeAll((served) => {
  ({ server, owner } = served);
  host = new URL(server.url).host;
});

const problem = (code: string) => ({ error: { code, message: expect.any(String) as unknown } });

describe("a body of 64 MB", () => {
  async function* megabytes(count: number): AsyncGenerator<Buffer> {
    for (let sent = 0; sent < count; sent += 1) yield await Promise.resolve(Buffer.alloc(1_000_000, "a"));
  }

  it("is refused by its announced length, before it is sent", async () => {
    const head = `POST /api/operator HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 64000000\r\n\r\n`;
    const answer = await sendRaw(server.url, head);
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject(problem("BODY_TOO_LARGE"));
  });

  it("is refused instead of answered with 100 Continue", async () => {
    const head = `POST /api/operator HTTP/1.1\r\nHost: ${host}\r\nExpect: 100-continue\r\nContent-Length: 64000000\r\n\r\n`;
    expect((await sendRaw(server.url, head)).status).toBe(413);
  });

  it("is refused while it arrives if it has no length", async () => {
    const head = `POST /api/operator HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    async function* chunks(): AsyncGenerator<Buffer> {
      for await (const chunk of megabytes(64))
        yield Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]);
    }
    expect((await sendRaw(server.url, head, chunks())).status).toBe(413);
  });

  it("is refused so that an ordinary client reads why, signed in or not", async () => {
    const body = JSON.stringify({ goal: "a".repeat(64_000_000) });
    for (const client of [server.client(), owner]) {
      const answer = await client.post("/api/operator", body);
      expect(answer.status).toBe(413);
      expect(answer.body).toMatchObject(problem("BODY_TOO_LARGE"));
    }
    expect((await owner.get("/api/auth/me")).status).toBe(200);
  });
});

describe("a body from somebody who is not signed in", () => {
  const post = (path: string, lines: string[]) =>
    [`POST ${path} HTTP/1.1`, `Host: ${host}`, "Content-Type: application/json", ...lines, "", ""].join(
      "\r\n",
    );

  it("of 32 MB is refused before it is read", async () => {
    for (const path of ["/api/auth/login", "/api/operator", "/login"]) {
      const answer = await sendRaw(server.url, post(path, ["Content-Length: 31999999"]));
      expect([path, answer.status]).toEqual([path, 413]);
      expect(JSON.parse(answer.body)).toMatchObject(problem("BODY_TOO_LARGE"));
    }
  });

  it("is refused after 64 KB if it has no length", async () => {
    async function* chunks(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from(`11000\r\n${"a".repeat(0x11000)}\r\n`));
    }
    const head = post("/api/auth/login", ["Transfer-Encoding: chunked"]);
    expect((await sendRaw(server.url, head, chunks())).status).toBe(413);
  });

  it("is refused for its origin before it is read", async () => {
    const lines = ["Origin: http://evil.example", "Content-Length: 60000"];
    const answer = await sendRaw(server.url, post("/api/auth/login", lines));
    expect(JSON.parse(answer.body)).toMatchObject(problem("FORBIDDEN_ORIGIN"));
  });

  it("with an expired session is reported as such, however large it is", async () => {
    const lines = ["Cookie: metahuman_session=ended", "Content-Length: 1000000"];
    const answer = await sendRaw(server.url, post("/api/memories", lines));
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject(problem("NOT_SIGNED_IN"));
  });

  it("with a million unknown keys is refused quickly with a short response", async () => {
    const keys = Array.from({ length: 1_000_000 }, (_, n) => `"key${n}":1`).join(",");
    const answer = await server.client().post("/api/auth/login", `{${keys}}`);
    expect(answer).toMatchObject({ status: 413, body: problem("BODY_TOO_LARGE") });
    const fitting = await server.client().post("/api/auth/login", `{${keys.slice(0, 60_000)}":1}`);
    expect(fitting).toMatchObject({ status: 400, body: problem("INVALID_REQUEST") });
    expect(JSON.stringify(fitting.body).length).toBeLessThan(2_000);
  });
});

describe("bodies that arrive at once", () => {
  it("are accepted up to a limit in total, beyond which larger ones are refused temporarily", async () => {
    const home = await mkdtemp(join(tmpdir(), "metahuman-"));
    await mkdir(join(home, "etc"));
    const settings = { maxBodyBytes: 100_000, maxBodiesInFlightBytes: 150_000 };
    await writeFile(join(home, "etc/server.json"), JSON.stringify(settings));
    const small = await startServerHere({ home });
    try {
      const client = await small.owner();
      const { cookie = "" } = client.credentials;
      const head = [
        "POST /api/tasks HTTP/1.1",
        `Host: ${new URL(small.url).host}`,
        `Origin: ${small.url}`,
        `Cookie: ${cookie}`,
        "Content-Type: application/json",
        "Content-Length: 90001",
      ].join("\r\n");
      const { hostname, port } = new URL(small.url);
      const slow = connect({ host: hostname, port: Number(port) });
      slow.write(`${head}\r\n\r\n${" ".repeat(90_000)}`);
      const large = `{"title": "x"${" ".repeat(90_000)}}`;
      // There is space until the slow one has arrived.
      await expect.poll(async () => (await client.post("/api/tasks", large)).status).toBe(503);
      const refused = await client.post("/api/tasks", large);
      expect(refused).toMatchObject({ status: 503, body: problem("SERVER_BUSY") });
      expect(refused.headers.get("retry-after")).toBe("5");
      expect((await client.post("/api/tasks", { title: "Small" })).status).toBe(201);
      expect((await small.client().signIn(OWNER)).status).toBe(200);
      slow.destroy();
      await expect.poll(async () => (await client.post("/api/tasks", large)).status).toBe(201);
    } finally {
      await small.dispose();
      await rm(home, { recursive: true });
    }
  });
});

describe("a request with one word of 60 000 characters", () => {
  it.each([
    ["alone", "k".repeat(60_000)],
    ["as the text of a memory", `remember that my key is ${"aB3".repeat(20_000)}`],
  ])("is answered %s", async (_, goal) => {
    expect((await owner.post("/api/operator", { goal })).status).toBe(200);
  });
});
