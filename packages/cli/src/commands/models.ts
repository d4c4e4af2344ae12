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
import { table } from "../output.ts";
import { type AddCommand, type CommandContext, openSession } from "../session.ts";

/** What there is to think with: seen, chosen, tried out and downloaded. */
export const addModelsCommand: AddCommand = (program, context) => {
  const models = program.command("models").description("the language models it thinks with");

  models
    .command("list")
    .description("the model servers and what they have")
    .action(async () => {
      const brain = await context().openBrain();
      const situation = await brain.models({ fresh: true });
      context().output.result(situation, listText(situation));
    });

  models
    .command("roles [role] [models...]")
    .description(`show the roles, or give one its models, best first; "auto" leaves the choice to the system`)
    .action(async (role: string | undefined, refs: string[]) => {
      const brain = await context().openBrain();
      const situation =
        role === undefined || refs.length === 0
          ? await brain.models({ fresh: true })
          : await (await ownersControl(context())).assign({ role: roleOf(role), models: refsOf(refs) });
      const wanted = role === undefined ? undefined : roleOf(role);
      const roles = situation.roles.filter((entry) => wanted === undefined || entry.role === wanted);
      context().output.result({ roles }, rolesText(roles));
    });

  models
    .command("test <model> [prompt...]")
    .description("ask one model something and see how fast it answers, e.g. mh models test ollama/qwen3:4b")
    .action(async (model: string, words: string[]) => {
      const request = ModelTestRequest.safeParse({
        model,
        ...(words.length > 0 && { prompt: words.join(" ") }),
      });
      if (!request.success) throw notAModel(model);
      const control = await ownersControl(context());
      const { output, signal } = context();
      let text = "";
      for await (const part of control.test(request.data, signal)) {
        if (part.type === "text") {
          text += part.text;
          output.write(part.text);
        }
        if (part.type === "done")
          output.result(
            { model, text, result: part.result },
            `${text === "" ? "" : "\n"}${measured(part.result)}`,
          );
      }
    });

  models
    .command("pull <model>")
    .description("download a model onto its server, e.g. mh models pull qwen3:4b; Ctrl-C cancels")
    .option("--provider <id>", "which server", "ollama")
    .action(async (model: string, { provider }: { provider: string }) => {
      const request = PullRequest.safeParse({ provider, model });
      if (!request.success) throw notAModel(model);
      const control = await ownersControl(context());
      const { output, signal } = context();
      try {
        for await (const event of await control.pull(request.data, signal)) {
          if (event.type === "progress") output.progress(progressText(event.progress));
          else {
            output.progressEnded();
            output.result({ model: event.model }, `${event.model} is there.`);
          }
        }
      } finally {
        output.progressEnded();
      }
    });
};

async function ownersControl(context: CommandContext): Promise<ModelControl> {
  const { brain, profile, policy } = await openSession(context);
  if (!policy.canAdminister) throw new ForbiddenError("Only an owner changes and tries out models.");
  return auditedModelControl(brain.modelControl, profile.audit, { actor: profile.username, surface: "cli" });
}

function roleOf(written: string): ModelRole {
  const role = ModelRole.safeParse(written);
  if (role.success) return role.data;
  throw new InvalidRequestError(`"${written}" is no role.`, { suggestions: ModelRole.options });
}

function refsOf(written: readonly string[]): ModelRef[] | null {
  if (written.length === 1 && written[0] === "auto") return null;
  return written.map((ref) => {
    const parsed = ModelRef.safeParse(ref);
    if (!parsed.success) throw notAModel(ref);
    return parsed.data;
  });
}

function notAModel(written: string): InvalidRequestError {
  return new InvalidRequestError(`"${written}" is no model.`, {
    suggestions: ["Write provider/model, e.g. ollama/qwen3:4b; to pull one, only its name: qwen3:4b"],
  });
}

function listText({ servers, roles, summary, tokensPerSecond }: ModelSituation): string {
  const parts = servers.map(({ id, address, latencyMs, problem, models }) => {
    const state = problem ?? `answers in ${String(latencyMs ?? 0)} ms, ${String(models.length)} models`;
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

function rolesText(roles: ModelSituation["roles"]): string {
  return table(
    roles.map(({ role, models, configured, missing, warnings = [] }) => [
      role,
      models.length === 0 ? "none" : configured ? models.join(", then ") : (models[0] ?? "none"),
      configured ? "chosen" : "automatic",
      [...(missing === undefined ? [] : [missing]), ...warnings].join(" "),
    ]),
  );
}

function progressText({ status, fraction }: PullProgress): string {
  if (fraction === undefined) return status;
  const width = 24;
  const filled = Math.round(fraction * width);
  return `[${"#".repeat(filled)}${".".repeat(width - filled)}] ${String(Math.floor(fraction * 100)).padStart(3)} %  ${status}`;
}

function measured({ latencyMs, durationMs, tokensPerSecond, dimensions }: ModelTestResult): string {
  return [
    `first sign after ${String(latencyMs)} ms`,
    `done after ${String(durationMs)} ms`,
    ...(tokensPerSecond === undefined ? [] : [`${String(tokensPerSecond)} tokens/s`]),
    ...(dimensions === undefined ? [] : [`vectors of ${String(dimensions)}`]),
  ].join(", ");
}
