import { auditedModelControl } from "@metahuman/boot/audited-model-control";
import type { ModelControl } from "@metahuman/boot/brain";
import { ForbiddenError } from "@metahuman/core/errors/access-errors";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import {
  ModelRef,
  ModelRole,
  ModelTestRequest,
  PullRequest,
  type ModelSituation,
  type ModelTestResult,
  type PullProgress,
} from "@metahuman/core/contract/models";
import type { Command } from "commander";
import { text } from "node:stream/consumers";
import { type ConfiguredServer, ModelServerEdit } from "@metahuman/core/contract/model-servers";
import { parseInput } from "../parse-input.ts";
import { table } from "../output.ts";
import { type AddCommand, type CommandContext, openSession } from "../session.ts";

/** `mh models`: lists, assigns, tests and downloads language models. */
export const addModelsCommand: AddCommand = (program, context) => {
  const models = program.command("models").description("language models and their roles");

  models
    .command("list")
    .description("list the model servers and their models")
    .action(async () => {
      const brain = await context().openBrain();
      const situation = await brain.models({ fresh: true });
      context().output.result(situation, formatServers(situation));
    });

  models
    .command("roles [role] [models...]")
    .description(`show the roles, or assign models to a role, best first; "auto" selects them automatically`)
    .action(async (role: string | undefined, refs: string[]) => {
      const brain = await context().openBrain();
      const situation =
        role === undefined || refs.length === 0
          ? await brain.models({ fresh: true })
          : await (
              await openModelControl(context())
            ).assign({ role: parseRole(role), models: parseModelRefs(refs) });
      const wanted = role === undefined ? undefined : parseRole(role);
      const roles = situation.roles.filter((entry) => wanted === undefined || entry.role === wanted);
      context().output.result({ roles }, formatRoles(roles));
    });

  models
    .command("test <model> [prompt...]")
    .description("send a prompt to a model and measure it, e.g. mh models test ollama/qwen3:4b")
    .action(async (model: string, words: string[]) => {
      const request = ModelTestRequest.safeParse({
        model,
        ...(words.length > 0 && { prompt: words.join(" ") }),
      });
      if (!request.success) throw invalidModelError(model);
      const control = await openModelControl(context());
      const { output, signal } = context();
      let reply = "";
      for await (const part of control.test(request.data, signal)) {
        if (part.type === "text") {
          reply += part.text;
          output.write(part.text);
        }
        if (part.type === "done")
          output.result(
            { model, text: reply, result: part.result },
            `${reply === "" ? "" : "\n"}${formatTestResult(part.result)}`,
          );
      }
    });

  addServerCommands(models, context);

  models
    .command("delete <model>")
    .description("delete a model from its server, e.g. mh models delete ollama/qwen3:4b")
    .action(async (model: string) => {
      const ref = ModelRef.safeParse(model);
      if (!ref.success) throw invalidModelError(model);
      const control = await openModelControl(context());
      const situation = await control.removeModel(ref.data, context().signal);
      context().output.result(situation, `Deleted ${model}.`);
    });

  models
    .command("pull <model>")
    .description("download a model to its server, e.g. mh models pull qwen3:4b; Ctrl-C cancels")
    .option("--provider <id>", "the server", "ollama")
    .action(async (model: string, { provider }: { provider: string }) => {
      const request = PullRequest.safeParse({ provider, model });
      if (!request.success) throw invalidModelError(model);
      const control = await openModelControl(context());
      const { output, signal } = context();
      try {
        for await (const event of await control.pull(request.data, signal)) {
          if (event.type === "progress") output.progress(formatProgress(event.progress));
          else {
            output.endProgress();
            output.result({ model: event.model }, `Downloaded ${event.model}.`);
          }
        }
      } finally {
        output.endProgress();
      }
    });
};

/** `mh models server`: OpenAI-compatible servers. */
function addServerCommands(models: Command, context: () => CommandContext): void {
  const server = models.command("server").description("OpenAI-compatible model servers");

  server
    .command("list")
    .description("list the configured servers")
    .action(async () => {
      const { servers } = await (await openModelControl(context())).configuredServers();
      const rows = servers.map(({ id, baseUrl, key }) => [id, baseUrl, describeKey(key)]);
      const empty = "None. Add one: mh models server add lab http://127.0.0.1:8000/v1";
      context().output.result({ servers }, rows.length === 0 ? empty : table(rows));
    });

  server
    .command("add <name> <url>")
    .description("add a server, or change the one with this name; the URL includes the version: …/v1")
    .option("--key-stdin", "read its key from standard input and store it encrypted")
    .option("--key-variable <name>", "the environment variable that contains its key, ending in _API_KEY")
    .option("--context <tokens>", "the context of its models, if the server does not report it", Number)
    .action(
      async (
        id: string,
        baseUrl: string,
        options: { keyStdin?: boolean; keyVariable?: string; context?: number },
      ) => {
        const { keyStdin, keyVariable: variable, context: contextTokens } = options;
        const named = variable === undefined ? undefined : { variable };
        const key = keyStdin === true ? { value: (await text(context().input)).trim() } : named;
        const request = parseInput(ModelServerEdit, { id, baseUrl, key, contextTokens });
        const control = await openModelControl(context());
        const situation = await control.saveServer(request);
        const saved = situation.servers.find((one) => one.id === id);
        const found = saved?.problem ?? `${String(saved?.models.length ?? 0)} models`;
        context().output.result(situation, `Saved ${id}: ${found}`);
      },
    );

  server
    .command("remove <name>")
    .description("remove a server with its key")
    .action(async (id: string) => {
      const situation = await (await openModelControl(context())).removeServer(id);
      context().output.result(situation, `Removed ${id}.`);
    });
}

function describeKey(key: ConfiguredServer["key"]): string {
  switch (key.from) {
    case "none":
      return "no key";
    case "stored":
      return key.readable ? "stored key" : "stored key for another address: enter it again";
    case "environment":
      return `${key.variable}${key.isSet ? "" : ", which is not set"}`;
    default:
      return key satisfies never;
  }
}

async function openModelControl(context: CommandContext): Promise<ModelControl> {
  const { brain, profile, policy } = await openSession(context);
  if (!policy.canAdminister) throw new ForbiddenError("Only an owner can change and test models.");
  return auditedModelControl(brain.modelControl, profile.audit, { actor: profile.username, surface: "cli" });
}

function parseRole(text: string): ModelRole {
  const role = ModelRole.safeParse(text);
  if (role.success) return role.data;
  throw new InvalidRequestError(`There is no role "${text}".`, { suggestions: ModelRole.options });
}

function parseModelRefs(refs: readonly string[]): ModelRef[] | null {
  if (refs.length === 1 && refs[0] === "auto") return null;
  return refs.map((ref) => {
    const parsed = ModelRef.safeParse(ref);
    if (!parsed.success) throw invalidModelError(ref);
    return parsed.data;
  });
}

function invalidModelError(text: string): InvalidRequestError {
  return new InvalidRequestError(`"${text}" is not a model reference.`, {
    suggestions: [
      "Write provider/model, e.g. ollama/qwen3:4b. For mh models pull, write only the name: qwen3:4b",
    ],
  });
}

function formatServers({ servers, roles, summary, tokensPerSecond }: ModelSituation): string {
  const parts = servers.map(({ id, address, latencyMs, problem, models }) => {
    const state =
      problem ?? `answers in ${String(Math.round(latencyMs ?? 0))} ms, ${String(models.length)} models`;
    const rows = models.map(({ name, parameterSize, bytes, contextTokens, abilities }) => [
      `  ${id}/${name}`,
      parameterSize ?? "",
      bytes === undefined ? "" : `${(bytes / 1e9).toFixed(1)} GB`,
      contextTokens === undefined ? "" : `${String(contextTokens)} tokens`,
      tokensPerSecond[`${id}/${name}`] === undefined
        ? ""
        : `${String(tokensPerSecond[`${id}/${name}`])} tokens/s`,
      abilities?.join(", ") ?? "",
    ]);
    return [`${id} at ${address}: ${state}`, ...(rows.length > 0 ? [table(rows)] : [])].join("\n");
  });
  const warnings = roles.flatMap(({ role, warnings = [] }) =>
    warnings.map((text) => `note   ${role}: ${text}`),
  );
  return [...parts, summary, ...warnings].join("\n");
}

function formatRoles(roles: ModelSituation["roles"]): string {
  return table(
    roles.map(({ role, models, configured, missing, warnings = [] }) => [
      role,
      models.length === 0 ? "none" : configured ? models.join(", then ") : (models[0] ?? "none"),
      configured ? "assigned" : "automatic",
      [...(missing === undefined ? [] : [missing]), ...warnings].join(" "),
    ]),
  );
}

function formatProgress({ status, fraction }: PullProgress): string {
  if (fraction === undefined) return status;
  const width = 24;
  const filled = Math.round(fraction * width);
  return `[${"#".repeat(filled)}${".".repeat(width - filled)}] ${String(Math.floor(fraction * 100)).padStart(3)} %  ${status}`;
}

function formatTestResult({ latencyMs, durationMs, tokensPerSecond, dimensions }: ModelTestResult): string {
  return [
    `first token after ${String(latencyMs)} ms`,
    `done after ${String(durationMs)} ms`,
    ...(tokensPerSecond === undefined ? [] : [`${String(tokensPerSecond)} tokens/s`]),
    ...(dimensions === undefined ? [] : [`vectors of ${String(dimensions)}`]),
  ].join(", ");
}
