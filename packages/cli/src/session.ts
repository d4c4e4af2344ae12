import type { Readable } from "node:stream";
import type { Brain, Profile } from "@metahuman/boot/brain";
import { ForbiddenError } from "@metahuman/core/errors/access-errors";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { type Identity, securityPolicy, type SecurityPolicy } from "@metahuman/core/policy/security-policy";
import type { Output } from "./output.ts";
import type { Command } from "commander";

/** What a command works with: an open brain, and the profile of the person at this terminal. */
export interface Session {
  brain: Brain;
  profile: Profile;
  identity: Identity;
  policy: SecurityPolicy;
}

export interface GlobalOptions {
  profile?: string;
  json?: boolean;
  debug?: boolean;
}

/** What every command is handed. */
export interface CommandContext {
  output: Output;
  options: GlobalOptions;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether a person can be asked something. */
  interactive: boolean;
  /** What is typed or piped in. */
  input: Readable;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  openBrain: () => Promise<Brain>;
  setExitCode: (code: number) => void;
}

/**
 * Opens the profile that `-u` names, else `METAHUMAN_PROFILE`, else the only one, else the owner's. Whoever may run this
 * command may read the profile's files, so no password is asked for; mode and trust level count as in the page.
 */
export async function openSession({ openBrain, options, env }: CommandContext): Promise<Session> {
  const brain = await openBrain();
  const accounts = await brain.accounts.list();
  const wanted = options.profile ?? env["METAHUMAN_PROFILE"];
  const account =
    wanted === undefined
      ? (accounts.find(({ role }) => role === "owner") ?? accounts[0])
      : accounts.find(({ username }) => username === wanted);
  if (!account) {
    throw new InvalidRequestError(
      wanted === undefined ? "There is no account yet." : `There is no profile "${wanted}".`,
      {
        suggestions:
          wanted === undefined
            ? ["Create the owner: mh init, or npm start and open the page."]
            : accounts.map(({ username }) => username),
      },
    );
  }
  const profile = await brain.profile(account.username);
  const { mode, trustLevel } = await profile.store.settings();
  const identity: Identity = { role: account.role, username: account.username, mode, trustLevel };
  return { brain, profile, identity, policy: securityPolicy(identity) };
}

/** Throws unless the person's mode permits it. */
export function demand(permitted: boolean, session: Session, what: string): void {
  if (permitted) return;
  throw new ForbiddenError(`In mode ${session.identity.mode} you cannot ${what}.`, {
    suggestions: ["Change the mode: mh mode dual"],
  });
}

/** Adds one command to the program. `context` is read when the command runs, after the options were parsed. */
export type AddCommand = (program: Command, context: () => CommandContext) => void;
