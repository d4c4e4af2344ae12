import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { AgentRunAnswer } from "@metahuman/core/contract/agents";
import { MemoryPage } from "@metahuman/core/contract/answers";
import { mh } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { startModelServer, type ModelServer } from "../support/model-server/server.ts";
import { startServerHere, type TestServer } from "../support/server.ts";

let models: ModelServer;
let server: TestServer;
let owner: Client;

beforeAll(async () => {
  models = await startModelServer();
  const home = await mkdtemp(join(tmpdir(), "metahuman-reflector-"));
  await mkdir(join(home, "etc"));
  const off = { enabled: false };
  const agents = { ingestor: off, librarian: off, "pattern-miner": off, reflector: off };
  await writeFile(join(home, "etc/agents.json"), JSON.stringify(agents));
  server = await startServerHere({ home, env: { OLLAMA_HOST: models.url } });
  owner = await server.owner();
});
afterAll(async () => {
  await server.dispose();
  await models.close();
  await rm(server.home, { recursive: true, force: true });
});

const found = async (query: string) =>
  MemoryPage.parse((await owner.get(`/api/memories?${query}`)).body).items;

describe("the reflector, with a model", () => {
  it("reviews new memories", async () => {
    for (const content of ["Mother asked about the boat.", "The boat is in the shed.", "Rain all week."])
      expect((await owner.post("/api/memories", { type: "observation", content })).status).toBe(201);
    models.script([
      {
        json: {
          questions: [{ text: "What is the boat called?", sources: [1] }],
          facts: [
            { text: "The boat is kept in the shed.", sources: [2] },
            { text: "It rained for a week.", sources: [3] },
          ],
        },
      },
    ]);
    const { body } = await owner.post("/api/agents/reflector/run", { wait: true });
    expect(AgentRunAnswer.parse(body).run).toMatchObject({
      status: "finished",
      summary: expect.stringContaining("1 questions to you and 2 proposed facts") as unknown,
    });
  });

  it("has its question answered, which is remembered", async () => {
    const [question] = await found("types=curiosity_question&tag=open-question");
    const answered = await owner.post(`/api/memories/${question?.id ?? ""}/answer`, {
      text: "She is called Vega.",
    });
    expect(answered).toMatchObject({ status: 201, body: { memory: { type: "curated", trust: "trusted" } } });
    expect(
      (await owner.get("/api/recall?types=curated&limit=1&query=what%20is%20the%20boat%20called")).body,
    ).toMatchObject({
      items: [{ memory: { content: "What is the boat called?\nShe is called Vega." } }],
    });
    expect((await owner.post(`/api/memories/${question?.id ?? ""}/answer`, { text: "again" })).status).toBe(
      409,
    );
    expect(await found("types=curiosity_question&tag=open-question")).toEqual([]);
  });

  it("has its facts kept or dropped, over HTTP and on the command line", async () => {
    const facts = await found("types=reflection&tag=proposed-fact");
    const shed = facts.find(({ content }) => content.includes("shed"))?.id ?? "";
    const rain = facts.find(({ content }) => content.includes("rained"))?.id ?? "";
    const kept = await owner.post(`/api/memories/${shed}/proposal`, { decision: "keep" });
    expect(kept).toMatchObject({ status: 200, body: { memory: { type: "curated" } } });
    const listed = await mh(server.home, ["--json", "agent", "facts"]);
    expect(
      z.object({ items: z.array(z.object({ id: z.string() })) }).parse(JSON.parse(listed.out)).items,
    ).toMatchObject([{ id: rain }]);
    expect((await mh(server.home, ["agent", "drop", rain])).code).toBe(0);
    expect(await found("types=reflection&tag=proposed-fact")).toEqual([]);
    expect((await owner.get("/api/audit?query=fact_kept")).body).toMatchObject({ items: [{ actor: "ada" }] });
  });
});
