import { MemorySearchAnswer } from "@metahuman/core/contract/answers";
import { beforeAll, describe, expect, it } from "vitest";
import { serveBeforeAll } from "../support/before-all.ts";
import type { Client } from "../support/client.ts";

let owner: Client;
serveBeforeAll((served) => ({ owner } = served));

beforeAll(async () => {
  await owner.post("/api/memories", [
    { type: "curated", content: "The boiler was repaired", tags: ["house"] },
    { type: "observation", content: "The ferry leaves at nine" },
    { type: "conversation", content: "Asked: where does the ferry leave?" },
    { type: "tool_invocation", content: "task_create: boiler ferry" },
  ]);
  await owner.post("/api/tasks", { title: "drain the boiler" });
});

async function search(query: string, more = ""): Promise<MemorySearchAnswer> {
  const { body } = await owner.get(`/api/memories/search?query=${encodeURIComponent(query)}${more}`);
  return MemorySearchAnswer.parse(body);
}

const contents = ({ memories }: MemorySearchAnswer): string[] => memories.map(({ memory }) => memory.content);

describe("a search of all memory", () => {
  it("lists facts before requests and calls", async () => {
    const found = contents(await search("ferry"));
    expect(found).toEqual([
      "The ferry leaves at nine",
      "Asked: where does the ferry leave?",
      "task_create: boiler ferry",
    ]);
  });

  it("finds facts and tasks with one of the words if only a skill call has all of them", async () => {
    const found = await search("boiler ferry");
    expect(contents(found)).toEqual(
      expect.arrayContaining(["The boiler was repaired", "The ferry leaves at nine"]),
    );
    expect(contents(found).at(-1)).toBe("task_create: boiler ferry");
    expect(found.tasks.map(({ title }) => title)).toEqual(["drain the boiler"]);
  });

  it("finds nothing by a stop word beside a word that no record has", async () => {
    expect(contents(await search("the zyxwort"))).toEqual([]);
    expect(contents(await search("the zyxwort boiler"))[0]).toBe("The boiler was repaired");
  });

  it("says of each copy of a fact that it fits as well as the others", async () => {
    const content = "Petra's dentist is Dr. Aalto in Kerava";
    await owner.post(
      "/api/memories",
      Array.from({ length: 3 }, () => ({ type: "curated", content })),
    );
    const copies = (await search("dentist Petra")).memories.filter(
      ({ memory }) => memory.content === content,
    );
    const scores = copies.map(({ score = 0 }) => score);
    expect(scores).toHaveLength(3);
    expect(Math.min(...scores)).toBeGreaterThan(0.9 * Math.max(...scores));
  });

  it("says why it found a record by its meaning", async () => {
    const { memories } = await search("ferry");
    expect(memories[0]?.parts?.map(({ name }) => name)).toContain("words");
  });

  it("finds neither tasks nor other records with a filter", async () => {
    const found = await search("boiler", "&tag=house");
    expect(contents(found)).toEqual(["The boiler was repaired"]);
    expect(found.tasks).toEqual([]);
    expect(contents(await search("boiler", "&types=observation"))).toEqual([]);
  });

  it("finds by keywords only where the filter is one that recall does not have", async () => {
    expect(await search("boiler", "&source=user")).toMatchObject({ keywordOnly: true });
  });

  it("refuses an empty query", async () => {
    expect((await owner.get("/api/memories/search?query=")).status).toBe(422);
  });
});
