/**
 * Prints progress to stderr, because stdout belongs to the program that is being prepared.
 * @param {string} line
 */
export function printProgress(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Returns the last lines of an output, which usually contain the error.
 * @param {string} output
 * @param {number} lines
 */
export function tail(output, lines) {
  return output.trimEnd().split("\n").slice(-lines).join("\n");
}
