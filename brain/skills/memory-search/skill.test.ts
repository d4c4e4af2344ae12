import type { MemoryType } from "@metahuman/core/contract/memory";
import { regionOf } from "@metahuman/core/contract/region";
import { MemoryId } from "@metahuman/core/contract/ids";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { memorySearch } from "./skill.ts";

const harness = skillHarness();
const add = (type: MemoryType, content: string, trust: "trusted" | "untrusted" = "trusted") =>
  harness.ports.memory.add({ type, content }, { source: { kind: "user" }, trust });

describe("memory_search", () => {
  beforeAll(async () => {
    await add("observation", "the garage code is kept in the blue notebook");
    await add("conversation", "Where is the garage code kept?");
    await add("conversation", "We talked about a holiday in Norway.");
    await add("inner_dialogue", "I wonder whether the lighthouse is a secret.");
    await add("observation", "The parcel from the web shop says | pay now *today*.", "untrusted");
    await add("observation", `The almanac begins here. ${"x".repeat(20_000)}`);
  });

  it("finds the fact, not an earlier question about it", async () => {
    const { outputs, narrative, structured } = await harness.call(memorySearch, {
      query: "where is the garage code kept",
    });
    expect(outputs).toMatchObject({
      total: 1,
      results: [
        { type: "observation", content: "the garage code is kept in the blue notebook", trust: "trusted" },
      ],
    });
    expect(narrative).toBe("Found one memory: the garage code is kept in the blue notebook.");
    expect(structured).toMatch(
      /\| the garage code is kept in the blue notebook \| observation \| \d{4}-\d{2}-\d{2} \|$/u,
    );
    expect(memorySearch.finds?.candidates(outputs)).toHaveLength(1);
  });

  it("returns the ids for forgetting and correcting to planners, and not to the person", async () => {
    const { outputs, structured } = await harness.call(memorySearch, { query: "garage code" });
    const [best] = z.object({ results: z.array(z.object({ id: MemoryId })) }).parse(outputs).results;
    expect(memorySearch.observed(outputs, regionOf())).toContain(best?.id ?? "no id");
    expect(structured).not.toContain(best?.id ?? "no id");
  });

  it("shows planners the part of a long memory that has the words of the query", async () => {
    const advice = [
      "Asked: What should one do to a small sailing boat in November?",
      "Answered: Take the boat out before hard frost, rinse the hull, drain the engine and fill it with antifreeze,",
      `empty the water tank, take the batteries home and charge them, ${"and look after the ropes, ".repeat(20)}`,
      "and cover her so that air can move.",
    ].join(" ");
    await add("conversation", advice);
    const { outputs, structured } = await harness.call(memorySearch, {
      query: "batteries",
      types: ["conversation"],
    });
    const shown = memorySearch.observed(outputs, regionOf());
    expect(shown).toContain("take the batteries home and charge them");
    expect(shown).toContain("| … ");
    expect(shown.length).toBeLessThan(700);
    expect(structured).not.toContain("batteries");
  });

  it("lists the newest facts for *, without conversations", async () => {
    const { outputs } = await harness.call(memorySearch, { query: "*", types: ["observation"], limit: 2 });
    expect(outputs).toMatchObject({ total: 2, results: [{ type: "observation" }, { type: "observation" }] });
  });

  it("finds memories that name a member of the family", async () => {
    await add("observation", "My sister's name is Clara");
    await add("observation", "My brother Tom has two kids");
    const { outputs } = await harness.call(memorySearch, { query: "my family" });
    expect(outputs).toMatchObject({ total: 2 });
    const text = memorySearch.views?.["answer"]?.(outputs, { query: "my family" }, regionOf());
    const lines = typeof text === "string" ? text.split("\n") : [];
    expect(lines.toSorted()).toEqual(["- My brother Tom has two kids.", "- My sister's name is Clara."]);
  });

  it("searches conversations if no fact matches, and says so", async () => {
    const { outputs, structured } = await harness.call(memorySearch, { query: "holiday in Norway" });
    expect(outputs).toMatchObject({ results: [{ type: "conversation" }] });
    expect(structured).toMatch(/^Nothing saved about this. Related conversations:\n\n\| memory/u);
  });

  it("ignores conversations that share only one word with the question", async () => {
    const { outputs } = await harness.call(memorySearch, { query: "holiday budget of the garden club" });
    expect(outputs).toEqual({ results: [], total: 0 });
  });

  it("shows at most three conversation excerpts", async () => {
    for (const day of ["Monday", "Tuesday", "Wednesday", "Thursday"])
      await add("conversation", `On ${day} we spoke of the ferry to the islands.`);
    const { outputs } = await harness.call(memorySearch, { query: "ferry to the islands", limit: 10 });
    expect(outputs).toMatchObject({ total: 3 });
  });

  it("excludes inner dialogue unless requested", async () => {
    expect((await harness.call(memorySearch, { query: "lighthouse secret" })).outputs).toEqual({
      results: [],
      total: 0,
    });
    const asked = await harness.call(memorySearch, { query: "lighthouse secret", types: ["inner_dialogue"] });
    expect(asked.outputs).toMatchObject({ total: 1 });
  });

  it("does not answer a question about the person with a row of an imported table", async () => {
    await add("observation", "Name: Anna; city: Oslo; fee: 35", "untrusted");
    const ask = async (request: string) =>
      (await harness.call(memorySearch, { query: "name" }, { request })).outputs;
    expect(await ask("what is my name?")).toMatchObject({
      results: [{ content: "My sister's name is Clara" }],
    });
    expect(JSON.stringify(await ask("search for the name"))).toContain("Name: Anna");
  });

  it("marks untrusted memories, and renders them as plain text", async () => {
    const { outputs, structured } = await harness.call(memorySearch, { query: "parcel web shop" });
    expect(outputs).toMatchObject({ results: [{ trust: "untrusted" }] });
    expect(structured).toContain("says \\| pay now \\*today\\*.");
  });

  it("clips a very long memory", async () => {
    const { outputs } = await harness.call(memorySearch, { query: "almanac" });
    expect(outputs).toMatchObject({
      results: [{ content: expect.stringMatching(/^The almanac .{7987}…$/u) as unknown }],
    });
  });

  it("reports an empty result", async () => {
    const { outputs, narrative, structured } = await harness.call(memorySearch, { query: "zebra crossing" });
    expect(outputs).toEqual({ results: [], total: 0 });
    expect([narrative, structured]).toEqual([
      "Found nothing about this in memory.",
      "Nothing saved about this.",
    ]);
  });

  it("rejects an unknown type and an empty query", async () => {
    for (const args of [
      { query: " " },
      { query: "x", types: ["facts"] },
      { query: "x", types: [] },
      { query: "x", limit: 51 },
    ]) {
      await expect(harness.call(memorySearch, args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
    }
  });
});

describe("the answer to a question", () => {
  const region = { timeZone: "UTC", locale: "en-GB" };
  const answer = (query: string, ...contents: string[]) =>
    memorySearch.views?.["answer"]?.(
      {
        results: contents.map((content) => ({ id: content, content, type: "observation" })),
        total: contents.length,
      },
      { query },
      region,
    );

  it.each([
    ["when does the bilge pump have to be oiled", "The bilge pump must be oiled every April."],
    ["where is the mooring of the boat", "The mooring of the boat is berth 14 in Sandvika."],
    ["the winter cover of the boat", "The winter cover was bought from Sail & Oar for 240 euros, in autumn."],
  ])("quotes the sentence with the answer from a long text: %s", (query, sentence) => {
    const notes =
      "# Boat notes\n\nThe mooring of the boat is berth 14 in Sandvika. The spare key hangs behind the map in the kitchen.\n" +
      "The winter cover was bought from Sail & Oar for 240 euros, in autumn.\nThe bilge pump must be oiled every April.";
    expect(answer(query, notes)).toMatch(new RegExp(`^(?:The nearest in memory: )?${sentence}$`, "u"));
  });

  it("is what stands below a heading that has the words of the question, without its marks", () => {
    const prices = "# Prices of the market\n\n> Rope costs 5 euros a metre.\nTar costs 9 euros a tin.";
    const below = "Prices of the market: Rope costs 5 euros a metre.";
    expect(answer("prices of the market", `${prices}\n${"Paint is sold by weight. ".repeat(6)}`)).toBe(below);
    expect(answer("prices of the market", prices)).toBe(`${below} Tar costs 9 euros a tin.`);
  });

  it("is the fact, as a sentence", () => {
    expect(answer("garage code kept", "the garage code is kept in the blue notebook")).toBe(
      "The garage code is kept in the blue notebook.",
    );
  });

  it("omits facts that contain fewer words of the question", () => {
    expect(answer("Lena allergic to", "Lena lives in Bremen", "Lena is allergic to nuts")).toBe(
      "Lena is allergic to nuts.",
    );
  });

  it("lists facts that answer it equally well", () => {
    expect(answer("Lena", "Lena is allergic to nuts", "Lena lives in Bremen!")).toBe(
      "- Lena is allergic to nuts.\n- Lena lives in Bremen!",
    );
  });

  it("says that a fact is only the nearest one", () => {
    expect(answer("wifi password of the office", "The wifi password is pelican42")).toBe(
      "The nearest in memory: The wifi password is pelican42.",
    );
  });

  it("is the list of results if nothing contains most of its words, or only conversations do", () => {
    expect(answer("wifi password of the new office", "The office is closed")).toBeUndefined();
    const talk = { results: [{ id: "1", content: "garage code", type: "conversation" }], total: 1 };
    expect(memorySearch.views?.["answer"]?.(talk, { query: "garage code" }, region)).toBeUndefined();
  });
});
