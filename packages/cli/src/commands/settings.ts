import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { PersonaEdit } from "@metahuman/core/contract/answers";
import type { Persona } from "@metahuman/core/contract/profile";
import { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import { parseInput } from "../parse-input.ts";
import { table } from "../output.ts";
import { type AddCommand, requirePermission, openSession } from "../session.ts";

const modeDescriptions: Record<CognitiveMode, string> = {
  dual: "acts, remembers and learns",
  agent: "acts, but does not store conversations",
  emulation: "only chats; does and stores nothing",
};

const levelDescriptions: Record<TrustLevel, string> = {
  observe: "only reads",
  suggest: "asks before every change",
  supervised_auto: "makes small changes, asks before risky ones",
  bounded_auto: "asks only before it runs programs or sends data out",
};

/** `mh mode`, `mh trust` and `mh persona`. */
export const addSettingsCommands: AddCommand = (program, context) => {
  program
    .command("mode [mode]")
    .description(`show or change the cognitive mode: ${CognitiveMode.options.join(", ")}`)
    .action(async (wanted: string | undefined) => {
      const session = await openSession(context());
      if (wanted !== undefined) {
        requirePermission(session.policy.canChangeMode, session, "change the mode");
        const mode = CognitiveMode.safeParse(wanted);
        if (!mode.success)
          throw new InvalidRequestError(`There is no mode "${wanted}".`, {
            suggestions: CognitiveMode.options,
          });
        await session.profile.store.changeSettings({ mode: mode.data });
      }
      const { mode } = await session.profile.store.settings();
      context().output.result({ mode }, `${mode}: ${modeDescriptions[mode]}`);
    });

  program
    .command("trust [level]")
    .description(`show or change the trust level: ${TrustLevel.options.join(", ")}`)
    .action(async (wanted: string | undefined) => {
      const session = await openSession(context());
      if (wanted !== undefined) {
        requirePermission(session.policy.canChangeTrust, session, "change the trust level");
        const level = TrustLevel.safeParse(wanted);
        if (!level.success)
          throw new InvalidRequestError(`There is no trust level "${wanted}".`, {
            suggestions: TrustLevel.options,
          });
        await session.profile.store.changeSettings({ trustLevel: level.data });
      }
      const { trustLevel } = await session.profile.store.settings();
      context().output.result({ trustLevel }, `${trustLevel}: ${levelDescriptions[trustLevel]}`);
    });

  program
    .command("persona")
    .description("show or change the persona")
    .option("--name <name>", "its name")
    .option("--role <role>", "its role, such as: a careful assistant")
    .option("--voice <voice>", "its tone")
    .option("--value <value...>", "a value; replaces all values")
    .option("--goal <goal...>", "a goal; replaces all goals")
    .action(async ({ value, goal, ...texts }: PersonaOptions) => {
      const session = await openSession(context());
      const changes = { ...texts, ...(value && { values: value }), ...(goal && { goals: goal }) };
      const edit = parseInput(PersonaEdit, changes);
      if (Object.keys(edit).length > 0) {
        requirePermission(session.policy.canChangePersona, session, "change the persona");
        await session.profile.store.changePersona(edit);
      }
      const persona = await session.profile.store.persona();
      context().output.result({ persona }, formatPersona(persona));
    });
};

interface PersonaOptions {
  name?: string;
  role?: string;
  voice?: string;
  value?: string[];
  goal?: string[];
}

function formatPersona({ name, role, voice, values, goals }: Persona): string {
  const rows = [
    ["name", name],
    ["role", role],
    ["voice", voice],
    ["values", values.join("; ")],
    ["goals", goals.join("; ")],
  ];
  return table(rows.filter(([, text]) => text !== ""));
}
