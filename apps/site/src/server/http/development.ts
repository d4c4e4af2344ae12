import type { Brain } from "@metahuman/boot/brain";
import { dataRoot } from "@metahuman/core/paths/data-root";
import { createLogger, logLevel } from "@metahuman/core/log/logger";
import { createLiveStreams, type LiveStreams } from "./live-streams.ts";

const logger = createLogger({ level: logLevel(process.env) });

declare global {
  // Survives a hot reload of this module, so that a source change does not open a second brain.
  var metahumanInDevelopment: Promise<{ brain: Brain; live: LiveStreams }> | undefined;
}

/** The locals that the server sets in production, for `astro dev`, which runs without it. */
export async function developmentLocals(address: string): Promise<Omit<App.Locals, "caller" | "refusal">> {
  globalThis.metahumanInDevelopment ??= openBrain();
  const { brain, live } = await globalThis.metahumanInDevelopment;
  return {
    brain,
    live,
    openProfile: ({ username }) => brain.profile(username),
    log: logger,
    connection: { address, fromLoopback: true, secure: false, drained: () => Promise.resolve() },
  };
}

async function openBrain(): Promise<{ brain: Brain; live: LiveStreams }> {
  const { createBrain } = await import("@metahuman/boot/create-brain");
  const brain = await createBrain({ home: dataRoot(process.env), env: process.env, logger });
  const live = createLiveStreams();
  brain.accounts.onRevoked(({ credentialIds }) => live.endOf(credentialIds));
  const code = await brain.accounts.setupCode();
  if (code !== undefined) process.stdout.write(`There is no account yet; the setup code is ${code}.\n`);
  return { brain, live };
}
