import type { Command } from "commander";
import type { CommandContext } from "../session.ts";

/** Adds one command to the program. `context` is read when the command runs, after the options were parsed. */
export type AddCommand = (program: Command, context: () => CommandContext) => void;
