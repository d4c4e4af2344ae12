/** @typedef {Readonly<Record<string, readonly string[]>>} Imports by the name of the file */

/** What makes schemas, and our door to it. */
const zod = /[\\/]node_modules[\\/]zod[\\/]|[\\/]api[\\/]zod\.ts$/;
const contract = /[\\/]core[\\/]src[\\/]contract[\\/]/;

/** @type {import("vite").Rolldown.CodeSplittingGroup[]} */
const groups = [
  { name: "frame", tags: ["$initial"], minShareCount: 2, priority: 1 },
  {
    name: (id, modules) => {
      const makesSchemas =
        contract.test(id) && modules.getModuleInfo(id)?.importedIds.some((one) => zod.test(one));
      return zod.test(id) || makesSchemas ? "schemas" : null;
    },
  },
];

/**
 * The browser's scripts in few files: `frame` is what rooms share and load at first, `schemas` comes with the first answer. The build
 * fails when files import each other in a circle, which a browser may not be able to load, and when a room would wait for the
 * schemas before it comes to life.
 * @returns {import("vite").Plugin}
 */
export function fewFiles() {
  return {
    name: "metahuman:few-files",
    apply: "build",
    applyToEnvironment: (environment) => environment.config.consumer === "client",
    config: () => ({
      environments: { client: { build: { rolldownOptions: { output: { codeSplitting: { groups } } } } } },
    }),
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const imports = Object.fromEntries(chunks.map((chunk) => [chunk.fileName, chunk.imports]));
      const circle = findCircle(imports);
      if (circle) this.error(`Files import each other in a circle: ${circle.join(" → ")}`);
      const makers = chunks.filter(({ moduleIds }) => moduleIds.some((id) => zod.test(id)));
      for (const { fileName, name } of chunks.filter(({ isEntry }) => isEntry)) {
        const loaded = loadedWith(fileName, imports);
        if (makers.some((maker) => loaded.has(maker.fileName)))
          this.error(`${name} loads what makes schemas at first: import only types of the contract there.`);
      }
    },
  };
}

/** A file with all that it imports. @param {string} file @param {Imports} imports */
function loadedWith(file, imports) {
  const loaded = new Set([file]);
  for (const one of loaded) for (const next of imports[one] ?? []) loaded.add(next);
  return loaded;
}

/** @param {Imports} imports @returns {readonly string[] | undefined} */
function findCircle(imports) {
  const seen = new Set();
  /** @param {string} file @param {readonly string[]} way @returns {readonly string[] | undefined} */
  const follow = (file, way) => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (seen.has(file)) return undefined;
    seen.add(file);
    for (const next of imports[file] ?? []) {
      const circle = follow(next, [...way, file]);
      if (circle) return circle;
    }
    return undefined;
  };
  for (const file of Object.keys(imports)) {
    const circle = follow(file, []);
    if (circle) return circle;
  }
  return undefined;
}
