import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FunctionMemory } from "@metahuman/core/contract/function";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  act,
  finish,
  openModelHarness,
  PLANS,
  purposeOf,
  type ModelHarness,
} from "../support/model-harness.ts";
import { CONTACT_RECIPE } from "../support/sample-recipes.ts";
import type { ChatScript, SeenRequest } from "../support/model-server/script.ts";

// With a model, a likely function is chosen by one small call; whatever is doubtful about the choice is planned
// instead.

let harness: ModelHarness;
let functionId = "";
/** The model's reply to a choice; otherwise it plans to note the request. */
let choice: ChatScript = { say: "" };

const isChoosing = ({ messages }: SeenRequest): boolean =>
  (messages[0]?.content ?? "").startsWith(
    "You decide whether a request is for one of a few learned functions",
  );
const choosing = (): SeenRequest[] => harness.models.requests.filter(isChoosing);

const REQUEST = "Tom Ash should be in my contacts, his e-mail is tom@ash.example";
const VALUES = { name: "Tom Ash", email: "tom@ash.example" };

beforeAll(async () => {
  harness = await openModelHarness();
  const created = await harness.owner.post("/api/functions", CONTACT_RECIPE);
  functionId = z.object({ function: FunctionMemory }).parse(created.body).function.id;
  await harness.owner.post("/api/functions/promote", { id: functionId, reason: "Looked through." });
});
afterAll(() => harness.close());

/** The number of requests that were planned; each writes a file of its own. */
let asked = 0;

/** Asks once, with this choice of the model, which otherwise plans to write a note. */
async function ask(chosen: ChatScript, more: object = {}, request = REQUEST) {
  choice = chosen;
  let planned = 0;
  await harness.set({
    answer: (seen) => {
      if (isChoosing(seen)) return choice;
      if (purposeOf(seen) !== "plan") return { say: "It is noted [1]." };
      planned += 1;
      if (planned > 1) return finish;
      // A question leads to no write without an approval.
      return /^(?:how many|explain)/u.test(request)
        ? act("fs_list")
        : act("fs_write", { path: `planned-${(asked += 1)}.md`, content: "planned" });
    },
    ...more,
  });
  return await harness.ask(request);
}

const chosen = (values: Record<string, unknown>, id: string | null = functionId): ChatScript => ({
  json: { function: id, values, because: "It adds a person." },
});

describe("a function that a request likely means, with a model", () => {
  it("is replayed when the model chooses it with the values of the request, in one planning call", async () => {
    const answer = await ask(chosen(VALUES));
    expect(answer).toMatchObject({ planner: "replay", actions: ["fs_append"], outcome: "answered" });
    expect(answer.usage.planningCalls).toBe(1);
    expect(answer.functionsUsed).toMatchObject([{ id: functionId, followed: true }]);
    expect(await readFile(join(harness.profile, "out/contacts.md"), "utf8")).toContain(
      "- Tom Ash <tom@ash.example>",
    );

    const [seen, ...more] = choosing();
    expect(more).toEqual([]);
    const prompt = seen?.messages.map(({ content }) => content).join("\n") ?? "";
    expect(prompt).toContain(`Values: name (string: the person's name) = "Lena Fischer"; `);
    expect(prompt).toMatch(/Today is (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day \d{4}-\d{2}-\d{2}\./u);
    expect(prompt).toContain('Asked as: "add a contact: Lena Fischer, lena@fischer.example"');
    expect(estimateTokens(prompt)).toBeLessThanOrEqual(600);
  });

  it.each([
    ["the model chooses none", () => chosen({}, null)],
    ["the model chooses a function that is not there", () => chosen(VALUES, "func-20261101-zzzzzz")],
    ["a value is in no word of the person", () => chosen({ ...VALUES, name: "Tom Ashley" })],
    ["a value is missing", () => chosen({ name: "Tom Ash" })],
    ["there is a value that it does not take", () => chosen({ ...VALUES, phone: "Tom Ash" })],
    ["the reply is no JSON", (): ChatScript => ({ say: "I would take the first one." })],
  ])("is planned when %s, and both calls count", async (_why, reply) => {
    const before = await readFile(join(harness.profile, "out/contacts.md"), "utf8");
    const answer = await ask(reply());
    expect(answer.planner).not.toBe("replay");
    expect(answer.functionsUsed.filter(({ followed }) => followed)).toEqual([]);
    expect(await readFile(join(harness.profile, "out/contacts.md"), "utf8")).toBe(before);
    expect(await readFile(join(harness.profile, `out/planned-${asked}.md`), "utf8")).toContain("planned");
    const calls = harness.models.requests.filter((seen) => isChoosing(seen) || purposeOf(seen) === "plan");
    expect(answer.usage.planningCalls).toBe(calls.length);
    expect(choosing().length).toBeGreaterThan(0);
  });

  it("says why a choice is not followed", async () => {
    const { runId } = await ask(chosen({ ...VALUES, name: "Tom Ashley" }));
    const { warnings } = await harness.run(runId);
    expect(warnings.filter((one) => one.includes("was not followed"))).toEqual([
      expect.stringContaining("The value of name is not in the person's words."),
    ]);
  });

  it("says that the chosen function is none of those that were named", async () => {
    const { runId } = await ask(chosen(VALUES, "func-20261101-zzzzzz"));
    const { warnings } = await harness.run(runId);
    expect(warnings).toContainEqual(
      "A model chose “func-20261101-zzzzzz”, which was not followed: It is none of the functions that were named. The request was planned instead.",
    );
  });

  it.each(["Also list my tasks.", "And then show me my tasks."])(
    "is planned if the request also contains %j, which the function would omit",
    async (more) => {
      const answer = await ask(chosen(VALUES), {}, `${REQUEST}. ${more}`);
      expect(answer.planner).not.toBe("replay");
      expect(answer.functionsUsed.filter(({ followed }) => followed)).toEqual([]);
    },
  );

  it("is planned if the model fails during the choice", async () => {
    const answer = await ask({ fault: "server-error" });
    expect(answer.planner).not.toBe("replay");
    expect(answer.outcome).toBe("answered");
    expect(choosing().length).toBeGreaterThan(0);
  });

  it.each([
    ["two values are the same words of the request", { name: "Tom Ash", email: "Tom" }, REQUEST],
    ["a value stands for something else", { name: "him", email: "tom@ash.example" }, REQUEST],
    [
      "the request is a question",
      { name: "Tom Ash", email: "tom@ash.example" },
      "how many contacts like Tom Ash, tom@ash.example, do I have?",
    ],
  ])("is planned when %s", async (_why, values, request) => {
    const answer = await ask(chosen(values), {}, request);
    expect(choosing().length).toBeGreaterThan(0);
    expect(answer.planner).not.toBe("replay");
  });

  it("is chosen by the model of the role chooser, where there is one", async () => {
    const small = "small:1b";
    await ask(chosen(VALUES), {
      models: [PLANS, small].map((name) => ({
        name,
        abilities: ["completion", "tools"],
        contextTokens: 16_384,
      })),
      roles: { chooser: [`ollama/${small}`] },
    });
    expect(choosing().map(({ model }) => model)).toEqual([small]);
  });

  it("is offered if no model is available", async () => {
    const answer = await ask(chosen(VALUES), { models: [] });
    expect(answer).toMatchObject({
      planner: "built-in",
      actions: [],
      offers: [{ functionId, values: VALUES }],
    });
  });
});

/** Words that may be another request, although they contain the address and the person. */
const NEAR =
  "We met Tom Ash at the fair. People should be able to reach him under tom@ash.example, so make him a contact";

describe("a function that is near a request without a match, with a model", () => {
  it("is replayed when the model chooses it with the values of the request, in one planning call", async () => {
    const answer = await ask(chosen(VALUES), {}, NEAR);
    expect(answer).toMatchObject({ planner: "replay", actions: ["fs_append"], outcome: "answered" });
    expect(answer.usage.planningCalls).toBe(1);
    expect(choosing()).toHaveLength(1);
  });

  it("is planned when a value is in no word of the person", async () => {
    const before = await readFile(join(harness.profile, "out/contacts.md"), "utf8");
    const answer = await ask(chosen({ ...VALUES, name: "Tom Ashley" }), {}, NEAR);
    expect(answer.planner).not.toBe("replay");
    expect(choosing().length).toBeGreaterThan(0);
    expect(await readFile(join(harness.profile, "out/contacts.md"), "utf8")).toBe(before);
  });

  it("is planned if the model does not answer the choice in time", async () => {
    const models = {
      providers: { ollama: { kind: "ollama", baseUrl: harness.models.url } },
      limits: { firstByteMs: 1_500 },
    };
    const answer = await ask({ fault: "silent" }, { etc: { models } }, NEAR);
    expect(answer.planner).not.toBe("replay");
    expect(answer.outcome).toBe("answered");
    expect(choosing().length).toBeGreaterThan(0);
  });

  it("is neither offered nor proposed to a model if none is available", async () => {
    const answer = await ask(chosen(VALUES), { models: [] }, NEAR);
    expect([answer.planner, answer.offers ?? []]).toEqual(["built-in", []]);
    expect(choosing()).toEqual([]);
  });

  it.each([
    ["nothing near", "explain to me in two sentences why the sea is salty"],
    ["a value less than it takes", "make my aunt Tilda a contact, people should be able to reach her"],
    ["a prohibition", "never make Tom Ash, tom@ash.example, a contact; people reach him elsewhere"],
  ])("costs no additional call for a request with %s", async (_why, request) => {
    const answer = await ask(chosen(VALUES), {}, request);
    expect(answer.planner).not.toBe("replay");
    expect(choosing()).toEqual([]);
  });
});

describe("a function whose calls contain words beyond the request", () => {
  const PACKING = {
    title: "Write a packing list for travel",
    summary: "Composes a packing list and saves it.",
    steps: ["Compose the list", "Save it"],
    skillsUsed: ["conversational_response", "fs_write"],
    kind: "recipe",
    parameters: [{ name: "path", type: "string", description: "The file", required: true }],
    examples: [{ prompt: "write a packing list for travel into bag.md", parameters: { path: "bag.md" } }],
    recipe: {
      promptTemplates: ["write a packing list for travel into {path}"],
      actions: [
        { skill: "conversational_response", args: { goal: "A packing list for travel." }, expect: [] },
        { skill: "fs_write", args: { path: "${path}", content: "${steps.1.response}" }, expect: [] },
      ],
    },
  };
  let packingId = "";
  beforeAll(async () => {
    const created = await harness.owner.post("/api/functions", PACKING);
    packingId = z.object({ function: FunctionMemory }).parse(created.body).function.id;
    await harness.owner.post("/api/functions/promote", { id: packingId, reason: "Looked through." });
  });

  it("is not replayed for another subject, although every value is in the request", async () => {
    const answer = await ask(
      chosen({ path: "lunch.md" }, packingId),
      {},
      "i need a packing list for food, pls put it in lunch.md",
    );
    expect(choosing().length).toBeGreaterThan(0);
    expect(answer.planner).not.toBe("replay");
    expect(answer.actions).toEqual(["fs_write"]);
  });

  it("is replayed if the words that it writes next to the values differ in the request", async () => {
    const created = await harness.owner.post("/api/functions", {
      title: "Hand out a parking card",
      summary: "Notes who has a parking card, and creates a task to collect it.",
      steps: ["Note the card", "Create a task to collect it"],
      skillsUsed: ["fs_append", "task_create"],
      kind: "recipe",
      parameters: [
        { name: "card", type: "string", description: "The number of the card", required: true },
        { name: "person", type: "string", description: "Who gets it", required: true },
      ],
      examples: [
        {
          prompt: "hand parking card P12 to Ingrid and add a task to collect it",
          parameters: { card: "P12", person: "Ingrid" },
        },
      ],
      recipe: {
        promptTemplates: ["hand parking card {card} to {person} and add a task to collect it"],
        actions: [
          { skill: "fs_append", args: { path: "cards.md", text: "- ${card}: ${person}\n" }, expect: [] },
          { skill: "task_create", args: { title: "Collect ${card} from ${person}" }, expect: [] },
        ],
      },
    });
    const { id } = z.object({ function: FunctionMemory }).parse(created.body).function;
    await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });

    const answer = await ask(
      chosen({ card: "P30", person: "Yusuf" }, id),
      {},
      "um Yusuf borrowed the parking card P30, note that with a to-do so we fetch it again",
    );
    expect(choosing().length).toBeGreaterThan(0);
    const named =
      choosing()[0]
        ?.messages.at(-1)
        ?.content.match(/func-[\w-]+(?=: )/gu) ?? [];
    expect(new Set(named).size).toBe(named.length);
    expect(answer).toMatchObject({ planner: "replay", actions: ["fs_append", "task_create"] });
  });
});
