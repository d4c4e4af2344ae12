import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toProblem } from "./problem.ts";
import { once } from "node:events";
import { createServer } from "node:http";
import { createLogger } from "@metahuman/core/log/logger";
import { createLiveStreams } from "./live-streams.ts";
import { createRequestListener, requestPath } from "./request-listener.ts";

/** The path, or the status of the refusal. */
function read(target: string | undefined): string | number {
  try {
    return requestPath(target);
  } catch (error) {
    return toProblem(error).status;
  }
}

describe("the path of a request", () => {
  it.each([
    ["/", "/"],
    ["/api/runs?limit=5#x", "/api/runs"],
    ["/api/%72uns", "/api/runs"],
    ["/assets/caf%C3%A9.js", "/assets/café.js"],
    ["/a.b/..c", "/a.b/..c"],
  ])("%s is %s", (target, path) => {
    expect(read(target)).toBe(path);
  });

  it.each([
    undefined,
    "",
    "*",
    "http://evil.example/api/runs",
    "//evil.example/api",
    "/../etc/passwd",
    "/api/./runs",
    "/api/%2e%2e/runs",
    "/api/%252e%252e/runs",
    "/api%2fruns",
    "/api%5cruns",
    "/api\\runs",
    "/api/%00runs",
    "/api/%0d%0aSet-Cookie:x",
    "/api/%3fruns",
    "/api/%23runs",
    "/api/%zz",
    "/api/%c0%ae%c0%ae/runs",
    "/api/%e0%80",
    "/api/%",
  ])("%s is refused", (target) => {
    expect(read(target)).toBe(400);
  });

  it("never returns anything that a second decoder could interpret differently", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\/([a-z./%\\]|%[0-9a-f]{2}|%25){0,20}$/), (target) => {
        const path = read(target);
        if (path === 400) return;
        expect(path).toMatch(/^\/[^%\\\0]*$/);
        expect(String(path).split("/")).not.toContain("..");
        expect(requestPath(encodeURI(String(path)))).toBe(path);
      }),
    );
  });
});

it("responds with 503 to a load balancer while the server starts", async () => {
  const listener = createRequestListener({
    ready: new Promise(() => undefined),
    bound: { host: "127.0.0.1", port: 0 },
    live: createLiveStreams(),
    log: createLogger({ level: "silent" }),
  });
  const server = createServer((request, response) => void listener(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const ready = await fetch(`http://127.0.0.1:${port}/api/ready`);
  expect(ready.status).toBe(503);
  expect(ready.headers.get("retry-after")).toBe("1");
  expect(await ready.json()).toMatchObject({
    error: { code: "STORAGE_UNAVAILABLE", message: "The server is starting." },
  });
  server.closeAllConnections();
  server.close();
});
