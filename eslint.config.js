import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import astro from "eslint-plugin-astro";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import tseslint from "typescript-eslint";
import ours from "./tools/lint/plugin.js";

// Components and pages, and state that Svelte watches. Everything else, and what a rule needs types for, is in
// `.oxlintrc.json`; the types of components are svelte-check's.
const files = ["apps/site/**/*.svelte", "apps/site/**/*.svelte.ts", "apps/site/**/*.astro"];

export default defineConfig(
  globalIgnores(["**/dist/", "**/.astro/", "**/.svelte-check/"]),
  // No rule is switched off in a component.
  { linterOptions: { noInlineConfig: true } },
  { files, extends: [js.configs.recommended, tseslint.configs.strict] },
  // After the rules for TypeScript, whose parser would otherwise be given whole components.
  svelte.configs["flat/recommended"],
  astro.configs["flat/recommended"],
  {
    files,
    plugins: { ours },
    languageOptions: {
      parserOptions: { parser: tseslint.parser },
      globals: { ...globals.browser, ...globals.node },
    },
    rules: {
      // Where no types are known, nothing is declared to be of one.
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "@typescript-eslint/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
      // A callback may return nothing now or nothing later: `void | Promise<void>`.
      "@typescript-eslint/no-invalid-void-type": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // Not everything that page state keeps is drawn.
      "svelte/prefer-svelte-reactivity": "off",
      "ours/import-direction": "error",
      "ours/plain-names": "error",
      eqeqeq: "error",
      "max-lines": ["error", { max: 450 }],
      "no-console": "error",
      "no-empty": ["error", { allowEmptyCatch: false }],
    },
  },
);
