import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { ConfiguredServers, ModelServerTestResult } from "@metahuman/core/contract/model-servers";
import { ModelSituation } from "@metahuman/core/contract/models";
import type { Client } from "../support/client.ts";
import { mh } from "../support/cli.ts";
import { openModelHarness, type ModelHarness } from "../support/model-harness.ts";

// An owner adds OpenAI-compatible servers over the page's API. Keys reach their server and nothing else.

const KEY = "sk-never-to-be-seen-0123456789abcdef";
const FROM_ENVIRONMENT = "sk-from-the-environment-9876543210";

let harness: ModelHarness;
let owner: Client;
beforeAll(async () => {
  harness = await openModelHarness({ env: { LAB_API_KEY: FROM_ENVIRONMENT } });
  ({ owner } = harness);
});
beforeEach(() => harness.set({ answer: () => ({ say: "Hello." }) }));
afterAll(() => harness.close());

const save = (server: Record<string, unknown>, client = owner) =>
  client.send("PUT", "/api/models/servers", server);
const test = (server: Record<string, unknown>) => owner.post("/api/models/servers/test", server);
const configured = async () => ConfiguredServers.parse((await owner.get("/api/models/servers")).body).servers;
const file = () => readFile(join(harness.home, "etc", "models.json"), "utf8");
const lastKey = () => harness.models.chats().at(-1)?.headers["authorization"];
const ask = () => owner.post("/api/models/test", { model: "lab/plans:4b", prompt: "Say hello" });

const storedKeys = async () =>
  (await readdir(join(harness.home, "profiles", "system.keys"))).filter((name) =>
    name.startsWith("model-key-"),
  );

/** Every file of the data root that holds a text. */
async function filesWith(text: string): Promise<string[]> {
  const entries = await readdir(harness.home, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}

it("is tested, saved with a key and used, and its key is in no file, log, response, audit or export", async () => {
  const baseUrl = harness.models.openAiUrl;
  const tried = ModelServerTestResult.parse((await test({ id: "lab", baseUrl, key: { value: KEY } })).body);
  expect(tried.models.map(({ name }) => name)).toEqual(["plans:4b"]);
  expect(await configured()).toEqual([]);

  const saved = await save({ id: "lab", baseUrl, key: { value: KEY }, contextTokens: 32_000 });
  expect(saved.status).toBe(200);
  expect(ModelSituation.parse(saved.body).servers.find(({ id }) => id === "lab")).toMatchObject({
    kind: "openai-compatible",
    reachable: true,
  });
  expect(await configured()).toEqual([
    { id: "lab", baseUrl, enabled: true, contextTokens: 32_000, key: { from: "stored", readable: true } },
  ]);
  expect((await ask()).status).toBe(200);
  expect(lastKey()).toBe(`Bearer ${KEY}`);

  const answers = await Promise.all(
    ["/api/models?fresh=1", "/api/models/servers", "/api/audit?limit=200", "/api/settings"].map((path) =>
      owner.get(path),
    ),
  );
  expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(KEY);
  expect(JSON.stringify(answers[2]?.body)).toContain("model_server_saved");
  expect(await filesWith(KEY)).toEqual([]);
  expect(harness.server.output()).not.toContain(KEY);
  const keys = join(harness.home, "profiles", "system.keys");
  for (const name of await readdir(keys)) {
    const about = await stat(join(keys, name));
    if (about.isFile()) expect([name, about.mode & 0o077]).toEqual([name, 0]);
  }
  const zip = Buffer.from(await (await owner.raw("GET", "/api/export")).arrayBuffer());
  expect(zip.includes("system.keys")).toBe(false);

  // A restart finds the key again.
  await harness.restart();
  ({ owner } = harness);
  expect((await ask()).status).toBe(200);
  expect(lastKey()).toBe(`Bearer ${KEY}`);
});

it("keeps its key while its origin stays the same, and loses it with the origin", async () => {
  const baseUrl = harness.models.openAiUrl;
  await save({ id: "lab", baseUrl, key: { value: KEY } });
  await save({ id: "lab", baseUrl, contextTokens: 16_000 });
  expect(await configured()).toMatchObject([{ contextTokens: 16_000, key: { from: "stored" } }]);
  await ask();
  expect(lastKey()).toBe(`Bearer ${KEY}`);

  const elsewhere = baseUrl.replace("127.0.0.1", "localhost");
  expect((await test({ id: "lab", baseUrl: elsewhere })).status).toBe(200);
  await save({ id: "lab", baseUrl: elsewhere });
  expect(await configured()).toMatchObject([{ key: { from: "none" } }]);
  await ask();
  expect(lastKey()).not.toContain(KEY);
});

it("gets no key after somebody changed its address in the file", async () => {
  const baseUrl = harness.models.openAiUrl;
  await save({ id: "lab", baseUrl, key: { value: KEY } });
  const changed: unknown = JSON.parse((await file()).replaceAll("127.0.0.1", "localhost"));
  await harness.configure("models", changed);
  await owner.get("/api/models?fresh=1");
  expect(await configured()).toMatchObject([{ key: { from: "stored", readable: false } }]);
  await ask();
  expect(lastKey()).not.toContain(KEY);
});

it("may read its key from an environment variable with a valid name", async () => {
  const baseUrl = harness.models.openAiUrl;
  await save({ id: "lab", baseUrl, key: { variable: "LAB_API_KEY" } });
  expect(await configured()).toMatchObject([
    { key: { from: "environment", variable: "LAB_API_KEY", isSet: true } },
  ]);
  await ask();
  expect(lastKey()).toBe(`Bearer ${FROM_ENVIRONMENT}`);
  for (const variable of ["METAHUMAN_SECRET_KEY", "PATH", "AWS_SECRET_ACCESS_KEY"])
    expect((await save({ id: "lab", baseUrl, key: { variable } })).status).toBe(422);
});

it("is removed with its key and its models' roles", async () => {
  const baseUrl = harness.models.openAiUrl;
  const before = await storedKeys();
  await save({ id: "lab", baseUrl, key: { value: "sk-first" } });
  await save({ id: "lab", baseUrl, key: { value: KEY } });
  expect(await storedKeys()).toHaveLength(before.length + 1);
  await owner.send("PUT", "/api/models/roles", { role: "persona", models: ["lab/plans:4b"] });
  await owner.send("PUT", "/api/models/roles", {
    role: "planner",
    models: ["lab/plans:4b", "ollama/plans:4b"],
  });
  expect((await owner.send("DELETE", "/api/models/servers?id=lab")).status).toBe(200);
  expect(await configured()).toEqual([]);
  expect(JSON.parse(await file())).toMatchObject({ roles: { planner: ["ollama/plans:4b"] } });
  expect(await file()).not.toContain("lab/");
  expect(await storedKeys()).toEqual(before);
  expect((await owner.send("DELETE", "/api/models/servers?id=lab")).status).toBe(404);
  expect((await owner.send("DELETE", "/api/models/servers?id=ollama")).status).toBe(422);
});

it("is the problem that the situation tells if no server answers, not how to get another one", async () => {
  await harness.configure("models", {
    providers: {
      ollama: { kind: "ollama", baseUrl: "http://127.0.0.1:9" },
      lab: { kind: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1" },
    },
  });
  const { available, summary } = await harness.situation();
  expect(available).toBe(false);
  expect(summary).toBe(
    "No model server answers at http://127.0.0.1:9/v1. Only plain requests for the installed skills work until it answers.",
  );
});

it.each(["what can you do?", "compose a limerick about my ferry"])(
  "is the problem that the answer to “%s” tells if no server answers, not how to get another one",
  async (request) => {
    await harness.configure("models", {
      providers: {
        ollama: { kind: "ollama", baseUrl: "http://127.0.0.1:9" },
        lab: { kind: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1" },
      },
    });
    const { result } = await harness.ask(request);
    expect(result).toContain(
      "No model server answers at http://127.0.0.1:9/v1. Check it under Settings → Models.",
    );
    expect(result).not.toContain("Ollama");
  },
);

it.each([
  ["an address of another kind", { baseUrl: "file:///etc/passwd" }],
  ["credentials in the address", { baseUrl: "http://ada:secret@127.0.0.1:9/v1" }],
  ["a query in the address", { baseUrl: "http://127.0.0.1:9/v1?key=1" }],
  ["a name that is no id", { id: "My Lab" }],
  ["the name of a server of another kind", { id: "ollama" }],
  ["a key with a line break", { key: { value: "a\nb" } }],
])("is refused with %s, and nothing is written", async (_what, change) => {
  const before = await file();
  const { status } = await save({ id: "lab", baseUrl: "http://127.0.0.1:9/v1", ...change });
  expect([400, 422]).toContain(status);
  expect(await file()).toBe(before);
});

it("is managed by owners only", async () => {
  await owner.post("/api/profiles", { username: "bob", password: "a battery of horses" });
  const bob = harness.server.client();
  await bob.signIn({ username: "bob", password: "a battery of horses" });
  expect((await save({ id: "lab", baseUrl: harness.models.openAiUrl }, bob)).status).toBe(403);
  expect((await bob.get("/api/models/servers")).status).toBe(403);
  expect((await bob.send("DELETE", "/api/models?model=ollama/plans:4b")).status).toBe(403);
});

it("that does not respond is reported as such when it is tested", async () => {
  expect(await test({ id: "lab", baseUrl: "http://127.0.0.1:9/v1" })).toMatchObject({
    status: 503,
    body: { error: { message: "No model server answers at http://127.0.0.1:9/v1." } },
  });
});

it("that is not a model server is reported as such when it is tested", async () => {
  const { status, body } = await test({ id: "lab", baseUrl: `${harness.server.url}/v1` });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(body).toMatchObject({
    error: {
      message: `The server at ${harness.server.url}/v1 does not answer like a model server.`,
      suggestions: ["Check the address: that of an OpenAI-compatible server usually ends in /v1."],
    },
  });
});

it("that is an Ollama deletes a model; others manage their models themselves", async () => {
  const deleted = await owner.send("DELETE", "/api/models?model=ollama/plans:4b");
  expect(deleted.status).toBe(200);
  expect(ModelSituation.parse(deleted.body).servers[0]?.models).toEqual([]);
  expect((await owner.send("DELETE", "/api/models?model=ollama/plans:4b")).status).toBe(503);
  await save({ id: "lab", baseUrl: harness.models.openAiUrl });
  expect((await owner.send("DELETE", "/api/models?model=lab/plans:4b")).status).toBe(422);
});

it("is managed in the terminal, with the key from standard input", async () => {
  const run = (args: string[], input?: string) => mh(harness.home, ["--json", "models", ...args], {}, input);
  const added = await run(["server", "add", "lab", harness.models.openAiUrl, "--key-stdin"], `${KEY}\n`);
  expect({ code: added.code, err: added.err }).toEqual({ code: 0, err: "" });
  expect(added.out).not.toContain(KEY);
  expect(
    z.looseObject({ servers: z.array(z.unknown()) }).parse(JSON.parse((await run(["server", "list"])).out)),
  ).toMatchObject({ servers: [{ id: "lab", key: { from: "stored", readable: true } }] });
  await expect.poll(async () => (await configured()).length).toBe(1);
  await ask();
  expect(lastKey()).toBe(`Bearer ${KEY}`);
  expect((await run(["server", "remove", "lab"])).code).toBe(0);
  expect((await run(["server", "remove", "lab"])).code).toBe(3);
});
