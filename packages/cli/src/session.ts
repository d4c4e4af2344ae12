import type { Readable, Writable } from "node:stream";
import type { Brain, Profile } from "@metahuman/boot/brain";
import { regionOf } from "@metahuman/core/contract/region";
import { ForbiddenError } from "@metahuman/core/errors/access-errors";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { type Identity, securityPolicy, type SecurityPolicy } from "@metahuman/core/policy/security-policy";
import type { Output } from "./output.ts";
import type { Command } from "commander";

/** An open brain and the selected profile. */
export interface Session {
  brain: Brain;
  profile: Profile;
  identity: Identity;
  policy: SecurityPolicy;
  /** The profile's time zone, in which times are printed; that of this machine if the profile sets none. */
  timeZone: string;
}

export interface GlobalOptions {
  profile?: string;
  json?: boolean;
  debug?: boolean;
}

/** The environment of a command. */
export interface CommandContext {
  output: Output;
  options: GlobalOptions;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether prompts can be shown. */
  interactive: boolean;
  /** Standard input. */
  input: Readable;
  /** Where prompts are drawn. Default: the terminal of this process. */
  screen?: Writable | undefined;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  openBrain: () => Promise<Brain>;
  setExitCode: (code: number) => void;
}

/**
 * Opens the profile that `-u` or `METAHUMAN_PROFILE` names; the default is the owner's. It asks for no password, because
 * anybody who can run this command can read the profile's files. Mode and trust level apply as on the page.
 */
export async function openSession(
  { openBrain, options, env, output }: CommandContext,
  { printsNotices = true } = {},
): Promise<Session> {
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
  const settings = await profile.store.settings();
  const { mode, trustLevel } = settings;
  if (printsNotices) await printNotices(profile, output);
  const identity: Identity = { role: account.role, username: account.username, mode, trustLevel };
  const { timeZone } = regionOf(settings);
  return { brain, profile, identity, policy: securityPolicy(identity), timeZone };
}

/** Prints the title of the newest unread notice and the number of the others to stderr. */
async function printNotices({ notices }: Profile, output: Output): Promise<void> {
  const {
    items: [newest],
    unread,
  } = await notices.list({ unread: true, limit: 1 });
  if (!newest) return;
  const others = unread > 1 ? ` (and ${unread - 1} more)` : "";
  output.note(`Notice: ${newest.title}${others}. Read: mh notices`);
}

/** Throws `ForbiddenError` unless the mode permits the action. */
export function requirePermission(permitted: boolean, session: Session, action: string): void {
  if (permitted) return;
  throw new ForbiddenError(`In mode ${session.identity.mode} you cannot ${action}.`, {
    suggestions: ["Change the mode: mh mode dual"],
  });
}

/** Adds one command to the program. The command reads `context` when it runs, after the options are parsed. */
export type AddCommand = (program: Command, context: () => CommandContext) => void;
