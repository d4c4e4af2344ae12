import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readEvents } from "../support/event-reader.ts";
import type { ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { harnessBeforeAll } from "../support/before-all.ts";
import { act, finish, play, PLANS, purposeOf, type ModelHarness } from "../support/model-harness.ts";

// How a model's reply reaches its reader: piece by piece, and whole although it has a cap.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const LAST = 3_000;
const wordsFrom = (first: number, count: number): string[] =>
  Array.from(
    { length: Math.min(count, LAST + 1 - first) },
    (_, index) => `w${String(first + index).padStart(4, "0")}`,
  );
const STORY = wordsFrom(1, LAST);
const GOAL = "write a story of three thousand words into story.md, all of it made up";

const Options = z.object({ options: z.object({ num_predict: z.int() }) });

/** The number of the last word that an earlier call wrote, as the prompt still shows it. */
function lastWritten({ messages, body }: SeenRequest): number {
  const shown = JSON.stringify([messages, body["messages"]]);
  const numbers = [...shown.matchAll(/w(\d{4})" \(\d+ char|w(\d{4}) \(\d+ characters\)/gu)];
  return Math.max(0, ...numbers.map(([, one, other]) => Number(one ?? other)));
}

/** The number of words to write at once; all of them without a limit. */
const promptWords = ({ messages }: SeenRequest): number =>
  Number(/holds about (\d+) words/u.exec(messages.at(-1)?.content ?? "")?.[1] ?? LAST);

/** The next words of a model with a limit on its replies. */
function storyteller(
  path: string,
  request: SeenRequest,
  asText: (tool: string, args: object) => string,
): string | undefined {
  const first = lastWritten(request) + 1;
  if (first > LAST) return undefined;
  const text = wordsFrom(first, promptWords(request)).join(" ");
  return first === 1 ? asText("fs_write", { path, content: text }) : asText("fs_append", { path, text });
}

const written = async (name: string): Promise<string[]> =>
  (await readFile(join(harness.profile, "out", name), "utf8")).trim().split(/\s+/u);

describe("a file that is longer than one reply of the model", () => {
  it("is complete if the plan is JSON", async () => {
    const caps: number[] = [];
    await harness.set({
      models: [{ name: PLANS, abilities: ["completion", "tools"], contextTokens: 4_096 }],
      answer: (request): ChatScript => {
        if (purposeOf(request) !== "plan") return { say: "The story is written [1]." };
        const json = storyteller("story.md", request, (tool, args) =>
          JSON.stringify({ thought: "Write on.", action: { tool, args } }),
        );
        if (json === undefined) return finish;
        const cap = Options.parse(request.body).options.num_predict;
        caps.push(cap);
        return json.length / 3.5 <= cap
          ? { say: json }
          : { say: json.slice(0, cap * 3), finish: "length", tokens: { prompt: 4_000, completion: cap } };
      },
    });
    const { outcome, actions } = await harness.ask(GOAL);
    expect([outcome, actions[0], new Set(actions.slice(1))]).toEqual([
      "answered",
      "fs_write",
      new Set(["fs_append"]),
    ]);
    expect(await written("story.md")).toEqual(STORY);
    expect(Math.max(...caps)).toBeGreaterThan(1_024);
  });

  it("is complete if the plan is tool calls", async () => {
    const CAP = 2_000;
    await harness.set({
      etc: {
        runtime: { operator: { reactV2: false } },
        models: {
          providers: {
            lab: { kind: "openai-compatible", baseUrl: harness.models.openAiUrl, contextTokens: 8_192 },
          },
        },
      },
      answer: (request): ChatScript => {
        if (purposeOf(request) !== "plan") return { say: "The story is written [1]." };
        let called = "";
        const args = storyteller("saga.md", request, (tool, given) => {
          called = tool;
          return JSON.stringify(given);
        });
        if (args === undefined) return { say: "The story is written." };
        return args.length / 3.5 <= CAP
          ? { call: [{ name: called, args: {}, rawArgs: args }] }
          : {
              call: [{ name: called, args: {}, rawArgs: args.slice(0, CAP * 3) }],
              finish: "length",
              tokens: { prompt: 4_000, completion: CAP },
            };
      },
    });
    const { planner } = await harness.ask(GOAL.replace("story.md", "saga.md"));
    expect(planner).toBe("tool-calling");
    expect(await written("saga.md")).toEqual(STORY);
  });
});

describe("a plan that is cut off again and again", () => {
  it("ends the run with this reason, and not with that of an invalid reply", async () => {
    await harness.set({
      answer: () => ({ say: '{"thought": "Well', finish: "length", tokens: { prompt: 9, completion: 300 } }),
    });
    const { outcome, result } = await harness.ask("do something odd with everything, please");
    expect(outcome).toBe("failed");
    expect(result).toContain("cut off at 300 tokens");
    expect(result).not.toMatch(/invalid|could not be read/u);
  });
});

describe("an answer that is longer than one reply of the model", () => {
  it("is continued, and arrives as one", async () => {
    let part = 0;
    const plan = play([act("task_list")]);
    await harness.set({
      answer: (request, index) => {
        if (purposeOf(request) === "plan") return plan(request, index);
        part += 1;
        return part === 1
          ? { say: "There is no task [1], and ", finish: "length", tokens: { prompt: 9, completion: 300 } }
          : { say: "nothing else is to be done." };
      },
    });
    const { result } = await harness.ask("look whether somehow anything is left for me");
    expect(result).toBe("There is no task [1], and nothing else is to be done.");
  });
});

describe("an answer that streams", () => {
  it("reaches its reader with the first piece before the model has sent the second", async () => {
    const { promise: gate, resolve: sendTheRest } = Promise.withResolvers<void>();
    await harness.set({ answer: () => ({ say: "Hello! What shall we do?", pieces: 2, gate }) });
    const stream = { accept: "text/event-stream" };
    const response = await harness.owner.raw("POST", "/api/operator", { goal: "hello" }, stream);
    const seen: string[] = [];
    for await (const { event, data } of readEvents(response)) {
      if (event !== "answer-delta") continue;
      seen.push(JSON.stringify(data));
      sendTheRest();
    }
    expect(seen.length).toBeGreaterThan(1);
    expect(seen[0]).toContain("Hello! What");
    expect(seen[0]).not.toContain("do?");
  });
});
