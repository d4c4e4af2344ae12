import { FunctionName } from "@metahuman/core/contract/function";
import type { CallStage } from "@metahuman/core/contract/run";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../lib/api/http-client.ts";
import type { RunWatcher } from "../../lib/live/feed.svelte.ts";
import { eventsOf, ME, MODELS, RUN, runOf, STARTED, summaryOf } from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";
import { Api } from "../shell/api.ts";
import { Session } from "../shell/session.svelte.ts";
import { Curation, nameFrom, progressSentence } from "./curation.svelte.ts";

describe("a function's name", () => {
  it.each([
    ["Count the words of every note", "count-words-note"],
    ["  Résumé: größte Zahl!  ", "resume-gro-te-zahl"],
    ["the, and of it", ""],
    ["日本語", ""],
    [`${"x".repeat(80)} y`, "x".repeat(64)],
  ])("is derived from the request: %j", (request, name) => {
    expect(nameFrom(request)).toBe(name);
    if (name !== "") expect(FunctionName.safeParse(name).success).toBe(true);
  });
});

describe("the progress of the curator", () => {
  const stage = (name: string, state: CallStage["state"]): CallStage => ({ name, state });

  it("names the current stage, and a repeated attempt", () => {
    const progress = (...stages: CallStage[]) => progressSentence({ phase: "at-work", stages });
    expect(progress()).toBe("Starting…");
    expect(progress(stage("gather", "done"), stage("write", "begun"))).toContain("Writing code");
    expect(progress(stage("write", "done"), stage("verify", "begun"))).toContain("running the tests");
    const retry = [stage("write", "done"), stage("verify", "failed"), stage("write", "begun")];
    expect(progress(...retry)).toBe("Fixing what failed…");
  });

  it("ends with the outcome, and never claims a change if there is none", () => {
    for (const phase of ["unpublished", "cancelled", "failed"] as const)
      expect(progressSentence({ phase, stages: [] })).toMatch(/Nothing (was published or )?changed/);
    expect(progressSentence({ phase: "published", stages: [] })).toContain("Review it");
  });
});

describe("the run of the curator", () => {
  const args = { userRequest: "Count the jars", functionName: "count-jars" };
  let server: ScriptedServer;
  let curation: Curation;
  let watchers: Map<string, RunWatcher>;

  beforeEach(async () => {
    server = await startScriptedServer();
    watchers = new Map();
    curation = new Curation({
      api: new Api(new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined })),
      session: new Session(ME, MODELS),
      attempt: async (work) => {
        await work();
        return true;
      },
      feed: {
        watch: (runId: string, watcher: RunWatcher) => {
          watchers.set(runId, watcher);
          return () => watchers.delete(runId);
        },
      },
    });
    server.on(`GET /api/runs/${RUN}`, () => runOf(summaryOf(RUN, { status: "queued" })));
  });

  afterEach(() => server.close());

  it("has its request and its name also if it was opened before its step began, and asks again with them", async () => {
    await curation.view.open(RUN);
    expect(curation.asked).toBe("");
    const action = { tool: "function_curate", args };
    for (const event of eventsOf([
      STARTED,
      { type: "step-planned", step: 1, thought: "", action, planner: "built-in" },
    ]))
      watchers.get(RUN)?.onEvent(event);
    expect(curation.asked).toBe("Count the jars");
    curation.again();
    expect([curation.request, curation.name]).toEqual(["Count the jars", "count-jars"]);
  });

  it("is loaded again after a problem", async () => {
    server.on(`GET /api/runs/${RUN}`, (_asked, response) =>
      problem(response, 503, "MODEL_UNAVAILABLE", "Away."),
    );
    await curation.view.open(RUN);
    expect([curation.view.problem?.text, curation.phase]).toEqual(["Away.", "unavailable"]);
    server.on(`GET /api/runs/${RUN}`, () => runOf(summaryOf(RUN)));
    await curation.reload();
    expect([curation.view.problem, curation.phase]).toEqual([undefined, "at-work"]);
  });

  it("is not followed if it starts after the dialog was closed", async () => {
    const { promise: mayArrive, resolve: letArrive } = Promise.withResolvers<void>();
    server.on("POST /api/functions/curate", async () => {
      await mayArrive;
      return { runId: RUN, conversationId: "conv-1", status: "queued" };
    });
    curation.ask(args.userRequest);
    const starting = curation.start();
    curation.close();
    letArrive();
    await starting;
    expect([curation.run, watchers.size]).toEqual([undefined, 0]);
  });
});
