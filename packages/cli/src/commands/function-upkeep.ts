import type { Command } from "commander";
import type { CommandContext } from "../session.ts";

export function addFunctionUpkeep(_commands: Command, _context: () => CommandContext): void {}
