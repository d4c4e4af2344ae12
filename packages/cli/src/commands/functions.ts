import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import {
  FunctionEdit,
  FunctionKind,
  type FunctionMemory,
  FunctionSort,
  FunctionStatus,
  FunctionTrust,
} from "@metahuman/core/contract/function";
import { Option, type Command } from "commander";
import { checked } from "../parse-input.ts";
import { describeFunction, describeReport, functionRow } from "../format-function.ts";
import { oneLine, table } from "../output.ts";
import {
  functionOf,
  type OpenedFunctions,
  openFunctionsForManaging,
  openFunctionsForReading,
} from "../open-functions.ts";
import type { AddCommand, CommandContext } from "../session.ts";
import { addFunctionCode } from "./function-code.ts";
import { addFunctionSettings } from "./function-settings.ts";
import { addFunctionUpkeep } from "./function-upkeep.ts";

export const addFunctionsCommand: AddCommand = (program, context) => {
  const commands = program
    .command("functions")
    .description("what the operator learned, and what you taught it");
  addReading(commands, context);
  addDecisions(commands, context);
  addChanges(commands, context);
  addFunctionCode(commands, context);
  addFunctionUpkeep(commands, context);
  addFunctionSettings(commands, context);
};

function addReading(commands: Command, context: () => CommandContext): void {
  commands
    .command("list")
    .description("every function, the latest changed first")
    .addOption(new Option("--kind <kind>", "only these").choices(FunctionKind.options))
    .addOption(new Option("--trust <trust>", "only these").choices(FunctionTrust.options))
    .addOption(new Option("--status <status>", "only these").choices(FunctionStatus.options))
    .option("--tag <tag>", "only those with this label")
    .option("--skill <skill...>", "only those that use all of these")
    .option("--query <words>", "only those that hold these words")
    .addOption(
      new Option("--sort <order>", "in which order").choices(FunctionSort.options).default("updated"),
    )
    .option("--limit <count>", "at most this many", "50")
    .action(
      async (options: {
        kind?: FunctionKind;
        trust?: FunctionTrust;
        status?: FunctionStatus;
        tag?: string;
        skill?: string[];
        query?: string;
        sort: FunctionSort;
        limit: string;
      }) => {
        const { functions, session } = await openFunctionsForReading(context());
        const { skill, limit, ...query } = options;
        const page = await functions.listFunctions({
          ...query,
          limit: countOf(limit),
          ...(skill && { skills: skill }),
        });
        const text =
          page.items.length === 0 ? "There are no such functions." : table(page.items.map(functionRow));
        const waiting = await session.profile.functions.awaitingReverification();
        const notice =
          waiting === 0
            ? ""
            : `\n\nVerified under older, less strict rules: ${String(waiting)}. The server checks these again in the background.`;
        context().output.result(
          waiting === 0 ? page : { ...page, awaitingReverification: waiting },
          `${text}${notice}`,
        );
      },
    );

  commands
    .command("show <function>")
    .description("one function, with its report")
    .action(async (wanted: string) => {
      const { functions } = await openFunctionsForReading(context());
      const found = await functionOf(functions, wanted);
      const proposals = await functions.listProposals(found.id, "pending");
      context().output.result({ function: found, proposals }, describeFunction(found, proposals));
    });

  commands
    .command("search <words...>")
    .description("functions that fit a request; nothing when nothing fits")
    .option("--limit <count>", "at most this many", "10")
    .option("--verified", "only what a planner would be shown")
    .option("--explain", "say why, and what was not chosen")
    .action(async (words: string[], options: { limit: string; verified?: boolean; explain?: boolean }) => {
      const { functions } = await openFunctionsForReading(context());
      const answer = await functions.queryFunctions(words.join(" "), {
        limit: countOf(options.limit),
        explain: options.explain ?? false,
        trust: options.verified ? "verified" : "any",
      });
      const lines = [
        ...answer.items.flatMap(({ function: found, score, explanation }) => [
          `${score.toFixed(2)}  ${found.id}  ${found.title}`,
          ...(options.explain ? [`      ${explanation.text}`] : []),
        ]),
        ...answer.rejected.map(({ title, reason }) => `  –   ${oneLine(title, 60)}: ${reason}`),
      ];
      context().output.result(answer, lines.length === 0 ? "Nothing fits." : lines.join("\n"));
    });

  commands
    .command("history <function>")
    .description("its versions, the latest first")
    .action(async (wanted: string) => {
      const { functions } = await openFunctionsForReading(context());
      const versions = await functions.versions((await functionOf(functions, wanted)).id);
      const rows = versions.map(({ version, at, by, change }) => [
        `v${version}`,
        at.slice(0, 16),
        by,
        change,
      ]);
      context().output.result({ items: versions }, table(rows));
    });
}

function addDecisions(commands: Command, context: () => CommandContext): void {
  const decide = (
    name: string,
    description: string,
    work: (
      at: OpenedFunctions,
      id: string,
      reason: string | undefined,
    ) => Promise<{ function: FunctionMemory }>,
    ofProposal?: (
      at: OpenedFunctions,
      id: string,
      proposalId: string,
      reason: string | undefined,
    ) => Promise<string>,
  ) => {
    const command = commands
      .command(`${name} <function>`)
      .description(description)
      .option("--reason <text>", "why")
      .action(async (wanted: string, { reason, proposal }: { reason?: string; proposal?: string }) => {
        const at = await openFunctionsForManaging(context());
        const { id } = await functionOf(at.functions, wanted);
        if (ofProposal && proposal !== undefined) {
          const said = await ofProposal(at, id, proposal, reason);
          context().output.result({ function: await at.functions.loadFunction(id) }, said);
          return;
        }
        const result = await work(at, id, reason);
        const { title, trust, status } = result.function;
        context().output.result(result, `${title}: ${trust}, ${status.replaceAll("_", " ")}.`);
      });
    if (ofProposal) command.option("--proposal <id>", "what is proposed beside it, instead");
  };

  decide("promote", "trust it: verifies it first", ({ functions, actor }, id, reason) =>
    functions.promoteFunction(id, actor, reason),
  );
  decide("demote", "take the trust back", async ({ functions, actor }, id, reason) => ({
    function: await functions.demoteFunction(id, actor, reason),
  }));
  decide(
    "approve",
    "let what an agent registered be active",
    async ({ functions, actor }, id, reason) => ({
      function: await functions.approveFunction(id, actor, reason),
    }),
    async ({ functions, actor }, id, proposalId, reason) => {
      const { title, version } = await functions.acceptProposal(id, proposalId, actor, reason);
      return `${title}: accepted, version ${version}.`;
    },
  );
  decide(
    "reject",
    "turn down what an agent registered",
    async ({ functions, actor }, id, reason) => ({
      function: await functions.rejectFunction(id, actor, reason),
    }),
    async ({ functions, actor }, id, proposalId, reason) => {
      await functions.rejectProposal(id, proposalId, actor, reason);
      return `Rejected ${proposalId}; what is in service stays as it is.`;
    },
  );
  decide("disable", "take it out of service", async ({ functions, actor }, id, reason) => ({
    function: await functions.disableFunction(id, actor, reason),
  }));
  decide("enable", "put it back into service", async ({ functions, actor }, id) => ({
    function: await functions.enableFunction(id, actor),
  }));

  commands
    .command("verify <function>")
    .description("check it anew; exit code 1 when it does not pass")
    .action(async (wanted: string) => {
      const { functions, actor } = await openFunctionsForManaging(context());
      const { id } = await functionOf(functions, wanted);
      const verification = await functions.verifyFunction(id, actor, { signal: context().signal });
      context().output.result({ verification }, describeReport(verification));
      if (!verification.ok) context().setExitCode(1);
    });
}

function addChanges(commands: Command, context: () => CommandContext): void {
  commands
    .command("edit <function> <json>")
    .description('change fields, given as JSON: mh functions edit my-note \'{"summary": "…"}\'')
    .option("--from <version>", "the version the change starts from; the current one when left out")
    .action(async (wanted: string, json: string, options: { from?: string }) => {
      const { functions, actor } = await openFunctionsForManaging(context());
      const found = await functionOf(functions, wanted);
      const version = options.from === undefined ? found.version : countOf(options.from);
      const updated = await functions.updateFunction(found.id, editOf(json, version), actor);
      const waiting = updated.proposal ? " What it does waits as a proposal." : "";
      context().output.result(
        updated,
        `${updated.function.title}: version ${updated.function.version}.${waiting}`,
      );
    });

  commands
    .command("restore <function> <version>")
    .description("go back to an earlier version")
    .action(async (wanted: string, version: string) => {
      const { functions, actor } = await openFunctionsForManaging(context());
      const { id } = await functionOf(functions, wanted);
      const updated = await functions.restoreVersion(id, countOf(version), actor);
      const waiting = updated.proposal ? " It is verified, so this waits as a proposal." : "";
      context().output.result(
        updated,
        `${updated.function.title}: version ${updated.function.version}.${waiting}`,
      );
    });

  commands
    .command("delete <function>")
    .description("delete it; for 30 days it can be brought back")
    .action(async (wanted: string) => {
      const { functions, actor } = await openFunctionsForManaging(context());
      const { id } = await functionOf(functions, wanted);
      const archived = await functions.deleteFunction(id, actor);
      context().output.result({ archived }, `Deleted ${archived.title}. Undo: mh functions undelete ${id}`);
    });

  commands
    .command("undelete <id>")
    .description("bring a deleted function back")
    .action(async (id: string) => {
      const { functions, actor } = await openFunctionsForManaging(context());
      const back = await functions.restoreFunction(id, actor);
      context().output.result({ function: back }, `${back.title} is back.`);
    });
}

function editOf(json: string, version: number): FunctionEdit {
  let change: unknown;
  try {
    change = JSON.parse(json);
  } catch (error) {
    throw new InvalidRequestError("The change is not JSON.", { cause: error });
  }
  return checked(FunctionEdit, { ...Object(change), version });
}

function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 500)
    throw new InvalidRequestError("This takes a whole number from 1 to 500.");
  return count;
}
