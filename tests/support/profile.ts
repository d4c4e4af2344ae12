import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Brain, Profile } from "@metahuman/boot/brain";
import { createLogger } from "@metahuman/boot/log";
import type { Identity } from "@metahuman/boot/security-policy";
import { wake } from "@metahuman/boot/wake";

export const OWNER = { username: "ada", password: "correct horse battery" };

/** A whole brain on a data root of its own, with one owner; no HTTP, and no model server that answers. */
export interface WokenBrain {
  brain: Brain;
  home: string;
  profile: Profile;
  identity: Identity;
  /** Closes it, and removes the data root if it was a fresh one. */
  close(): Promise<void>;
}

/** Wakes a brain; on `home` it finds what an earlier one left there. */
export async function wakeBrain({ home }: { home?: string } = {}): Promise<WokenBrain> {
  const root = home ?? (await mkdtemp(join(tmpdir(), "brain-")));
  const brain = await wake({
    home: root,
    env: { OLLAMA_HOST: "http://127.0.0.1:9" },
    logger: createLogger({ level: "error" }),
  });
  if (await brain.accounts.isEmpty())
    await brain.accounts.setup(OWNER, { address: "test", fromLoopback: true });
  const profile = await brain.profile(OWNER.username);
  const { mode, trustLevel } = await profile.store.settings();
  return {
    brain,
    home: root,
    profile,
    identity: { role: "owner", username: OWNER.username, mode, trustLevel },
    async close() {
      await brain.close({ graceMs: 0 });
      if (home === undefined) await rm(root, { recursive: true, force: true });
    },
  };
}
