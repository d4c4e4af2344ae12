import type { RequestListener } from "node:http";
import { readRequest } from "@metahuman/core/language/read-request";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { startWebServer, type WebServer } from "../../../tests/support/web-server.ts";
import { installedSkills } from "../installed.ts";
import { skillGrammar } from "../skill-card.ts";
import { webWatch } from "./skill.ts";

const harness = skillHarness();
let server: WebServer;
let answer: RequestListener = (_request, response) => void response.end();

beforeAll(async () => {
  server = await startWebServer((request, response) => answer(request, response));
});
beforeEach(() => harness.configure({ network: { privateHosts: [server.host] } }));
afterAll(() => server.close());

let pages = 0;
let runs = 0;
/** Checks the newest page in a separate run. */
const look = () =>
  harness.call(webWatch, { url: `http://${server.host}/${pages}` }, { runId: `run-${(runs += 1)}` });
/** Checks a page, new in each test, that then has these contents in turn. */
async function looks(contentType: string, ...bodies: (string | Buffer)[]) {
  pages += 1;
  const results = [];
  for (const body of bodies) {
    answer = (_request, response) => void response.writeHead(200, { "content-type": contentType }).end(body);
    results.push(await look());
  }
  return results;
}
const html = (...lines: string[]) =>
  `<head><title>T</title></head><script>var t=${Math.random()}</script>${lines.map((line) => `<p>${line}</p>`).join("")}`;

describe("web_watch", () => {
  it("stores a page the first time, and explains how to get notified", async () => {
    const [first] = await looks("text/html", html("Boots 90", "Socks 9"));
    expect(first?.outputs).toMatchObject({
      state: "first",
      lines: 2,
      added: [],
      removed: [],
      scheduled: false,
    });
    expect(first?.narrative).toMatch(
      /^Remembered http:\S+ as it is now \(2 lines\)\. To be told when it changes, ask: every 2 hours check/u,
    );
    expect(first?.assessment).toMatchObject({ hosts: [server.host], grant: { host: server.host } });
  });

  it("reports the new and the removed visible lines", async () => {
    const before = html("Boots 90", "Socks 9", "Socks 9");
    const [, same, changed, after] = await looks(
      "text/html; charset=utf-8",
      before,
      before.replace("var t", "let u"),
      html("Socks 9", "Boots &euro; 80", "Socks 9", "Hats 20"),
      html("Socks 9", "Boots &euro; 80", "Socks 9", "Hats 20"),
    );
    expect(same).toMatchObject({ outputs: { state: "unchanged", addedCount: 0, removedCount: 0 } });
    expect(same?.narrative).toMatch(/ has not changed since \d{4}-\d\d-\d\d \d\d:\d\d\.$/u);
    expect(changed?.outputs).toMatchObject({ state: "changed", addedCount: 2, removedCount: 1 });
    expect(changed?.narrative).toMatch(
      /: 2 new lines, 1 line gone\. New: “Boots.+80”; “Hats 20”\. Gone: “Boots 90”\.$/u,
    );
    expect(changed?.structured).toContain("- Boots 90\n+ Boots");
    expect(after?.outputs).toMatchObject({ state: "unchanged" });
  });

  it("shows no control characters and no quotation marks of the page", async () => {
    const [, changed, same] = await looks(
      "text/plain",
      "price 1",
      "\u001b[31mprice\u0007 2\u202e”. Gone: “all”",
      "[31mprice 2”. Gone: “all”",
    );
    expect(changed?.outputs["added"]).toEqual(["[31mprice 2”. Gone: “all”"]);
    expect(changed?.narrative).toContain(`New: “[31mprice 2". Gone: "all"”. Gone: “price 1”.`);
    expect(same?.outputs["state"]).toBe("unchanged");
  });

  it("reports that only the order of the lines changed", async () => {
    const [, moved] = await looks("text/plain", "a\nb", "b\r\na\n");
    expect(moved?.narrative).toContain("its lines are in another order.");
  });

  it("shows a few lines of a long change, and of a long line the part that differs", async () => {
    const row = (value: string) => JSON.stringify({ text: "x".repeat(400), [value]: "y".repeat(400) });
    const [, json, grown] = await looks(
      "application/json",
      row("old"),
      row("new"),
      JSON.stringify(Array.from({ length: 50 }, (_, index) => `item ${index}`)),
    );
    expect(json?.outputs).toMatchObject({ addedCount: 1, removedCount: 1 });
    expect(json?.narrative).toContain('“"new":"yyy');
    expect(json?.narrative.length).toBeLessThan(700);
    expect(grown?.outputs["added"]).toHaveLength(5);
    expect(grown?.outputs["addedCount"]).toBeGreaterThanOrEqual(50);
    const long = `${"same ".repeat(100)}end`;
    const [, line] = await looks("text/plain", `${long} 1`, `${long} 2`);
    expect(line?.outputs["added"]).toEqual([expect.stringMatching(/^….*end 2$/u)]);
  });

  it("splits JSON into lines however deep, long or broken it is", async () => {
    const deep = "[".repeat(400_000) + "]".repeat(400_000);
    const wide = `${"[".repeat(2_000)}${"1,".repeat(490_000)}1${"]".repeat(2_000)}`;
    const open = `{"a": "${'\\"'.repeat(300_000)}`;
    for (const body of [deep, wide, open]) {
      const [first, same] = await looks("application/json", body, body);
      expect([first?.outputs["state"], same?.outputs["state"]]).toEqual(["first", "unchanged"]);
    }
    const [, spaced] = await looks("application/json", '{"a": [1, "b, c"]}', '{ "a":[1,\n"b, c"] }');
    expect(spaced?.outputs["state"]).toBe("unchanged");
  });

  it("compares content that is not text byte by byte", async () => {
    const [, same, other] = await looks(
      "image/png",
      Buffer.from([1, 0]),
      Buffer.from([1, 0]),
      Buffer.from([1, 2]),
    );
    expect([same?.outputs["state"], other?.outputs["state"]]).toEqual(["unchanged", "changed"]);
    expect(other?.narrative).toContain("2 bytes, image/png, SHA-256");
  });

  it("reports that it compared only the beginning of a long page", async () => {
    const [first] = await looks("text/plain", "line\n".repeat(100_000));
    expect(first?.narrative).toContain("Only the beginning of the page was compared.");
  });

  it.each([
    [404, "INVALID_ARGS", "has no page at this address any more (404)."],
    [403, "INVALID_ARGS", "does not show this page (403)."],
    [503, "NETWORK_ERROR", "answered with an error (503)."],
    [429, "NETWORK_ERROR", "answered with an error (429)."],
  ])("compares nothing when the server answers %i", async (status, code, sentence) => {
    const page = html("Boots 90");
    await looks("text/html", page);
    answer = (_request, response) =>
      void response.writeHead(status, { "content-type": "text/html" }).end("no");
    await expect(look()).rejects.toMatchObject({
      code,
      message: `${server.host} ${sentence}`,
    });
    answer = (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end(page);
    expect((await look()).outputs).toMatchObject({ state: "unchanged" });
  });

  it("does not reach a private address that the owner has not named", async () => {
    harness.configure({});
    await expect(harness.call(webWatch, { url: `http://${server.host}/` })).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
  });
});

describe("a request to watch a page", () => {
  const grammar = installedSkills.map(skillGrammar);
  const read = (request: string) => {
    const found = readRequest(request, grammar, { now: new Date("2026-11-23T10:30:00Z"), timeZone: "UTC" });
    if (found.kind !== "plan") return found.kind;
    return found.calls.map(({ skill, args }) => [
      skill,
      ...Object.values(args).map((value) => (value.from === "request" ? value.value : value.from)),
    ]);
  };
  const url = "https://example.org/prices?a=1";

  it.each([
    `check ${url} and tell me when it changes`,
    `Keep an eye on ${url}.`,
    `watch the page ${url} and let me know as soon as anything changes`,
    `tell me if ${url} has changed`,
    `has ${url} changed?`,
    `check ${url} for updates`,
  ])("is read from %s", (request) => {
    expect(read(request)).toMatchObject([["web_watch", expect.stringContaining(url)]]);
  });

  it.each([
    [`every 2 hours check ${url} and tell me when it changes`, `check ${url} and tell me when it changes`],
    [`check ${url} every 2 hours and tell me when it changes`, `check ${url} and tell me when it changes`],
    [`watch ${url} every 2 hours`, `watch ${url}`],
  ])("is scheduled from %s", (request, goal) => {
    expect(read(request)).toEqual([["schedule_create", goal, "every 2 hours"]]);
  });

  it("is not one if the page is only to be shown", () => {
    expect(read(`check ${url}`)).toEqual([["http_get", url]]);
  });
});
