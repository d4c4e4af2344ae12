import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenedMemory } from "./open-memory.ts";
import { createTestProfile, observe, type TestProfile } from "./testing/open-test-memory.ts";

let profile: TestProfile;
let opened: OpenedMemory;
beforeEach(async () => {
  profile = await createTestProfile();
  opened = await profile.open();
});
afterEach(() => profile.remove());

/** Adds an exchange as the operator stores it. */
const exchange = (asked: string, answered: string) =>
  opened.memory.add(
    { type: "conversation", content: `Asked: ${asked}\nAnswered: ${answered}` },
    { source: { kind: "operator" }, trust: "trusted" },
  );
const call = (toolName: string, content: string) =>
  opened.memory.add(
    { type: "tool_invocation", content: `${toolName}: ${content}`, metadata: { toolName, success: true } },
    { source: { kind: "tool" }, trust: "untrusted" },
  );
const contents = async () => (await opened.memory.list({ limit: 50 })).items.map(({ content }) => content);

describe("forgetting a fact", () => {
  it("archives the exchanges and look-ups that mention it, and restoring it restores them", async () => {
    const [fact] = await observe(opened, "the safe code is 9911");
    await exchange("what is the safe code", "The safe code is 9911.");
    await exchange("which number opens the safe?", "Your safe opens with the code 9911.");
    await call("memory_search", "Found one memory: the safe code is 9911.");
    await exchange("where is the safe?", "The safe is in the cellar.");
    const before = await contents();

    const entry = await opened.memory.forget(fact?.id ?? "");
    expect(await contents()).toEqual(["Asked: where is the safe?\nAnswered: The safe is in the cellar."]);
    const archived = await opened.memory.archived();
    expect(archived.filter(({ forgottenWith }) => forgottenWith === entry.id)).toHaveLength(3);

    await opened.memory.restore(entry.id);
    expect((await contents()).toSorted()).toEqual(before.toSorted());
    expect(await opened.memory.archived()).toEqual([]);
  });

  it("archives the exchange that stated one of its sentences", async () => {
    const [fact] = await observe(
      opened,
      "I'm allergic to walnuts, my sister Petra lives in Bergen, and our boat is moored at berth 14",
    );
    await exchange("where does Petra live?", "Your sister Petra lives in Bergen.");
    await exchange("what is the weather in Bergen?", "It rains in Bergen.");
    await opened.memory.forget(fact?.id ?? "");
    expect(await contents()).toEqual([
      "Asked: what is the weather in Bergen?\nAnswered: It rains in Bergen.",
    ]);
  });

  it("keeps other facts, and calls that changed something", async () => {
    const [fact, other] = await observe(opened, "buy oat milk", "buy oat milk on Fridays only");
    await call("task_create", 'Created the task "buy oat milk".');
    await opened.memory.forget(fact?.id ?? "");
    expect((await contents()).toSorted()).toEqual(
      [other?.content ?? "", 'task_create: Created the task "buy oat milk".'].toSorted(),
    );
  });

  it("archives nothing else with a conversation", async () => {
    await observe(opened, "the safe code is 9911");
    const first = await exchange("what is the safe code", "The safe code is 9911.");
    await exchange("the safe code?", "The safe code is 9911.");
    await opened.memory.forget(first.id);
    expect(await contents()).toHaveLength(2);
  });
});
