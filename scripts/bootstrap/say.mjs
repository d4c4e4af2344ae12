/**
 * Progress for people; on stderr, because stdout belongs to the program that is being prepared.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * The end of a long output, where programs say what went wrong.
 * @param {string} output
 * @param {number} lines
 */
export function tail(output, lines) {
  return output.trimEnd().split("\n").slice(-lines).join("\n");
}
