import { fileURLToPath } from "node:url";

const contract = /[\\/]core[\\/]src[\\/]contract[\\/][\w-]+\.ts$/;
const helper = fileURLToPath(new URL("../src/lib/api/lazy-schema.ts", import.meta.url));
/** A schema is named like its type. */
const pascalCase = /^[A-Z][A-Za-z]*[a-z][A-Za-z]*$/;

/** @typedef {import("vite").ESTree.Program} Program */
/** @typedef {{ name: string, start: number, end: number }} Schema a constant, and the place of its expression */

/**
 * Creates the schemas of the contract in the browser when they are first used: a page uses few of them, and creating all of
 * them takes a slow phone a third of a second. The expression of each top-level schema becomes the argument of `lazySchema`, which
 * also lets the bundler remove the schemas that no page names.
 * @returns {import("vite").Plugin}
 */
export function lazySchemas() {
  return {
    name: "metahuman:lazy-schemas",
    apply: "build",
    applyToEnvironment: (environment) => environment.config.consumer === "client",
    transform: {
      filter: { id: contract },
      handler(code) {
        const schemas = schemasOf(this.parse(code));
        return schemas.length === 0 ? null : { code: createLazily(code, schemas), map: null };
      },
    },
  };
}

/**
 * The top-level constants that are schemas: what `z` or another schema makes.
 * @param {Program} program @returns {Schema[]}
 */
export function schemasOf(program) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @type {Schema[]} */
  const schemas = [];
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") {
      for (const { local } of statement.specifiers)
        if (local.name === "z" || pascalCase.test(local.name)) names.add(local.name);
      continue;
    }
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration") continue;
    for (const { id, init } of declaration.declarations) {
      if (id.type !== "Identifier" || !init) continue;
      if (init.type !== "ArrowFunctionExpression" && names.has(rootOf(init) ?? ""))
        schemas.push({ name: id.name, start: init.start, end: init.end });
      if (pascalCase.test(id.name)) names.add(id.name);
    }
  }
  return schemas;
}

/**
 * The name that a chain of calls and members begins with.
 * @param {import("vite").ESTree.Expression} expression @returns {string | undefined}
 */
function rootOf(expression) {
  switch (expression.type) {
    case "Identifier":
      return expression.name;
    case "CallExpression":
      return rootOf(expression.callee);
    case "MemberExpression":
      return rootOf(expression.object);
    default:
      return undefined;
  }
}

/** @param {string} code @param {readonly Schema[]} schemas @returns {string} */
export function createLazily(code, schemas) {
  let result = `import { lazySchema as $lazySchema } from ${JSON.stringify(helper)};\n`;
  let copied = 0;
  for (const { start, end } of schemas) {
    result += `${code.slice(copied, start)}/* @__PURE__ */ $lazySchema(() => ${code.slice(start, end)})`;
    copied = end;
  }
  return result + code.slice(copied);
}
