import type { ModelKeys } from "@metahuman/core/config/model-keys";
import type { SecretSealer } from "@metahuman/core/config/sealed-secrets";
import type { Config } from "@metahuman/core/contract/config";
import type { AccountCopies, AccountCopy } from "@metahuman/core/profiles/account-copies";
import type { ProfileCopies } from "@metahuman/core/transfer/profile-copies";

/** The data of an installation as a whole. */
export interface InstallationParts {
  /** The configuration that applies. */
  config(): Promise<Config>;
  /** The sections that were changed here, as text. */
  sections(): Promise<{ section: keyof Config; text: string }[]>;
  /** Stores a section that was not changed here. */
  putSection(section: keyof Config, text: string): Promise<void>;
  modelKeys: Pick<ModelKeys, "read" | "put">;
  /** Encrypts the secrets of channels. */
  sealer: SecretSealer;
}

/** An installation from which profiles are moved. It is only read. */
export interface MigrationSource {
  installation: Omit<InstallationParts, "putSection">;
  accounts: Pick<AccountCopies, "all" | "latest">;
  /** Opens a profile. Throws `ConflictError` while a process uses it. */
  open(username: string): Promise<SourceProfile>;
  close(): Promise<void>;
}

export interface SourceProfile {
  copies: ProfileCopies;
  /** Throws `ConflictError` if the profile was changed since it was opened. */
  assertUnchanged(): Promise<void>;
  close(): void;
}

/** An installation to which profiles would be moved. It is only read. */
export interface PreviewTarget {
  accounts: Pick<AccountCopies, "has" | "owners">;
  /** Throws `AlreadyExistsError` if there is anything of the profile except the remains of an interrupted migration. */
  assertFree(username: string): Promise<void>;
  /** Opens a profile that is there, to compare it. */
  open(username: string): Promise<{ copies: ProfileCopies; close(): void }>;
  close(): Promise<void>;
}

/** An installation to which profiles are moved. */
export interface MigrationTarget extends PreviewTarget {
  installation: InstallationParts;
  /** Runs `work` while no other migration runs. Throws `TimeoutError` while another one does. */
  hold<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Marks the installation as incomplete, so that no owner account can be created there until `complete`. Throws
   * `ConflictError` if it has owners other than `owners`; undefined permits any.
   */
  start(owners: readonly string[] | undefined): Promise<void>;
  complete(): Promise<void>;
  /** Starts the copy of a profile from the beginning. It cannot be used before `finish`. */
  begin(username: string): Promise<TargetProfile>;
}

export interface TargetProfile {
  copies: ProfileCopies;
  /** Puts the profile in service. */
  finish(account: AccountCopy, options: { latest: number }): Promise<void>;
  /** Leaves the profile out of service if it was not finished. */
  close(): void;
}
