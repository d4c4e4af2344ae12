import { basename } from "node:path";
import { callDirectly, type DirectOutcome } from "@metahuman/boot/direct-call";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { registerFunction } from "@metahuman/boot/profile-functions";
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
import { findFunction, openFunctionsForManaging, type OpenedFunctions } from "../open-functions.ts";
import { readInputText } from "../input-file.ts";
import { cancelOnAbort } from "../follow-run.ts";
import { parseJson, parseNameValues } from "../parse-input.ts";
import { describeChecks } from "../format-function.ts";
import type { CommandContext } from "../session.ts";

interface DraftOptions {
  tests?: string;
  parameters?: string;
  description?: string;
  title?: string;
  grant?: string[];
  example?: string[];
}

/** `mh functions run`, `register` and `curate`. */
export function addFunctionCode(commands: Command, context: () => CommandContext): void {
  commands
    .command("run <function>")
    .description("run a function's code; drafts run too")
    .option("--set <name=value...>", "set a parameter; a value that is not JSON is text")
    .option("--yes", "allow the call once without asking")
    .action(async (name: string, { set = [], yes = false }: { set?: string[]; yes?: boolean }) => {
      const opened = await openFunctionsForManaging(context());
      const { id, title } = await findFunction(opened.functions, name);
      const action = { tool: "function_run", args: { id, parameters: parseNameValues(set, "--set") } };
      const called = await callAndWait(opened, `Run the function “${title}”`, action, yes, context());
      if (!called) return;
      const answer = FunctionRunAnswer.parse({ runId: called.run.id, ...called.outputs });
      for (const line of answer.logs) context().output.note(line);
      context().output.result(answer, JSON.stringify(answer.result, undefined, 2));
    });

  withDraftOptions(commands.command("register <name> <file>"))
    .description("save a TypeScript file as a function; for an existing name, propose a change")
    .action(async (name: string, file: string, files: DraftOptions) => {
      const { functions, session, actor } = await openFunctionsForManaging(context());
      const draft = parseDraft(CodeDraft, { name, ...(await readDraft(file, files)) });
      const { inspectCode } = session.profile;
      const registered = await registerFunction({ functions, inspectCode }, draft, actor);
      const { verification } = registered;
      if (verification?.ok === false) context().setExitCode(ExitCode.failed);
      const saved =
        registered.proposalId === undefined
          ? `Saved ${registered.name} as ${registered.id}, a draft.`
          : `Saved proposal ${registered.proposalId} for ${registered.name}. Accept it to activate it.`;
      const checks = verification ? `\n${describeChecks(verification)}` : "";
      context().output.result(registered, `${saved}${checks}`);
    });

  withDraftOptions(commands.command("curate <name> <request...>"))
    .description("generate or improve a function, verify it, and propose it")
    .option("--code <file>", "use your own TypeScript instead of generated code")
    .action(async (functionName: string, words: string[], files: DraftOptions & { code?: string }) => {
      const opened = await openFunctionsForManaging(context());
      const draft = files.code === undefined ? undefined : await readDraft(files.code, files);
      const request = { userRequest: words.join(" "), functionName, ...(draft && { draft }) };
      const args = parseDraft(CurationRequest, request);
      const goal = `Curate the function ${functionName}: ${request.userRequest}`;
      const called = await callAndWait(opened, goal, { tool: "function_curate", args }, true, context());
      if (!called) return;
      const answer = CurationAnswer.parse({ runId: called.run.id, ...called.outputs });
      if (!answer.published) context().setExitCode(ExitCode.failed);
      const lines = answer.stages.map(({ name, ok, detail }) => `${ok ? "✓" : "✗"} ${name}: ${detail}`);
      context().output.result(answer, lines.join("\n"));
    });
}

function withDraftOptions(command: Command): Command {
  return command
    .option("--description <text>", "what the function does and returns")
    .option("--title <text>", "the title that people see")
    .option("--tests <file>", "tests as TypeScript statements")
    .option("--parameters <file>", "parameters as a JSON list")
    .option("--grant <skill...>", "skills it may call (default: those that the code calls)")
    .option("--example <prompt...>", "a request that this function answers");
}

async function readDraft(file: string, files: DraftOptions): Promise<Record<string, unknown>> {
  const { tests, parameters, description = `The code of ${basename(file)}.`, title, grant, example } = files;
  return {
    code: await readInputText(file),
    description,
    ...(title !== undefined && { title }),
    ...(tests !== undefined && { tests: await readInputText(tests) }),
    ...(parameters !== undefined && {
      parameters: parseJson(await readInputText(parameters), parameters),
    }),
    ...(grant && { grants: grant }),
    ...(example && { examplePrompts: example }),
  };
}

/**
 * Waits for a call to end and prints its stages; Ctrl-C cancels it. If the call needs approval, prints the next step and resolves to
 * undefined.
 */
async function callAndWait(
  { session }: OpenedFunctions,
  goal: string,
  action: Action,
  yes: boolean,
  context: CommandContext,
): Promise<Extract<DirectOutcome, { kind: "done" }> | undefined> {
  const { output, signal, setExitCode } = context;
  const { operator } = session.profile;
  let stopListening: (() => void) | undefined;
  const onEvent = (event: RunEvent) => {
    if (event.type === "run-started") stopListening = cancelOnAbort(operator, event.runId, context);
    if (event.type === "stage-reached") for (const line of eventLines(event)) output.note(line);
  };
  const { identity } = session;
  const options = { identity, surface: "cli" as const, allowOnce: yes, onEvent };
  signal.throwIfAborted();
  const called = await callDirectly(operator, goal, action, options).finally(() => stopListening?.());
  if (called.kind === "done") return called;
  setExitCode(ExitCode.waiting);
  const { id, pending } = called.run;
  const next =
    pending?.kind === "approval" ? `mh approvals allow ${pending.approvalId}` : `mh runs show ${id}`;
  output.result(
    { runId: id, status: called.run.status, ...(pending && { pending }) },
    `The call waits for your approval: ${next}`,
  );
  return undefined;
}

function parseDraft<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: plainIssue });
  if (parsed.success) return parsed.data;
  throw new InvalidRequestError(`The function is not valid:\n${z.prettifyError(parsed.error)}`);
}
