import { access, constants } from "node:fs/promises";
import type { Brain, Profile } from "@metahuman/boot/brain";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { StateStatus } from "@metahuman/core/contract/state-database";
import { formatCount } from "@metahuman/core/text/format";
import { ExitCode } from "../exit-code.ts";
import { formatTime } from "../output.ts";
import { serverState, describeServer } from "../server-health.ts";
import { type AddCommand, type CommandContext, openSession } from "../session.ts";

interface Finding {
  what: string;
  state: "ok" | "warning" | "broken";
  says: string;
  /** The suggested fix. */
  advice?: string;
}

/** `mh doctor`: checks the installation and the profile. The exit code is 1 when something is broken. */
export const addDoctorCommand: AddCommand = (program, context) => {
  program
    .command("doctor")
    .description("check the installation and suggest fixes")
    .action(async () => {
      const findings = await checkInstallation(context());
      const isBroken = findings.some(({ state }) => state === "broken");
      if (isBroken) context().setExitCode(ExitCode.failed);
      const labels = { ok: "ok     ", warning: "note   ", broken: "BROKEN " };
      const text = findings
        .map(
          ({ what, state, says, advice }) =>
            `${labels[state]}${what}: ${says}${advice === undefined ? "" : `\n       ${advice}`}`,
        )
        .join("\n");
      context().output.result({ ok: !isBroken, findings }, text);
    });
};

async function checkInstallation(context: CommandContext): Promise<Finding[]> {
  const findings: Finding[] = [{ what: "Node", state: "ok", says: process.version }];
  let brain: Brain;
  try {
    brain = await context.openBrain();
  } catch (error) {
    const { message, suggestions } = toErrorDetail(error);
    return [
      ...findings,
      {
        what: "Start",
        state: "broken",
        says: message,
        ...(suggestions?.[0] !== undefined && { advice: suggestions[0] }),
      },
    ];
  }
  findings.push(await checkDataRoot(brain.home));
  const problem = brain.config.problem();
  findings.push(
    problem
      ? {
          what: "Configuration",
          state: "broken",
          says: problem.message,
          ...(problem.suggestions[0] !== undefined && { advice: problem.suggestions[0] }),
        }
      : { what: "Configuration", state: "ok", says: "every file in etc/ is valid" },
  );
  const models = await brain.models();
  findings.push({ what: "Models", state: models.available ? "ok" : "warning", says: models.summary });
  for (const { role, missing, warnings = [] } of models.roles)
    for (const says of [...(missing === undefined ? [] : [missing]), ...warnings])
      findings.push({ what: `Model for ${role}`, state: "warning", says });
  const server = await serverState(brain.home, context.env);
  findings.push({
    what: "Server",
    says: describeServer(server),
    ...(server.running
      ? { state: "ok" }
      : {
          state: "warning",
          advice: server.taken ? "Start it on another port: PORT=4322 npm start" : "Start it: npm start",
        }),
  });
  const setupProblem = await brain.accounts.setupProblem();
  if (setupProblem) {
    const { message, suggestions } = setupProblem;
    return [
      ...findings,
      { what: "Accounts", state: "warning", says: message, advice: suggestions.join(" ") },
    ];
  }
  if (await brain.accounts.isEmpty()) {
    findings.push({
      what: "Accounts",
      state: "warning",
      says: "there is no account yet",
      advice: "Create the owner: mh init, or npm start and open the page.",
    });
    return findings;
  }
  const { profile, timeZone } = await openSession(context);
  return [...findings, ...(await checkProfile(profile, timeZone))];
}

async function checkDataRoot(home: string): Promise<Finding> {
  try {
    await access(home, constants.W_OK);
    return { what: "Data", state: "ok", says: `${home} is writable` };
  } catch (error) {
    return {
      what: "Data",
      state: "broken",
      says: `${home} is not writable (${toErrorDetail(error).message})`,
      advice: "Give your user write access to it, or set METAHUMAN_HOME to another directory.",
    };
  }
}

function checkState(
  { problem, backups: [newest], inPostgres, searchesMemories }: StateStatus,
  timeZone: string,
): Finding {
  const what = "Conversations";
  if (problem)
    return {
      what,
      state: "broken",
      says: problem.message,
      ...(problem.suggestions?.[0] !== undefined && { advice: problem.suggestions[0] }),
    };
  if (inPostgres) {
    const search = searchesMemories
      ? "pgvector answers recalls until an index is complete"
      : "without pgvector 0.8, recalls find the newest memories only until an index is complete";
    return { what, state: "ok", says: `in the PostgreSQL database, as are all records; ${search}` };
  }
  return newest
    ? { what, state: "ok", says: `state.db is readable; last backup ${formatTime(newest.madeAt, timeZone)}` }
    : {
        what,
        state: "ok",
        says: "state.db is readable; no backup yet (a running server makes one each day)",
      };
}

async function checkProfile(profile: Profile, timeZone: string): Promise<Finding[]> {
  const [index, audit, interruptedImport] = await Promise.all([
    profile.index.status(),
    profile.audit.verify(),
    profile.transfer.interrupted(),
  ]);
  return [
    checkState(profile.state.status(), timeZone),
    ...(interruptedImport
      ? [
          {
            what: "Import",
            state: "warning",
            says: interruptedImport.message,
            advice: "Import the backup again. If you no longer have it, dismiss this notice on the page.",
          } satisfies Finding,
        ]
      : []),
    ...profile.store.warnings().map(({ file, reason, keptAs }): Finding => ({
      what: file,
      state: "warning",
      says: reason,
      advice:
        keptAs === undefined
          ? "Correct the file. Until then the last valid version is used."
          : `The unreadable text is kept as ${keptAs}.`,
    })),
    ...index.quarantined.map(({ path, reason }): Finding => ({
      what: path,
      state: "warning",
      says: reason,
      advice: "Repair the file and run: mh index build",
    })),
    index.rebuilding
      ? {
          what: "Index",
          state: "warning",
          says: `rebuilding, ${String(Math.round(index.progress * 100))} % done`,
        }
      : {
          what: "Index",
          state: "ok",
          says: `${formatCount(index.items, "record")}, ${String(index.pending)} waiting for an embedding`,
        },
    audit.ok
      ? {
          what: "Audit",
          state: "ok",
          says:
            audit.lines === 1
              ? "the only line is intact"
              : `all ${formatCount(audit.lines, "line")} are intact`,
        }
      : {
          what: "Audit",
          state: "broken",
          says: audit.message,
          advice: "The log was changed after it was written. Compare it with a backup.",
        },
  ];
}
