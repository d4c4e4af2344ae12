import { isBuiltin } from "node:module";
import { posix, relative } from "node:path";
import { isTestFile, layerOf, packageFolders } from "./layers.js";

/** Holds every import to the table in layers.js. @type {import("eslint").Rule.RuleModule} */
export const importDirection = {
  meta: {
    type: "problem",
    docs: { description: "An import points from a layer to what stands left of it." },
    schema: [],
    messages: {
      direction: "{{from}} may not import {{to}} ({{source}}).",
      library: "{{from}} may import no library but {{allowed}} ({{source}}).",
      node: "{{from}} may not import Node's own modules ({{source}}): what it needs arrives as a port.",
      outside: "{{from}} may not import {{source}}: only tests reach into tests, scripts and tools.",
    },
  },
  create(context) {
    const file = relative(context.cwd, context.filename).replaceAll("\\", "/");
    const layer = layerOf(file);
    if (!layer) return {};
    const isTest = isTestFile(file);

    /**
     * @param {import("eslint").Rule.Node} node
     * @param {unknown} source
     */
    function check(node, source) {
      if (typeof source !== "string" || !layer) return;
      const report = (/** @type {string} */ messageId, /** @type {Record<string, string>} */ data = {}) =>
        context.report({ node, messageId, data: { from: layer.name, source, ...data } });

      const target = targetOf(file, source);
      if (target !== undefined) {
        const to = layerOf(target);
        if (!to && !isTest) report("outside");
        if (to && to.name !== layer.name && !layer.imports.includes(to.name))
          report("direction", { to: to.name });
      } else if (isTest) {
        // A test may use what it needs to set its scene.
      } else if (isBuiltin(source)) {
        if (layer.withoutNode) report("node");
      } else if (layer.libraries && !layer.libraries.includes(source)) {
        report("library", { allowed: layer.libraries.join(", ") });
      }
    }

    return {
      ImportDeclaration: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => node.source && check(node, node.source.value),
      ExportAllDeclaration: (node) => check(node, node.source.value),
      ImportExpression: (node) => check(node, node.source.type === "Literal" && node.source.value),
      // `import("…")` in a type.
      "TSImportType > Literal.source": (/** @type {import("eslint").Rule.Node} */ node) =>
        check(node, node.type === "Literal" && node.value),
    };
  },
};

/**
 * The path, relative to the repository, of one of our own modules; nothing for libraries.
 * @param {string} file the importing one
 * @param {string} source
 */
function targetOf(file, source) {
  if (source.startsWith(".")) return posix.join(posix.dirname(file), source);
  const [scope, name = "", ...rest] = source.split("/");
  const folder = scope === "@metahuman" ? new Map(Object.entries(packageFolders)).get(name) : undefined;
  return folder && posix.join(folder, ...rest, "");
}
