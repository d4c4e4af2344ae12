import { FunctionMemory } from "@metahuman/core/contract/function";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { harnessBeforeAll } from "../support/before-all.ts";
import { functionNow } from "../support/code-samples.ts";
import { act, finish, type ModelHarness, purposeOf } from "../support/model-harness.ts";

// Which guide a prompt contains, and its text.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const One = z.object({ function: FunctionMemory });

const packing = (tour: string) => ({
  title: `Make a packing list for ${tour}`,
  summary: "Write a text file, then read a text file.",
  kind: "guide",
  steps: [
    `Write a text file. (fs_write): path = out/packing-${tour}.md, content = \${text}, overwrite = true`,
    `Read a text file. (fs_read): path = out/packing-${tour}.md`,
  ],
  skillsUsed: ["fs_write", "fs_read"],
  parameters: [{ name: "text", type: "string", description: "what to pack", required: true }],
  examples: [
    { prompt: `write a packing list for ${tour} into a file`, parameters: {}, skillSequence: ["fs_write"] },
  ],
});

async function guidesFor(goal: string, reactV2 = true): Promise<{ guides: string; runId: string }> {
  let calls = 0;
  await harness.set({
    etc: { runtime: { operator: { reactV2 } } },
    answer: (request) => {
      if (purposeOf(request) !== "plan") return { say: "It is done [1]." };
      calls += 1;
      if (reactV2) return calls === 1 ? act("task_list") : finish;
      return calls === 1 ? { call: [{ name: "task_list", args: {} }] } : { say: "Done." };
    },
  });
  const { runId } = await harness.ask(goal);
  const chat = harness.models.chats().find((seen) => purposeOf(seen) === "plan");
  const prompt = chat?.messages.map(({ content }) => content).join("\n") ?? "";
  return {
    guides:
      /Function guide[\s\S]*?(?=\n\n|$)/u.exec(prompt.split("Tools (* = required)").at(-1) ?? "")?.[0] ?? "",
    runId,
  };
}

/** The ids of the guides by tour. */
const ids = new Map<string, string>();
beforeAll(async () => {
  for (const tour of ["climbing", "the glacier", "sailing"]) {
    const created = await harness.owner.post("/api/functions", packing(tour));
    const { id } = One.parse(created.body).function;
    await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });
    ids.set(tour, id);
  }
});

describe("a function guide", () => {
  it.each([
    "sort the list of names in out/names.txt, whatever that takes",
    "make a list of the people who wrote to me and put it into a file somehow",
    "write a poem about the mountains into a text file, please",
    "get the list of my tasks into shape somehow",
    "read the file with the numbers again and check that the second list in it has the right order and size",
  ])("for packing is not offered for: %s", async (goal) => {
    expect((await guidesFor(goal)).guides).toBe("");
  });

  it.each([true, false])("is the one that fits best, when several do (reactV2 %s)", async (reactV2) => {
    const { guides, runId } = await guidesFor(
      "please make a packing list for climbing and put it into some file",
      reactV2,
    );
    expect(guides.match(/\[func-/gu)).toHaveLength(1);
    expect(guides).toContain("Make a packing list for climbing");
    const { context } = await harness.run(runId);
    expect(context?.rejectedFunctions?.length).toBeGreaterThan(0);
  });

  it("shows the previous value as an example, not as a value to use", async () => {
    const { guides } = await guidesFor("please make a packing list for climbing and put it into some file");
    expect(guides).toContain("(last time: path = out/packing-climbing.md; yours will differ)");
    expect(guides).toContain("content = ${text}");
    expect(guides).toContain("overwrite = true");
  });

  it("has succeeded only when the run made its last change", async () => {
    const functionId = ids.get("climbing") ?? "";
    const follow = async (...calls: [tool: string, args: Record<string, unknown>][]) => {
      const plan = calls.map(([tool, args]) => ({
        json: { thought: "Next.", functionId, action: { tool, args } },
      }));
      let planned = 0;
      await harness.set({
        answer: (request) =>
          purposeOf(request) === "plan" ? (plan[planned++] ?? finish) : { say: "Here are your tasks." },
      });
      await harness.ask("please make a packing list for climbing and put it into some file");
      const { usageCount, stats } = await functionNow(harness.owner, functionId);
      return [usageCount, stats.successes];
    };
    // "Actually forget that, list my tasks instead", as the answer to a question of the run, leaves it at this.
    expect(await follow(["task_list", {}])).toEqual([1, 0]);
    const list = { path: "out/packing-climbing.md", content: "rope", overwrite: true };
    expect(await follow(["fs_write", list], ["fs_read", { path: list.path }])).toEqual([2, 1]);
  });
});
