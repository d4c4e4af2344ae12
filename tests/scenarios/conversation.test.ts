import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorPending } from "@metahuman/core/contract/http";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { openDatabase } from "@metahuman/core/database/open-database";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { openRunStore } from "@metahuman/core/runs/open-run-store";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { harnessBeforeAll } from "../support/before-all.ts";
import type { ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { verdicts } from "../support/model-server/server.ts";
import { act, finish, type ModelHarness, play, purposeOf } from "../support/model-harness.ts";

// How much of the conversation of a request planners and answers receive.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const PACKING =
  "I am packing for climbing in the Lofoten, my rope measures 40 metres; please get my list of tasks into shape";
const FOLLOW_UP = "and please tell me how long the rope was again, in feet if you can";

const shown = ({ messages }: SeenRequest) => messages.map(({ content }) => content).join("\n");
const last = (purpose: ReturnType<typeof purposeOf>) => {
  const chat = harness.models.chats().findLast((seen) => purposeOf(seen) === purpose);
  return chat ? shown(chat) : "";
};
const lastPlan = () => last("plan");

/** Calls one tool for each request, then finishes; works for both planning modes. */
async function scene(runtime: Record<string, boolean> = {}) {
  let calls = 0;
  await harness.set({
    etc: { runtime: { operator: runtime } },
    answer: (request) => {
      if (request.messages[0]?.content.includes("You keep the summary"))
        return { say: "The rope: 40 metres." };
      if (purposeOf(request) !== "plan") return { say: "Your rope is in the notes [1]." };
      calls += 1;
      if (runtime["reactV2"] !== false) return calls % 2 === 1 ? act("task_list") : finish;
      return calls % 2 === 1
        ? { call: [{ name: "task_list", args: {} }] }
        : { say: "Your rope is in the notes [1]." };
    },
  });
}

const MODES = [
  ["the structured planner", { reactV2: true }],
  ["the structured planner without the context package", { reactV2: true, useContextPackage: false }],
  ["the tool-calling planner", { reactV2: false }],
  ["the tool-calling planner without the context package", { reactV2: false, useContextPackage: false }],
] as const;

describe("a second turn after a run that was stopped", () => {
  it("is planned with the fact that the person stopped it", async () => {
    await harness.set({
      answer: (request) =>
        shown(request).includes("did that work?") ? finish : act("ask_user", { question: "Which list?" }),
    });
    const { body } = await harness.owner.post("/api/operator", { goal: "delete the old list in my folder" });
    const { conversationId, runId } = OperatorPending.parse(body);
    await harness.owner.post(`/api/runs/${runId}/cancel`);
    await harness.ask("did that work?", { conversationId });
    expect(lastPlan()).toContain("The person stopped this");
  });
});

describe.each(MODES)("a second turn with %s", (_, runtime) => {
  it("is planned and answered with the whole text that was pasted before it", async () => {
    await scene(runtime);
    const chat = Array.from(
      { length: 24 },
      (_none, index) => `Parent ${String(index)}: we bring plates, cups and a cake for the fair.`,
    );
    const pasted = `What do I have to do by when?\n${chat.join("\n")}\nBo: I bake the carrot cake.`;
    const { conversationId } = await harness.ask(pasted);
    await harness.ask("and please get the tasks of it into shape: who else bakes, and what?", {
      conversationId,
    });
    expect(lastPlan()).toContain("Bo: I bake the carrot cake.");
    if (!("reactV2" in runtime && !runtime.reactV2))
      expect(last("answer")).toContain("Bo: I bake the carrot cake.");
  });

  it("is planned with the first turn before it", async () => {
    await scene(runtime);
    const { conversationId } = await harness.ask(PACKING);
    await harness.ask(FOLLOW_UP, { conversationId });
    expect(lastPlan()).toContain("my rope measures 40 metres");
    expect(lastPlan()).toContain("Your rope is in the notes");
    if (!("reactV2" in runtime && !runtime.reactV2))
      expect(last("answer")).toContain("my rope measures 40 metres");
  });

  it("contains no citation of an earlier answer, whose steps are gone", async () => {
    await scene(runtime);
    const { conversationId } = await harness.ask(PACKING);
    await harness.ask(FOLLOW_UP, { conversationId });
    expect(lastPlan()).not.toContain("notes [1]");
  });

  it("is planned with the text that the request continues from", async () => {
    await scene(runtime);
    await harness.ask(FOLLOW_UP, { taskContext: "The blue rope is 40 metres long." });
    expect(lastPlan()).toContain("The blue rope is 40 metres long.");
  });
});

describe("a conversation", () => {
  it("is answered in prompts with the same beginning, whatever was recalled or done for a request", async () => {
    await scene();
    await harness.ask("remember that my blue rope is from Narvik");
    const { conversationId } = await harness.ask(PACKING);
    for (const request of [FOLLOW_UP, "and where is my blue rope from?"])
      await harness.ask(request, { conversationId });
    const answers = harness.models.chats().filter((seen) => purposeOf(seen) === "answer");
    const [first, second] = answers.slice(-2).map(({ messages }) => messages);
    expect(first?.length).toBeGreaterThan(2);
    expect(second?.slice(0, (first?.length ?? 0) - 1)).toEqual(first?.slice(0, -1));
  });

  it("continues after a restart", async () => {
    await scene();
    const { conversationId } = await harness.ask(PACKING);
    await harness.restart();
    await harness.ask(FOLLOW_UP, { conversationId });
    expect(lastPlan()).toContain("my rope measures 40 metres");
  });

  it("marks the answer of a run that failed as such", async () => {
    await harness.set({
      answer: (request) => {
        if (purposeOf(request) !== "plan") return { say: "Done." };
        const isSecond = request.messages.some(({ content }) => content.includes("Request: and please"));
        return isSecond ? finish : act("fs_read", { path: "nowhere.md" });
      },
    });
    const { conversationId, outcome } = await harness.ask(PACKING);
    expect(outcome).toBe("stuck");
    await harness.ask(FOLLOW_UP, { conversationId });
    expect(lastPlan()).toContain(`operator (the run ended ${outcome})`);
  });
});

describe("a conversation of 200 turns", () => {
  const BUDGET = 300;
  const talk = Array.from({ length: 100 }, (_, index) => [
    index === 3
      ? "My rope measures 40 metres, and I decided to take the red one along."
      : `What do you think about the pitch of day ${String(index)}, and about the weather up there, in general?`,
    `It is hard to say much about it without having been there, ${"so I would not ".repeat(8)}.`,
  ]);

  /** A conversation as it would be after 100 requests. */
  async function held(): Promise<string> {
    await harness.server.dispose();
    const database = openDatabase(join(harness.profile, "state.db"), stateMigrations, { title: "state" });
    const store = openRunStore(database);
    let conversationId: string | undefined;
    for (const [goal = "", text = ""] of talk) {
      const run = await store.create({
        request: { goal, ...(conversationId !== undefined && { conversationId }) },
        identity: { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" },
        surface: "api",
      });
      conversationId = run.conversationId;
      const claimed = await store.claim({ maxConcurrent: 1, adopt: false });
      if (!claimed) throw new Error("the run was not queued");
      await store.append(claimed.claim, [
        { type: "run-started", goal, conversationId, agentId: "operator", planner: "conversation" },
        { type: "answer-completed", text, style: "default", verbatim: false },
        { type: "run-ended", outcome: "answered" },
      ]);
    }
    await store.close();
    database.close();
    await harness.restart();
    return conversationId ?? "";
  }

  const conversationIn = (prompt: string) =>
    /Earlier in this conversation[\s\S]*?(?=\n\n|$)/u.exec(prompt)?.[0] ?? "";

  it("stays within its budget, keeps the newest turns and the facts of the oldest", async () => {
    const conversationId = await held();
    await scene();
    await harness.configure("operator", { budgets: { conversation: BUDGET } });
    const { runId } = await harness.ask(FOLLOW_UP, { conversationId });
    const part = conversationIn(lastPlan());
    expect(estimateTokens(part)).toBeLessThanOrEqual(BUDGET);
    expect(part).toContain("day 99");
    expect(part).toContain("My rope measures 40 metres");
    expect(part).toMatch(/Summary of \d+ earlier turns/u);
    const { context } = await harness.run(runId);
    const { turns = 0, omittedTurns = 0, summary } = context?.conversation ?? {};
    expect(summary).toContain("40 metres");
    expect(turns + omittedTurns).toBe(200);
  });

  it("is planned in prompts of at most 10 kB, each repeating 90 % of the one before, in every mode", async () => {
    const conversationId = await held();
    for (const [mode, runtime] of MODES) {
      await scene(runtime);
      await harness.ask(FOLLOW_UP, { conversationId });
      const prompts = harness.models
        .chats()
        .filter((seen) => purposeOf(seen) === "plan")
        .map(({ body }) => JSON.stringify([body["tools"], body["messages"]]));
      expect(prompts, mode).toHaveLength(2);
      const [first = "", second = ""] = prompts;
      expect(Buffer.byteLength(second), mode).toBeLessThanOrEqual(10_000);
      const differs = [...first].findIndex((character, index) => character !== second[index]);
      expect(differs / first.length, mode).toBeGreaterThanOrEqual(0.9);
      expect(first, mode).toContain("40 metres");
    }
  });

  it("keeps the facts of its oldest turns when the summarizer's model writes nothing", async () => {
    const conversationId = await held();
    await harness.set({
      answer: (request) => {
        if (request.messages[0]?.content.includes("You keep the summary")) return { say: " \n" };
        return purposeOf(request) === "plan" ? finish : { say: "Noted." };
      },
    });
    await harness.ask(FOLLOW_UP, { conversationId });
    // The summary is stored when the server has closed.
    await harness.restart();
    await harness.ask(FOLLOW_UP, { conversationId });
    expect(conversationIn(lastPlan())).toContain("My rope measures 40 metres");
  });

  it("is summarized by the summarizer's model after an answer, once in many turns", async () => {
    const conversationId = await held();
    let summaries = 0;
    await harness.set({
      answer: (request) => {
        const rules = request.messages[0]?.content ?? "";
        if (rules.includes("You keep the summary")) {
          summaries += 1;
          return { say: "The person packs a red rope of 40 metres." };
        }
        return purposeOf(request) === "plan" ? finish : { say: "Noted." };
      },
    });
    for (let turn = 0; turn < 6; turn += 1) await harness.ask(FOLLOW_UP, { conversationId });
    await harness.restart();
    await harness.ask(FOLLOW_UP, { conversationId });
    expect(summaries).toBe(1);
    expect(conversationIn(lastPlan())).toContain("The person packs a red rope of 40 metres.");
  });
});

describe("the title of a conversation", () => {
  const Titled = z.object({ conversation: z.object({ title: z.string() }) });
  const titleOf = async (id: string) =>
    Titled.parse((await harness.owner.get(`/api/conversations/${id}`)).body).conversation.title;
  const patience = { timeout: 20_000 };
  const begin = async (text = PACKING) => (await harness.run((await harness.ask(text)).runId)).conversationId;

  it("is written by a model once nothing runs, in one call that is audited", async () => {
    await scene();
    harness.models.onTitleRequest = () => ({ say: 'Title: "Rope for the Lofoten trip."\nHope that helps!' });
    harness.models.titleRequests.splice(0);
    const plain = await begin("list my tasks");
    const short = await begin("shape my task list somehow please");
    const id = await begin();
    expect(await titleOf(id)).toBe(`${PACKING.slice(0, 78).replace(/ \S*$/u, "")}…`);
    await expect.poll(() => titleOf(id), patience).toBe("Rope for the Lofoten trip");
    expect(await titleOf(plain)).toBe("list my tasks");
    expect(await titleOf(short)).toBe("shape my task list somehow please");
    expect(harness.models.titleRequests).toHaveLength(1);
    const [asked] = harness.models.titleRequests;
    expect(asked?.messages.at(-1)?.content).toContain("Lofoten");
    const audited = async () =>
      JSON.stringify((await harness.owner.get("/api/audit?event=llm_call&limit=5")).body);
    await expect.poll(audited, patience).toContain('"purpose":"title"');
  });

  it("is written also if the conversation continued before the model was idle", async () => {
    await scene();
    harness.models.onTitleRequest = () => ({ say: "Rope for the Lofoten trip" });
    const conversationId = await begin();
    for (let turn = 0; turn < 4; turn += 1) await harness.ask(FOLLOW_UP, { conversationId });
    await expect.poll(() => titleOf(conversationId), patience).toBe("Rope for the Lofoten trip");
  });

  it("stays as a person has written it, also if the model is slower", async () => {
    await scene();
    const { promise: gate, resolve } = Promise.withResolvers<void>();
    harness.models.onTitleRequest = () => ({ say: "A title by the model", gate });
    harness.models.titleRequests.splice(0);
    const id = await begin();
    const other = await begin();
    await expect.poll(() => harness.models.titleRequests.length, patience).toBe(1);
    await harness.owner.send("PATCH", `/api/conversations/${id}`, { title: "My own title" });
    resolve();
    await expect.poll(() => titleOf(other), patience).toBe("A title by the model");
    expect(await titleOf(id)).toBe("My own title");
  });

  it("keeps the first words when the reply is no title, is far too long, or fails", async () => {
    await scene();
    const replies = [{ say: "-" }, { say: "word ".repeat(40) }, { fault: "server-error" }] as const;
    harness.models.onTitleRequest = ({ messages }) =>
      replies.find((_, bag) => messages.at(-1)?.content.includes(`bag ${bag}`)) ?? { say: "The last one" };
    harness.models.titleRequests.splice(0);
    const ids: string[] = [];
    for (const bag of replies.keys()) ids.push(await begin(`${PACKING}, bag ${bag}`));
    // They are named in the order of their requests, all after one pause.
    const last = await begin();
    await expect.poll(() => titleOf(last), patience).toBe("The last one");
    expect(harness.models.titleRequests.length).toBeGreaterThan(replies.length);
    for (const id of ids) expect(await titleOf(id)).toMatch(/^I am packing for climbing/u);
  });
});

it("a later turn gets what earlier calls of its conversation returned, and no call of another one", async () => {
  await mkdir(join(harness.profile, "out/rota"), { recursive: true });
  await writeFile(
    join(harness.profile, "out/rota/people.md"),
    "Anja (not on Tuesdays)\nCelia (only weekends)\n",
  );
  const scripted = (plan: readonly ChatScript[], words: string) => harness.set({ answer: play(plan, words) });
  await scripted([act("fs_read", { path: "rota/people.md" })], "Celia cleans on Sunday [1].");
  const { conversationId } = await harness.ask("please shape a rota out of rota/people.md, one person a day");
  await scripted(
    [act("fs_write", { path: "letters/holm.md", content: "Dear Ms Holm" })],
    "It is written [1].",
  );
  await harness.ask("please write Ms Holm a letter to greet her");
  await harness.set({
    answer: [
      {
        json: {
          thought: "It was read.",
          respond: true,
          answer: "Celia has Sunday because your list says: only weekends.",
        },
      },
    ],
  });
  harness.models.onSentenceCheck = (sentences) => verdicts(sentences, () => "shown", "Celia (only weekends)");
  const { result } = await harness.ask("undo nothing yet: why did you give Celia the Sunday?", {
    conversationId,
  });
  expect(lastPlan()).toContain("Anja (not on Tuesdays)");
  expect(lastPlan()).not.toContain("holm.md");
  expect(JSON.stringify(harness.models.sentenceChecks.at(-1)?.messages)).toContain("Celia (only weekends)");
  expect(result).toBe("Celia has Sunday because your list says: only weekends.");
});
