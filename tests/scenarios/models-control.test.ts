import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { ModelSituation, ModelTestAnswer } from "@metahuman/core/contract/models";
import { Problem } from "@metahuman/core/contract/problem";
import type { Client } from "../support/client.ts";
import { mh } from "../support/cli.ts";
import { readEvents, type SentEvent } from "../support/event-reader.ts";
import type { ModelSpec } from "../support/model-server/script.ts";
import type { ModelServer } from "../support/model-server/server.ts";
import { openModelHarness, type ModelHarness } from "../support/model-harness.ts";
import type { TestServer } from "../support/server.ts";

// Models are listed, assigned, tested and downloaded over the page's API.

const SPECS: ModelSpec[] = [
  { name: "small:4b", abilities: ["completion", "tools"], contextTokens: 32_768 },
  { name: "other:4b", abilities: ["completion", "tools"], contextTokens: 32_768 },
  { name: "vectors:latest", abilities: ["embedding"], dimensions: 64 },
];

interface Harness {
  models: ModelServer;
  server: TestServer;
  owner: Client;
  file: string;
}

let shared: ModelHarness;
beforeAll(async () => {
  shared = await openModelHarness();
});
afterAll(() => shared.close());

async function harness(): Promise<Harness> {
  const { models, server, owner } = shared;
  await models.start();
  const lab = { kind: "openai-compatible", baseUrl: models.openAiUrl };
  const providers = { ollama: { kind: "ollama", baseUrl: models.url }, lab };
  await shared.set({
    models: SPECS,
    answer: () => ({ say: "Hello, all is well." }),
    etc: { models: { maxContextTokens: 8_192, providers } },
  });
  return { models, server, owner, file: join(shared.home, "etc", "models.json") };
}

const assign = (client: Client, role: string, models: unknown) =>
  client.send("PUT", "/api/models/roles", { role, models });
const problemIn = (body: unknown) => Problem.parse(body).error;
const auditIn = async (owner: Client) => JSON.stringify((await owner.get("/api/audit?limit=100")).body);

describe("the models", () => {
  it("are listed with their server, their roles, and what is missing", async () => {
    const { owner, models } = await harness();
    const situation = ModelSituation.parse((await owner.get("/api/models?fresh=1")).body);
    expect(situation.servers.map(({ id, reachable }) => [id, reachable])).toEqual([
      ["ollama", true],
      ["lab", true],
    ]);
    expect(situation.servers[0]).toMatchObject({ address: models.url });
    expect(situation.servers[0]?.models[0]).toMatchObject({
      name: "small:4b",
      bytes: 2e9,
      contextTokens: 32_768,
    });
    expect(situation.roles.every(({ missing }) => missing === undefined)).toBe(true);
    await models.stop();
    const alone = ModelSituation.parse((await owner.get("/api/models?fresh=1")).body);
    expect(alone).toMatchObject({ available: false });
    expect(alone.roles.find(({ role }) => role === "planner")?.missing).toContain("built-in planner");
  });
});

describe("a role", () => {
  it("is assigned to the chosen model at once, as requests show, and reset to the default", async () => {
    const { owner, models, file } = await harness();
    const chosen = await assign(owner, "persona", ["ollama/other:4b"]);
    expect(chosen.status).toBe(200);
    expect(ModelSituation.parse(chosen.body).roles).toContainEqual({
      role: "persona",
      models: ["ollama/other:4b"],
      configured: true,
      assigned: ["ollama/other:4b"],
    });
    OperatorAnswer.parse((await owner.post("/api/operator", { goal: "hello" })).body);
    expect(models.chats().map(({ model }) => model)).toEqual(["other:4b"]);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      maxContextTokens: 8_192,
      providers: { lab: {} },
      roles: { persona: ["ollama/other:4b"] },
    });
    expect(await auditIn(owner)).toContain("model_role_assigned");

    const automatic = ModelSituation.parse((await assign(owner, "persona", null)).body);
    expect(automatic.roles.find(({ role }) => role === "persona")).toMatchObject({ configured: false });
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ roles: {} });
  });

  it("is refused for an unsuitable model, with suitable ones, and nothing is written", async () => {
    const { owner, file } = await harness();
    const before = await readFile(file, "utf8");
    const refused: [role: string, models: unknown, expected: string | RegExp][] = [
      ["planer", ["ollama/small:4b"], "Role must be one of planner, "],
      ["planner", ["small"], "provider/model"],
      ["planner", [], "Models must have at least 1 entry."],
      ["planner", ["olama/small:4b"], /olama.*ollama/s],
      ["planner", ["ollama/smal:4b"], /no model.*ollama\/small:4b/s],
      ["planner", ["ollama/vectors"], "is not a chat model"],
      ["embedder", ["ollama/small:4b"], "is not an embedding model"],
    ];
    for (const [role, models, expected] of refused) {
      const { status, body } = await assign(owner, role, models);
      expect([role, models, status]).toEqual([role, models, 422]);
      const { message, suggestions } = problemIn(body);
      expect([message, ...(suggestions ?? [])].join(" ")).toMatch(expected);
    }
    expect(await readFile(file, "utf8")).toBe(before);
  });

  it("is not changed while the file is unusable: it stays as its owner wrote it", async () => {
    const { owner, file } = await harness();
    await writeFile(file, '{ "roles": {');
    const { status, body } = await assign(owner, "planner", ["ollama/small:4b"]);
    expect([status, problemIn(body).code]).toEqual([500, "CONFIG_INVALID"]);
    expect(await readFile(file, "utf8")).toBe('{ "roles": {');
  });

  it("reports what is missing if the selected model is gone", async () => {
    const { owner, models } = await harness();
    await assign(owner, "planner", ["ollama/other:4b"]);
    models.models = SPECS.filter(({ name }) => name !== "other:4b");
    const { roles } = ModelSituation.parse((await owner.get("/api/models?fresh=1")).body);
    expect(roles.find(({ role }) => role === "planner")?.missing).toContain("does not have it");
  });
});

describe("a test prompt", () => {
  it("streams the reply and reports its speed", async () => {
    const { owner, models } = await harness();
    const stream = { accept: "text/event-stream" };
    const request = { model: "ollama/other:4b", prompt: "How are you?" };
    const events: SentEvent[] = [];
    for await (const event of readEvents(await owner.raw("POST", "/api/models/test", request, stream)))
      events.push(event);
    expect(events.map(({ event }) => event)).toEqual(["text", "text", "text", "done"]);
    expect(events.at(-1)?.data).toMatchObject({ result: { completionTokens: 20, tokensPerSecond: 10_000 } });
    expect(models.chats()[0]).toMatchObject({
      model: "other:4b",
      messages: [{ content: "How are you?" }],
      body: { options: { num_ctx: 8_192 } },
    });
  });

  it("is returned in one response too, from both kinds of server, and as a vector from an embedding model", async () => {
    const { owner } = await harness();
    const ask = async (model: string) =>
      ModelTestAnswer.parse((await owner.post("/api/models/test", { model })).body);
    expect((await ask("ollama/small:4b")).text).toBe("Hello, all is well.");
    expect((await ask("lab/small:4b")).text).toBe("Hello, all is well.");
    expect(await ask("ollama/vectors")).toMatchObject({ text: "", result: { dimensions: 64 } });
  });

  it("reports the reason of a failure", async () => {
    const { owner, models } = await harness();
    models.script(() => ({ fault: "error-midway" }));
    const failed = await owner.post("/api/models/test", { model: "ollama/small:4b" });
    expect(failed.status).toBe(503);
    expect(problemIn(failed.body)).toMatchObject({ details: { reason: "broke-off" } });
    const missing = await owner.post("/api/models/test", { model: "ollama/nothing:1b" });
    expect(problemIn(missing.body)).toMatchObject({ details: { reason: "model-missing" } });
    expect((await owner.post("/api/models/test", { model: "nowhere/x" })).status).toBe(422);
  });
});

describe("a download", () => {
  const pull = (client: Client, model: string, signal?: AbortSignal, provider = "ollama") =>
    client.raw("POST", "/api/models/pull", { provider, model }, { accept: "text/event-stream" }, signal);

  /** Advances the download until it ends. */
  function advancing(models: ModelServer): () => void {
    const timer = setInterval(() => models.advancePull(), 5);
    return () => clearInterval(timer);
  }

  it("reports its progress, and the model is available afterwards", async () => {
    const { owner, models } = await harness();
    const response = await pull(owner, "new:4b");
    const stop = advancing(models);
    const events: SentEvent[] = [];
    for await (const event of readEvents(response)) events.push(event);
    stop();
    const fractions = events.flatMap(
      ({ data }) => /"fraction":([\d.]+)/.exec(JSON.stringify(data))?.[1] ?? [],
    );
    expect(fractions).toEqual(["0", "0.25", "0.5", "0.75", "1"]);
    expect(events.at(-1)).toMatchObject({ event: "done", data: { model: "ollama/new:4b" } });
    expect(JSON.stringify((await owner.get("/api/models")).body)).toContain("new:4b");
    expect(await auditIn(owner)).toMatch(/model_pulled.*model_pull_started/s);
  });

  it("ends when its reader disconnects: the server is notified, and another may start", async () => {
    const { owner, models } = await harness();
    const left = new AbortController();
    // Read by hand: leaving a loop early would end the stream before the second download is asked for.
    const events = readEvents(await pull(owner, "new:4b", left.signal));
    expect((await events.next()).value).toMatchObject({ event: "progress" });
    expect((await pull(owner, "another:4b")).status).toBe(409);
    left.abort();
    const seen = () => models.requests.find(({ path }) => path.endsWith("/pull"));
    await expect.poll(() => seen()?.aborted).toBe(true);
    expect(JSON.stringify((await owner.get("/api/models?fresh=1")).body)).not.toContain("new:4b");

    const again = await pull(owner, "another:4b");
    const stop = advancing(models);
    const kinds: string[] = [];
    for await (const { event } of readEvents(again)) kinds.push(event);
    stop();
    expect(kinds.at(-1)).toBe("done");
  });

  it("of an unknown name is reported as such; a server that cannot download is not asked", async () => {
    const { owner } = await harness();
    const events: SentEvent[] = [];
    for await (const event of readEvents(await pull(owner, "missing:1b"))) events.push(event);
    expect(events.at(-1)?.event).toBe("problem");
    expect(problemIn(events.at(-1)?.data).message).toContain('"missing:1b" could not be downloaded');
    expect((await pull(owner, "x", undefined, "lab")).status).toBe(422);
    expect((await pull(owner, "x", undefined, "nowhere")).status).toBe(422);
  });
});

describe("a member", () => {
  it("sees the models and changes nothing", async () => {
    const { owner, server, file } = await harness();
    const before = await readFile(file, "utf8");
    const bob = { username: "bob", password: "a battery of horses" };
    await owner.post("/api/profiles", bob);
    const member = server.client();
    await member.signIn(bob);
    expect((await member.get("/api/models")).status).toBe(200);
    const refused = await Promise.all([
      assign(member, "planner", ["ollama/small:4b"]),
      member.post("/api/models/test", { model: "ollama/small:4b" }),
      member.post("/api/models/pull", { provider: "ollama", model: "new:4b" }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(await readFile(file, "utf8")).toBe(before);
  });
});

describe("mh models", () => {
  it("lists the models and assigns a role", async () => {
    const { server, file } = await harness();
    const { out } = await mh(server.home, ["models", "list"]);
    expect(out).toMatch(/ollama at http.*\n +ollama\/small:4b +4\.0B +2\.0 GB/);
    expect(await mh(server.home, ["models", "roles", "planner", "ollama/other:4b"])).toMatchObject({
      code: 0,
      out: "planner  ollama/other:4b  assigned\n",
    });
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      roles: { planner: ["ollama/other:4b"] },
    });
  });

  it("refuses an unavailable model with its own code", async () => {
    const { server } = await harness();
    const refused = await mh(server.home, ["models", "roles", "planner", "ollama/smal:4b"]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("ollama/small:4b")]);
  });

  it("tests a model, and shows the progress of a download", async () => {
    const { server, models } = await harness();
    const tested = await mh(server.home, ["models", "test", "ollama/small:4b"]);
    expect(tested.out).toMatch(/^Hello, all is well\.\nfirst token after .* 10000 tokens\/s\n$/);
    const timer = setInterval(() => models.advancePull(), 5);
    const pulled = await mh(server.home, ["models", "pull", "new:4b"]);
    clearInterval(timer);
    expect(pulled).toMatchObject({ code: 0, out: "Downloaded ollama/new:4b.\n" });
    expect(pulled.err).toContain("[############............]  50 %");
  });

  it("have their missing abilities reported by mh doctor, role by role", async () => {
    const { server, models, owner } = await harness();
    await assign(owner, "planner", ["ollama/other:4b"]);
    models.models.splice(0);
    const { out } = await mh(server.home, ["doctor"]);
    expect(out).toMatch(/Model for planner: ollama\/other:4b was chosen, but/);
    expect(out).toMatch(/Model for persona: No model/);
  });
});
