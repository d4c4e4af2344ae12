import { access, constants } from "node:fs/promises";
import type { Brain, Profile } from "@metahuman/boot/brain";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { StateStatus } from "@metahuman/core/contract/state-database";
import { ExitCode } from "../exit-code.ts";
import { serverState, serverWords } from "../server-health.ts";
import { type AddCommand, type CommandContext, openSession } from "../session.ts";

interface Finding {
  what: string;
  state: "ok" | "warning" | "broken";
  says: string;
  /** What to do about it. */
  advice?: string;
}

/** Looks at everything that can be wrong and says what to do; exit code 1 when something is broken. */
export const addDoctorCommand: AddCommand = (program, context) => {
  program
    .command("doctor")
    .description("find what is wrong and say what to do")
    .action(async () => {
      const findings = await examine(context());
      const broken = findings.some(({ state }) => state === "broken");
      if (broken) context().setExitCode(ExitCode.failed);
      const marks = { ok: "ok     ", warning: "note   ", broken: "BROKEN " };
      const text = findings
        .map(
          ({ what, state, says, advice }) =>
            `${marks[state]}${what}: ${says}${advice === undefined ? "" : `\n       ${advice}`}`,
        )
        .join("\n");
      context().output.result({ ok: !broken, findings }, text);
    });
};

async function examine(context: CommandContext): Promise<Finding[]> {
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
  findings.push(await dataRoot(brain.home));
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
    says: serverWords(server),
    ...(server.running
      ? { state: "ok" }
      : {
          state: "warning",
          advice: server.taken ? "Start it on another port: PORT=4322 npm start" : "Start it: npm start",
        }),
  });
  if (await brain.accounts.isEmpty()) {
    findings.push({
      what: "Accounts",
      state: "warning",
      says: "there is no account yet",
      advice: "Create the owner: mh init, or npm start and open the page.",
    });
    return findings;
  }
  const { profile } = await openSession(context);
  return [...findings, ...(await profileFindings(profile))];
}

async function dataRoot(home: string): Promise<Finding> {
  try {
    await access(home, constants.W_OK);
    return { what: "Data", state: "ok", says: `${home} can be written` };
  } catch (error) {
    return {
      what: "Data",
      state: "broken",
      says: `${home} cannot be written (${toErrorDetail(error).message})`,
      advice: "Give your user write access to it, or point METAHUMAN_HOME elsewhere.",
    };
  }
}

function stateFinding({ problem, backups: [newest] }: StateStatus): Finding {
  const what = "Conversations";
  if (problem)
    return {
      what,
      state: "broken",
      says: problem.message,
      ...(problem.suggestions?.[0] !== undefined && { advice: problem.suggestions[0] }),
    };
  return newest
    ? { what, state: "ok", says: `state.db can be used; last backup ${newest.madeAt}` }
    : { what, state: "ok", says: "state.db can be used; no backup yet, a running server makes one each day" };
}

async function profileFindings(profile: Profile): Promise<Finding[]> {
  const [index, audit, cutOff] = await Promise.all([
    profile.index.status(),
    profile.audit.verify(),
    profile.transfer.cutOff(),
  ]);
  return [
    stateFinding(profile.state.status()),
    ...(cutOff
      ? [
          {
            what: "Import",
            state: "warning",
            says: cutOff.message,
            advice: "Without the backup at hand, dismiss this notice on the page.",
          } satisfies Finding,
        ]
      : []),
    ...profile.store.warnings().map(({ file, reason, keptAs }): Finding => ({
      what: file,
      state: "warning",
      says: reason,
      advice:
        keptAs === undefined
          ? "Correct the file; until then the last good one counts."
          : `The text that could not be read is kept as ${keptAs}.`,
    })),
    ...index.quarantined.map(({ path, reason }): Finding => ({
      what: path,
      state: "warning",
      says: reason,
      advice: "Mend the file and run: mh index build",
    })),
    index.rebuilding
      ? {
          what: "Index",
          state: "warning",
          says: `being rebuilt, ${String(Math.round(index.progress * 100))} % done`,
        }
      : {
          what: "Index",
          state: "ok",
          says: `${String(index.items)} records, ${String(index.pending)} waiting to be found by meaning`,
        },
    audit.ok
      ? { what: "Audit", state: "ok", says: `all ${String(audit.lines)} lines hold` }
      : {
          what: "Audit",
          state: "broken",
          says: audit.message,
          advice: "Somebody or something changed the record after it was written.",
        },
  ];
}
