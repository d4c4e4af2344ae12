import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FunctionAnswer, FunctionPage } from "@metahuman/core/contract/answers";
import { beforeAll, describe, expect, it } from "vitest";
import { harnessBeforeAll } from "../support/before-all.ts";
import { act, finish, lastMessage, type ModelHarness, purposeOf } from "../support/model-harness.ts";

// A recipe cannot follow a rule that the person stated after it was learned.

const PRICE_RECIPE = {
  title: "Note a price",
  summary: "Adds a thing and its price to the price list.",
  steps: ["Append a line to the price list"],
  skillsUsed: ["fs_append"],
  kind: "recipe",
  parameters: [
    { name: "thing", type: "string", description: "What it is", required: true },
    { name: "price", type: "number", description: "What it costs", required: true },
  ],
  examples: [{ prompt: "note the price of the ladder: 80", parameters: { thing: "the ladder", price: 80 } }],
  recipe: {
    promptTemplates: ["note the price of {thing}: {price}"],
    actions: [{ skill: "fs_append", args: { path: "prices.md", text: "- ${thing}: ${price}" }, expect: [] }],
  },
};
const RULE = "Always write prices with VAT.";

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

/** Has the model write a price with VAT, and lets it choose no function. */
const withVat = () =>
  harness.set({
    answer: (seen) => {
      if (purposeOf(seen) === "plan")
        return seen.messages.length === 2
          ? act("fs_append", { path: "prices.md", text: "- the saw: 59.50 with VAT" })
          : finish;
      return lastMessage(seen).includes("Functions:")
        ? { json: { function: null, values: {}, because: "" } }
        : { say: "The price is noted [1]." };
    },
  });

const prices = () => readFile(join(harness.profile, "out/prices.md"), "utf8");
const note = (content: string) => harness.owner.post("/api/memories", { type: "curated", content });

async function learned(title = PRICE_RECIPE.title): Promise<void> {
  const created = await harness.owner.post("/api/functions", { ...PRICE_RECIPE, title });
  const { id } = FunctionAnswer.parse(created.body).function;
  await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });
}

beforeAll(() => learned());

describe("a recipe that is older than a standing rule about its subject", () => {
  it("is replayed while there is no such rule, or only one about something else", async () => {
    await withVat();
    await note("Never call Ida before noon.");
    await note("The ladder stands behind the shed.");
    const answer = await harness.ask("note the price of the drill: 90");
    expect(answer).toMatchObject({ planner: "replay", actions: ["fs_append"] });
    expect(answer.result).not.toContain("Ida");
  });

  it("yields to a model, which sees the rule and the recipe", async () => {
    await note(RULE);
    await withVat();
    const answer = await harness.ask("note the price of the saw: 50");
    expect(answer.planner).toBe("structured");
    const [planned] = harness.models.chats().filter((seen) => purposeOf(seen) === "plan");
    const prompt = planned?.messages.map(({ content }) => content).join("\n") ?? "";
    expect(prompt).toContain(RULE);
    expect(prompt).toContain("Note a price");
    expect(await prices()).toContain("59.50 with VAT");
  });

  it("is replayed without a model, and the answer names the rule", async () => {
    await harness.set({ models: [] });
    const answer = await harness.ask("note the price of the hammer: 20");
    expect(answer).toMatchObject({ planner: "replay", outcome: "answered" });
    expect(answer.result).toMatch(
      /On \d{4}-\d\d-\d\d you noted: “Always write prices with VAT\.” “Note a price” is older and does not take it into account\./u,
    );
    expect(await prices()).toContain("- the hammer: 20");
  });
});

describe("a recipe that is newer than the rule", () => {
  it("is replayed: it was learned or confirmed under that rule", async () => {
    const { body } = await harness.owner.get("/api/functions");
    const [found] = FunctionPage.parse(body).items;
    const edited = await harness.owner.send("PUT", `/api/functions/${String(found?.id)}`, {
      summary: "Adds a thing and its price with VAT to the price list.",
      version: found?.version,
    });
    expect(edited.status).toBe(200);
    await withVat();
    const answer = await harness.ask("note the price of the rake: 30");
    expect(answer.planner).toBe("replay");
    expect(answer.result).not.toContain("you noted");
  });
});
