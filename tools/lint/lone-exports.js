/** Exported because somebody outside of the repository asks for it by name. */
const ASKED_FOR = new Set(["onRequest"]);

/**
 * The values that a file exports and no other file names: what only its own file uses is nobody else's to find. A
 * schema goes with the type of its name, which may be a part of something exported.
 *
 * @param {ReadonlyMap<string, string>} files the text of each, by its path
 * @returns {string[]} as `path: name`
 */
export function loneExports(files) {
  /** @type {Map<string, number>} */
  const naming = new Map();
  for (const text of files.values()) {
    for (const word of new Set(text.match(/[\w$]+/g))) naming.set(word, (naming.get(word) ?? 0) + 1);
  }
  return [...files].flatMap(([path, text]) => {
    const types = new Set(Array.from(text.matchAll(/^export type (\w+) =/gm), ([, name]) => name));
    return Array.from(
      text.matchAll(/^export (?:async )?(?:const|class|function\*?) ([\w$]+)/gm),
      ([, name = ""]) => name,
    )
      .filter((name) => naming.get(name) === 1 && !types.has(name) && !ASKED_FOR.has(name))
      .map((name) => `${path}: ${name}`);
  });
}
