import type { Run } from "@metahuman/core/contract/run";
import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HttpClient } from "../../lib/api/http-client.ts";
import { AT, RUN, runOf, summaryOf } from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";
import { Api } from "../shell/api.ts";
import { ModelCallsOfRun } from "./model-calls.svelte.ts";

const CALL = {
  step: 1,
  purpose: "plan",
  role: "planner",
  model: "qwen3:14b",
  at: AT,
  messages: [{ role: "user", content: "list my tasks" }],
  reply: "{}",
  promptTokens: 10,
  completionTokens: 2,
  durationMs: 40,
} as const;
const QUEUED = runOf(summaryOf(RUN));
const ENDED: Run = {
  ...QUEUED,
  status: "ended",
  outcome: "answered",
  lastSeq: 5,
  usage: { ...QUEUED.usage, modelCalls: 1 },
};

let server: ScriptedServer;
let run = $state.raw<Run>(QUEUED);
let calls: ModelCallsOfRun;
let stop: () => void;

function watchRun(first: Run): void {
  run = first;
  const api = new Api(new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined }));
  stop = $effect.root(() => {
    calls = new ModelCallsOfRun(api, () => run);
  });
  flushSync();
}

beforeEach(async () => {
  server = await startScriptedServer();
});
afterEach(async () => {
  stop();
  await server.close();
});

it("loads the calls when the run has ended, and not before", async () => {
  server.on(`GET /api/runs/${RUN}`, () => ({ ...ENDED, modelCalls: [CALL] }));
  watchRun({ ...ENDED, status: "running", outcome: undefined });
  expect(server.asked).toEqual([]);
  run = ENDED;
  flushSync();
  await expect.poll(() => calls.calls).toEqual([CALL]);
});

it("asks for nothing where no model was called", () => {
  watchRun({ ...ENDED, usage: QUEUED.usage });
  expect(calls.hasCalls).toBe(false);
  expect(server.asked).toEqual([]);
});

it("says why the calls cannot be shown", async () => {
  server.on(`GET /api/runs/${RUN}`, (_, response) =>
    problem(response, 503, "STORAGE_UNAVAILABLE", "The disk is away."),
  );
  watchRun(ENDED);
  await expect.poll(() => calls.problem).toBe("The disk is away.");
});
