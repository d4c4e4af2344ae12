import { NO_CONVERSATION } from "@metahuman/core/context/build-context-package";
import type { ErrorCode } from "@metahuman/core/contract/problem";
import type { Observation, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { installedSkills } from "@metahuman/skills/installed";
import { expect, it } from "vitest";
import type { PlannerDecision } from "../../../planner.ts";
import { createBuiltInPlanner } from "../../built-in.ts";
import { task, TIMESTAMP } from "../testing/steps.ts";

const LIST = { path: "out/tools.txt", content: "chisel\nspirit level\n", bytes: 20, truncated: false };
const EARLIER: EarlierRequest[] = [
  {
    request: "read out/tools.txt",
    calls: [{ skill: "fs_read", args: { path: "out/tools.txt" }, outputs: LIST }],
  },
];
const seen = (outputs: Record<string, unknown>): Observation => ({
  mode: "structured",
  content: "",
  success: true,
  outputs,
});
const failed = (code: ErrorCode): Observation => ({
  mode: "narrative",
  content: "",
  success: false,
  error: { code, message: "" },
});
/** What each skill answers. */
const OBSERVED: Readonly<Record<string, Observation>> = {
  // "Remove chisel" is first read as the name of a file.
  fs_delete: failed("FILE_NOT_FOUND"),
  fs_read: seen(LIST),
  task_create: seen({ id: "task-1", task: task("post the letter") }),
  fs_edit: seen({ path: LIST.path, replacements: 1, line: "chisel", removed: ["chisel"], added: [] }),
};
const planner = createBuiltInPlanner();

const decide = (request: string, scratchpad: readonly ScratchpadEntry[]): Promise<PlannerDecision> =>
  planner.next(
    {
      runId: "run-1",
      request,
      requestedAt: new Date(TIMESTAMP),
      timeZone: "Europe/Oslo",
      locale: "en-GB",
      scratchpad,
      context: undefined,
      conversation: NO_CONVERSATION,
      earlier: async () => EARLIER,
      skills: installedSkills,
    },
    new AbortController().signal,
  );

/** The steps of a run and its answer. `stored` is what a run that resumes finds of each step. */
async function stepsOf(
  request: string,
  stored: (entry: ScratchpadEntry) => ScratchpadEntry,
): Promise<{ tools: string[]; text: string | undefined }> {
  const scratchpad: ScratchpadEntry[] = [];
  for (;;) {
    const decision = await decide(request, scratchpad);
    const tools = scratchpad.map(({ action }) => action?.tool ?? "");
    if (decision.kind === "answer") return { tools, text: decision.text };
    const { thought, reading, action } = decision;
    scratchpad.push(
      stored({
        step: scratchpad.length + 1,
        thought,
        ...(reading && { reading }),
        action,
        observation: OBSERVED[action.tool] ?? failed("UNEXPECTED_ERROR"),
        timestamp: TIMESTAMP,
      }),
    );
  }
}

const GUESSED = "Please remove chisel, my neighbour lent me one";

it("goes on with a request in plainer words by the reading of its steps", async () => {
  const asked = "I was hoping you might add a task to post the letter";
  const { tools, text } = await stepsOf(asked, (entry) => ({ ...entry, thought: "x" }));
  expect(tools).toEqual(["memory_search", "task_create"]);
  expect(text).toMatch(/^Read as “add a task to post the letter”/u);
});

it("goes on with a guess, also in a run that was stored without readings", async () => {
  const { tools, text } = await stepsOf(GUESSED, ({ reading: _reading, ...entry }) => entry);
  expect(tools).toEqual(["fs_delete", "fs_read", "fs_edit"]);
  expect(text).toMatch(/^Read as “remove "chisel" from out\/tools\.txt”/u);
});
