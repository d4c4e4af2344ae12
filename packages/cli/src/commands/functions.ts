import { type Command, Option } from "commander";
import { z } from "zod";
import {
  FunctionEdit,
  FunctionKind,
  type FunctionMemory,
  FunctionSort,
  FunctionStatus,
  FunctionTrust,
  wordingsOf,
} from "@metahuman/core/contract/function";
import {
  applySettingsEdit,
  FunctionSettingsEdit,
  overridableSettings,
} from "@metahuman/core/contract/function-settings";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { formatCount, oneLine, truncate } from "@metahuman/core/text/format";
import type { FunctionAnalytics, UpkeepReport } from "@metahuman/core/contract/function-upkeep";
import { parseCount, parseInput, parseJson, parseNameValues } from "../parse-input.ts";
import { describeFunction, describeReport, functionRow } from "../format-function.ts";
import { formatTime, table } from "../output.ts";
import {
  findFunction,
  type OpenedFunctions,
  openFunctionsForManaging,
  openFunctionsForReading,
} from "../open-functions.ts";
import { type AddCommand, type CommandContext, openSession, requirePermission } from "../session.ts";
import { addFunctionCode } from "./function-code.ts";

export const addFunctionsCommand: AddCommand = (program, context) => {
  const commands = program
    .command("functions")
    .description("functions that the operator learned or that you wrote");
  addReadCommands(commands, context);
  addDecisionCommands(commands, context);
  addChangeCommands(commands, context);
  addFunctionCode(commands, context);
  addFunctionUpkeep(commands, context);
  addFunctionSettings(commands, context);
};

function addReadCommands(commands: Command, context: () => CommandContext): void {
  commands
    .command("list")
    .description("list functions")
    .addOption(new Option("--kind <kind>", "filter by kind").choices(FunctionKind.options))
    .addOption(new Option("--trust <trust>", "filter by trust").choices(FunctionTrust.options))
    .addOption(new Option("--status <status>", "filter by status").choices(FunctionStatus.options))
    .option("--tag <tag>", "filter by tag")
    .option("--skill <skill...>", "only functions that use all of these skills")
    .option("--query <words>", "filter by words")
    .addOption(
      new Option("--sort <order>", "the sort order").choices(FunctionSort.options).default("updated"),
    )
    .option("--limit <count>", "the maximum number of functions, up to 500", "50")
    .option("--cursor <cursor>", "continue after an earlier list, which printed the cursor")
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
        cursor?: string;
      }) => {
        const { functions, session } = await openFunctionsForReading(context());
        const { skill, limit, ...query } = options;
        const page = await functions.listFunctions({
          ...query,
          limit: parseCount("--limit", limit, 500),
          ...(skill && { skills: skill }),
        });
        const { items, total, nextCursor } = page;
        const waiting = await session.profile.functions.awaitingReverification();
        const text = [
          items.length === 0 ? "No functions match." : table(items.map(functionRow)),
          ...(nextCursor === null
            ? []
            : [`${items.length} of ${formatCount(total, "function")}. Show more: --cursor ${nextCursor}`]),
          ...(waiting === 0
            ? []
            : [
                `Verified under older, less strict rules: ${String(waiting)}. The server verifies them again in the background.`,
              ]),
        ].join("\n\n");
        context().output.result(waiting === 0 ? page : { ...page, awaitingReverification: waiting }, text);
      },
    );

  commands
    .command("show <function>")
    .description("show a function with its verification report")
    .action(async (wanted: string) => {
      const { functions, session } = await openFunctionsForReading(context());
      const found = await findFunction(functions, wanted);
      const proposals = await functions.listProposals(found.id, "pending");
      context().output.result(
        { function: found, proposals },
        describeFunction(found, proposals, session.timeZone),
      );
    });

  commands
    .command("search <words...>")
    .description("find functions that match a request")
    .option("--limit <count>", "the maximum number of functions, up to 500", "10")
    .option("--verified", "only verified and active functions, as planners see them")
    .option("--explain", "explain each match and list rejected functions")
    .action(async (words: string[], options: { limit: string; verified?: boolean; explain?: boolean }) => {
      const { functions } = await openFunctionsForReading(context());
      const answer = await functions.queryFunctions(words.join(" "), {
        limit: parseCount("--limit", options.limit, 500),
        explain: options.explain ?? false,
        trust: options.verified ? "verified" : "any",
      });
      const lines = [
        ...answer.items.flatMap(({ function: found, score, explanation }) => [
          `${score.toFixed(2)}  ${found.id}  ${found.title}`,
          ...(options.explain ? [`      ${explanation.text}`] : []),
        ]),
        ...answer.rejected.map(({ title, reason }) => `  –   ${truncate(oneLine(title), 60)}: ${reason}`),
      ];
      context().output.result(answer, lines.length === 0 ? "No functions match." : lines.join("\n"));
    });

  commands
    .command("history <function>")
    .description("list a function's versions, and the wordings it was taught or refused for, newest first")
    .action(async (wanted: string) => {
      const { functions, session } = await openFunctionsForReading(context());
      const found = await findFunction(functions, wanted);
      const versions = await functions.versions(found.id);
      const wordings = wordingsOf(found);
      const entries = [
        ...versions.map(({ version, at, by, change }) => ({ at, row: [`v${version}`, by, change] })),
        ...wordings.map(({ kind, at, by, template, id }) => ({
          at,
          row: [kind, by, `“${truncate(oneLine(template), 80)}” ${id}`],
        })),
      ].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
      const rows = entries.map(({ at, row: [what = "", ...others] }) => [
        what,
        formatTime(at, session.timeZone),
        ...others,
      ]);
      context().output.result({ items: versions, templates: wordings }, table(rows));
    });
}

function addDecisionCommands(commands: Command, context: () => CommandContext): void {
  const decide = (
    name: string,
    description: string,
    decideFunction: (
      opened: OpenedFunctions,
      id: string,
      reason: string | undefined,
    ) => Promise<{ function: FunctionMemory }>,
    decideProposal?: (
      opened: OpenedFunctions,
      id: string,
      proposalId: string,
      reason: string | undefined,
    ) => Promise<string>,
  ) => {
    const command = commands
      .command(`${name} <function>`)
      .description(description)
      .option("--reason <text>", "the reason, which the audit log keeps")
      .action(async (wanted: string, { reason, proposal }: { reason?: string; proposal?: string }) => {
        const opened = await openFunctionsForManaging(context());
        const { id } = await findFunction(opened.functions, wanted);
        if (decideProposal && proposal !== undefined) {
          const text = await decideProposal(opened, id, proposal, reason);
          context().output.result({ function: await opened.functions.loadFunction(id) }, text);
          return;
        }
        const result = await decideFunction(opened, id, reason);
        const { title, trust, status } = result.function;
        context().output.result(result, `${title}: ${trust}, ${status.replaceAll("_", " ")}.`);
      });
    if (decideProposal) command.option("--proposal <id>", "apply to this proposal instead of the function");
  };

  decide("promote", "verify a function and mark it as verified", ({ functions, actor }, id, reason) =>
    functions.promoteFunction(id, actor, reason),
  );
  decide("demote", "make a verified function a draft again", async ({ functions, actor }, id, reason) => ({
    function: await functions.demoteFunction(id, actor, reason),
  }));
  decide(
    "approve",
    "approve a function that an agent registered",
    async ({ functions, actor }, id, reason) => ({
      function: await functions.approveFunction(id, actor, reason),
    }),
    async ({ functions, actor }, id, proposalId, reason) => {
      const { title, version, trust, statusReason } = await functions.acceptProposal(
        id,
        proposalId,
        actor,
        reason,
      );
      const unproven = trust === "draft" && statusReason !== undefined ? ` ${statusReason}` : "";
      return `${title}: accepted, version ${version}.${unproven}`;
    },
  );
  decide(
    "reject",
    "reject a function that an agent registered",
    async ({ functions, actor }, id, reason) => ({
      function: await functions.rejectFunction(id, actor, reason),
    }),
    async ({ functions, actor }, id, proposalId, reason) => {
      await functions.rejectProposal(id, proposalId, actor, reason);
      return `Rejected ${proposalId}. The active version is unchanged.`;
    },
  );
  decide("disable", "disable a function", async ({ functions, actor }, id, reason) => ({
    function: await functions.disableFunction(id, actor, reason),
  }));
  decide("enable", "enable a function", async ({ functions, actor }, id, reason) => ({
    function: await functions.enableFunction(id, actor, reason),
  }));

  commands
    .command("forget-words <function> <words>")
    .description("forget a taught or refused wording; <words> is its id in `history`")
    .action(async (wanted: string, wordingId: string) => {
      const { functions, actor } = await openFunctionsForManaging(context());
      const { id } = await findFunction(functions, wanted);
      const changed = await functions.forgetWording(id, wordingId, actor);
      context().output.result({ function: changed }, `${changed.title}: this wording is forgotten.`);
    });

  commands
    .command("verify <function>")
    .description("verify a function again; the exit code is 1 on failure")
    .action(async (wanted: string) => {
      const { functions, actor, session } = await openFunctionsForManaging(context());
      const { id } = await findFunction(functions, wanted);
      const verification = await functions.verifyFunction(id, actor, { signal: context().signal });
      context().output.result({ verification }, describeReport(verification, session.timeZone));
      if (!verification.ok) context().setExitCode(1);
    });
}

function addChangeCommands(commands: Command, context: () => CommandContext): void {
  commands
    .command("edit <function> <json>")
    .description('change fields, given as JSON: mh functions edit my-note \'{"summary": "…"}\'')
    .option("--from <version>", "the version that the change is based on (default: the current one)")
    .action(async (wanted: string, json: string, options: { from?: string }) => {
      const { functions, actor } = await openFunctionsForManaging(context());
      const found = await findFunction(functions, wanted);
      const edit = parseEdit(json, found.version, options.from);
      const updated = await functions.updateFunction(found.id, edit, actor);
      const waiting = updated.proposal ? " The change to its behavior became a proposal." : "";
      context().output.result(
        updated,
        `${updated.function.title}: version ${updated.function.version}.${waiting}`,
      );
    });

  commands
    .command("restore <function> <version>")
    .description("restore an earlier version")
    .action(async (wanted: string, version: string) => {
      const { functions, actor } = await openFunctionsForManaging(context());
      const { id } = await findFunction(functions, wanted);
      const updated = await functions.restoreVersion(id, parseCount("The version", version), actor);
      const waiting = updated.proposal ? " The function is verified, so the change waits as a proposal." : "";
      context().output.result(
        updated,
        `${updated.function.title}: version ${updated.function.version}.${waiting}`,
      );
    });

  commands
    .command("delete <function>")
    .description("delete a function; it can be restored for 30 days")
    .action(async (wanted: string) => {
      const { functions, actor } = await openFunctionsForManaging(context());
      const { id } = await findFunction(functions, wanted);
      const archived = await functions.deleteFunction(id, actor);
      context().output.result({ archived }, `Deleted ${archived.title}. Undo: mh functions undelete ${id}`);
    });

  commands
    .command("undelete <id>")
    .description("restore a deleted function")
    .action(async (id: string) => {
      const { functions, actor } = await openFunctionsForManaging(context());
      const restored = await functions.restoreFunction(id, actor);
      context().output.result({ function: restored }, `Restored ${restored.title}.`);
    });
}

/** Parses the changed fields. Without `--from`, they may name the version that they are based on, as in the API. */
function parseEdit(json: string, current: number, from: string | undefined): FunctionEdit {
  const change = z.record(z.string(), z.unknown()).safeParse(parseJson(json, "The change"));
  if (!change.success) throw new InvalidRequestError("The change must be a JSON object.");
  if (from === undefined) return parseInput(FunctionEdit, { version: current, ...change.data });
  if (Object.hasOwn(change.data, "version"))
    throw new InvalidRequestError("Name the version either in the change or with --from.");
  return parseInput(FunctionEdit, { ...change.data, version: parseCount("--from", from) });
}

/** `mh functions settings`: shows and changes this profile's function settings. */
function addFunctionSettings(commands: Command, context: () => CommandContext): void {
  commands
    .command("settings [changes...]")
    .description("show this profile's function settings; change them with name=value or name=default")
    .action(async (changes: string[]) => {
      const session = await openSession(context());
      const { store } = session.profile;
      if (changes.length > 0) {
        requirePermission(session.policy.canChangePersona, session, "change settings");
        const edit = parseInput(FunctionSettingsEdit, parseChanges(changes));
        await store.changeSettings(({ functions }) => ({
          functions: applySettingsEdit(functions, edit),
        }));
      }
      const shown = overridableSettings(await session.profile.functionSettings());
      context().output.result(
        shown,
        table(Object.entries(shown).map(([name, value]) => [name, String(value)])),
      );
    });
}

/** Parses changes such as `prefer=false`. `default` becomes null, which restores the installation's setting. */
function parseChanges(changes: readonly string[]): Record<string, unknown> {
  const values = Object.entries(parseNameValues(changes, "mh functions settings"));
  return Object.fromEntries(values.map(([name, value]) => [name, value === "default" ? null : value]));
}

const DAY_MS = 86_400_000;

function addFunctionUpkeep(commands: Command, context: () => CommandContext): void {
  commands
    .command("maintain")
    .description("disable failing functions, propose merges of duplicates, report unused ones")
    .option("--dry-run", "report only; change nothing")
    .action(async ({ dryRun = false }: { dryRun?: boolean }) => {
      const { session, actor } = await openFunctionsForManaging(context());
      const { signal } = context();
      const report = await session.profile.functionUpkeep.maintain(actor, { dryRun, signal });
      context().output.result(report, describeUpkeep(report));
    });

  commands
    .command("analytics")
    .description("show how often functions were used and what they saved")
    .option("--days <count>", "the number of days to include", "90")
    .action(async ({ days }: { days: string }) => {
      const { session } = await openFunctionsForReading(context());
      const since = new Date(Date.now() - parseCount("--days", days, 3_650) * DAY_MS).toISOString();
      const answer = await session.profile.functionUpkeep.analytics({ since });
      context().output.result(answer, formatAnalytics(answer));
    });
}

function describeUpkeep({ checked, findings, snapshot, dryRun }: UpkeepReport): string {
  if (findings.length === 0) return `Checked ${formatCount(checked, "function")}: nothing to do.`;
  const verbs = { "propose-merge": "merge proposed", disable: "disabled", none: "unchanged" };
  const rows = findings.map(({ kind, functionId, title, reason, action, done }) => [
    kind,
    functionId,
    done || action === "none" ? verbs[action] : `would be ${verbs[action]}`,
    `${title}: ${reason}`,
  ]);
  const undo = snapshot === undefined ? [] : [`Snapshot of the previous state: memory/functions/${snapshot}`];
  return [
    `Checked ${formatCount(checked, "function")}${dryRun ? " and changed nothing" : ""}.`,
    table(rows),
    ...undo,
  ].join("\n");
}

function formatAnalytics({ functions, totals }: FunctionAnalytics): string {
  if (functions.length === 0) return "No function was offered or used in this period.";
  const rows = functions.map(({ title, used, succeeded, failed, successBound, planningCallsSaved }) => [
    formatCount(used, "use"),
    `${succeeded} worked`,
    `${failed} failed`,
    `at least ${Math.round(successBound * 100)} % reliable`,
    planningCallsSaved === undefined ? "" : `${formatCount(planningCallsSaved, "planning call")} saved`,
    title,
  ]);
  return `${table(rows)}\n${formatCount(totals.used, "use")}, ${formatCount(totals.planningCallsSaved, "planning call")} and ${formatCount(totals.tokensSaved, "token")} saved.`;
}
