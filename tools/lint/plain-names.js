import { basename, relative } from "node:path";

/**
 * Words of an earlier private vocabulary, and the term of the field that replaces each. A name is checked word by word:
 * `runShelf` and `run-shelf.ts` both contain `shelf`.
 */
const REPLACED = new Map([
  ["aftermath", "post-run"],
  ["agreement", "sync"],
  ["befores", "preceding words"],
  ["beside", "next to, sibling, or what the value holds"],
  ["burn", "verify, use up"],
  ["carrier", "scheduler"],
  ["courtesy", "filler"],
  ["deed", "action, verb"],
  ["deeds", "actions, verbs"],
  ["doomed", "deletable"],
  ["door", "a public route, auth"],
  ["doorway", "a public route, auth"],
  ["fleeting", "ephemeral"],
  ["gathered", "loaded"],
  ["grave", "abandoned"],
  ["heard", "received"],
  ["hears", "receives"],
  ["insist", "override"],
  ["kin", "related"],
  ["lead", "prefix, beginning"],
  ["leads", "starts, or what the value holds"],
  ["leaning", "dependent"],
  ["leans", "depends, refers back"],
  ["lesson", "learned function"],
  ["linger", "drain"],
  ["means", "dependencies"],
  ["misfit", "mismatch"],
  ["news", "update"],
  ["overruled", "overridden"],
  ["pointed", "referenced"],
  ["recipeful", "recipe content"],
  ["regret", "retraction"],
  ["regrets", "retractions"],
  ["regretted", "retracted"],
  ["responder", "answer writer"],
  ["rested", "idle"],
  ["resting", "idle"],
  ["room", "page"],
  ["rooms", "pages"],
  ["rootless", "without its root"],
  ["said", "text, answer, message"],
  ["salvage", "the valid fields"],
  ["shadow", "scratch environment"],
  ["shelf", "storage"],
  ["sneaky", "unauthorized"],
  ["sought", "searched"],
  ["spare", "skip, avoid"],
  ["spared", "skipped"],
  ["spares", "skips, leaves unchanged"],
  ["spoken", "dictated, text"],
  ["standing", "current, applied"],
  ["steering", "transitions"],
  ["surprise", "deviation"],
  ["surroundings", "environment"],
  ["tame", "harden"],
  ["telling", "specific, reporting"],
  ["thinkers", "thinking models"],
  ["tidy", "clean up"],
  ["told", "reported, notified"],
  ["twin", "duplicate"],
  ["twins", "duplicates"],
  ["untold", "cannot answer, unknown"],
  ["wake", "create, notify"],
  ["weakest", "eviction candidates"],
]);

/** How the name of a constant may not begin, and the beginning that every constant of that meaning has. */
const CONSTANTS = new Map([
  ["GREATEST", "MAX"],
  ["LARGEST", "MAX"],
  ["LEAST", "MIN"],
  ["LONGEST", "MAX"],
  ["LOWEST", "MIN"],
  ["MOST", "MAX"],
  ["SHORTEST", "MIN"],
  ["SMALLEST", "MIN"],
  ["USUAL", "DEFAULT"],
]);

/** Declared identifiers and file names use the terms of the field. @type {import("eslint").Rule.RuleModule} */
export const plainNames = {
  meta: {
    type: "suggestion",
    docs: { description: "Declared identifiers and file names use the terms of the field." },
    schema: [],
    messages: { replaced: "{{name}}: say “{{term}}” instead of “{{word}}”." },
  },
  create(context) {
    /**
     * @param {import("eslint").Rule.Node | import("eslint").AST.Program} node
     * @param {string} name
     */
    function check(node, name) {
      const [, first = ""] = /^([A-Z]+)_[A-Z_]+$/u.exec(name) ?? [];
      const begin = CONSTANTS.get(first);
      if (begin !== undefined)
        context.report({ node, messageId: "replaced", data: { name, term: begin, word: first } });
      for (const word of nameParts(name)) {
        const term = REPLACED.get(word);
        if (term !== undefined) context.report({ node, messageId: "replaced", data: { name, term, word } });
      }
    }

    /** @param {import("eslint").Rule.Node} node */
    const checkIdentifier = (node) => {
      if (node.type === "Identifier") check(node, node.name);
    };

    return {
      Program: (node) => check(node, basename(relative(context.cwd, context.filename)).replace(/\..*$/u, "")),
      "VariableDeclarator > Identifier.id": checkIdentifier,
      "FunctionDeclaration > Identifier.id": checkIdentifier,
      ":function > Identifier.params": checkIdentifier,
      "ClassDeclaration > Identifier.id": checkIdentifier,
      "TSInterfaceDeclaration > Identifier.id": checkIdentifier,
      "TSTypeAliasDeclaration > Identifier.id": checkIdentifier,
    };
  },
};

/**
 * `openRunShelf`, `run_shelf` and `run-shelf` all give run and shelf.
 * @param {string} name
 */
function nameParts(name) {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/gu, " ")
    .toLowerCase()
    .split(/[^a-z0-9]+/u);
}
