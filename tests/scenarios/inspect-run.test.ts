import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AuditPage } from "@metahuman/core/contract/audit";
import { OperatorPending } from "@metahuman/core/contract/http";
import { mh } from "../support/cli.ts";
import { act, finish, openModelHarness, play, type ModelHarness } from "../support/model-harness.ts";

// The inspector of a run, for a person who wants to know why it went as it did.

let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness({
    etc: { operator: { logging: { enableScratchpadDump: true } } },
  });
});
afterAll(() => harness.close());

const SECRET = "sk-proj-abcdefghijklmnopqrstuvwx0123456789";
const TRIP = "get my camping notes into shape somehow";
const trip = () =>
  play(
    [act("fs_write", { path: `trip-${String(Math.random())}.md`, content: `key ${SECRET}` }), act("fs_list")],
    "Your notes are in out/ [1].",
  );

describe("the run inspector", () => {
  it("shows each prompt and reply with tokens, model and time, by step", async () => {
    harness.models.script(trip());
    const { runId } = await harness.ask(TRIP);
    const { modelCalls = [], scratchpad } = await harness.run(runId);
    expect(modelCalls.map(({ step, purpose, role }) => [step, purpose, role])).toEqual([
      [1, "plan", "planner"],
      [2, "plan", "planner"],
      [3, "plan", "planner"],
      [3, "answer", "persona"],
      [4, "review", "planner"],
    ]);
    const all = [...harness.models.chats(), ...harness.models.sentenceChecks.slice(-1)];
    for (const [index, call] of modelCalls.entries()) {
      const sent = all[index];
      expect(call.messages.map(({ role }) => role)).toEqual(sent?.messages.map(({ role }) => role));
      expect(call.model).toBe("ollama/plans:4b");
      expect(call.promptTokens).toBeGreaterThan(0);
      expect(call.durationMs).toBeGreaterThan(0);
    }
    expect(modelCalls[0]?.messages[0]?.content).toBe(harness.models.chats()[0]?.messages[0]?.content);
    expect(modelCalls[1]?.reply).toContain("fs_list");
    expect(scratchpad.every(({ durationMs }) => durationMs !== undefined)).toBe(true);
  });

  it("keeps secrets out of prompts and replies", async () => {
    harness.models.script(trip());
    const { runId } = await harness.ask(TRIP);
    expect(JSON.stringify((await harness.run(runId)).modelCalls)).not.toContain(SECRET);
  });

  it.each([
    ["structured steps", true],
    ["tool calls", false],
  ])("keeps the reasoning of a thinking model with its call only, for %s", async (_, reactV2) => {
    const REASONING = "Hammocks would be nicer than tents.";
    await harness.configure("runtime", { operator: { reactV2 } });
    const calls = [{ name: "fs_list", args: { path: "out" } }];
    const first = reactV2
      ? { ...act("fs_list", { path: "out" }), thinking: REASONING }
      : { call: calls, thinking: REASONING };
    harness.models.requests.splice(0);
    harness.models.script([
      first,
      reactV2 ? finish : { say: "It is there [1]." },
      { say: `<think>${REASONING}</think>It is there [1].` },
    ]);
    const { runId, scratchpad } = await harness.ask(TRIP);
    await harness.configure("runtime", {});
    const { modelCalls = [], ...run } = await harness.run(runId);
    expect(modelCalls[0]).toMatchObject({ thinking: REASONING });
    expect(modelCalls.map(({ reply }) => reply).join()).not.toContain("Hammocks");
    expect(JSON.stringify({ run, scratchpad })).not.toContain("Hammocks");
    expect(JSON.stringify(harness.models.chats().map(({ messages }) => messages))).not.toContain("Hammocks");
    const memories = await harness.owner.get("/api/memories?limit=100");
    expect(JSON.stringify(memories.body)).not.toContain("Hammocks");
  });
});

describe("the audit", () => {
  it("contains the run's context, model calls, skill calls and a snapshot of its steps", async () => {
    harness.models.script(trip());
    const { runId } = await harness.ask(TRIP);
    const { items } = AuditPage.parse((await harness.owner.get(`/api/audit?runId=${runId}&limit=100`)).body);
    const events = items.map(({ event }) => event);
    for (const event of ["context_package_built", "llm_call", "skill_called", "react_scratchpad_snapshot"])
      expect(events).toContain(event);
    const snapshot = items.find(({ event }) => event === "react_scratchpad_snapshot")?.details;
    expect(snapshot).toMatchObject({
      outcome: "answered",
      planner: "structured",
      steps: [{ step: 1, skill: "fs_write", success: true }, { step: 2 }, { step: 3 }],
      usage: { planningCalls: 3, modelCalls: 5 },
    });
    expect(items.find(({ event }) => event === "llm_call")?.details).toMatchObject({
      role: expect.any(String) as unknown,
      model: "ollama/plans:4b",
      promptTokens: expect.any(Number) as unknown,
      ms: expect.any(Number) as unknown,
    });
  });
});

describe("the dump of a run", () => {
  it("is written under the profile's logs on request, without secrets", async () => {
    harness.models.script(trip());
    const { runId } = await harness.ask(TRIP);
    const file = join(harness.profile, "logs", "runs", `${runId}.json`);
    const dumped = async () => readFile(file, "utf8").catch(() => "");
    await expect.poll(dumped, { timeout: 20_000 }).toContain('"outcome": "answered"');
    const text = await dumped();
    expect(text).not.toContain(SECRET);
    expect(JSON.parse(text)).toMatchObject({
      run: { id: runId, goal: TRIP, scratchpad: [{ step: 1 }, { step: 2 }, { step: 3 }] },
      flags: { reactV2: true },
    });
  });
});

describe("mh operator --debug", () => {
  it("prints catalog, prompts, replies, tokens and timings, and of each prompt only the new part", async () => {
    harness.models.script(trip());
    const { code, out, err } = await mh(harness.home, ["operator", "--debug", "--mode", "verbatim", TRIP]);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("Your notes") as unknown });
    expect(err).toMatch(/catalog: \d+ skills/);
    expect(err).toMatch(/model {2}plan for step 1: ollama\/plans:4b, \d+ ms, \d+ \+ \d+ tokens/);
    expect(err.match(/You plan for MetaHuman OS/g)).toHaveLength(1);
    expect(err).toContain("messages shared with the previous call");
    expect(err).toMatch(/reply +\| \{"thought"/);
    expect(err).toMatch(/usage {2}3 planning calls of 5 model calls/);
    expect(err).toContain('"entries": [');
  });

  it("prints only the answer with --no-stream", async () => {
    const { code, out, err } = await mh(harness.home, ["operator", "--no-stream", "list my tasks"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).not.toBe("");
  });

  it("refuses an unknown mode with the valid ones", async () => {
    const { code, err } = await mh(harness.home, ["operator", "--mode", "loud", "list my tasks"]);
    expect(code).toBe(2);
    for (const mode of ["narrative", "structured", "verbatim"]) expect(err).toContain(mode);
  });
});

describe("mh operator without --mode", () => {
  it("gives the model the lines of a file, and shows the person a sentence", async () => {
    const rows = Array.from(
      { length: 30 },
      (_, row) => `2026-10-${String(row + 1)},Oak board,${String(row)}`,
    );
    await writeFile(join(harness.profile, "out", "wood.csv"), rows.join("\n"));
    harness.models.script(play([act("fs_read", { path: "wood.csv" })], "The last row has 29 boards [1]."));
    const { out, err } = await mh(harness.home, [
      "operator",
      "how many boards are in the last row of wood.csv, roughly?",
    ]);
    expect(out).toContain("29 boards");
    const given = harness.models.chats().map(({ messages }) => messages.at(-1)?.content);
    expect(given).toContainEqual(expect.stringContaining(rows.join("\n")));
    expect(err).toContain("→ Read out/wood.csv");
    expect(err).not.toContain(rows[29]);
  });
});

describe("feedback on a run", () => {
  it("is stored with the run, and the last one counts", async () => {
    const { runId } = await harness.ask("list my tasks");
    const give = (body: object) => harness.owner.post(`/api/runs/${runId}/feedback`, body);
    expect(await give({ verdict: "useful" })).toMatchObject({
      status: 200,
      body: { id: runId, feedback: { verdict: "useful" } },
    });
    await give({ verdict: "not_useful", note: "too long" });
    expect((await harness.run(runId)).feedback).toMatchObject({ verdict: "not_useful", note: "too long" });
    const { items } = AuditPage.parse(
      (await harness.owner.get(`/api/audit?runId=${runId}&event=run_feedback_given`)).body,
    );
    expect(items.map(({ details }) => details["verdict"])).toEqual(["not_useful", "useful"]);
  });

  it("is refused before the end of a run, for an unknown run, and in another form", async () => {
    harness.models.script(
      play([act("fs_write", { path: "judged.md", content: "one" }), act("fs_delete", { path: "judged.md" })]),
    );
    const asked = await harness.owner.post("/api/operator", { goal: "tidy up after yourself" });
    const { runId: id } = OperatorPending.parse(asked.body);
    const give = (run: string, body: object) => harness.owner.post(`/api/runs/${run}/feedback`, body);
    expect((await give(id, { verdict: "useful" })).status).toBe(409);
    expect((await give(`run-${"0".repeat(26)}`, { verdict: "useful" })).status).toBe(404);
    expect((await give(id, { verdict: "splendid" })).status).toBe(422);
  });
});
