import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** The code that may use schemas in the browser. */
const sources = ["packages/core/src/contract/**/*.ts", "apps/site/src/{features,lib}/**/*.{ts,svelte}"];
const wrapper = fileURLToPath(new URL("../src/lib/api/zod.ts", import.meta.url));
const schemas = /[\\/]zod[\\/]v4[\\/]classic[\\/]schemas\.js$/;
const jsonSchema = /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/;
const messages = /[\\/]zod[\\/]v4[\\/]locales[\\/]en\.js$/;

/** Without compiled validators, JSON Schema, and the memoizer that the wrapper replaces. */
const REPLACED = /** @type {const} */ ([
  [/core\.\$ZodObjectJIT\.init\(/, "core.$ZodObject.init("],
  [/^ +inst\._zod\.processJSONSchema = .*;$/gm, ""],
  [
    /core\.config\(\{ memoizer: core\.memoizer\(\) \}\)/,
    'throw new Error("The page configures the memoizer.")',
  ],
]);

/** @typedef {import("vite").ESTree.Program} Program */
/** @typedef {import("vite").ESTree.ObjectProperty} ObjectProperty */
/** @typedef {{ start: number, end: number }} Range of characters of a source */

/**
 * Makes zod smaller in the browser. It resolves to a module that turns off compiled validators before any schema is created;
 * otherwise zod tests whether `new Function` is allowed, and the content security policy reports the attempt on every page. These
 * parts are left out, each of which every schema refers to:
 * - the generation of JSON Schema, which only the server uses,
 * - its English messages, which the page never shows,
 * - compiled validators, and the memoizer that the module replaces,
 * - methods of schemas that no source names, with the formats of texts that only they use.
 * @returns {import("vite").Plugin}
 */
export function zodForBrowser() {
  return {
    name: "metahuman:zod-for-browser",
    enforce: "pre",
    applyToEnvironment: (environment) => environment.config.consumer === "client",
    resolveId: {
      filter: { id: /^zod$/ },
      handler: (_id, importer) => (importer === wrapper ? undefined : wrapper),
    },
    load: {
      filter: { id: [jsonSchema, messages, schemas] },
      async handler(id) {
        if (messages.test(id)) return 'export default () => ({ localeError: () => "Invalid value" });';
        const code = await readFile(id, "utf8");
        if (jsonSchema.test(id)) return failingExports(code);
        const files = globSync(sources, { cwd: root, exclude: ["**/*.test.ts"] });
        const names = namesIn(await Promise.all(files.map((file) => readFile(`${root}/${file}`, "utf8"))));
        const unused = unusedMethods(code, this.parse(code), names);
        if (unused.length === 0 || !REPLACED.every(([part]) => code.search(part) >= 0))
          this.error(`${id} does not have the expected form.`);
        return REPLACED.reduce((rest, [part, by]) => rest.replace(part, by), without(code, unused));
      },
    },
  };
}

/** A module whose exports have the same names as those of `code`, and throw when they are called. @param {string} code */
function failingExports(code) {
  const names = code.matchAll(/^export (?:const|function) (\w+)/gmu);
  const fail = 'const fail = () => { throw new Error("Only the server generates JSON Schema."); };';
  return [fail, ...Array.from(names, ([, name]) => `export const ${name} = fail;`)].join("\n");
}

/** The names of all members that these sources read, except those of zod itself. @param {readonly string[]} codes @returns {Set<string>} */
export function namesIn(codes) {
  return new Set(
    codes.flatMap((code) => Array.from(code.matchAll(/(?<!\bz)\.(\w+)/g), ([, name = ""]) => name)),
  );
}

/**
 * The methods that zod's `$constructor` installs on schemas and that neither `names` nor zod's own code of schemas contains, as
 * the ranges of their properties with the comma that follows.
 * @param {string} code @param {Program} program @param {ReadonlySet<string>} names @returns {Range[]}
 */
export function unusedMethods(code, program, names) {
  const own = new Set(Array.from(code.matchAll(/\b(?:this|inst|schema)\??\.(\w+)/g), ([, name]) => name));
  return methodsOf(program)
    .filter(({ key }) => key.type === "Identifier" && !names.has(key.name) && !own.has(key.name))
    .map(({ start, end }) => ({ start, end: code[end] === "," ? end + 1 : end }));
}

/** The methods in the last argument of each top-level `$constructor(…)`. @param {Program} program @returns {ObjectProperty[]} */
function methodsOf(program) {
  return program.body.flatMap((statement) => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : undefined;
    if (declaration?.type !== "VariableDeclaration") return [];
    return declaration.declarations.flatMap(({ init }) => {
      if (init?.type !== "CallExpression" || init.arguments.length < 3) return [];
      const last = init.arguments.at(-1);
      // `derived(getters, methods)` of zod joins two objects.
      const table = last?.type === "CallExpression" ? last.arguments.at(-1) : last;
      if (table?.type !== "ObjectExpression") return [];
      return table.properties
        .filter((property) => property.type === "Property")
        .filter(({ kind, value }) => kind === "init" && value.type === "FunctionExpression");
    });
  });
}

/** @param {string} code @param {readonly Range[]} ranges in the order of the code @returns {string} */
export function without(code, ranges) {
  let result = "";
  let copied = 0;
  for (const { start, end } of ranges) {
    result += code.slice(copied, start);
    copied = end;
  }
  return result + code.slice(copied);
}
