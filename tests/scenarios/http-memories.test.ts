import { describe, expect, it } from "vitest";
import { z } from "zod";
import { MemoriesAll, MemoryAnswer, MemoryDetail } from "@metahuman/core/contract/answers";
import { MemoryRecord } from "@metahuman/core/contract/memory";
import { serveBeforeAll } from "../support/before-all.ts";
import type { Client } from "../support/client.ts";

let owner: Client;
serveBeforeAll((served) => ({ owner } = served));

const Recalled = z.object({ items: z.array(z.object({ memory: MemoryRecord })) });
const Detail = MemoryDetail.partial({ uses: true, linked: true }).required({ memory: true });
const Archived = z.object({ archived: z.looseObject({ id: z.string() }) });

async function remember(content: string, more: object = {}): Promise<MemoryRecord> {
  const { status, body } = await owner.post("/api/memories", { type: "curated", content, ...more });
  expect(status).toBe(201);
  return z.strictObject({ memory: MemoryRecord }).parse(body).memory;
}

describe("memories", () => {
  it("are created, read, edited, pinned, forgotten and restored", async () => {
    const memory = await remember("The cellar key hangs behind the door", { tags: ["house"] });
    expect(memory).toMatchObject({ source: { kind: "user" }, trust: "trusted", tags: ["house"] });
    const path = `/api/memories/${memory.id}`;
    expect(await owner.get(path)).toMatchObject({
      status: 200,
      body: { memory: { content: memory.content } },
    });
    expect(await owner.send("PATCH", path, { pinned: true })).toMatchObject({
      body: { memory: { pinned: true, content: memory.content } },
    });
    expect(await owner.send("PUT", path, { content: "The cellar key is lost" })).toMatchObject({
      body: { memory: { content: "The cellar key is lost" } },
    });
    const { archived } = Archived.parse((await owner.send("DELETE", path)).body);
    expect(await owner.get(path)).toMatchObject({
      status: 404,
      body: { error: { code: "MEMORY_NOT_FOUND" } },
    });
    expect((await owner.post(`/api/memories/${archived.id}/restore`)).status).toBe(200);
    expect((await owner.get(path)).status).toBe(200);
  });

  it("accept one of two edits of a version: the later editor gets the current one", async () => {
    const { body } = await owner.post("/api/memories", {
      type: "curated",
      content: "The ferry goes at nine.",
    });
    const { memory } = MemoryAnswer.parse(body);
    const path = `/api/memories/${memory.id}`;
    const version = memory.version;
    expect((await owner.send("PUT", path, { content: "The ferry goes at ten.", version })).status).toBe(200);
    expect(await owner.send("PUT", path, { tags: ["ferry"], version })).toMatchObject({
      status: 409,
      body: {
        error: {
          code: "STALE_VERSION",
          details: {
            currentVersion: 2,
            current: { id: memory.id, content: "The ferry goes at ten." },
            yours: { tags: ["ferry"] },
          },
        },
      },
    });
    // A verdict is not an edit, and an edit without a version overwrites.
    await owner.post(`${path}/feedback`, { verdict: "useful" });
    expect((await owner.send("PUT", path, { tags: ["ferry"], version: 2 })).status).toBe(200);
    expect((await owner.send("PATCH", path, { pinned: true })).body).toMatchObject({
      memory: { content: "The ferry goes at ten.", tags: ["ferry"], pinned: true, version: 4 },
    });
  });

  it("can be created a thousand at a time, all or nothing", async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ({
      type: "observation",
      content: `Sighting ${index} of a heron`,
    }));
    const created = await owner.post("/api/memories", many);
    expect(created.status).toBe(201);
    expect(z.strictObject({ memories: z.array(MemoryRecord) }).parse(created.body).memories).toHaveLength(
      1_000,
    );
    expect((await owner.post("/api/memories", [...many, many[0]])).status).toBe(422);
    const { total } = z
      .looseObject({ total: z.number() })
      .parse((await owner.get("/api/memories?types=observation")).body);
    const spoiled = [
      { type: "observation", content: "An otter" },
      { type: "observation", content: "" },
    ];
    expect((await owner.post("/api/memories", spoiled)).status).toBe(422);
    expect(await owner.get("/api/memories?types=observation")).toMatchObject({ body: { total } });
  });

  it("are found by words and paged through without gaps", async () => {
    const Listed = z.looseObject({ items: z.array(MemoryRecord), nextCursor: z.string() });
    const seen = new Set<string>();
    let cursor = "";
    for (let pages = 0; pages < 3; pages += 1) {
      const { body } = await owner.get(`/api/memories?types=observation&limit=30${cursor}`);
      const { items, nextCursor } = Listed.parse(body);
      for (const { id } of items) seen.add(id);
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
    expect(seen.size).toBe(90);
  });

  it("are recalled best first, with reasons on request", async () => {
    await remember("The garage code is kept in the blue notebook");
    const { status, body } = await owner.get(
      "/api/recall?query=where%20is%20the%20garage%20code&limit=3&explain=true",
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      items: [
        {
          rank: 1,
          memory: { content: expect.stringContaining("blue notebook") as unknown },
          parts: expect.any(Array) as unknown,
        },
      ],
    });
    expect((await owner.get("/api/recall")).status).toBe(400);
    expect((await owner.get("/api/recall?query=x&context=garden")).status).toBe(422);
    expect((await owner.get("/api/recall?query=x&types=nonsense")).status).toBe(422);
  });

  it("are recalled by context and by entities", async () => {
    const note = (project: string) =>
      owner.post("/api/memories", {
        type: "observation",
        content: `The budget of the ${project} shed was agreed with Ola Nordmann`,
        context: { project },
      });
    await note("harbour");
    await note("orchard");
    const recalled = async (more: string) =>
      z
        .object({ items: z.array(z.object({ memory: z.looseObject({ context: z.unknown() }) })) })
        .parse((await owner.get(`/api/recall?query=budget%20of%20the%20shed&${more}`)).body)
        .items.map(({ memory: { context } }) => context);
    for (const project of ["harbour", "orchard"]) {
      const asJson = encodeURIComponent(JSON.stringify({ project }));
      // Both rank alike otherwise once both are embedded.
      await expect.poll(async () => (await recalled(`context=project:${project}`))[0]).toEqual({ project });
      expect((await recalled(`context=${asJson}`))[0]).toEqual({ project });
    }
    expect(await recalled("entities=ola%20nordmann")).toHaveLength(2);
    expect(await recalled("entities=Ola%20Nordmann,Kari")).toEqual([]);
  });

  it("are listed by kind, with totals", async () => {
    const { body } = await owner.get("/api/memories_all?limit=5");
    const all = MemoriesAll.parse(body);
    expect(all.totals.curated).toBeGreaterThan(0);
    expect(all.curated.length).toBeLessThanOrEqual(5);
    const guide = { title: "Fold a paper boat", summary: "", steps: ["fold"], skillsUsed: [] };
    await owner.post("/api/functions", guide);
    expect((await owner.get("/api/memories_all")).body).toMatchObject({
      functions: [{ title: "Fold a paper boat", trust: "draft" }],
      totals: { functions: 1 },
    });
  });

  it("change their rank with feedback, and report their uses", async () => {
    const [one, other] = [
      await remember("The heron nests in the old willow"),
      await remember("The heron nests in the old alder"),
    ];
    const order = async () => {
      const { body } = await owner.get("/api/recall?query=where%20does%20the%20heron%20nest");
      return Recalled.parse(body).items.map(({ memory }) => memory.id);
    };
    const sunk = `/api/memories/${one.id}/feedback`;
    for (const _ of [1, 2]) {
      const { status, body } = await owner.post(sunk, { verdict: "not_useful", note: "it moved" });
      expect([status, Detail.parse(body).memory.importance < one.importance]).toEqual([200, true]);
    }
    expect((await order()).slice(0, 2)).toEqual([other.id, one.id]);
    for (const _ of [1, 2, 3, 4, 5]) await owner.post(sunk, { verdict: "useful" });
    expect((await order()).slice(0, 2)).toEqual([one.id, other.id]);
    expect((await owner.post(`/api/memories/${one.id}/opened`)).status).toBe(204);
    expect(Detail.parse((await owner.get(`/api/memories/${one.id}`)).body).uses).toMatchObject({
      useful: 5,
      not_useful: 2,
      opened: 1,
      cited: 0,
    });
    expect((await owner.post(sunk, { verdict: "meh" })).status).toBe(422);
    const nowhere = "/api/memories/evt-20260101T000000000Z-no";
    expect((await owner.post(`${nowhere}/feedback`, { verdict: "useful" })).status).toBe(404);
    expect((await owner.post(`${nowhere}/opened`)).status).toBe(404);
  });

  it("are linked by what they share with others, shown from both ends", async () => {
    const first = await remember("Lent the drill", { entities: ["Ana Ruiz"] });
    const second = await remember("Bakes rye bread", { entities: ["ana ruiz"] });
    const shown = async (id: string) => Detail.parse((await owner.get(`/api/memories/${id}`)).body).linked;
    expect(await shown(second.id)).toMatchObject([
      { id: first.id, relation: "same-entity", direction: "to", title: "Lent the drill" },
    ]);
    expect(await shown(first.id)).toMatchObject([{ id: second.id, direction: "from" }]);
  });

  it("are filtered by source, and archived by source", async () => {
    expect(await owner.get("/api/memories?source=import")).toMatchObject({ status: 200, body: { total: 0 } });
    expect(await owner.get("/api/memories?trust=untrusted&limit=1")).toMatchObject({ status: 200 });
    expect((await owner.get("/api/memories?source=elsewhere")).status).toBe(422);
    expect((await owner.send("DELETE", "/api/memories")).status).toBe(422);
    expect(await owner.send("DELETE", "/api/memories?source=import")).toMatchObject({
      status: 200,
      body: { archived: 0 },
    });
  });

  // Storing and indexing 9.6 MB takes ten seconds on a machine with nothing else to do.
  it("may be as long as the limit", { timeout: 120_000 }, async () => {
    const memory = await remember(`A long walnut tale ${"nut ".repeat(2_400_000)}`);
    expect(await owner.get("/api/recall?query=long%20walnut%20tale&limit=1")).toMatchObject({
      body: { items: [{ memory: { id: memory.id } }] },
    });
    expect((await owner.send("DELETE", `/api/memories/${memory.id}`)).status).toBe(200);
  });

  it("are not found under an unknown id", async () => {
    for (const id of ["evt-20260101T000000000Z-nothing", "nonsense", "..%2f..", "'%20OR%201=1--"]) {
      expect([400, 404]).toContain((await owner.get(`/api/memories/${id}`)).status);
    }
  });

  it("are not found with an attack on the search", async () => {
    for (const query of [
      '"',
      "*",
      "a OR",
      "NEAR(",
      "content:x",
      "'; DROP TABLE memories;--",
      "^",
      "(",
      "\u0000",
    ]) {
      expect((await owner.get(`/api/memories?query=${encodeURIComponent(query)}`)).status).toBeLessThan(500);
      expect((await owner.get(`/api/recall?query=${encodeURIComponent(query)}`)).status).toBeLessThan(500);
    }
    expect((await owner.get("/api/memories?sort=content;DROP")).status).toBe(422);
  });
});
