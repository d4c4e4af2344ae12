import { changedSection } from "@metahuman/core/config/change-config";
import { parseConfigText } from "@metahuman/core/config/config-file";
import type { Config } from "@metahuman/core/contract/config";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { AlreadyExistsError } from "@metahuman/core/errors/request-errors";
import type { AccountCopy } from "@metahuman/core/profiles/account-copies";
import { assertNoOtherOwner } from "@metahuman/core/profiles/migration-mark";
import { moveProfile } from "@metahuman/core/transfer/move-profile";
import { differingKinds, digestProfile, type ProfileDigest } from "@metahuman/core/transfer/profile-copies";
import { purposeOf } from "../channel-servers.ts";
import { secretPurposes } from "../profile-channels.ts";
import type {
  InstallationParts,
  MigrationSource,
  MigrationTarget,
  PreviewTarget,
} from "./migration-places.ts";

export interface MigrationOptions {
  /** The only profile to move; absent for the whole installation. */
  profile?: string | undefined;
  signal: AbortSignal;
  onProgress: (line: string) => void;
}

/** The result of a migration for one profile, or the expected result. */
export interface MigratedProfile {
  username: string;
  state: "moved" | "already-there" | "would-move";
  /** How many there are of each kind, and their hash. The same in both places. */
  kinds: ProfileDigest;
  notes: string[];
}

export interface MigrationReport {
  profiles: MigratedProfile[];
  /** What belongs to the installation: "the configuration models". */
  installation: string[];
  notes: string[];
}

/**
 * Moves an installation, or one profile of it. Each profile is copied, compared with its source, and only then
 * activated. The source is only read. Profiles that an earlier migration completed stay; the others are copied again.
 * Throws, before anything is written, `AlreadyExistsError` if a profile exists with other content, and `ConflictError` if
 * a whole installation would move into one with another owner.
 */
export async function migrate(
  source: MigrationSource,
  target: MigrationTarget,
  options: MigrationOptions,
): Promise<MigrationReport> {
  return await target.hold(async () => {
    const accounts = await accountsOf(source, options);
    const there: MigratedProfile[] = [];
    for (const { username } of accounts)
      if (await target.accounts.has(username))
        there.push(await alreadyThere(source, target, username, options));
      else await target.assertFree(username);
    await target.start(expectedOwners(accounts, options));
    const report: MigrationReport = { profiles: there, installation: [], notes: [] };
    if (options.profile === undefined)
      await moveInstallation(source.installation, target.installation, report);
    const latest = await source.accounts.latest();
    const { channels } = await source.installation.config();
    for (const account of accounts) {
      const { username } = account;
      if (there.some((known) => known.username === username)) continue;
      const from = await source.open(username);
      try {
        const to = await target.begin(username);
        try {
          const { digest, notes } = await moveProfile(from.copies, to.copies, {
            secretPurposes: secretPurposes(username, channels),
            signal: options.signal,
            onProgress: (step, kind, done) => progress(options, username, step, kind, done),
          });
          await from.assertUnchanged();
          await to.finish(account, { latest });
          report.profiles.push({ username, state: "moved", kinds: digest, notes });
        } finally {
          to.close();
        }
      } finally {
        from.close();
      }
    }
    await target.complete();
    const owners = await target.accounts.owners();
    const moved = accounts.filter(({ role }) => role === "owner").map(({ username }) => username);
    const others = owners.filter((owner) => !moved.includes(owner));
    if (moved.length > 0 && others.length > 0)
      report.notes.push(`${moved.join(", ")} is an owner there, beside ${others.join(", ")}.`);
    return report;
  });
}

/** The owners that the target may have; undefined for any, when one profile moves to an installation with others. */
function expectedOwners(
  accounts: readonly AccountCopy[],
  { profile }: Pick<MigrationOptions, "profile">,
): string[] | undefined {
  if (profile !== undefined) return undefined;
  return accounts.flatMap(({ username, role }) => (role === "owner" ? [username] : []));
}

/** Describes what `migrate` would do. `target` is undefined for one that is empty. Changes nothing. */
export async function previewMigration(
  source: MigrationSource,
  target: PreviewTarget | undefined,
  options: MigrationOptions,
): Promise<MigrationReport> {
  const report: MigrationReport = { profiles: [], installation: [], notes: [] };
  const accounts = await accountsOf(source, options);
  const owners = expectedOwners(accounts, options);
  if (target && owners) assertNoOtherOwner(await target.accounts.owners(), owners);
  for (const { username } of accounts) {
    if (target && (await target.accounts.has(username))) {
      report.profiles.push(await alreadyThere(source, target, username, options));
      continue;
    }
    await target?.assertFree(username);
    const from = await source.open(username);
    try {
      const kinds = await digestProfile(from.copies, {
        signal: options.signal,
        onProgress: (kind, done) => progress(options, username, "reading", kind, done),
      });
      report.profiles.push({ username, state: "would-move", kinds, notes: [] });
    } finally {
      from.close();
    }
  }
  if (options.profile === undefined)
    for (const { section } of await source.installation.sections())
      report.installation.push(`the configuration ${section}`);
  return report;
}

async function accountsOf(
  source: MigrationSource,
  { profile }: Pick<MigrationOptions, "profile">,
): Promise<AccountCopy[]> {
  const all = await source.accounts.all();
  const wanted = profile === undefined ? all : all.filter(({ username }) => username === profile);
  if (wanted.length > 0) return wanted;
  throw new NotFoundError(
    profile === undefined ? "There are no accounts to move." : `There is no profile "${profile}".`,
    { suggestions: all.map(({ username }) => username) },
  );
}

/** Throws `AlreadyExistsError` unless the profile there is the same as in the source. */
async function alreadyThere(
  source: MigrationSource,
  target: PreviewTarget,
  username: string,
  options: MigrationOptions,
): Promise<MigratedProfile> {
  const from = await source.open(username);
  const to = await target.open(username);
  try {
    const digestOf = (copies: typeof from.copies) =>
      digestProfile(copies, {
        signal: options.signal,
        onProgress: (kind, done) => progress(options, username, "comparing", kind, done),
      });
    const [here, there] = [await digestOf(from.copies), await digestOf(to.copies)];
    const different = differingKinds(here, there);
    if (different.length > 0)
      throw new AlreadyExistsError(
        `There is already a profile named ${username}, with other content (${different.join(", ")}); it was not changed.`,
        {
          suggestions: ["Remove that account, or migrate another profile with --profile."],
          context: { username, different },
        },
      );
    return { username, state: "already-there", kinds: there, notes: [] };
  } finally {
    from.close();
    to.close();
  }
}

/** Moves the configuration and the keys of model servers. What was changed in the target stays. */
async function moveInstallation(
  from: Omit<InstallationParts, "putSection">,
  to: InstallationParts,
  report: MigrationReport,
): Promise<void> {
  const config = await from.config();
  const known = new Map((await to.sections()).map(({ section, text }) => [section, text]));
  for (const { section, text } of await from.sections()) {
    const name = `the configuration ${section}`;
    const moved = section === "channels" ? resealedChannels(text, config, { from, to, report }) : text;
    if (!known.has(section)) {
      await to.putSection(section, moved);
      report.installation.push(name);
    } else if (section !== "channels" && known.get(section) !== text)
      report.notes.push(`${name} was changed in the target and stays as it is there.`);
  }
  for (const [id, provider] of Object.entries(config.models.providers)) {
    if (provider.kind !== "openai-compatible" || provider.apiKeyId === undefined) continue;
    const { apiKeyId, baseUrl } = provider;
    const key = from.modelKeys.read(apiKeyId, baseUrl);
    if (key === undefined) {
      report.notes.push(`The key of the model server ${id} cannot be read. Enter it again.`);
      continue;
    }
    if (to.modelKeys.read(apiKeyId, baseUrl) === undefined) await to.modelKeys.put(apiKeyId, key, baseUrl);
    report.installation.push(`the key of the model server ${id}`);
  }
}

/** The text of the section with the password of the mail server sealed for the target. */
function resealedChannels(
  text: string,
  { channels: { smtp } }: Config,
  {
    from,
    to,
    report,
  }: {
    from: Pick<InstallationParts, "sealer">;
    to: Pick<InstallationParts, "sealer">;
    report: MigrationReport;
  },
): string {
  if (smtp.password === undefined) return text;
  const password = from.sealer.open(smtp.password, purposeOf(smtp));
  if (password === undefined) {
    report.notes.push("The password of the mail server cannot be read. Enter it again.");
    return text;
  }
  const path = "channels.json";
  return (
    changedSection(
      {
        section: "channels",
        keyPath: ["smtp", "password"],
        value: to.sealer.seal(password, purposeOf(smtp)),
      },
      { path, text, own: parseConfigText(path, text), below: [] },
    ) ?? text
  );
}

/** How many items are handled between two lines of progress. */
const SHOWN_EVERY = 500;

function progress(
  { onProgress }: Pick<MigrationOptions, "onProgress">,
  username: string,
  step: string,
  kind: string,
  done: number,
): void {
  if (done === 1 || done % SHOWN_EVERY === 0) onProgress(`${username}: ${step} ${kind} (${done})`);
}
