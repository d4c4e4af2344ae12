import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../lib/api/http-client.ts";
import type { RunWatcher } from "../../lib/live/feed.svelte.ts";
import { ANSWERED, eventsOf, OTHER_RUN, RUN, runOf, STARTED, summaryOf } from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";
import { Api } from "../shell/api.ts";
import { RunView } from "./run-view.svelte.ts";

let server: ScriptedServer;
let view: RunView;
let watchers: Map<string, RunWatcher>;

beforeEach(async () => {
  server = await startScriptedServer();
  watchers = new Map();
  const api = new Api(new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined }));
  view = new RunView({
    api,
    feed: {
      watch: (runId: string, watcher: RunWatcher) => {
        watchers.set(runId, watcher);
        return () => watchers.delete(runId);
      },
    },
  });
  server.on(`GET /api/runs/${RUN}`, () => runOf(summaryOf(RUN)));
});

afterEach(() => server.close());

describe("RunView", () => {
  it("follows a run in progress until it is closed", async () => {
    await view.open(RUN);
    expect(view.state?.run.status).toBe("running");
    expect(watchers.get(RUN)?.lastSeq()).toBe(0);
    for (const event of eventsOf([STARTED, ...ANSWERED])) watchers.get(RUN)?.onEvent(event);
    expect(view.state?.run).toMatchObject({ status: "ended", result: "Created out/sandwich.txt." });
    expect(watchers.get(RUN)?.lastSeq()).toBe(3);
    view.close();
    expect([view.id, view.state, watchers.size]).toEqual([undefined, undefined, 0]);
  });

  it("shows the run that the server rendered at once, and follows it when asked to", () => {
    view.begin({ run: runOf(summaryOf(RUN)) });
    expect([view.id, view.state?.run.id, watchers.size]).toEqual([RUN, RUN, 0]);
    view.follow();
    for (const event of eventsOf([STARTED, ...ANSWERED])) watchers.get(RUN)?.onEvent(event);
    expect(view.state?.run.status).toBe("ended");
    expect(server.asked).toEqual([]);
  });

  it("does not follow a run that has ended", async () => {
    server.on(`GET /api/runs/${RUN}`, () =>
      runOf(summaryOf(RUN, { status: "ended", outcome: "answered", lastSeq: 3 })),
    );
    await view.open(RUN);
    expect(view.state?.run.status).toBe("ended");
    expect(watchers.size).toBe(0);
  });

  it("shows the run that was opened last, even if an earlier one arrives later", async () => {
    const { promise: mayArrive, resolve: letArrive } = Promise.withResolvers<void>();
    server.on(`GET /api/runs/${OTHER_RUN}`, async () => {
      await mayArrive;
      return runOf(summaryOf(OTHER_RUN));
    });
    const slow = view.open(OTHER_RUN);
    await view.open(RUN);
    letArrive();
    await slow;
    expect([view.id, view.state?.run.id]).toEqual([RUN, RUN]);
    expect([...watchers.keys()]).toEqual([RUN]);
  });

  it("shows the problem of a run, and clears it for the next one", async () => {
    server.on(`GET /api/runs/${OTHER_RUN}`, (_asked, response) =>
      problem(response, 404, "NOT_FOUND", "There is no such run."),
    );
    await view.open(OTHER_RUN);
    expect(view.problem?.text).toBe("There is no such run.");
    await view.open(RUN);
    expect(view.problem).toBeUndefined();
  });
});
