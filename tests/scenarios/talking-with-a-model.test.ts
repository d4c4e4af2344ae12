import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TaskAnswer } from "@metahuman/core/contract/answers";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { Run } from "@metahuman/core/contract/run";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { harnessBeforeAll } from "../support/before-all.ts";
import { readEvents } from "../support/event-reader.ts";
import type { ChatScript, SeenRequest } from "../support/model-server/script.ts";
import {
  act,
  chatModel,
  finish,
  lastMessage,
  PLANS,
  play,
  purposeOf,
  type ModelHarness,
} from "../support/model-harness.ts";

// Conversations as most people have them with the operator: follow-ups, questions and small requests in their own
// words.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const SPEAKS = "speaks:4b";
const answerWith = (answer: string): ChatScript => ({
  json: { thought: "No tool is needed.", respond: true, answer },
});
const promptOf = ({ messages }: SeenRequest): string => messages.map(({ content }) => content).join("\n");
const Delta = z.object({ text: z.string() });
const toolCalling = { runtime: { operator: { reactV2: false } } };
const MODES = [
  ["structured planning", {}],
  ["tool-calling mode", toolCalling],
] as const;
/** A reply with this answer, in the form that the mode asks for. */
const replies = (etc: object, answer: string): ChatScript =>
  etc === toolCalling ? { say: answer } : answerWith(answer);
/** A reply that calls this tool, in the form that the mode asks for. */
const calls = (etc: object, name: string, args: Record<string, unknown>): ChatScript =>
  etc === toolCalling ? { call: [{ name, args }] } : act(name, args);

function chatAt(index: number): SeenRequest {
  const chat = harness.models.chats().at(index);
  if (!chat) throw new Error("No model was asked.");
  return chat;
}
const firstChat = () => chatAt(0);
const lastChat = () => chatAt(-1);

async function deltasOf(goal: string): Promise<{ deltas: string[]; types: string[] }> {
  const response = await harness.owner.raw(
    "POST",
    "/api/operator",
    { goal },
    { accept: "text/event-stream" },
  );
  const deltas: string[] = [];
  const types: string[] = [];
  for await (const { event, data } of readEvents(response)) {
    types.push(event);
    if (event === "answer-delta") deltas.push(Delta.parse(data).text);
  }
  return { deltas, types };
}

describe("a request that needs no tool", () => {
  it.each([
    "what is the capital of France?",
    "write me a short poem about the sea",
    "tell me a joke",
    "how was your day?",
    "wie heißt die Hauptstadt von Frankreich?",
  ])("is answered by the model in one call: %s", async (goal) => {
    await harness.set({ answer: () => answerWith("Paris, as everybody knows.") });
    const answer = await harness.ask(goal);
    expect(answer).toMatchObject({ outcome: "answered", result: "Paris, as everybody knows.", actions: [] });
    expect(answer.usage.modelCalls).toBe(1);
  });

  it("streams the answer out of the plan", async () => {
    const reply = {
      thought: "Known.",
      respond: true,
      answer: 'The capital of France is "Paris" – since 987.',
    };
    await harness.set({ answer: () => ({ say: JSON.stringify(reply), pieces: 24 }) });
    const { deltas, types } = await deltasOf("what is the capital of France?");
    expect(deltas.length).toBeGreaterThan(3);
    // A sentence with a number is held back until it is checked.
    expect(reply.answer.startsWith(deltas.join(""))).toBe(true);
    expect(types.at(-1)).toBe("run-ended");
  });

  it("is worded by the persona's model if that is another one, with the conversation", async () => {
    await harness.set({
      models: [chatModel(PLANS), chatModel(SPEAKS)],
      roles: { planner: [`ollama/${PLANS}`], persona: [`ollama/${SPEAKS}`] },
      answer: (request) => (purposeOf(request) === "plan" ? finish : { say: "Paris it is." }),
    });
    expect(await harness.ask("what is the capital of France?")).toMatchObject({ result: "Paris it is." });
    expect(harness.models.chats().map(({ model }) => model)).toEqual([PLANS, SPEAKS]);
  });

  it.each([
    [
      "a full answer that ends the plan is used as it is",
      "You have no tasks [1].",
      2,
      "You have no tasks [1].",
    ],
    ["a bare word is no answer", "Done.", 3, "There are no tasks [1]."],
  ])("needs no further call after a tool: %s", async (_, answer, calls, result) => {
    let planned = 0;
    await harness.set({
      answer: (request) => {
        if (purposeOf(request) !== "plan") return { say: "There are no tasks [1]." };
        return planned++ === 0 ? act("task_list") : answerWith(answer);
      },
    });
    const found = await harness.ask("tell me, is there anything on my list of tasks I should worry about?");
    expect(found).toMatchObject({ outcome: "answered", result, actions: ["task_list"] });
    expect(harness.models.chats()).toHaveLength(calls);
  });

  it("is worded by a separate call if the plan contains no answer", async () => {
    await harness.set({ answer: (request) => (purposeOf(request) === "plan" ? finish : { say: "Paris." }) });
    const answer = await harness.ask("what is the capital of France?");
    expect(answer).toMatchObject({ outcome: "answered", result: "Paris." });
    expect(answer.usage.modelCalls).toBe(2);
  });

  it("is answered with the model's own words in tool-calling mode", async () => {
    await harness.set({ etc: toolCalling, answer: () => ({ say: "The capital of France is Paris." }) });
    const answer = await harness.ask("what is the capital of France?");
    expect(answer).toMatchObject({ planner: "tool-calling", result: "The capital of France is Paris." });
    expect(answer.usage.modelCalls).toBe(1);
  });

  it("is answered from the memories of the prompt", async () => {
    await harness.owner.post("/api/memories", {
      type: "curated",
      content: "The spare key hangs behind the boiler.",
    });
    await harness.set({
      answer: (request) =>
        answerWith(
          promptOf(request).includes("behind the boiler") ? "It hangs behind the boiler." : "I do not know.",
        ),
    });
    expect(await harness.ask("where does the spare key hang?")).toMatchObject({
      result: "It hangs behind the boiler.",
      usage: { modelCalls: 1 },
    });
  });

  it.each(MODES)("is answered although the model calls the skill that answers, with %s", async (_, etc) => {
    await harness.set({
      etc,
      answer: (request) =>
        purposeOf(request) === "plan"
          ? calls(etc, "conversational_response", { text: "Paris." })
          : { say: "The capital of France is Paris." },
    });
    expect(await harness.ask("what is the capital of France?")).toMatchObject({
      outcome: "answered",
      result: "The capital of France is Paris.",
    });
  });

  it.each(["reset", "empty"] as const)("fails with the reason if its wording does: %s", async (fault) => {
    await harness.set({ answer: (request) => (purposeOf(request) === "plan" ? finish : { fault }) });
    const { runId, outcome, result } = await harness.ask("what is the capital of France?");
    expect(outcome).toBe("failed");
    expect(result).toMatch(fault === "reset" ? /No model server answers/ : /returned an empty answer/);
    expect(result).not.toContain("Start Ollama");
    const { status } = await harness.owner.post(`/api/runs/${runId}/continue`);
    expect(status).toBe(200);
  });

  it("explains why something cannot be done in the planner's words", async () => {
    await harness.set({ answer: () => answerWith("I cannot phone anybody: there is no skill for it.") });
    expect(await harness.ask("call my dentist and book a slot")).toMatchObject({
      outcome: "answered",
      result: "I cannot phone anybody: there is no skill for it.",
    });
  });
});

describe("a conversation", () => {
  const ROPE = "I am packing for climbing in the Lofoten, my rope measures 40 metres. Any advice?";

  it("is included for the model that words the answer as well", async () => {
    await harness.set({
      models: [chatModel(PLANS), chatModel(SPEAKS)],
      roles: { planner: [`ollama/${PLANS}`], persona: [`ollama/${SPEAKS}`] },
      answer: (request) => (purposeOf(request) === "plan" ? finish : { say: "Take a helmet." }),
    });
    const { conversationId } = await harness.ask(ROPE);
    await harness.ask("and how long was the rope again?", { conversationId });
    expect(promptOf(lastChat())).toContain("40 metres");
  });

  it("begins with the text that a request continues from", async () => {
    await harness.set({ answer: () => answerWith("It leaves at nine.") });
    await harness.ask("when does it leave?", { taskContext: "The ferry to Moskenes leaves at 9:00." });
    expect(promptOf(firstChat())).toContain("ferry to Moskenes");
  });
});

describe("the current time and place in a prompt", () => {
  it.each(MODES)(
    "are in the last message with %s: day, weekday, time zone, steps, workspace",
    async (_, etc) => {
      await harness.set({ etc, answer: () => replies(etc, "Fine.") });
      await harness.ask("what could I cook on Friday?", { timeZone: "Pacific/Auckland", locale: "en-NZ" });
      const day = new Intl.DateTimeFormat("en-CA", { timeZone: "Pacific/Auckland" }).format(new Date());
      const last = lastMessage(firstChat());
      expect(last).toContain(day);
      expect(last).toMatch(/(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day/);
      expect(last).toContain("Pacific/Auckland");
      expect(last).toContain("en-NZ");
      expect(last).toMatch(/10 steps left/);
      expect(last).toMatch(/out\/ \(\d+ entr(y|ies)\)/);
    },
  );
});

describe("a request in free words", () => {
  it.each(["find flights to Rome", "look up the weather in Oslo", "find unfinished tasks about report"])(
    "is left to the model in both modes: %s",
    async (goal) => {
      for (const [mode, etc] of MODES) {
        await harness.set({ etc, answer: () => replies(etc, "I have no way to look that up.") });
        const answer = await harness.ask(goal);
        expect(answer, mode).toMatchObject({
          planner: etc === toolCalling ? "tool-calling" : "structured",
          actions: [],
        });
        expect(harness.models.chats(), mode).toHaveLength(1);
      }
    },
  );
});

describe("a request that only sounds like a question about skills, or like a refusal", () => {
  it.each([
    "can you put a file called groceries.txt in my stuff with eggs, milk and bread",
    "could you save that as saturday.md - the bit about the market",
    "how many todos tagged wedding are still open?",
    "don't throw numbers.txt away yet! just tell me how many lines it has",
    "no wait, not Mr Singh, i meant Mrs Adeyemi",
    "how do I tie a bowline?",
  ])("is left to the model: %s", async (goal) => {
    await harness.set({ answer: () => answerWith("Let me see.") });
    expect(await harness.ask(goal)).toMatchObject({ planner: "structured", result: "Let me see." });
  });
});

describe("a model that becomes unavailable", () => {
  it("at the first call leaves simple requests to the built-in planner", async () => {
    await harness.set({ answer: () => ({ fault: "reset" }) });
    expect(await harness.ask("create a task to get milk")).toMatchObject({
      outcome: "answered",
      actions: ["task_create"],
    });
  });

  it.each([
    "create a file told.md with what I told you about Rome",
    "write what you know about me to told.md",
    "write which of my tasks are due to told.md",
    "remember what I told you about Rome",
    "keep in mind: everything we discussed about the move",
  ])("at the first call writes no words that only describe a text: %s", async (goal) => {
    await harness.set({ answer: () => ({ fault: "reset" }) });
    expect(await harness.ask(goal)).toMatchObject({ outcome: "failed", actions: [] });
  });

  it.each(MODES)(
    "in the middle changes nothing more and reports the completed steps, with %s",
    async (_, etc) => {
      await writeFile(join(harness.profile, "out/n1.md"), "Harbour fees went up.");
      let chats = 0;
      await harness.set({
        etc,
        answer: () => ((chats += 1) === 1 ? calls(etc, "fs_read", { path: "n1.md" }) : { fault: "reset" }),
      });
      const { runId, ...answer } = await harness.ask("read n1.md and write a summary of it to sum.md");
      expect(answer).toMatchObject({ outcome: "failed", actions: ["fs_read"] });
      expect(answer.result).toMatch(/Done[\s\S]*n1\.md[\s\S]*Not done/);
      await expect(readFile(join(harness.profile, "out/sum.md"), "utf8")).rejects.toThrow("ENOENT");
      expect((await harness.run(runId)).status).toBe("ended");
    },
  );

  it("lets the person continue from the last step", async () => {
    let chats = 0;
    await harness.set({
      answer: () =>
        (chats += 1) === 1 ? act("task_create", { title: "pack the tent" }) : { fault: "reset" },
    });
    const { runId, conversationId } = await harness.ask("get my camping trip prepared somehow");
    await harness.set({
      answer: play([act("task_create", { title: "pack the stove" }), finish], "Both are packed [1][2]."),
    });
    const { status, body } = await harness.owner.post(`/api/runs/${runId}/continue`);
    expect(status).toBe(200);
    const answer = OperatorAnswer.parse(body);
    expect(answer).toMatchObject({ conversationId, outcome: "answered", actions: ["task_create"] });
    expect(answer.result).toBe("Both are packed [1][2].");
    expect(promptOf(firstChat())).toContain("pack the tent");
    expect(Run.parse((await harness.owner.get(`/api/runs/${answer.runId}`)).body)).toMatchObject({
      continues: runId,
    });
    expect(answer.learnedFunction).toBeUndefined();
  });

  it("names what is done when the continuation fails, too", async () => {
    let chats = 0;
    await harness.set({
      answer: () =>
        (chats += 1) === 1 ? act("task_create", { title: "pack the lamp" }) : { fault: "reset" },
    });
    const { runId } = await harness.ask("get my next camping trip prepared somehow");
    await harness.set({ answer: () => ({ json: { thought: "" } }) });
    const { body } = await harness.owner.post(`/api/runs/${runId}/continue`);
    const answer = OperatorAnswer.parse(body);
    expect(answer).toMatchObject({ outcome: "failed", actions: [] });
    expect(answer.result).toMatch(/could not be finished[\s\S]*Until then:[\s\S]*pack the lamp/u);
  });

  it("cannot be continued from an answered run", async () => {
    await harness.set({ answer: () => answerWith("Hello.") });
    const { runId } = await harness.ask("what is a bowline?");
    const { status, body } = await harness.owner.post(`/api/runs/${runId}/continue`);
    expect(status).toBe(409);
    expect(JSON.stringify(body)).toContain("answered");
  });
});

describe("a run that reaches its step limit", () => {
  const many = Array.from({ length: 12 }, (_, index) =>
    act("task_create", { title: `step ${String(index)}` }),
  );
  const ends = (done: boolean): ChatScript => ({
    json: { thought: "Out of steps.", respond: true, done },
  });

  it("is stopped, reports it, teaches nothing and can be continued", async () => {
    let step = 0;
    await harness.set({
      answer: (request) => {
        if (purposeOf(request) !== "plan") return { say: "Ten of twelve tasks are there [1]." };
        return step < 10 ? (many[step++] ?? finish) : ends(false);
      },
    });
    const answer = await harness.ask("set up twelve tasks for the move, one for each room");
    expect(answer).toMatchObject({ outcome: "stopped" });
    expect(answer.result).toContain("Ten of twelve");
    expect(answer.result).toMatch(/not finished/i);
    expect(answer.learnedFunction).toBeUndefined();
    step = 10;
    const { status, body } = await harness.owner.post(`/api/runs/${answer.runId}/continue`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ conversationId: answer.conversationId });
  });

  it.each(["continue", "Ok, please go on."])(
    "is continued by a message that only says so: %s",
    async (goal) => {
      let step = 0;
      await harness.set({
        answer: (request) => {
          if (purposeOf(request) !== "plan") return { say: "Ten of twelve tasks are there [1]." };
          return step < 10 ? (many[step++] ?? finish) : ends(false);
        },
      });
      const request = "set up twelve tasks for the move, one for each room";
      const { conversationId, runId } = await harness.ask(request);
      await harness.set({
        answer: (seen) =>
          purposeOf(seen) === "plan" ? (many[step++] ?? finish) : { say: "All are there [1]." },
      });
      const continued = await harness.ask(goal, { conversationId });
      expect(continued).toMatchObject({ outcome: "answered", actions: { length: 2 } });
      expect(promptOf(firstChat())).toContain("step 9");
      expect(await harness.run(continued.runId)).toMatchObject({ goal: request, continues: runId });
    },
  );

  it.each(["UNFINISHED: Ten of twelve are there [1].", "Ten of twelve are there [1]."])(
    "is stopped in tool-calling mode, and continued with its observations: %s",
    async (last) => {
      let step = 0;
      const next = (): ChatScript => ({
        call: [{ name: "task_create", args: { title: `step ${String(step++)}` } }],
      });
      await harness.set({
        etc: toolCalling,
        answer: ({ tools }) => (tools.length > 0 ? next() : { say: last }),
      });
      const answer = await harness.ask("set up twelve tasks for the move, one for each room");
      expect(answer).toMatchObject({ outcome: "stopped", actions: { length: 10 } });
      expect(answer.result).toMatch(/^Ten of twelve are there \[1\]\.\s+This request is not finished/);
      expect(answer.learnedFunction).toBeUndefined();
      await harness.set({
        etc: toolCalling,
        answer: () => (step < 12 ? next() : { say: "All twelve are there [1]." }),
      });
      const { body } = await harness.owner.post(`/api/runs/${answer.runId}/continue`);
      expect(body).toMatchObject({ outcome: "answered", actions: { length: 2 } });
      expect(promptOf(firstChat())).toContain("step 9");
    },
  );

  it("is answered if its last step completed the work", async () => {
    let step = 0;
    await harness.set({
      answer: (request) => {
        if (purposeOf(request) !== "plan") return { say: "All is set up [1]." };
        return step < 10 ? (many[step++] ?? finish) : ends(true);
      },
    });
    expect(await harness.ask("set up ten tasks for the move")).toMatchObject({ outcome: "answered" });
  });
});

describe("a list of tasks", () => {
  it("shows a model the ids for its next calls, and the person none", async () => {
    const { body } = await harness.owner.post("/api/tasks", { title: "Sweep the chimney", tags: ["home"] });
    const { id } = TaskAnswer.parse(body).task;
    await harness.set({ answer: play([act("task_list", { tag: "home" })], "The chimney is left [1].") });
    await harness.ask("whatever is tagged home should be over and done with, please");
    const [, second] = harness.models.chats();
    expect(second?.messages.at(-1)?.content).toContain(id);
    const { planner, result } = await harness.ask("list my tasks");
    expect(planner).toBe("built-in");
    expect(result).toContain("Sweep the chimney");
    expect(result).not.toContain(id);
  });
});
