const marked = /[\\/]node_modules[\\/]marked[\\/]lib[\\/]marked\.esm\.js$/;

/** @typedef {import("vite").ESTree.Program} Program */

/**
 * Reduces marked to its lexer in the browser: the page renders the tokens itself, and the bundler cannot remove the renderer,
 * because a function with properties and an instance of its class are created when the module is loaded.
 * @returns {import("vite").Plugin}
 */
export function markdownLexer() {
  return {
    name: "metahuman:markdown-lexer",
    apply: "build",
    applyToEnvironment: (environment) => environment.config.consumer === "client",
    transform: {
      filter: { id: marked },
      handler(code) {
        return {
          code: lexerOf(code, this.parse(code)) ?? this.error("marked does not export a lexer."),
          map: null,
        };
      },
    },
  };
}

/**
 * The code of marked up to its lexer, which is its only export; `undefined` if there is none.
 * @param {string} code @param {Program} program @returns {string | undefined}
 */
export function lexerOf(code, program) {
  const name = program.body
    .flatMap((statement) => (statement.type === "ExportNamedDeclaration" ? statement.specifiers : []))
    .flatMap(({ local, exported }) =>
      exported.type === "Identifier" && exported.name === "Lexer" && local.type === "Identifier"
        ? local.name
        : [],
    )[0];
  const lexer = program.body.find(
    (statement) =>
      statement.type === "VariableDeclaration" &&
      statement.declarations.some(({ id }) => id.type === "Identifier" && id.name === name),
  );
  return name === undefined || !lexer
    ? undefined
    : `${code.slice(0, lexer.end)}\nexport { ${name} as Lexer };\n`;
}
