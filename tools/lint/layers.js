/**
 * Who may import whom: docs/architecture.md as a table. The first layer whose folder holds a file is the file's.
 *
 * @typedef {object} Layer
 * @property {string} name
 * @property {string} folder relative to the repository
 * @property {readonly string[]} imports names of the other layers it may import
 * @property {readonly string[]} [libraries] the only libraries it may import; all, when absent
 * @property {boolean} [withoutNode] true where Node's own modules are refused
 */

// Small parts of core without state, which surfaces and the page may import, too.
const basics = ["contract", "text"];
const shared = [...basics, "errors", "async", "paths", "config", "log", "policy"];
const foundations = [...shared, "core"];
const powers = [...foundations, "models", "sandbox"];
const surfaces = ["boot", ...shared];

/** @type {readonly Layer[]} */
export const layers = [
  {
    name: "contract",
    folder: "packages/core/src/contract",
    imports: [],
    libraries: ["zod"],
    withoutNode: true,
  },
  { name: "text", folder: "packages/core/src/text", imports: ["contract"], withoutNode: true },
  { name: "errors", folder: "packages/core/src/errors", imports: basics },
  { name: "async", folder: "packages/core/src/async", imports: basics },
  { name: "paths", folder: "packages/core/src/paths", imports: [...basics, "errors"] },
  { name: "config", folder: "packages/core/src/config", imports: foundations },
  { name: "log", folder: "packages/core/src/log", imports: shared },
  { name: "policy", folder: "packages/core/src/policy", imports: foundations },
  { name: "core", folder: "packages/core", imports: shared },
  { name: "models", folder: "packages/models", imports: foundations },
  { name: "sandbox", folder: "packages/sandbox", imports: foundations },
  { name: "postgres", folder: "packages/postgres", imports: foundations },
  { name: "s3", folder: "packages/s3", imports: foundations },
  { name: "skills", folder: "brain/skills", imports: powers, withoutNode: true },
  { name: "agents", folder: "brain/agents", imports: [...powers, "skills"] },
  { name: "boot", folder: "brain/boot", imports: [...powers, "postgres", "s3", "skills", "agents"] },
  { name: "cli", folder: "packages/cli", imports: surfaces },
  { name: "mcp", folder: "packages/mcp", imports: surfaces },
  // What runs in the browser: a powerful import there would ship the brain to it.
  { name: "page", folder: "apps/site/src/features", imports: basics, withoutNode: true },
  { name: "page", folder: "apps/site/src/lib", imports: basics, withoutNode: true },
  { name: "site", folder: "apps/site", imports: [...surfaces, "page"] },
];

/** What `@metahuman/<name>/…` stands for. */
export const packageFolders = {
  core: "packages/core/src",
  models: "packages/models/src",
  sandbox: "packages/sandbox/src",
  postgres: "packages/postgres/src",
  s3: "packages/s3/src",
  mcp: "packages/mcp/src",
  cli: "packages/cli/src",
  skills: "brain/skills",
  agents: "brain/agents",
  boot: "brain/boot",
  site: "apps/site/src",
};

/** @param {string} path relative to the repository, with forward slashes */
export function layerOf(path) {
  return layers.find(({ folder }) => path.startsWith(`${folder}/`));
}

/**
 * Tests, and what only they use: a port's shared suite, the processes and fixtures a test sets up.
 * @param {string} path relative to the repository, with forward slashes
 */
export function isTestFile(path) {
  return /\.test\.ts$|[.-]suite\.ts$|\/test(ing|-[a-z-]+)\//.test(path);
}
