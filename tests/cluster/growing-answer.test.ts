import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunEvent } from "@metahuman/core/contract/event";
import { OperatorPending } from "@metahuman/core/contract/http";
import type { Client } from "../support/client.ts";
import { readEvents } from "../support/event-reader.ts";
import { chatModel, PLANS } from "../support/model-harness.ts";
import { type ModelServer, startModelServer } from "../support/model-server/server.ts";
import { type Cluster, openCluster } from "./nodes.ts";
import { findPrograms } from "./server.ts";

const programs = await findPrograms();

describe.runIf(programs)("an answer that a model writes at one of two servers", () => {
  let cluster: Cluster;
  let models: ModelServer;
  const homes: string[] = [];
  let here: Client;
  let there: Client;
  const write = Promise.withResolvers<void>();
  beforeAll(async () => {
    cluster = await openCluster(programs ?? "");
    models = await startModelServer({
      models: [chatModel(PLANS)],
      answer: () => ({ say: "Hello! What shall we plant today?", pieces: 6, gate: write.promise }),
    });
    const start = async (name: string) => {
      const home = await mkdtemp(join(tmpdir(), "mh-node-"));
      homes.push(home);
      await mkdir(join(home, "etc"));
      const providers = { ollama: { kind: "ollama", baseUrl: models.url } };
      await writeFile(join(home, "etc/models.json"), JSON.stringify({ providers }));
      return cluster.start(name, {}, home);
    };
    here = await (await start("one")).owner();
    there = here.at((await start("two")).url);
  }, 120_000);
  afterAll(async () => {
    await cluster.remove();
    await models.close();
    for (const home of homes) await rm(home, { recursive: true, force: true });
  });

  it("is read at the other one while it is written", async () => {
    const asked = await here.post("/api/operator", { goal: "hello", background: true });
    const { runId } = OperatorPending.parse(asked.body);
    let text = "";
    const types: string[] = [];
    const response = await there.raw("GET", `/api/runs/${runId}/events`, undefined, {
      accept: "text/event-stream",
    });
    for await (const { data } of readEvents(response)) {
      const event = RunEvent.parse(data);
      types.push(event.type);
      if (event.type !== "answer-delta") continue;
      text = text.slice(0, event.offset) + event.text;
      // The model continues only after its first words were read here.
      write.resolve();
    }
    expect("Hello! What shall we plant today?").toContain(text);
    expect(text).not.toBe("");
    expect(types.at(-1)).toBe("run-ended");
    expect(types.filter((type) => type === "answer-completed")).toHaveLength(1);
  }, 60_000);
});
