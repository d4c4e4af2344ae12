import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ModelCallRecord } from "../contract/model-call.ts";
import { type Database, openDatabase } from "../database/open-database.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { stateMigrations } from "./migrations.ts";
import { openRunStore } from "./open-run-store.ts";
import type { RunStore } from "./run-store.ts";
import { ended, running } from "./store-fixtures.ts";

const AT = "2026-11-20T09:30:00.000Z";
let folder: string;
const databases: Database[] = [];

function open(): { store: RunStore; database: Database } {
  const database = openDatabase(join(folder, "state.db"), stateMigrations, { title: "the state database" });
  databases.push(database);
  return { store: openRunStore(database), database };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "inspection-"));
});
afterEach(() => {
  databases.splice(0).forEach((database) => database.close());
  rmSync(folder, { recursive: true, force: true });
});

function asked(step: number, texts: readonly string[], more: Partial<ModelCallRecord> = {}): ModelCallRecord {
  return {
    step,
    purpose: "plan",
    role: "planner",
    model: "ollama/plans:4b",
    messages: texts.map((content, index) => ({ role: index === 0 ? "system" : "user", content })),
    reply: `reply ${String(step)}`,
    promptTokens: 900,
    completionTokens: 30,
    durationMs: 12.5,
    at: AT,
    ...more,
  };
}

const RULES = "You plan. ".repeat(200);

describe("the model calls of a run", () => {
  it("are read completely and in order, also by another process", async () => {
    const { store } = open();
    const run = await running(store);
    const calls = [
      asked(1, [RULES, "Request: tidy up"]),
      asked(2, [RULES, "Request: tidy up", "Observation 1: done"]),
      asked(2, ["You write.", "What was done: 1"], { purpose: "answer", role: "persona" }),
      asked(3, [RULES, "Request: tidy up", "Observation 1: done", "Observation 2: claimed too much"]),
      asked(3, ["You write.", "What was done: 1 and 2"], { purpose: "answer", role: "persona" }),
    ];
    for (const call of calls) await store.recordModelCall(run.claim, call);
    expect(await store.modelCalls(run.id)).toEqual(calls);
    expect(await open().store.modelCalls(run.id)).toEqual(calls);
  });

  it("store each message once, although prompts repeat them", async () => {
    const { store, database } = open();
    const run = await running(store);
    const texts = [RULES, "Request: tidy up"];
    for (let step = 1; step <= 10; step += 1) {
      texts.push(`Observation ${String(step)}`);
      await store.recordModelCall(run.claim, asked(step, texts));
    }
    const size = database.query(
      "SELECT sum(length(call)) AS size FROM run_model_calls",
      z.object({ size: z.int() }),
    );
    expect(size.get()?.size).toBeLessThan(2 * RULES.length + 10 * 400);
    expect((await store.modelCalls(run.id)).at(-1)?.messages.map(({ content }) => content)).toEqual(texts);
  });

  it("are complete if two processes executed the run in turns", async () => {
    const [one, other] = [open().store, open().store];
    const run = await running(one);
    const calls = [
      asked(1, [RULES, "first"]),
      asked(2, [RULES, "first", "second"]),
      asked(3, ["other rules", "first"]),
      asked(4, [RULES, "first", "second", "third"]),
    ];
    for (const [index, call] of calls.entries())
      await (index === 2 ? other : one).recordModelCall(run.claim, call);
    expect(await one.modelCalls(run.id)).toEqual(calls);
  });

  it("contain no secret", async () => {
    const { store } = open();
    const run = await running(store);
    const secret = "sk-proj-abcdefghijklmnopqrstuvwx0123456789";
    await store.recordModelCall(run.claim, asked(1, [RULES, `my key is ${secret}`], { reply: secret }));
    expect(JSON.stringify(await store.modelCalls(run.id))).not.toContain(secret);
  });
});

describe("the feedback on a run", () => {
  it("is the last one given", async () => {
    const { store } = open();
    const run = await running(store);
    await store.append(run.claim, [ended]);
    expect(await store.feedback(run.id)).toBeUndefined();
    await store.giveFeedback(run.id, { verdict: "useful", note: "quick", at: AT });
    await store.giveFeedback(run.id, { verdict: "not_useful", at: AT });
    expect(await store.feedback(run.id)).toEqual({ verdict: "not_useful", at: AT });
  });

  it("is rejected for an unknown run", async () => {
    const { store } = open();
    await expect(store.giveFeedback(`run-${"0".repeat(26)}`, { verdict: "useful", at: AT })).rejects.toThrow(
      NotFoundError,
    );
  });
});
