import { startSandboxProcess } from "../sandbox-process.ts";
import { DEFAULT_LIMITS } from "../sandbox.ts";

/**
 * Keeps a sandbox busy with a step that the engine cannot interrupt, prints the id of its process, and waits to be
 * killed.
 */
const sandbox = startSandboxProcess();
sandbox.keepAlive(true);
await sandbox.ready;
const running = sandbox.run(
  {
    module: "await skills.say({}); new Array(1e9).join('x');",
    tests: { name: "never", end: "never" },
    skills: ["say"],
    limits: { ...DEFAULT_LIMITS, wallMs: 3_600_000 },
  },
  {
    callSkill: async () => {
      process.send?.(sandbox.pid);
      return {};
    },
  },
);
await running;
