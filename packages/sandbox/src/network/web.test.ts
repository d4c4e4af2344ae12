import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startWebServer, type WebServer } from "../../../../tests/support/web-server.ts";
import { isPublicAddress } from "./address-guard.ts";
import type { Lookup, WebRequest } from "./exchange.ts";
import { startResolver } from "../testing/resolver.ts";
import { createWeb } from "./web.ts";

let server: WebServer;
let host: string;
let seen: { url: string; headers: NodeJS.Dict<string | string[]> }[] = [];
let answer: RequestListener = (_request, response) => void response.end("hello");

beforeAll(async () => {
  server = await startWebServer((request, response) => {
    seen.push({ url: request.url ?? "", headers: request.headers });
    answer(request, response);
  });
  ({ host } = server);
});
beforeEach(() => {
  seen = [];
  answer = (_request, response) => void response.end("hello");
});
afterAll(() => server.close());

const usual = (): WebRequest => ({ headers: {}, maxBytes: 10_000, signal: new AbortController().signal });
const allowing = (timeoutMs = 20_000, lookup?: Lookup) =>
  createWeb(() => ({ privateHosts: [host], timeoutMs }), lookup);
const guarded = (lookup?: Lookup) => createWeb(() => ({ privateHosts: [], timeoutMs: 20_000 }), lookup);
const resolvesTo =
  (...addresses: string[]): Lookup =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
const port = () => host.split(":")[1] ?? "";

/** Spellings of this machine, private networks and metadata services. */
const PRIVATE_URLS = [
  "http://127.0.0.1/",
  "http://127.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0177.0.0.1/",
  "http://0x7f.0.0.0x1/",
  "http://127.0.0.1./",
  "http://%31%32%37.0.0.1/",
  "http://\uFF11\uFF12\uFF17.0.0.1/",
  "http://0/",
  "http://0.0.0.0:80/",
  "http://localhost/",
  "http://LOCALHOST./",
  "http://a.localhost/",
  "http://[::1]/",
  "http://[::]/",
  "http://[0:0:0:0:0:ffff:7f00:1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:169.254.169.254]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[2001::1]/",
  "http://[fe80::1]/",
  "http://[fc00::1]/",
  "http://[fd00:ec2::254]/",
  "http://[ff02::1]/",
  "http://10.0.0.1/",
  "http://100.64.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://172.16.0.1/",
  "http://172.31.255.255/",
  "http://192.168.1.1/",
  "http://3232235777/",
  "http://192.31.196.1/",
  "http://192.52.193.1/",
  "http://192.175.48.1/",
  "http://[2620:4f:8000::1]/",
  "http://198.18.0.1/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
];

describe("addresses", () => {
  it.each(PRIVATE_URLS)("%s is refused before any request", (url) => {
    expect(() => guarded().check(url)).toThrow(expect.objectContaining({ code: "PERMISSION_DENIED" }));
  });

  it.each([
    "file:///etc/passwd",
    "ftp://example.org/",
    "gopher://127.0.0.1/",
    "javascript:alert(1)",
    "data:text/plain,x",
    "http://",
    "http://user@example.org/",
    "https://user:secret@example.org/",
    "example.org",
    "",
    "http://exa mple.org/",
  ])("%j is an invalid address", (url) => {
    expect(() => guarded().check(url)).toThrow(expect.objectContaining({ code: "INVALID_ARGS" }));
  });

  it("of the public internet are accepted, without their fragment", () => {
    expect(guarded().check("https://example.org:443/a?b#c").href).toBe("https://example.org/a?b");
    for (const url of ["http://1.1.1.1/", "http://[2606:4700::1111]/", "http://172.32.0.1/"])
      expect(() => guarded().check(url)).not.toThrow();
  });

  it("that carry a private IPv4 address in any mapped form are never public", () => {
    fc.assert(
      fc.property(fc.constantFrom("10.", "127.", "169.254.", "192.168."), fc.ipV4(), (prefix, rest) => {
        const v4 = [...prefix.split(".").slice(0, -1), ...rest.split(".")].slice(0, 4).join(".");
        const hex = v4
          .split(".")
          .map((part) => Number(part).toString(16).padStart(2, "0"))
          .join("");
        const grouped = `${hex.slice(0, 4)}:${hex.slice(4)}`;
        for (const address of [
          v4,
          `::ffff:${v4}`,
          `::ffff:${grouped}`,
          `64:ff9b::${grouped}`,
          `2002:${grouped}::1`,
        ])
          expect(isPublicAddress(address), address).toBe(false);
      }),
    );
  });

  it("that are not addresses are not public", () => {
    for (const text of ["", "localhost", "1.2.3", "::ffff:1.2.3", "fe80::1%eth0"])
      expect(isPublicAddress(text)).toBe(false);
  });
});

describe("a name", () => {
  it.each([["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["10.0.0.1"]])(
    "that resolves to %s is refused, and nothing is sent",
    async (...addresses) => {
      const web = guarded(resolvesTo(...addresses));
      await expect(web.get(`http://rebinding.example:${port()}/`, usual())).rejects.toMatchObject({
        code: "PERMISSION_DENIED",
      });
      expect(seen).toEqual([]);
    },
  );

  it("with changing answers is resolved once, and the connection uses that address", async () => {
    const resolver = await startResolver(["1.1.1.1"], ["127.0.0.1"]);
    try {
      const web = createWeb(() => ({ privateHosts: [], timeoutMs: 300 }), resolver.lookup);
      const url = `http://rebinding.example:${port()}/`;
      // No server answers at the public address within that time.
      await expect(web.get(url, usual())).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:TIMEOUT|NETWORK_ERROR)$/u) as unknown,
      });
      expect(resolver.questions()).toBe(1);
      await expect(web.get(url, usual())).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
      expect(resolver.questions()).toBe(2);
      expect(seen).toEqual([]);
    } finally {
      resolver.close();
    }
  });

  it("that does not exist is a network error", async () => {
    const lookup: Lookup = (_hostname, _options, callback) =>
      callback(Object.assign(new Error("not found"), { code: "ENOTFOUND" }), []);
    await expect(guarded(lookup).get("http://nobody.example/", usual())).rejects.toMatchObject({
      code: "NETWORK_ERROR",
      message: "nobody.example could not be reached (ENOTFOUND).",
    });
  });
});

describe("an exchange", () => {
  const get = (path = "/", request: Partial<WebRequest> = {}) =>
    allowing().get(`http://${host}${path}`, { ...usual(), ...request });

  it("returns the response of the server", async () => {
    answer = (_request, response) => {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("not here");
    };
    expect(await get("/x?y=1#z", { headers: { accept: "text/plain" } })).toEqual({
      status: 404,
      contentType: "text/plain; charset=utf-8",
      body: Buffer.from("not here"),
      truncated: false,
      finalUrl: `http://${host}/x?y=1`,
    });
    expect(seen).toMatchObject([
      { url: "/x?y=1", headers: { accept: "text/plain", "accept-encoding": "identity" } },
    ]);
    expect(seen[0]?.headers).not.toHaveProperty("cookie");
  });

  it("stops at the maximum size, also for compressed bodies", async () => {
    answer = (_request, response) => void response.end("x".repeat(50_000));
    expect(await get()).toMatchObject({ truncated: true, body: Buffer.from("x".repeat(10_000)) });
    answer = (_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(20_000_000)));
    };
    const { body, truncated } = await get();
    expect([body.length, truncated]).toEqual([10_000, true]);
  });

  it("follows a limited number of redirects within the host", async () => {
    answer = ({ url }, response) => {
      if (url === "/end") response.end("arrived");
      else response.writeHead(302, { location: url === "/loop" ? "/loop" : "end" }).end();
    };
    expect(await get("/start")).toMatchObject({
      body: Buffer.from("arrived"),
      finalUrl: `http://${host}/end`,
    });
    await expect(get("/loop")).rejects.toMatchObject({ code: "NETWORK_ERROR" });
    expect(seen.filter(({ url }) => url === "/loop").length).toBeLessThan(10);
  });

  it.each([
    ["http://169.254.169.254/latest/meta-data/", "PERMISSION_DENIED"],
    ["http://[::1]/", "PERMISSION_DENIED"],
    ["//localhost/x", "PERMISSION_DENIED"],
    ["file:///etc/passwd", "INVALID_ARGS"],
    ["https://example.org/", "NETWORK_ERROR"],
  ])("does not follow a redirect to %s", async (location, code) => {
    answer = (_request, response) => void response.writeHead(302, { location }).end();
    await expect(get()).rejects.toMatchObject({ code });
  });

  it("names the other host of a redirect", async () => {
    answer = (_request, response) =>
      void response.writeHead(301, { location: "https://example.org/new" }).end();
    await expect(get()).rejects.toMatchObject({
      suggestions: ["If you want that page, get https://example.org/new instead."],
      context: { location: "https://example.org/new" },
    });
  });

  it("times out if a server stays silent or stops midway", async () => {
    answer = () => undefined;
    const impatient = allowing(50);
    await expect(impatient.get(`http://${host}/`, usual())).rejects.toMatchObject({ code: "TIMEOUT" });
    answer = (_request, response) => void response.write("beginning");
    await expect(impatient.get(`http://${host}/`, usual())).rejects.toMatchObject({ code: "TIMEOUT" });
    answer = (request) => void request.socket.destroy();
    await expect(get()).rejects.toMatchObject({ code: "NETWORK_ERROR" });
  });

  it("stops at once when it is aborted", async () => {
    const control = new AbortController();
    answer = () => control.abort(new Error("stopped"));
    await expect(get("/", { signal: control.signal })).rejects.toThrow("stopped");
  });

  it("connects to a private host only on the configured port", async () => {
    await expect(allowing().get("http://127.0.0.1:1/", usual())).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
    const anyPort = createWeb(() => ({ privateHosts: ["127.0.0.1"], timeoutMs: 20_000 }));
    expect(await anyPort.get(`http://${host}/`, usual())).toMatchObject({ status: 200 });
  });
});
