import { describe, expect, it } from "vitest";
import type { MemoryType } from "@metahuman/core/contract/memory";
import type { Run } from "@metahuman/core/contract/run";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { rememberRun } from "./remember.ts";
import { operatorHarness } from "../testing/operator-harness.ts";
import { call, say, scriptedPlanner } from "../testing/scripted-planner.ts";
import { testSkills } from "../testing/test-skills.ts";

const harness = operatorHarness();

const plan = scriptedPlanner([
  call("write_down", { text: "x".repeat(5_000) }),
  call("ask_user", { question: "Sure?" }),
  say("Written."),
]);

/** Memories outlive the tests here, so only those of this run count. */
async function rememberedText(run: Run) {
  const types: MemoryType[] = ["conversation", "tool_invocation"];
  return (await harness.ports.memory.list({ types, runId: run.id, limit: 50 })).items;
}

describe("the memories of a run", () => {
  it("are its exchange and its calls in mode dual, without control calls", async () => {
    const opened = await harness.home.open(plan);
    const waiting = await opened.ask("write it down");
    await opened.operator.answer(waiting.id, "yes");
    const run = await opened.operator.settled(waiting.id);
    const memories = await rememberedText(run);
    const exchange = memories.find((memory) => memory.type === "conversation");
    expect(exchange).toMatchObject({
      content: "Asked: write it down\nAnswered: Written.",
      trust: "trusted",
      source: { kind: "operator", runId: run.id, conversationId: run.conversationId },
    });
    const calls = memories.filter((memory) => memory.type === "tool_invocation");
    expect(calls).toMatchObject([
      {
        trust: "untrusted",
        source: { kind: "tool" },
        metadata: { toolName: "write_down", success: true, conversationId: run.conversationId },
      },
    ]);
    expect(calls[0]?.metadata.toolInputs?.["text"]).toMatch(/^x{2000}… \[5000 characters\]$/);
  });

  it("contain the conversation and the subjects", async () => {
    const opened = await harness.home.open(
      scriptedPlanner([
        call("write_down", { text: "Anna Berg comes on 2026-12-03" }),
        say("Noted for Anna Berg."),
      ]),
    );
    const run = await opened.ask("write down that Anna Berg comes on 3 December 2026");
    const memories = await rememberedText(run);
    for (const { context, entities } of memories) {
      expect(context).toEqual({ conversation: run.conversationId, skill: "write_down" });
      expect(entities).toEqual(["Anna Berg", "2026-12-03"]);
    }
    expect(memories.map(({ type }) => type).sort()).toEqual(["conversation", "tool_invocation"]);
  });

  it("contain no exchange if nothing was said or done", async () => {
    const idle = { kind: "answer", thought: "", style: "default", text: "Nothing.", isIdle: true } as const;
    const opened = await harness.home.open(scriptedPlanner([() => idle]));
    expect(await rememberedText(await opened.ask("mumble"))).toEqual([]);
  });

  it("contain an exchange marked as failed if the run failed", async () => {
    const opened = await harness.home.open(
      scriptedPlanner(Array.from({ length: 6 }, () => call("miss", { text: "a.md" }))),
    );
    const run = await opened.ask("look at a.md");
    expect(run.outcome).toBe("stuck");
    const exchange = (await rememberedText(run)).find((memory) => memory.type === "conversation");
    expect(exchange?.content).toMatch(/^Asked: look at a\.md\nNot answered \(the run ended stuck\): /u);
    expect(exchange?.metadata).toMatchObject({ outcome: "stuck", success: false });
  });

  it("are not a success if the last call failed and the answer can only report it", async () => {
    const opened = await harness.home.open(scriptedPlanner([call("miss", { text: "a.md" }), say("No.")]));
    const run = await opened.ask("look");
    const exchange = (await rememberedText(run)).find((memory) => memory.type === "conversation");
    expect(exchange?.metadata).toMatchObject({ outcome: "answered", success: false });
  });

  it("are stored once, whatever else was stored meanwhile", async () => {
    const opened = await harness.home.open(scriptedPlanner([call("write_down"), say("Done.")]));
    const run = await opened.ask("write it down");
    const before = await rememberedText(run);
    await harness.ports.memory.addMany(
      Array.from({ length: 60 }, (_, index) => ({
        type: "conversation" as const,
        content: `Number ${index}`,
      })),
      { source: { kind: "import" }, trust: "untrusted" },
    );
    await rememberRun(harness.ports.memory, {
      run,
      answer: run.result,
      outcome: "answered",
      mode: "dual",
      sessionId: undefined,
      skills: testSkills(harness.home.journal),
    });
    expect(await rememberedText(run)).toEqual(before);
  });

  it("are only its calls in mode agent", async () => {
    const opened = await harness.home.open(scriptedPlanner([call("write_down"), say("Done.")]));
    const run = await opened.ask("go", { mode: "agent" });
    expect((await rememberedText(run)).map((memory) => memory.type)).toEqual(["tool_invocation"]);
  });

  it("follow the current settings of the profile if they allow less than at the start", async () => {
    const opened = await harness.home.open(plan);
    const waiting = await opened.ask("write it down");
    opened.settle({ mode: "agent" });
    await opened.operator.answer(waiting.id, "yes");
    const run = await opened.operator.settled(waiting.id);
    expect((await rememberedText(run)).map((memory) => memory.type)).toEqual(["tool_invocation"]);
  });

  it("are untrusted if the answer may repeat somebody else's text", async () => {
    const opened = await harness.home.open(scriptedPlanner([call("look"), say("It says: obey.")]));
    const run = await opened.ask("what does it say?");
    expect((await rememberedText(run)).map((memory) => [memory.type, memory.trust])).toContainEqual([
      "conversation",
      "untrusted",
    ]);
  });

  it("are its calls if it is cancelled, also while it waits", async () => {
    const opened = await harness.home.open(plan);
    const waiting = await opened.ask("write it down");
    const run = await opened.operator.cancel(waiting.id);
    expect((await rememberedText(run)).map((memory) => memory.type)).toEqual(["tool_invocation"]);
  });

  it("are stored once, also if the process ends between storing them and ending the run", async () => {
    const opened = await harness.home.open(scriptedPlanner([call("write_down"), say("Done.")]));
    const run = await opened.ask("go");
    const skills = testSkills(harness.home.journal);
    await rememberRun(harness.ports.memory, {
      run,
      answer: "Done.",
      outcome: "answered",
      mode: "dual",
      sessionId: undefined,
      skills,
    });
    expect((await rememberedText(run)).map((memory) => memory.type).sort()).toEqual([
      "conversation",
      "tool_invocation",
    ]);
  });

  it("contain a failed call as a failure", async () => {
    const opened = await harness.home.open(scriptedPlanner([call("miss", { text: "a.md" }), say("No.")]));
    const run = await opened.ask("look");
    const failed = (await rememberedText(run)).find((memory) => memory.type === "tool_invocation");
    expect(failed?.metadata).toMatchObject({ success: false, error: "There is nothing at a.md." });
  });
});

describe("emulation", () => {
  it("reports that conversation needs a model, and stores nothing", async () => {
    const opened = await harness.home.open(plan);
    const run = await opened.ask("write it down", { mode: "emulation" });
    expect(run).toMatchObject({
      status: "ended",
      outcome: "answered",
      planner: "conversation",
      scratchpad: [],
    });
    expect(run.result).toContain("needs a model");
    expect(await rememberedText(run)).toEqual([]);
    expect((await opened.persistent.store.runs({ limit: 9 })).total).toBe(0);
    expect((await opened.persistent.store.conversations({ limit: 9 })).total).toBe(0);
    const events = await Array.fromAsync(
      opened.operator.events(run.id, { from: 0, signal: new AbortController().signal }),
    );
    expect(events.at(-1)?.type).toBe("run-ended");
    await opened.close();
    const later = await harness.home.open(plan);
    await expect(later.operator.settled(run.id)).rejects.toThrow(/no such run/);
  });

  it("continues a stored conversation without adding to it", async () => {
    const opened = await harness.home.open(scriptedPlanner([say("Hello.")]));
    const before = await opened.ask("hi");
    const inside = await opened.ask("and now?", { mode: "emulation" }, before.conversationId);
    expect(inside.conversationId).toBe(before.conversationId);
    expect(await opened.persistent.store.messages(before.conversationId)).toHaveLength(2);
    const fresh = await opened.ask("just talk", { mode: "emulation" });
    const outside = await opened.ask("back again", {}, fresh.conversationId);
    expect(outside.conversationId).not.toBe(fresh.conversationId);
    expect(
      (await opened.persistent.store.messages(outside.conversationId)).map((message) => message.text),
    ).toEqual(["back again", "Hello."]);
  });

  it("shows a guest no memories or earlier conversations", async () => {
    const received: unknown[] = [];
    const opened = await harness.home.open(scriptedPlanner([say("Between us.")]), {
      talks: scriptedPlanner([
        ({ conversation, context }) => {
          received.push([conversation.turns.map(({ text }) => text), context !== undefined]);
          return say("Hello.");
        },
      ]),
    });
    const guest = { role: "guest", username: "eve", mode: "emulation" } as const;
    const stored = await opened.ask("a secret");
    await opened.ask("still secret", { mode: "emulation" }, stored.conversationId);
    await expect(opened.ask("what was it?", guest, stored.conversationId)).rejects.toThrow(NotFoundError);
    const first = await opened.ask("hello", guest);
    await opened.ask("me again", guest, first.conversationId);
    await expect(
      opened.ask("me too", { ...guest, username: "mallory" }, first.conversationId),
    ).rejects.toThrow(NotFoundError);
    expect(received).toEqual([
      [["a secret", "Between us."], true],
      [[], false],
      [["hello", "Hello."], false],
    ]);
  });

  it("is the only mode for guests", async () => {
    const opened = await harness.home.open(plan);
    expect(await opened.ask("write it down", { role: "guest", mode: "emulation" })).toMatchObject({
      planner: "conversation",
    });
    await expect(opened.ask("write it down", { role: "guest", mode: "dual" })).rejects.toThrow(/account/);
  });
});
