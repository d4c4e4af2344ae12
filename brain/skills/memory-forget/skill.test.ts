import { ArchiveEntry } from "@metahuman/core/contract/http";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { memoryForget } from "./skill.ts";

const harness = skillHarness();

describe("memory_forget", () => {
  it("previews the memory, archives it, and can restore it", async () => {
    const content = "the garage code is kept in the blue notebook";
    const { id } = await harness.ports.memory.add(
      { type: "observation", content },
      { source: { kind: "user" }, trust: "trusted" },
    );
    const { assessment, outputs, narrative } = await harness.call(memoryForget, { id });
    expect(assessment).toMatchObject({
      risk: "medium",
      grant: {},
      preview: {
        title: `Forget "${content}"?`,
        facts: expect.arrayContaining([{ label: "memory", value: content }]) as unknown,
      },
    });
    expect(outputs["id"]).toBe(id);
    expect(narrative).toMatch(/^Forgot "the garage code.*"; it can be restored from the archive\.$/u);
    await expect(harness.ports.memory.get(id)).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
    const removed = ArchiveEntry.parse(outputs["removed"]);
    expect(await harness.ports.memory.restore(removed.id)).toMatchObject({ id, content });
  });

  it("fails before approval for an unknown memory, and rejects an invalid id", async () => {
    const args = memoryForget.parse({ id: "evt-20251114T093012123Z-blue-notebook" });
    await expect(memoryForget.assess(args, harness.ports)).rejects.toMatchObject({
      code: "MEMORY_NOT_FOUND",
    });
    expect(() => memoryForget.parse({ id: "../../state.db" })).toThrow(
      expect.objectContaining({ code: "INVALID_ARGS" }),
    );
  });
});
