import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serveBeforeAll } from "../support/before-all.ts";
import { sendRaw } from "../support/raw-http.ts";
import type { TestServer } from "../support/server.ts";
import type { Client } from "../support/client.ts";

let server: TestServer;
let owner: Client;
let host: string;

serveBeforeAll((served) => {
  ({ server, owner } = served);
  host = new URL(server.url).host;
});

const problem = (code: string) => ({ error: { code, message: expect.any(String) as unknown } });

describe("every request", () => {
  it("answers health checks of anyone with little else", async () => {
    const { status, body } = await server.client().get("/api/health");
    expect(status).toBe(200);
    expect(body).toEqual({
      status: "ok",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as unknown,
      uptimeMs: expect.any(Number) as unknown,
    });
  });

  it.each(["/api/health", "/api/nothing", "/login", "/nothing", "/assets/nothing.js"])(
    "sends its security headers with %s",
    async (path) => {
      const { headers } = await server.client().get(path, { accept: "text/html" });
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    },
  );

  it("allows pages to load and run only their own content, and never to be framed or posted elsewhere", async () => {
    const { headers } = await server.client().get("/login");
    const policy = new Map(
      (headers.get("content-security-policy") ?? "").split(";").map((directive) => {
        const [name = "", ...sources] = directive.trim().split(/\s+/);
        return [name, sources] as const;
      }),
    );
    for (const own of ["default-src", "connect-src", "font-src", "form-action"])
      expect([own, policy.get(own)]).toEqual([own, ["'self'"]]);
    for (const none of ["object-src", "base-uri", "frame-ancestors"])
      expect([none, policy.get(none)]).toEqual([none, ["'none'"]]);
    expect(policy.get("img-src")).toEqual(["'self'", "data:", "blob:"]);
    expect(policy.get("script-src")?.join(" ")).toMatch(/^'self'( 'sha256-[\w+/]{43}=')+$/);
    expect(policy.get("style-src")?.join(" ")).toMatch(/^'self'( 'sha256-[\w+/]{43}=')+$/);
  });

  it.each(["evil.example", "evil.example:80", "localhost:1", "127.0.0.1", "localhost.evil.example", ""])(
    "refuses the host '%s', for pages, files and the API alike",
    async (name) => {
      for (const path of ["/", "/mark.svg", "/api/health"]) {
        const answer = await sendRaw(server.url, `GET ${path} HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
        expect(answer.status).toBe(403);
        expect(JSON.parse(answer.body)).toMatchObject(problem("FORBIDDEN_HOST"));
        expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      }
    },
  );

  it("refuses a request without a host", async () => {
    const answer = await sendRaw(server.url, "GET /api/health HTTP/1.1\r\n\r\n");
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toMatchObject(problem("FORBIDDEN_HOST"));
  });

  it("refuses two hosts in one request, and an address that is not on this server", async () => {
    const two = await sendRaw(
      server.url,
      `GET /api/health HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n\r\n`,
    );
    expect(two.status).toBeGreaterThanOrEqual(400);
    const proxy = await sendRaw(server.url, `GET http://evil.example/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(proxy.status).toBe(400);
  });

  it("refuses methods that no route has", async () => {
    const answer = await sendRaw(server.url, `TRACE / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toContain("GET");
    expect(JSON.parse(answer.body)).toMatchObject(problem("METHOD_NOT_ALLOWED"));
  });

  it("responds to invalid HTTP with a problem, and closes", async () => {
    const answer = await sendRaw(server.url, "HELLO\r\n\r\n");
    expect(answer.status).toBe(400);
    expect(answer.headers.get("connection")).toBe("close");
    expect(JSON.parse(answer.body)).toMatchObject(problem("INVALID_REQUEST"));
  });

  it("answers headers that are too large", async () => {
    const answer = await sendRaw(
      server.url,
      `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${"a".repeat(100_000)}\r\n\r\n`,
    );
    expect(answer.status).toBe(431);
  });
});

describe("a request", () => {
  it.each([
    ["no JSON", "{goal:", "application/json", 400, "INVALID_REQUEST"],
    ["nothing", "", "application/json", 400, "INVALID_REQUEST"],
    ["nothing in it", "{}", "application/json", 400, "INVALID_REQUEST"],
    ["a number for words", '{"goal": 7}', "application/json", 400, "INVALID_REQUEST"],
    ["a field nobody knows", '{"goal": "hello", "admin": true}', "application/json", 400, "INVALID_REQUEST"],
    ["text", '{"goal": "hello"}', "text/plain", 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["a form", "goal=hello", "application/x-www-form-urlencoded", 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["too many words", `{"goal": "${"a".repeat(200_001)}"}`, "application/json", 422, "INVALID_ARGS"],
    [
      "a depth there is not",
      '{"goal": "hello", "reasoningDepth": 9}',
      "application/json",
      422,
      "INVALID_ARGS",
    ],
  ])("as %s is refused", async (_what, body, type, status, code) => {
    const answer = await owner.post("/api/operator", body, { "content-type": type });
    expect(answer).toMatchObject({ status, body: problem(code) });
  });

  it("is refused without details of the machine", async () => {
    const { body } = await owner.post("/api/operator", "{goal:");
    expect(JSON.stringify(body)).not.toMatch(/at .*\.(ts|mjs|js):|node_modules|\/root|\/home|\/tmp/);
  });

  it("to an address with another method names the allowed ones", async () => {
    for (const method of ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const answer = await owner.send(method, "/api/operator");
      expect(answer).toMatchObject({ status: 405, body: problem("METHOD_NOT_ALLOWED") });
      expect(answer.headers.get("allow")).toBe("POST");
    }
    expect((await owner.send("HEAD", "/api/auth/me")).status).toBe(200);
    expect((await owner.send("HEAD", "/api/events")).status).toBe(200);
  });

  it.each(["/api", "/api/nothing", "/api/agents/nobody", "/api/runs/x/y/z"])(
    "to %s finds nothing",
    async (path) => {
      expect(await owner.get(path)).toMatchObject({ status: 404, body: problem("NOT_FOUND") });
    },
  );
});

describe("an encoded path", () => {
  it("never matches if the plain path does not", async () => {
    const guarded = ["/api/runs", "/api/audit", "/api/memories_all", "/api/profiles", "/api/auth/me"];
    const spelled = fc
      .tuple(fc.constantFrom(...guarded), fc.array(fc.nat(2), { minLength: 20, maxLength: 20 }))
      .map(([path, times]) =>
        Array.from(path)
          .map((letter, index) => encodeTimes(letter, times[index] ?? 0))
          .join(""),
      );
    await fc.assert(
      fc.asyncProperty(spelled, async (target) => {
        const { status } = await sendRaw(server.url, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        expect([400, 401, 404, 302]).toContain(status);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    "/..%2f..%2fetc/passwd",
    "/assets/%2e%2e/%2e%2e/server/entry.mjs",
    "/assets/..%5c..%5centry.mjs",
    "/%2e%2e/package.json",
    "/api/%2572uns",
    "/_image?href=/etc/passwd",
    "/_actions/x",
    "/_server-islands/x",
  ])("%s finds nothing", async (target) => {
    const { status } = await sendRaw(server.url, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect([400, 404]).toContain(status);
  });
});

/** One letter, percent-encoded as often as said. */
function encodeTimes(letter: string, times: number): string {
  let text = letter;
  for (let done = 0; done < times; done += 1)
    text = Array.from(text)
      .map((part) => `%${part.charCodeAt(0).toString(16).padStart(2, "0")}`)
      .join("");
  return text;
}
