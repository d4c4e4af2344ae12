import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { PersonaEdit } from "@metahuman/core/contract/answers";
import type { Persona } from "@metahuman/core/contract/profile";
import { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import { checked } from "../parse-input.ts";
import { table } from "../output.ts";
import { type AddCommand, demand, openSession } from "../session.ts";

const modes: Record<CognitiveMode, string> = {
  dual: "acts, remembers and learns",
  agent: "acts, without keeping conversations",
  emulation: "talks only: nothing is done and nothing is stored",
};

const levels: Record<TrustLevel, string> = {
  observe: "reads only",
  suggest: "asks before every change",
  supervised_auto: "makes small changes, asks before risky ones",
  bounded_auto: "asks only before it runs programs or sends data out",
};

/** Who the operator speaks as, and the two settings that decide what it does by itself. */
export const addSettingsCommands: AddCommand = (program, context) => {
  program
    .command("mode [mode]")
    .description(`show or change the cognitive mode: ${CognitiveMode.options.join(", ")}`)
    .action(async (wanted: string | undefined) => {
      const session = await openSession(context());
      if (wanted !== undefined) {
        demand(session.policy.canChangeMode, session, "change the mode");
        const mode = CognitiveMode.safeParse(wanted);
        if (!mode.success)
          throw new InvalidRequestError(`"${wanted}" is no mode.`, { suggestions: CognitiveMode.options });
        await session.profile.store.changeSettings({ mode: mode.data });
      }
      const { mode } = await session.profile.store.settings();
      context().output.result({ mode }, `${mode}: ${modes[mode]}`);
    });

  program
    .command("trust [level]")
    .description(`show or change the trust level: ${TrustLevel.options.join(", ")}`)
    .action(async (wanted: string | undefined) => {
      const session = await openSession(context());
      if (wanted !== undefined) {
        demand(session.policy.canChangeTrust, session, "change the trust level");
        const level = TrustLevel.safeParse(wanted);
        if (!level.success)
          throw new InvalidRequestError(`"${wanted}" is no trust level.`, {
            suggestions: TrustLevel.options,
          });
        await session.profile.store.changeSettings({ trustLevel: level.data });
      }
      const { trustLevel } = await session.profile.store.settings();
      context().output.result({ trustLevel }, `${trustLevel}: ${levels[trustLevel]}`);
    });

  program
    .command("persona")
    .description("show who answers, or change it in part")
    .option("--name <name>", "what it is called")
    .option("--role <role>", "who it is to you")
    .option("--voice <voice>", "how it speaks")
    .option("--value <value...>", "what it holds to; replaces all values")
    .option("--goal <goal...>", "what it is after; replaces all goals")
    .action(async ({ value, goal, ...texts }: PersonaOptions) => {
      const session = await openSession(context());
      const given = { ...texts, ...(value && { values: value }), ...(goal && { goals: goal }) };
      const edit = checked(PersonaEdit, given);
      if (Object.keys(edit).length > 0) {
        demand(session.policy.canChangePersona, session, "change the persona");
        await session.profile.store.changePersona(edit);
      }
      const persona = await session.profile.store.persona();
      context().output.result({ persona }, personaText(persona));
    });
};

interface PersonaOptions {
  name?: string;
  role?: string;
  voice?: string;
  value?: string[];
  goal?: string[];
}

function personaText({ name, role, voice, values, goals }: Persona): string {
  const rows = [
    ["name", name],
    ["role", role],
    ["voice", voice],
    ["values", values.join("; ")],
    ["goals", goals.join("; ")],
  ];
  return table(rows.filter(([, text]) => text !== ""));
}
