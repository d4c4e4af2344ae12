/** @typedef {Readonly<Record<string, readonly string[]>>} Imports by the name of the file */

/** zod, and the module that configures it. */
const zod = /[\\/]node_modules[\\/]zod[\\/]|[\\/]api[\\/]zod\.ts$/;
const lib = /[\\/]site[\\/]src[\\/]lib[\\/]/;
/** Modules that all pages with lists share. */
const lists =
  /[\\/]node_modules[\\/].*[\\/]virtua[\\/]|[\\/]lib[\\/]ui[\\/](?:(?:VirtualList|MasterDetail|ListRow|ListFooter)\.svelte|list-address\.ts)|[\\/]text[\\/]strip-inline-markdown\.ts$/;
/** Modules of every page except those for signing in. */
const shell = /[\\/]shell[\\/]AppShell\.svelte$/;
const contract = /[\\/]core[\\/]src[\\/]contract[\\/]/;

/**
 * Small modules that are loaded together: those of a turn, of values, of links in texts, and of buttons that copy. In chunks of
 * their own, each would cost 100 to 200 bytes more.
 */
const together = {
  turn: /[\\/]chat[\\/](?:Answer|FeedbackButtons|PendingCard|Trace)\.svelte$/,
  values: /[\\/]chat[\\/]ArgumentValue\.svelte$|[\\/]runs[\\/]observation-text\.ts$/,
  links: /[\\/]lib[\\/]markdown[\\/](?:citations|file-links)\.ts$/,
  copying: /[\\/]lib[\\/]ui[\\/]CopyButton\.svelte$/,
};

/** @typedef {import("vite").Rolldown.ChunkingContext} Modules */

/**
 * A group also takes what its modules import, unless a group of a higher priority has it.
 * @type {import("vite").Rolldown.CodeSplittingGroup[]}
 */
const groups = [
  {
    name: (id, modules) => {
      // The schemas need some modules that one page loads at first.
      const least = isNeededBySchemas(id, modules) ? 1 : 2;
      return !lists.test(id) && countPages(id, modules) >= least ? "shared" : null;
    },
    tags: ["$initial"],
    priority: 3,
  },
  // Chat and settings show no long lists.
  {
    name: (id, modules) => (lists.test(id) && countPages(id, modules) > 1 ? "lists" : null),
    tags: ["$initial"],
    priority: 2,
  },
  {
    name: (id, modules) => (zod.test(id) || isOfEveryPage(id, modules) ? "schemas" : null),
    priority: 1,
  },
  {
    name: (id) => Object.entries(together).find(([, modules]) => modules.test(id))?.[0] ?? null,
    priority: 0,
  },
];

/**
 * The number of pages that load a module at first, counted up to two, without those for signing in. What a page imports when
 * asked does not count.
 * @param {string} id @param {Modules} modules
 */
function countPages(id, modules) {
  let pages = 0;
  for (const one of importersOf(id, modules)) {
    const module = modules.getModuleInfo(one);
    if (module?.isEntry && module.importedIds.some((imported) => shell.test(imported)) && ++pages === 2)
      break;
  }
  return pages;
}

/** Whether a module of the contract is imported by schemas, also through others. @param {string} id @param {Modules} modules */
function isNeededBySchemas(id, modules) {
  if (!contract.test(id)) return false;
  return [...importersOf(id, modules)].some((one) =>
    modules.getModuleInfo(one)?.importedIds.some((imported) => zod.test(imported)),
  );
}

/**
 * Whether a module has schemas of responses that every page receives, which `lib` parses.
 * @param {string} id @param {Modules} modules
 */
function isOfEveryPage(id, modules) {
  if (!contract.test(id) || !modules.getModuleInfo(id)?.importedIds.some((one) => zod.test(one)))
    return false;
  return [...importersOf(id, modules)].some((one) =>
    modules.getModuleInfo(one)?.dynamicImporters.some((requester) => lib.test(requester)),
  );
}

/** A module and everything that imports it, also through others. @param {string} id @param {Modules} modules */
function importersOf(id, modules) {
  const importers = new Set([id]);
  for (const one of importers)
    for (const next of modules.getModuleInfo(one)?.importers ?? []) importers.add(next);
  return importers;
}

/**
 * Bundles the scripts of the browser into few chunks: `shared` contains the initial code of at least two pages, `schemas` the
 * schemas of what every page receives, loaded with the first response; other schemas are loaded when a page asks for what they
 * parse. Without it, on a slow phone, the largest paint of memory, functions and runs moves from 1.9 s to 2.6 s, past the
 * budget of 2.5 s. The build fails if chunks import each other in a cycle, which some browsers cannot load,
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
