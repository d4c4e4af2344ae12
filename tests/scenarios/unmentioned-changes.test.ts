import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TaskAnswer } from "@metahuman/core/contract/answers";
import {
  act,
  finish,
  openModelHarness,
  PLANS,
  chatModel,
  purposeOf,
  type ModelHarness,
} from "../support/model-harness.ts";
import type { ChatScript } from "../support/model-server/script.ts";

// The answer lists what a run changed, even if the model does not mention it.

let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness();
});
afterAll(() => harness.close());

type Calls = readonly { tool: string; args: Record<string, unknown> }[];

/** A model that makes the calls in order, then answers with these words, in either way of planning. */
async function plays(calls: Calls, words: string, isNative: boolean): Promise<void> {
  let step = 0;
  await harness.set({
    models: [chatModel(PLANS)],
    etc: { runtime: { operator: { reactV2: !isNative } } },
    answer: (request): ChatScript => {
      if (purposeOf(request) !== "plan") return { say: words };
      const call = calls[step++];
      if (!isNative) return call ? act(call.tool, call.args) : finish;
      return call ? { call: [{ name: call.tool, args: call.args }] } : { say: words };
    },
  });
}

describe.each([
  ["structured planning", false],
  ["native tool calls", true],
])("with %s, an answer", (_name, isNative) => {
  it.each(["ok", "DONE", "The stairwell is painted in January."])(
    "that omits a change of the run gets it in words: %s",
    async (words) => {
      const title = `ring Ida ${words.length} ${String(isNative)}`;
      await plays(
        [
          { tool: "task_create", args: { title } },
          { tool: "fs_write", args: { path: `${String(isNative)}-${words.length}.md`, content: "hello" } },
        ],
        words,
        isNative,
      );
      const { result: response } = await harness.ask(
        `would you take care of everything for me, number ${words.length}`,
      );
      expect(response).toContain(`Created the task "${title}"`);
      expect(response).toContain(`Created out/${String(isNative)}-${words.length}.md.`);
    },
  );

  it("that reports its changes stays unchanged", async () => {
    const title = `mow the lawn ${String(isNative)}`;
    const { body } = await harness.owner.post("/api/tasks", { title });
    const { id } = TaskAnswer.parse(body).task;
    const words = `I marked ${title} as done.`;
    await plays([{ tool: "task_update_status", args: { id, status: "done" } }], words, isNative);
    const { result: response } = await harness.ask(
      `the lawn is mown now, ${String(isNative)}, wonderful weather by the way`,
    );
    expect(response).toBe(words);
  });

  it("that only mentions a file does not hide that the file was changed", async () => {
    await writeFile(join(harness.profile, "out", "minutes.md"), "The keys are at the office.\n");
    await plays(
      [
        { tool: "fs_read", args: { path: "minutes.md" } },
        { tool: "fs_append", args: { path: "minutes.md", text: "evil" } },
      ],
      "According to minutes.md, the keys are at the office.",
      isNative,
    );
    const { result: response } = await harness.ask(
      `I have lost the keys, and the minutes may know ${String(isNative)}`,
    );
    expect(response).toContain(" to the end of out/minutes.md");
  });
});

describe("a placeholder of a template in a call", () => {
  it("is refused with a request to fill it in", async () => {
    await plays(
      [{ tool: "fs_append", args: { path: "${path}", text: "Luna" } }],
      "I could not do it.",
      false,
    );
    const { runId } = await harness.ask("put the Luna visit where such visits belong");
    const [first] = (await harness.run(runId)).scratchpad;
    expect(first?.observation).toMatchObject({
      success: false,
      error: { code: "INVALID_ARGS", message: "fs_append: path still has the placeholder ${path}." },
    });
  });

  it("is no change that failed", async () => {
    await plays(
      [
        { tool: "fs_append", args: { path: "visits.md", text: "Luna" } },
        { tool: "task_create", args: { title: "${title|capital}", due: "${due}" } },
      ],
      "Luna is in visits.md [1].",
      false,
    );
    const { result } = await harness.ask("put the Luna visit where such visits belong, into visits.md");
    expect(result).toBe("Luna is in visits.md [1].");
  });
});
