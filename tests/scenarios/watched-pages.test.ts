import { rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { NoticePage } from "@metahuman/core/contract/notice";
import { Run } from "@metahuman/core/contract/run";
import { OccurrencePage, ScheduleAnswer, SchedulePage } from "@metahuman/core/contract/schedule";
import { z } from "zod";
import { mh } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { changeAfterKill, createWatchHome } from "../soak/watched-pages.ts";
import { startServerHere, type TestServer } from "../support/server.ts";
import { startWebServer, type WebServer } from "../support/web-server.ts";

let web: WebServer;
let page = "<p>Boots 90</p>";
let status = 200;
let requests: string[] = [];
/** Answers instead of the page, to block a request or to end a server in the middle of one. */
let onRequest: ((send: () => void, response: ServerResponse) => void) | undefined;

beforeAll(async () => {
  web = await startWebServer((request, response) => {
    requests.push(request.url ?? "");
    const send = () => void response.writeHead(status, { "content-type": "text/html" }).end(page);
    if (onRequest) onRequest(send, response);
    else send();
  });
});
beforeEach(() => {
  requests = [];
  status = 200;
  onRequest = undefined;
});
afterAll(() => web.close());

/** A schedule as the page shows it. */
function watcher(ada: Client) {
  const occurrences = async (id: string) =>
    OccurrencePage.parse((await ada.get(`/api/schedules/${id}/occurrences`)).body).items;
  return {
    occurrences,
    notices: async () => NoticePage.parse((await ada.get("/api/notices?limit=100")).body).items,
    async runNow(id: string) {
      expect((await ada.post(`/api/schedules/${id}/run`)).status).toBe(202);
      return vi.waitFor(
        async () => {
          const [row] = await occurrences(id);
          expect(row?.endedAt).toBeDefined();
          return row;
        },
        { timeout: 20_000 },
      );
    },
  };
}

describe("a page that is watched", () => {
  let server: TestServer;
  let ada: Client;
  let at: ReturnType<typeof watcher>;
  let id = "";

  beforeAll(async () => {
    const { home, session } = await createWatchHome(web);
    server = await startServerHere({ home });
    ada = session.at(server.url);
    at = watcher(ada);
  });
  afterAll(async () => {
    await server.dispose();
    await rm(server.home, { recursive: true, force: true });
  });

  const answered = async (runId: string) =>
    vi.waitFor(
      async () => {
        const { body } = await ada.get(`/api/runs/${runId}`);
        const run = Run.parse(body);
        expect(["waiting", "ended"]).toContain(run.status);
        return run;
      },
      { timeout: 20_000 },
    );

  it("is scheduled from words, after the person has seen the address, the times and the grants", async () => {
    const goal = `every 2 hours check http://${web.host}/shop and tell me when it changes`;
    const started = z.object({ runId: z.string() }).parse((await ada.post("/api/operator", { goal })).body);
    const { pending } = await answered(started.runId);
    expect(pending).toMatchObject({ kind: "approval" });
    const asked = JSON.stringify((await ada.get("/api/approvals?status=pending")).body);
    for (const shown of [
      "every 2 hours",
      `"hosts","value":"${web.host}"`,
      "check whether a page on the web has changed",
      "Supervised",
    ])
      expect(asked).toContain(shown);
    expect(requests).toEqual([]);
    const approvalId = z.object({ approvalId: z.string() }).parse(pending).approvalId;
    expect((await ada.post(`/api/approvals/${approvalId}`, { decision: "once" })).status).toBe(200);
    await expect.poll(() => answered(started.runId)).toMatchObject({ status: "ended", outcome: "answered" });
    const [schedule] = SchedulePage.parse((await ada.get("/api/schedules")).body).items;
    expect(schedule).toMatchObject({
      what: { kind: "request", goal: `check http://${web.host}/shop and tell me when it changes` },
      when: { kind: "every", seconds: 7_200 },
      grants: ["web_watch"],
      needsModel: false,
    });
    id = schedule?.id ?? "";
  });

  it("is stored at the first check, and nothing is reported while it stays the same", async () => {
    expect(await at.runNow(id)).toMatchObject({ state: "succeeded" });
    expect((await at.notices()).map(({ body }) => body)).toEqual([
      expect.stringContaining("You are told when it changes."),
    ]);
    expect(await at.runNow(id)).toMatchObject({ state: "succeeded", outcome: "unchanged" });
    expect(await at.notices()).toHaveLength(1);
    expect(requests).toEqual(["/shop", "/shop"]);
  });

  it("is reported once when it has changed, with the changed lines", async () => {
    page = "<p>Boots 80</p>";
    expect(await at.runNow(id)).toMatchObject({ state: "succeeded", outcome: "changed" });
    expect(await at.runNow(id)).toMatchObject({ state: "succeeded", outcome: "unchanged" });
    const [notice, ...rest] = await at.notices();
    expect(rest).toHaveLength(1);
    expect(notice).toMatchObject({ title: `Changed: ${web.host}/shop`, urgency: "high" });
    expect(notice?.body).toContain("New: “Boots 80”. Gone: “Boots 90”.");
    const { out } = await mh(server.home, ["schedule", "history", id]);
    expect(out).toMatch(/succeeded: unchanged[^]*succeeded: changed/u);
  });

  it("is reported as unavailable, then paused after three failures, and a change meanwhile is not lost", async () => {
    status = 503;
    page = "<p>Boots 70</p>";
    for (let failure = 1; failure <= 3; failure += 1)
      expect(await at.runNow(id)).toMatchObject({
        state: "failed",
        reason: expect.stringContaining("answered with an error (503)") as unknown,
      });
    expect((await ada.get(`/api/schedules/${id}`)).body).toMatchObject({ schedule: { enabled: false } });
    const titles = (await at.notices()).map(({ title }) => title.split(":")[0]);
    expect(titles.slice(0, 4).sort()).toEqual(["Failed", "Failed", "Failed", "Paused"]);
    status = 200;
    expect((await ada.post(`/api/schedules/${id}/resume`)).status).toBe(200);
    expect(await at.runNow(id)).toMatchObject({ outcome: "changed" });
    expect((await at.notices())[0]?.body).toContain("New: “Boots 70”. Gone: “Boots 80”.");
  });

  it("is never read from another host", async () => {
    onRequest = (_send, response) =>
      void response.writeHead(302, { location: `http://localhost:${web.host.split(":")[1]}/other` }).end();
    requests = [];
    expect(await at.runNow(id)).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("redirects to another host") as unknown,
    });
    expect(requests).toEqual(["/shop"]);
  });

  it("is scheduled through the API and on the command line, too, and the preview shows the grants", async () => {
    const what = { kind: "request", goal: `watch http://${web.host}/news` };
    const preview = await ada.post("/api/schedules/preview", { what, when: "every hour" });
    expect(preview.body).toMatchObject({
      limits: { grants: ["web_watch"], trustLevel: "supervised_auto", needsModel: false },
    });
    const created = ScheduleAnswer.parse(
      (await ada.post("/api/schedules", { what, when: "every hour" })).body,
    );
    expect(await at.runNow(created.schedule.id)).toMatchObject({ state: "succeeded" });
    const goal = `check http://${web.host}/cli and tell me when it changes`;
    const added = await mh(server.home, ["schedule", "add", "every 2 hours", ...goal.split(" ")]);
    expect(added.out).toContain(
      "Without asking it may do this: check whether a page on the web has changed since the last check",
    );
    expect((await mh(server.home, ["schedule", "run", "cli"])).out).toContain("succeeded: You started it.");
    page = "<p>Boots 60</p>";
    expect((await mh(server.home, ["schedule", "run", "cli"])).out).toContain(
      "succeeded: changed: You started it.",
    );
    expect((await mh(server.home, ["notices"])).out).toContain(`Changed: ${web.host}/cli`);
  });
});

// Other moments are in `npm run soak -- watched-pages`.
describe("a server that is killed while it checks a page", () => {
  it("reports the change once", async () => {
    expect(await changeAfterKill({ point: "answer", afterMs: 0 })).toEqual([]);
  }, 90_000);
});
