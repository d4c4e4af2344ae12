import type { ServerResponse } from "node:http";
import type { ModelTestPart, PullEvent } from "@metahuman/core/contract/models";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../lib/api/http-client.ts";
import { ME, MODELS } from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";
import { Session } from "../shell/session.svelte.ts";
import { ModelsApi } from "./models-api.ts";
import { ModelsState } from "./models-state.svelte.ts";

const MODEL = "ollama/qwen3:14b";

let server: ScriptedServer;
let session: Session;
let models: ModelsState;

/** Answers with a stream of events, which ends there. */
function stream(response: ServerResponse, events: readonly (ModelTestPart | PullEvent)[]): undefined {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

const signal = () => new AbortController().signal;

beforeEach(async () => {
  server = await startScriptedServer();
  session = new Session(ME, MODELS);
  const api = new ModelsApi(new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined }));
  models = new ModelsState(api, session);
  server.on("GET /api/models", () => ({ ...MODELS, summary: "Looked." }));
});

afterEach(() => server.close());

describe("ModelsState", () => {
  it("queries every server on request, and shows the problem until that succeeds", async () => {
    server.on("GET /api/models", (_asked, response) => problem(response, 503, "MODEL_UNAVAILABLE", "Away."));
    await models.refresh();
    expect([models.refreshing, models.problem?.text]).toEqual([false, "Away."]);
    server.on("GET /api/models", () => ({ ...MODELS, summary: "Looked." }));
    const refreshing = models.refresh();
    expect([models.refreshing, models.problem]).toEqual([true, undefined]);
    await refreshing;
    expect(session.models.summary).toBe("Looked.");
    expect(server.asked.at(-1)?.query.get("fresh")).toBe("1");
  });

  it("streams the reply to a test prompt, without the thinking before it", async () => {
    const result = { latencyMs: 200, durationMs: 900, tokensPerSecond: 3 };
    server.on("POST /api/models/test", (_asked, response) =>
      stream(response, [
        { type: "thinking", text: "A greeting." },
        { type: "text", text: "Hel" },
        { type: "text", text: "lo." },
        { type: "done", result },
      ]),
    );
    await models.test(MODEL, signal());
    expect(models.trials[MODEL]).toEqual({ state: "answered", text: "Hello.", thinking: false, result });
  });

  it("counts a test as failed if it is refused or its stream ends early", async () => {
    server.on("POST /api/models/test", (_asked, response) =>
      stream(response, [{ type: "text", text: "He" }]),
    );
    await models.test(MODEL, signal());
    expect(models.trials[MODEL]).toMatchObject({ state: "failed", text: "He" });
    server.on("POST /api/models/test", (_asked, response) =>
      problem(response, 503, "MODEL_UNAVAILABLE", "Away."),
    );
    await models.test(MODEL, signal());
    expect(models.trials[MODEL]).toMatchObject({ state: "failed", text: "", problem: { text: "Away." } });
  });

  it("follows a download to its end, then loads the models", async () => {
    server.on("POST /api/models/pull", (_asked, response) =>
      stream(response, [
        { type: "progress", progress: { status: "pulling", completedBytes: 5, totalBytes: 10 } },
        { type: "done", model: MODEL },
      ]),
    );
    const pulling = models.pull("ollama", "qwen3:14b");
    expect(models.download).toEqual({ model: "qwen3:14b", progress: undefined });
    expect(await pulling).toBe(true);
    expect([models.arrived, models.download]).toEqual([MODEL, undefined]);
    expect(session.models.summary).toBe("Looked.");
  });

  it("ends a cancelled download without a problem, and an aborted one with one", async () => {
    server.on("POST /api/models/pull", (_asked, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(": here\n\n");
      models.cancel();
    });
    expect(await models.pull("ollama", "qwen3:14b")).toBe(false);
    expect([models.download, models.pullProblem, models.arrived]).toEqual([undefined, undefined, undefined]);
    server.on("POST /api/models/pull", (_asked, response) => stream(response, []));
    expect(await models.pull("ollama", "qwen3:14b")).toBe(false);
    expect([models.pullProblem, models.problem]).toEqual([expect.anything(), undefined]);
  });

  it("shows roles and models as the server reports them after a change", async () => {
    server.on("PUT /api/models/roles", () => ({ ...MODELS, summary: "Assigned." }));
    await models.assign("planner", [MODEL]);
    expect(session.models.summary).toBe("Assigned.");
    expect(server.asked.at(-1)?.body).toEqual({ role: "planner", models: [MODEL] });
    server.on("DELETE /api/models", (_asked, response) =>
      problem(response, 409, "CONFLICT", "It is in use."),
    );
    expect(await models.removeModel(MODEL)).toBe(false);
    expect([session.models.summary, models.problem?.text]).toEqual(["Assigned.", "It is in use."]);
  });
});
