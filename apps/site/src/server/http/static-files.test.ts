import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWebServer, type WebServer } from "../../../../../tests/support/web-server.ts";
import { loadStaticFiles } from "./static-files.ts";

const script = "export const word = 'hello';\n".repeat(50);
let url = "";
let folder = "";
let server: WebServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "static-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "assets/app.1234.js"), script);
  await writeFile(join(folder, "assets/app.1234.js.br"), brotliCompressSync(script));
  await writeFile(join(folder, "assets/app.1234.js.gz"), gzipSync(script));
  await writeFile(join(folder, "favicon.svg"), "<svg/>");
  const serve = await loadStaticFiles(folder);
  server = await startWebServer((request, response) => {
    if (!serve(new URL(request.url ?? "", "http://x").pathname, request, response))
      response.writeHead(404).end();
  });
  url = `http://${server.host}`;
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

it.each([
  ["br, gzip", "br"],
  ["gzip, deflate", "gzip"],
  ["br;q=0, gzip;q=0.5", "gzip"],
  ["identity", null],
])("responds to Accept-Encoding: %s with %s and the same text", async (accepted, encoding) => {
  const response = await fetch(`${url}/assets/app.1234.js`, { headers: { "accept-encoding": accepted } });
  expect(response.headers.get("content-encoding")).toBe(encoding);
  expect(response.headers.get("vary")).toBe("Accept-Encoding");
  expect(response.headers.get("content-type")).toContain("text/javascript");
  expect(await response.text()).toBe(script);
});

it("is cached permanently for names with a hash, and revalidated otherwise", async () => {
  const asset = await fetch(`${url}/assets/app.1234.js`);
  expect(asset.headers.get("cache-control")).toContain("immutable");
  const icon = await fetch(`${url}/favicon.svg`);
  expect(icon.headers.get("cache-control")).toBe("no-cache");
  const again = await fetch(`${url}/favicon.svg`, {
    headers: { "if-none-match": icon.headers.get("etag") ?? "" },
  });
  expect(again.status).toBe(304);
});

it("continues to serve its files when a build replaces them", async () => {
  await rm(join(folder, "favicon.svg"));
  expect((await fetch(`${url}/favicon.svg`)).status).toBe(200);
});

it.each(["/assets/app.1234.js.br", "/assets", "/nothing.js", "/assets/../favicon.svg/x"])(
  "responds with 404 for %s",
  async (path) => {
    expect((await fetch(url + path)).status).toBe(404);
  },
);

it("does not respond to requests that would change something", async () => {
  expect((await fetch(`${url}/favicon.svg`, { method: "POST" })).status).toBe(404);
});
