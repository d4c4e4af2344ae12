import type { CodeRunner } from "@metahuman/agents/operator/tools/code/code-runner";
import type { SecretSealer } from "@metahuman/core/config/sealed-secrets";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import type { StorageCorruptError } from "@metahuman/core/errors/storage-errors";
import type { Logger } from "@metahuman/core/log/logger";
import type { Embedder, EmbedderChoice } from "@metahuman/core/vectors/embedder";
import type { ModelRouter } from "@metahuman/models/router";
import type { Profile } from "./brain.ts";
import type { Installation } from "./installation.ts";

export interface ProfileOptions {
  home: string;
  username: string;
  env: Readonly<Record<string, string | undefined>>;
  config: ConfigSource;
  embedder: Embedder;
  chosenEmbedder: EmbedderChoice;
  router: ModelRouter;
  logger: Logger;
  adoptsQueuedRuns: boolean;
  code: CodeRunner;
  installation: Pick<Installation, "openProfileState" | "clock" | "hasFolders">;
  /** Encrypts the secrets of channels. */
  channelSealer: SecretSealer;
  /** Called with the next time at which the profile must be open, when it changes; null if there is none. */
  onNextMoment: (next: string | null) => void;
  /** Damage that was found while the profile was open before; its state database is not used then. */
  stateDamage?: StorageCorruptError | undefined;
}

export interface OpenedProfile {
  profile: Profile;
  /** Makes the next read see the changes of other processes until the request of a person that is being served. */
  expectChanges(): void;
  /** Whether the profile must be closed and opened again because of its state database. */
  isOutdated(): boolean;
  /** Damage of the state database that was found in use. */
  stateDamage(): StorageCorruptError | undefined;
  /**
   * Whether closing it would end or delay something: a run, an agent, a delivery, a schedule that is due soon, or a
   * conversation in emulation, which is in memory only.
   */
  isBusy(): Promise<boolean>;
  close(graceMs: number): Promise<void>;
}
