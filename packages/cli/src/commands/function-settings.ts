import type { Command } from "commander";
import {
  changedFunctionSettings,
  FunctionSettingsEdit,
  overridableSettings,
} from "@metahuman/core/contract/function-settings";
import { table } from "../output.ts";
import { checked } from "../parse-input.ts";
import { type CommandContext, demand, openSession } from "../session.ts";

/** Reads and changes what this profile chose for its functions. */
export function addFunctionSettings(commands: Command, context: () => CommandContext): void {
  commands
    .command("settings [changes...]")
    .description("this profile's settings of its functions; change them with name=value, name=default")
    .action(async (changes: string[]) => {
      const session = await openSession(context());
      const { store } = session.profile;
      if (changes.length > 0) {
        demand(session.policy.canChangePersona, session, "change settings");
        const edit = checked(FunctionSettingsEdit, Object.fromEntries(changes.map(parseChange)));
        await store.changeSettings(({ functions }) => ({
          functions: changedFunctionSettings(functions, edit),
        }));
      }
      const shown = overridableSettings(await session.profile.functionSettings());
      context().output.result(
        shown,
        table(Object.entries(shown).map(([name, value]) => [name, String(value)])),
      );
    });
}

/** `prefer=false`; `default` is null: back to what the installation says. */
function parseChange(change: string): [name: string, value: unknown] {
  const [name = "", ...rest] = change.split("=");
  const text = rest.join("=");
  if (text === "default") return [name, null];
  if (text === "true" || text === "false") return [name, text === "true"];
  return [name, text !== "" && Number.isFinite(Number(text)) ? Number(text) : text];
}
