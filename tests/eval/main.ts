import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { loadConfig } from "@metahuman/core/config/load-config";
import { AgentName } from "@metahuman/core/contract/agents";
import {
  ModelRef,
  ModelRole,
  ProviderConfig,
  splitModelRef,
  type ModelsConfig,
} from "@metahuman/core/contract/models";
import { REPOSITORY, startTestServer } from "../support/server.ts";
import { tableOf } from "./report.ts";
import { loadTasks, runEval, spread } from "./run-eval.ts";
import type { EvalTask } from "./task-schema.ts";

const USAGE = `Usage: npm run eval -- --model provider/model [options]

  --model ollama/qwen3:14b   the model for every role but the embedder; without it, the planner of etc/models.json
  --base-url URL             where the provider answers, if not where etc/models.json says
  --mode MODE                structured (default) or tool-calling
  --only ID                  one task; may be repeated
  --limit N                  N tasks, of as many kinds as possible
  --min-success SHARE        end with 1 when a smaller share of all requests came out right, e.g. 0.8
  --json                     print the whole report as JSON
  --output FILE              where every detail goes; artifacts/eval.json if not said
  --keep                     keep the data the tasks ran on, and print where`;

/** How long to wait for the lesson of a run, in milliseconds, because a model words it. */
const LEARNING_MS = 20_000;
const DEFAULT_OLLAMA = "http://127.0.0.1:11434";

const Options = z.object({
  model: ModelRef.optional(),
  "base-url": z.url({ protocol: /^https?$/ }).optional(),
  mode: z.enum(["structured", "tool-calling"]).default("structured"),
  only: z.array(z.string()).default([]),
  limit: z.coerce.number().int().min(1).optional(),
  "min-success": z.coerce.number().min(0).max(1).default(0),
  json: z.boolean().default(false),
  output: z.string().default(join(REPOSITORY, "artifacts", "eval.json")),
  keep: z.boolean().default(false),
});
type Options = z.infer<typeof Options>;

try {
  if (process.argv.includes("--help")) print(USAGE);
  else process.exitCode = await main(readOptions());
} catch (error) {
  const reason =
    error instanceof z.ZodError
      ? `${z.prettifyError(error)}\n\n${USAGE}`
      : error instanceof Error
        ? error.message
        : "";
  process.stderr.write(`${reason}\n`);
  process.exitCode = 2;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      model: { type: "string" },
      "base-url": { type: "string" },
      mode: { type: "string" },
      only: { type: "string", multiple: true },
      limit: { type: "string" },
      "min-success": { type: "string" },
      json: { type: "boolean" },
      output: { type: "string" },
      keep: { type: "boolean" },
    },
  });
  return Options.parse(values);
}

async function main(options: Options): Promise<number> {
  const { models } = loadConfig([
    join(REPOSITORY, "etc"),
    ...(process.env["METAHUMAN_HOME"] ? [join(process.env["METAHUMAN_HOME"], "etc")] : []),
  ]);
  const model = options.model ?? models.roles.planner?.[0];
  if (model === undefined) throw new Error(`Say which model is to be measured.\n\n${USAGE}`);
  const tasks = choose(await loadTasks(new Date()), options);
  const provider = providerOf(model, models, options["base-url"]);

  const home = await mkdtemp(join(tmpdir(), "metahuman-eval-"));
  try {
    await configure(home, { model, provider, models, mode: options.mode });
    const key = provider.kind === "openai-compatible" ? provider.apiKeyVariable : undefined;
    const server = await startTestServer({
      home,
      env: {
        OLLAMA_HOST: process.env["OLLAMA_HOST"] ?? DEFAULT_OLLAMA,
        LOG_LEVEL: "error",
        ...(key !== undefined && { [key]: process.env[key] ?? "" }),
      },
    });
    try {
      const report = await runEval({
        owner: await server.owner(),
        home,
        learningMs: LEARNING_MS,
        model,
        tasks,
        commit: commit(),
        settings: { mode: options.mode, provider: provider.kind, maxContextTokens: models.maxContextTokens },
        progress: (line) => process.stderr.write(`${line}\n`),
      });
      await mkdir(dirname(options.output), { recursive: true });
      await writeFile(options.output, `${JSON.stringify(report, undefined, 2)}\n`);
      print(options.json ? JSON.stringify(report, undefined, 2) : `\n${tableOf(report)}`);
      if (report.problem !== undefined) throw new Error(`Stopped before the end: ${report.problem}`);
      const { right, of } = report.overall.success;
      return right / of < options["min-success"] ? 1 : 0;
    } finally {
      await server.end();
    }
  } finally {
    if (options.keep) process.stderr.write(`The data is kept in ${home}.\n`);
    else await rm(home, { recursive: true, force: true });
  }
}

function choose(all: readonly EvalTask[], { only, limit }: Options): EvalTask[] {
  const unknown = only.filter((id) => !all.some((task) => task.id === id));
  if (unknown.length > 0) {
    const ids = all.map(({ id }) => id).join(", ");
    throw new Error(`There is no task ${unknown.join(" or ")}. There are: ${ids}.`);
  }
  const chosen = only.length === 0 ? [...all] : all.filter(({ id }) => only.includes(id));
  return limit === undefined ? chosen : spread(chosen, limit);
}

function providerOf(
  model: ModelRef,
  { providers }: ModelsConfig,
  baseUrl: string | undefined,
): ProviderConfig {
  const { provider: id } = splitModelRef(model);
  const configured = Object.hasOwn(providers, id) ? providers[id] : undefined;
  if (configured) return ProviderConfig.parse({ ...configured, enabled: true, ...(baseUrl && { baseUrl }) });
  if (baseUrl !== undefined) return ProviderConfig.parse({ kind: "openai-compatible", baseUrl });
  throw new Error(
    `No provider ${id} is configured. Add it to etc/models.json, or name the address of an OpenAI-compatible server with --base-url.`,
  );
}

/** Writes the `etc/` of the data root: the model for every chat role, and no scheduled agents. */
async function configure(
  home: string,
  {
    model,
    provider,
    models,
    mode,
  }: { model: ModelRef; provider: ProviderConfig; models: ModelsConfig; mode: Options["mode"] },
): Promise<void> {
  const roles = ModelRole.options.filter((role) => role !== "embedder").map((role) => [role, [model]]);
  const files = {
    models: {
      ...models,
      providers: { [splitModelRef(model).provider]: provider },
      roles: Object.fromEntries(roles),
    },
    runtime: { operator: { reactV2: mode === "structured" } },
    agents: Object.fromEntries(AgentName.options.map((name) => [name, { enabled: false }])),
  };
  await mkdir(join(home, "etc"));
  for (const [name, content] of Object.entries(files))
    await writeFile(join(home, "etc", `${name}.json`), JSON.stringify(content));
}

function commit(): string {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { cwd: REPOSITORY }).toString().trim();
  } catch (error) {
    return `unknown (${error instanceof Error ? error.message.split("\n")[0] : "no git"})`;
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
