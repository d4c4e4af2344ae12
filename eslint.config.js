import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import astro from "eslint-plugin-astro";
import { createNodeResolver, importX } from "eslint-plugin-import-x";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import tseslint from "typescript-eslint";
import { describedDirectives } from "./tools/eslint/described-directives.js";
import { importDirection } from "./tools/eslint/import-direction.js";

const ours = { rules: { "described-directives": describedDirectives, "import-direction": importDirection } };
const typed = ["**/*.ts", "**/*.svelte", "scripts/**/*.mjs", "tools/**/*.js"];

export default defineConfig(
  globalIgnores(["**/dist/", "**/.astro/", "**/.cache/", "artifacts/", "profiles/", "tests/fixtures/"]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,

  {
    files: typed,
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: [".svelte"],
      },
    },
    rules: {
      "@typescript-eslint/consistent-type-assertions": [
        "error",
        { assertionStyle: "as", objectLiteralTypeAssertions: "never" },
      ],
      "@typescript-eslint/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
      "@typescript-eslint/no-unsafe-type-assertion": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // There are no enums (`erasableSyntaxOnly`), and this rule takes seconds to find none.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      // A port promises an answer later, whether or not today's implementation has to wait for anything.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // A switch lists every member, or closes with `default: return x satisfies never`, or says what the rest means.
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      // An abort signal's reason may be anything, and is passed on as it is.
      "@typescript-eslint/only-throw-error": [
        "error",
        { allowThrowingAny: true, allowThrowingUnknown: true },
      ],
      "@typescript-eslint/prefer-promise-reject-errors": [
        "error",
        { allowThrowingAny: true, allowThrowingUnknown: true },
      ],
      // Spreading a string splits it at code points, which is what we mean by it.
      "@typescript-eslint/no-misused-spread": ["error", { allow: ["string"] }],
      // Our ports and stores are closures, not classes: their methods know no `this`.
      "@typescript-eslint/unbound-method": "off",
      // A callback may return nothing now or nothing later: `void | Promise<void>`.
      "@typescript-eslint/no-invalid-void-type": "off",
      // Whether a call that returns nothing is a statement of its own is the author's to say.
      "@typescript-eslint/no-confusing-void-expression": "off",
    },
  },
  // After the rules for TypeScript, whose parser would otherwise be given whole components.
  svelte.configs["flat/recommended"],
  astro.configs["flat/recommended"],
  {
    files: ["**/*.svelte", "**/*.svelte.ts", "**/*.astro"],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    // Not everything that page state keeps is drawn.
    rules: { "svelte/prefer-svelte-reactivity": "off" },
  },
  {
    files: ["**/*.svelte"],
    rules: {
      // Components are `any` to TypeScript alone; svelte-check knows their types.
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      // `void value` is how an effect names what it depends on.
      "@typescript-eslint/no-meaningless-void-operator": "off",
    },
  },

  {
    files: ["**/*.test.ts", "tests/**/*.ts"],
    // `expect.any(String)` and its like are `any`, and stand wherever a value would.
    rules: { "@typescript-eslint/no-unsafe-assignment": "off" },
  },

  {
    plugins: { ours, "import-x": importX },
    settings: {
      "import-x/resolver-next": [createNodeResolver({ extensions: [".ts", ".js", ".mjs", ".svelte"] })],
      "import-x/parsers": { "@typescript-eslint/parser": [".ts"] },
    },
    rules: {
      "import-x/no-cycle": ["error", { ignoreExternal: true }],
      "ours/described-directives": "error",
      "ours/import-direction": "error",
      eqeqeq: "error",
      "max-lines": ["error", { max: 300 }],
      "no-console": "error",
      "no-empty": ["error", { allowEmptyCatch: false }],
      "no-restricted-syntax": [
        "error",
        {
          selector: "TSAsExpression > TSAsExpression[typeAnnotation.type='TSUnknownKeyword']",
          message: "Parse the value with its schema; a detour over unknown hides what it is.",
        },
      ],
    },
  },

  {
    files: ["packages/**", "brain/**", "tests/**", "*.{js,mjs,ts}"],
    languageOptions: { globals: globals.node },
  },
  { files: ["scripts/**", "bin/**", "tools/**"], languageOptions: { globals: globals.node } },
  { files: ["apps/site/**"], languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  // They run before any newer Node is installed: Node 18 must be able to read them.
  { files: ["scripts/**/*.mjs", "bin/**"], languageOptions: { ecmaVersion: 2022 } },
  {
    files: ["packages/cli/**", "scripts/**", "tests/bench/**", "tests/soak/**"],
    rules: { "no-console": "off" },
  },
);
