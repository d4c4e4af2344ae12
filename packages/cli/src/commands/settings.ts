import { InvalidRequestError } from "@metahuman/boot/errors";
import { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import { demand, openSession } from "../session.ts";
import type { AddCommand } from "./command.ts";

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

/** The two settings that decide what the operator does by itself. */
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
};
