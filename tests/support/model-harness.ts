import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { ModelSituation } from "@metahuman/core/contract/models";
import { Run } from "@metahuman/core/contract/run";
import type { Client } from "./client.ts";
import type { Answer, ChatScript, ModelSpec, SeenRequest } from "./model-server/script.ts";
import { startModelServer, type ModelServer } from "./model-server/server.ts";
import {
  AGENTS_OFF,
  createOwnedHome,
  startServerHere,
  startTestServer,
  type ServerProcess,
  type TestServer,
} from "./server.ts";

/** The real server and a scripted model server, with the owner signed in. */
export interface ModelHarness {
  models: ModelServer;
  server: TestServer;
  owner: Client;
  /** The data root. */
  home: string;
  /** The folder of the owner's profile. */
  profile: string;
  /** Sends a request and waits for its JSON answer. */
  ask(goal: string, more?: object): Promise<OperatorAnswer>;
  /** Returns a run with its model calls. */
  run(runId: string): Promise<Run>;
  /** Sets models, script and configuration for the next scene; omitted values are reset. */
  set(scene?: Scene): Promise<void>;
  /** Returns the available models, queried again. */
  situation(): Promise<ModelSituation>;
  /** Writes a file of `etc/`, as an editor would. */
  configure(file: string, content: unknown): Promise<void>;
  /** Runs the server as a separate process until it is killed. */
  separate(): Promise<void>;
  /** Closes the server and starts another one on the same data. */
  restart(): Promise<void>;
  /** Kills the separate server process and starts another one on the same data. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export interface Scene {
  models?: ModelSpec[];
  answer?: Answer | readonly ChatScript[];
  roles?: Record<string, string[]>;
  /** Files of `etc/` by name; `models` and `agents` replace the default ones completely. By default, no agent starts by itself. */
  etc?: Record<string, unknown>;
}

/** The default planning model. */
export const PLANS = "plans:4b";

export const chatModel = (name: string, contextTokens = 16_384): ModelSpec => ({
  name,
  abilities: ["completion", "tools"],
  contextTokens,
});

export async function openModelHarness(
  options: {
    etc?: Record<string, unknown>;
    models?: ModelSpec[];
    answer?: Answer | readonly ChatScript[];
    /** Additional environment variables of the server. */
    env?: Record<string, string>;
  } = {},
): Promise<ModelHarness> {
  const models = await startModelServer({
    models: options.models ?? [chatModel(PLANS)],
    ...(options.answer && { answer: options.answer }),
  });
  const { home, session } = await createOwnedHome();
  const configure = async (file: string, content: unknown) => {
    await writeFile(join(home, "etc", `${file}.json`), JSON.stringify(content));
  };
  const providers = { ollama: { kind: "ollama", baseUrl: models.url } };
  for (const [file, content] of Object.entries({ models: { providers }, agents: AGENTS_OFF, ...options.etc }))
    await configure(file, content);
  const setting = { home, ...(options.env && { env: options.env }) };
  const server = await startServerHere(setting);
  let separated: ServerProcess | undefined;
  const start = async (separately: boolean) => {
    separated = separately ? await startTestServer(setting) : undefined;
    harness.server = separated ?? (await startServerHere(setting));
    harness.owner = harness.owner.at(harness.server.url);
  };
  const harness: ModelHarness = {
    models,
    server,
    owner: session.at(server.url),
    home,
    profile: join(home, "profiles", "ada"),
    async ask(goal, more = {}) {
      const { status, body } = await harness.owner.post("/api/operator", { goal, ...more });
      if (status !== 200) throw new Error(`${String(status)}: ${JSON.stringify(body)}`);
      return OperatorAnswer.parse(body);
    },
    async set({
      models: specs = [chatModel(PLANS)],
      answer = [{ say: "All done." }],
      roles = {},
      etc = {},
    } = {}) {
      models.models = [...specs];
      models.script(answer);
      for (const name of await readdir(join(home, "etc"))) await rm(join(home, "etc", name));
      for (const [file, content] of Object.entries({
        models: { providers, roles },
        agents: AGENTS_OFF,
        ...etc,
      }))
        await configure(file, content);
      await harness.situation();
      models.requests.splice(0);
    },
    situation: async () => ModelSituation.parse((await harness.owner.get("/api/models?fresh=1")).body),
    run: async (runId) => Run.parse((await harness.owner.get(`/api/runs/${runId}`)).body),
    configure,
    async separate() {
      if (separated) return;
      await harness.server.dispose();
      await start(true);
    },
    async restart() {
      await (separated?.end() ?? harness.server.dispose());
      await start(separated !== undefined);
    },
    async kill() {
      if (!separated) throw new Error("Only a server with a process of its own can be killed.");
      await separated.end("SIGKILL");
      await start(false);
    },
    async close() {
      await harness.server.dispose();
      await models.close();
      await rm(home, { recursive: true, force: true });
    },
  };
  return harness;
}

export const act = (tool: string, args: Record<string, unknown> = {}): ChatScript => ({
  json: { thought: `Use ${tool}.`, action: { tool, args } },
});
export const finish: ChatScript = { json: { thought: "The observations show it.", respond: true } };

/** Returns the purpose of a request to a model server, from its first message. */
export function purposeOf({ messages, tools }: SeenRequest): "plan" | "answer" | "review" | "converse" {
  const rules = messages[0]?.content ?? "";
  if (rules.startsWith("You plan for") || tools.length > 0) return "plan";
  if (rules.startsWith("You check")) return "review";
  return rules.includes("You write the answer") ? "answer" : "converse";
}

/** Plans the given calls in order and then finishes; every answer is the same sentence. */
export function play(plan: readonly ChatScript[], words = "It is done [1]."): Answer {
  let step = 0;
  return (request) => (purposeOf(request) === "plan" ? (plan[step++] ?? finish) : { say: words });
}

/** Returns the last message that a model received. */
export const lastMessage = ({ messages }: SeenRequest): string => messages.at(-1)?.content ?? "";

/** Plans depending on the last observation; every answer is the same sentence. */
export function planByObservation(
  plan: (shown: string, step: number) => ChatScript,
  words = "It is done [1].",
): Answer {
  let step = 0;
  return (request) =>
    purposeOf(request) === "plan" ? plan(lastMessage(request), (step += 1)) : { say: words };
}
