import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toProblem } from "./problem.ts";
import { requestPath } from "./request-listener.ts";

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

  it("never comes back with anything that a second reader could take apart differently", () => {
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
