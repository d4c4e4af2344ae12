import { callDirectly, type DirectOutcome } from "@metahuman/boot/direct-call";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { registerFunction } from "@metahuman/boot/register-function";
import {
  CodeDraft,
  CurationAnswer,
  CurationRequest,
  FunctionRunAnswer,
} from "@metahuman/core/contract/curation";
import type { RunEvent } from "@metahuman/core/contract/event";
import type { Action } from "@metahuman/core/contract/run";
import type { Command } from "commander";
import { z } from "zod";
import { plainIssue } from "@metahuman/core/contract/plain-issue";
import { eventLines } from "../event-lines.ts";
import { ExitCode } from "../exit-code.ts";
import { functionOf, openFunctionsForManaging, type OpenedFunctions } from "../open-functions.ts";
import { readInputText } from "../input-file.ts";
import { describeChecks } from "../format-function.ts";
import type { CommandContext } from "../session.ts";

interface CodeFiles {
  tests?: string;
  parameters?: string;
  description?: string;
  title?: string;
  grant?: string[];
  example?: string[];
}

/** Writing code functions, and running them. */
export function addFunctionCode(commands: Command, context: () => CommandContext): void {
  commands
    .command("run <function>")
    .description("run a function's code, also a draft's")
    .option("--set <name=value...>", "a parameter; the value is JSON, or else text")
    .option("--yes", "allow it once where the profile wants to be asked")
    .action(async (name: string, { set = [], yes = false }: { set?: string[]; yes?: boolean }) => {
      const opened = await openFunctionsForManaging(context());
      const { id, title } = await functionOf(opened.functions, name);
      const action = { tool: "function_run", args: { id, parameters: parametersIn(set) } };
      const called = await callAndSettle(opened, `Run the function “${title}”`, action, yes, context());
      if (!called) return;
      const answer = FunctionRunAnswer.parse({ runId: called.run.id, ...called.outputs });
      for (const line of answer.logs) context().output.note(line);
      context().output.result(answer, JSON.stringify(answer.result, undefined, 2));
    });

  withFiles(commands.command("register <name> <file>"))
    .description("save a TypeScript file as a function; an existing name is a proposal")
    .action(async (name: string, file: string, files: CodeFiles) => {
      const { functions, actor } = await openFunctionsForManaging(context());
      const draft = asGiven(CodeDraft, { name, ...(await draftFrom(file, files)) });
      const registered = await registerFunction(functions, draft, actor);
      const { verification } = registered;
      if (verification?.ok === false) context().setExitCode(ExitCode.failed);
      const saved =
        registered.proposalId === undefined
          ? `Saved ${registered.name} as ${registered.id}, a draft.`
          : `Laid ${registered.proposalId} beside ${registered.name}; accept it to make it live.`;
      const checks = verification ? `\n${describeChecks(verification)}` : "";
      context().output.result(registered, `${saved}${checks}`);
    });

  withFiles(commands.command("curate <name> <request...>"))
    .description("have a function written or improved, checked, and proposed")
    .option("--code <file>", "your own TypeScript, instead of the curator's model's")
    .action(async (functionName: string, words: string[], files: CodeFiles & { code?: string }) => {
      const opened = await openFunctionsForManaging(context());
      const draft = files.code === undefined ? undefined : await draftFrom(files.code, files);
      const request = { userRequest: words.join(" "), functionName, ...(draft && { draft }) };
      const args = asGiven(CurationRequest, request);
      const goal = `Curate the function ${functionName}: ${request.userRequest}`;
      const called = await callAndSettle(opened, goal, { tool: "function_curate", args }, true, context());
      if (!called) return;
      const answer = CurationAnswer.parse({ runId: called.run.id, ...called.outputs });
      if (!answer.published) context().setExitCode(ExitCode.failed);
      const lines = answer.stages.map(({ name, ok, detail }) => `${ok ? "✓" : "✗"} ${name}: ${detail}`);
      context().output.result(answer, lines.join("\n"));
    });
}

function withFiles(command: Command): Command {
  return command
    .option("--description <text>", "what it does and returns")
    .option("--title <text>", "as people read it")
    .option("--tests <file>", "its tests, TypeScript statements")
    .option("--parameters <file>", "its parameters, a JSON list")
    .option("--grant <skill...>", "skills it may call; those its code names when left out")
    .option("--example <prompt...>", "how people ask for it");
}

async function draftFrom(file: string, files: CodeFiles): Promise<Record<string, unknown>> {
  const { tests, parameters, description = `The code of ${file}.`, title, grant, example } = files;
  return {
    code: await readInputText(file),
    description,
    ...(title !== undefined && { title }),
    ...(tests !== undefined && { tests: await readInputText(tests) }),
    ...(parameters !== undefined && { parameters: jsonIn(await readInputText(parameters), parameters) }),
    ...(grant && { grants: grant }),
    ...(example && { examplePrompts: example }),
  };
}

/** Waits for the call's end, shows its stages meanwhile, and cancels it on Ctrl-C; tells what it waits for, and gives nothing back, when a person has to decide first. */
async function callAndSettle(
  { session }: OpenedFunctions,
  goal: string,
  action: Action,
  yes: boolean,
  { output, signal, setExitCode }: CommandContext,
): Promise<Extract<DirectOutcome, { kind: "done" }> | undefined> {
  const { operator } = session.profile;
  const onEvent = (event: RunEvent) => {
    if (event.type === "run-started")
      signal.addEventListener("abort", () => void operator.cancel(event.runId), { once: true });
    if (event.type === "stage-reached") for (const line of eventLines(event)) output.note(line);
  };
  const { identity } = session;
  const options = { identity, surface: "cli" as const, allowOnce: yes, onEvent };
  const called = await callDirectly(operator, goal, action, options);
  if (called.kind === "done") return called;
  setExitCode(ExitCode.waiting);
  const { id, pending } = called.run;
  const next =
    pending?.kind === "approval" ? `mh approvals allow ${pending.approvalId}` : `mh runs show ${id}`;
  output.result(
    { runId: id, status: called.run.status, ...(pending && { pending }) },
    `It waits for you: ${next}`,
  );
  return undefined;
}

function parametersIn(settings: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    settings.map((setting): [string, unknown] => {
      const at = setting.indexOf("=");
      if (at < 1)
        throw new InvalidRequestError(`"${setting}" sets nothing.`, { suggestions: ["--set name=value"] });
      return [setting.slice(0, at), valueOf(setting.slice(at + 1))];
    }),
  );
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the words themselves.
    return text;
  }
}

function jsonIn(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidRequestError(`${file} is not JSON.`, { cause });
  }
}

function asGiven<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: plainIssue });
  if (parsed.success) return parsed.data;
  throw new InvalidRequestError(`This cannot be saved:\n${z.prettifyError(parsed.error)}`);
}
