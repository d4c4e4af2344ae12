/** @typedef {Readonly<Record<string, readonly string[]>>} Imports by the name of the file */

/** zod, and the module that configures it. */
const zod = /[\\/]node_modules[\\/]zod[\\/]|[\\/]api[\\/]zod\.ts$/;
const lib = /[\\/]site[\\/]src[\\/]lib[\\/]/;
/** What pages of lists share. */
const lists =
  /[\\/]node_modules[\\/].*[\\/]virtua[\\/]|[\\/]lib[\\/]ui[\\/](?:VirtualList|MasterDetail|ListRow|ListFooter)\.svelte/;
/** Sentences that the panels of one page share, and the labels of functions, whose rows other pages load when asked. */
const sentences =
  /[\\/]features[\\/](?:(?:settings|functions|memory)[\\/]copy|functions[\\/]function-labels)\.ts$|[\\/]functions[\\/](?:FunctionRow|Sparkline)\.svelte/;
const contract = /[\\/]core[\\/]src[\\/]contract[\\/]/;

/** @type {import("vite").Rolldown.CodeSplittingGroup[]} */
const groups = [
  {
    name: "shared",
    tags: ["$initial"],
    minShareCount: 2,
    priority: 2,
    test: (id) => !lists.test(id) && !sentences.test(id),
  },
  // Chat and settings show no long lists.
  { name: "lists", tags: ["$initial"], minShareCount: 2, priority: 1, test: lists },
  {
    name: (id, modules) => {
      if (zod.test(id)) return "schemas";
      const info = contract.test(id) ? modules.getModuleInfo(id) : null;
      if (!info?.importedIds.some((one) => zod.test(one))) return null;
      // What a single feature asks for is loaded when it does; `lib` asks on every page.
      const { importers, dynamicImporters } = info;
      const isOfOneFeature =
        importers.length === 0 && dynamicImporters.length === 1 && !lib.test(dynamicImporters[0] ?? "");
      return isOfOneFeature ? null : "schemas";
    },
  },
];

/**
 * Bundles the scripts of the browser into few chunks: `shared` contains the initial code of at least two pages, `schemas` is
 * loaded with the first response. Without it, on a slow phone, the largest paint of memory, functions and runs moves from 1.9 s
 * to 2.6 s, past the budget of 2.5 s. The build fails if chunks import each other in a cycle, which some browsers cannot load,
 * or if a page needs the schemas to hydrate.
 * @returns {import("vite").Plugin}
 */
export function chunking() {
  return {
    name: "metahuman:chunking",
    apply: "build",
    applyToEnvironment: (environment) => environment.config.consumer === "client",
    config: () => ({
      environments: { client: { build: { rolldownOptions: { output: { codeSplitting: { groups } } } } } },
    }),
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const imports = Object.fromEntries(chunks.map((chunk) => [chunk.fileName, chunk.imports]));
      const cycle = findCycle(imports);
      if (cycle) this.error(`Chunks import each other in a cycle: ${cycle.join(" → ")}`);
      const schemaChunks = chunks.filter(({ moduleIds }) => moduleIds.some((id) => zod.test(id)));
      for (const { fileName, name } of chunks.filter(({ isEntry }) => isEntry)) {
        const loaded = loadedWith(fileName, imports);
        if (schemaChunks.some((chunk) => loaded.has(chunk.fileName)))
          this.error(`${name} loads schemas at start: import only types of the contract there.`);
      }
    },
  };
}

/** A file and everything that it imports. @param {string} file @param {Imports} imports */
function loadedWith(file, imports) {
  const loaded = new Set([file]);
  for (const one of loaded) for (const next of imports[one] ?? []) loaded.add(next);
  return loaded;
}

/** @param {Imports} imports @returns {readonly string[] | undefined} */
function findCycle(imports) {
  const seen = new Set();
  /** @param {string} file @param {readonly string[]} way @returns {readonly string[] | undefined} */
  const follow = (file, way) => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (seen.has(file)) return undefined;
    seen.add(file);
    for (const next of imports[file] ?? []) {
      const cycle = follow(next, [...way, file]);
      if (cycle) return cycle;
    }
    return undefined;
  };
  for (const file of Object.keys(imports)) {
    const cycle = follow(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}
