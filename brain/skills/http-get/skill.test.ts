import type { RequestListener } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { startWebServer, type WebServer } from "../../../tests/support/web-server.ts";
import { htmlToText } from "../support/html-to-text.ts";
import { webSearch } from "../web-search/skill.ts";
import { httpGet } from "./skill.ts";

const harness = skillHarness();
let server: WebServer;
let host: string;
let seen: string[] = [];
let answer: RequestListener = (_request, response) => void response.end();

beforeAll(async () => {
  server = await startWebServer((request, response) => {
    seen.push(request.url ?? "");
    answer(request, response);
  });
  ({ host } = server);
});
beforeEach(() => {
  seen = [];
  harness.configure({ network: { privateHosts: [host] } });
});
afterAll(() => server.close());

const respondWith = (contentType: string, body: string | Buffer): RequestListener => {
  return (_request, response) => void response.writeHead(200, { "content-type": contentType }).end(body);
};
const get = (args: Record<string, unknown> = {}) =>
  harness.call(httpGet, { url: `http://${host}/page`, ...args });

describe("http_get", () => {
  it("fetches a page, and shows its visible text", async () => {
    answer = respondWith(
      "text/html; charset=utf-8",
      "<title>T</title><script>alert(1)</script><p>Tides &amp; times</p><p>High at 9</p>",
    );
    const { assessment, outputs, narrative, structured } = await get();
    expect(assessment).toMatchObject({
      risk: "medium",
      hosts: [host],
      paths: [],
      grant: { host },
      preview: { title: `Get http://${host}/page from the web?`, target: `http://${host}/page` },
    });
    expect(outputs).toMatchObject({
      status: 200,
      contentType: "text/html; charset=utf-8",
      body: expect.stringContaining("<script>") as unknown,
      finalUrl: `http://${host}/page`,
      truncated: false,
    });
    expect(narrative).toBe(`Got http://${host}/page (status 200): T Tides & times High at 9.`);
    expect(structured).toContain("Tides & times\nHigh at 9");
    expect(structured).not.toContain("alert");
  });

  it("decodes other alphabets, and omits binary content", async () => {
    answer = respondWith("text/plain; charset=iso-8859-1", Buffer.from("caf\u00e9", "latin1"));
    expect((await get()).outputs).toMatchObject({ body: "café" });
    answer = respondWith("text/plain; charset=no-such", "plain");
    expect((await get()).outputs).toMatchObject({ body: "plain" });
    answer = respondWith("image/png", Buffer.from([0x89, 0, 1, 2]));
    const { outputs, narrative } = await get();
    expect(outputs).toMatchObject({ body: "", bytes: 4 });
    expect(narrative).toContain("4 bytes, image/png");
  });

  it("reports that a page was truncated, and returns the body of an error", async () => {
    answer = respondWith("text/plain", "x".repeat(500));
    expect((await get({ maxBytes: 100 })).outputs).toMatchObject({ truncated: true, bytes: 100 });
    answer = (_request, response) =>
      void response.writeHead(404, { "content-type": "text/plain" }).end("not here");
    expect((await get()).outputs).toMatchObject({ status: 404, body: "not here" });
  });

  it.each([
    "Authorization",
    "cookie",
    "Host",
    "X-Api-Key",
    "Proxy-Authorization",
    "x-auth-token",
    "Content-Length",
  ])("sends no header %s", async (name) => {
    await expect(get({ headers: { [name]: "x" } })).rejects.toMatchObject({ code: "INVALID_ARGS" });
    expect(seen).toEqual([]);
  });

  it("replaces the name of a secret in a header, but not in headers that change the connection", async () => {
    answer = respondWith("text/plain", "tides");
    const { preview } = (await get({ headers: { authorization: "Bearer ${secret:TIDE_KEY}" } })).assessment;
    expect(JSON.stringify(preview)).toContain("${secret:TIDE_KEY}");
    expect(preview.facts).toContainEqual({ label: "at most", value: "200 kB" });
    await expect(get({ headers: { host: "${secret:TIDE_KEY}" } })).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
  });

  it("rejects a header that would start another one", async () => {
    for (const headers of [{ accept: "a\r\nHost: b" }, { "a b": "c" }, { "a:b": "c" }, { accept: "\u20ac" }])
      await expect(get({ headers })).rejects.toMatchObject({ code: "INVALID_ARGS" });
  });

  it("is refused before a person is asked if the address is private, with advice for the owner", async () => {
    harness.configure({});
    await expect(get()).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
      suggestions: [expect.stringContaining("network.privateHosts") as unknown],
    });
    expect(seen).toEqual([]);
  });
});

describe("web_search", () => {
  const search = (args: Record<string, unknown> = {}) =>
    harness.call(webSearch, { query: "tides & times", ...args });
  beforeEach(() => harness.configure({ webSearch: { url: `http://${host}/searx` } }));

  it("sends requests to the configured server only, although it is on this machine", async () => {
    const results = [
      { title: "Tide | tables", url: "https://example.org/tides", content: "High at *nine*", engine: "x" },
      { title: "No address" },
      { url: "https://example.org/untitled" },
    ];
    answer = respondWith("application/json", JSON.stringify({ query: "x", results }));
    const { assessment, outputs, narrative, structured } = await search();
    expect(seen).toEqual(["/searx/search?q=tides+%26+times&format=json"]);
    expect(assessment).toMatchObject({ risk: "medium", hosts: [host], grant: { host } });
    expect(outputs).toEqual({
      results: [
        { title: "Tide | tables", url: "https://example.org/tides", snippet: "High at *nine*" },
        { title: "https://example.org/untitled", url: "https://example.org/untitled", snippet: "" },
      ],
    });
    expect(narrative).toBe("Found 2 pages; the first: Tide | tables (https://example.org/tides).");
    expect(structured).toContain("| Tide \\| tables |");
    expect((await search({ limit: 1 })).outputs).toMatchObject({ results: { length: 1 } });
    await expect(harness.call(httpGet, { url: `http://${host}/` })).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
  });

  it("reports that it found nothing, and the problem of a server", async () => {
    answer = respondWith("application/json", '{"results": []}');
    expect((await search()).narrative).toBe("Found nothing on the web.");
    for (const reply of ["<html>", '{"results": 1}', "null"]) {
      answer = respondWith("application/json", reply);
      await expect(search()).rejects.toMatchObject({ code: "NETWORK_ERROR" });
    }
    answer = (_request, response) => void response.writeHead(403).end();
    await expect(search()).rejects.toMatchObject({
      suggestions: ["Allow the format json on the search server."],
    });
  });
});

describe("htmlToText", () => {
  it("keeps the words and their lines", () => {
    expect(htmlToText("<h1>A</h1><ul><li>b<li>c &lt;d&gt; &#233; &#x1F600; &bogus;</ul>")).toBe(
      "A\n- b- c <d> é 😀 &bogus;",
    );
    expect(htmlToText("a<!-- b <script>c</script> d")).toBe("a");
    expect(htmlToText("1 < 2 && 3 > 2")).toBe("1 < 2 && 3 > 2");
    expect(htmlToText("a<SCRIPT>b</script >c<style>d")).toBe("a c");
    expect(htmlToText("a <b class='x'>b</b> <unclosed c")).toBe("a b <unclosed c");
    expect(htmlToText("<p>a</p><P\n>b</P><br/>c<hr>d")).toBe("a\nb\n\nc\nd");
  });

  // A quadratic scan of a megabyte takes minutes.
  it.each(["<a", "<br", "<li", "<script", "</script", "<!--", "<!-- -->", "&#", " ", "\n", "</", "<p>"])(
    "reads a megabyte of %j in one pass",
    (part) => {
      const html = part.repeat(Math.ceil(1_000_000 / part.length));
      expect(htmlToText(html).length).toBeLessThanOrEqual(html.length);
    },
  );

  it("keeps text that is not markup", () => {
    expect(htmlToText("x<y")).toBe("x<y");
  });
});
