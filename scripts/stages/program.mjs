import { join } from "node:path";
import { collect } from "../bootstrap/child.mjs";
import { runEnvironment } from "../bootstrap/environment.mjs";
import { modules, root } from "../bootstrap/paths.mjs";
import { tools } from "../bootstrap/toolchain.mjs";

/** Each program's entry. */
const entries = {
  eslint: join(modules, "eslint/bin/eslint.js"),
  oxfmt: join(modules, "oxfmt/bin/oxfmt"),
  oxlint: join(modules, "oxlint/bin/oxlint"),
  playwright: join(modules, "@playwright/test/cli.js"),
  "svelte-check": join(modules, "svelte-check/bin/svelte-check"),
  "write-pages": join(root, "tools/types/write-pages.ts"),
  vitest: join(modules, "vitest/vitest.mjs"),
};

const minute = 60_000;

/**
 * Runs one of these programs on the whole repository, for at most 25 minutes.
 * @param {keyof typeof entries} name
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [environment] added to ours
 */
export async function program(name, args, environment = {}) {
  const env = {
    ...runEnvironment(process.env, tools),
    // Outputs are parsed, and shown again where colors may mean nothing.
    NO_COLOR: "1",
    FORCE_COLOR: undefined,
    ...environment,
  };
  const run = await collect(tools.node, [entries[name], ...args], {
    cwd: root,
    env,
    timeoutMs: 25 * minute,
  });
  const output = run.timedOut
    ? `${run.output}\n${name} had not ended after 25 minutes and was stopped.`
    : run.output;
  return { ok: run.code === 0, code: run.code, output };
}
