import { Failure } from "./failure.mjs";
import { root } from "./paths.mjs";

/** The error codes of a folder that is not writable. */
const unwritable = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"];

/**
 * Runs a program's main function; its number becomes the exit code, a failure its sentence and 1.
 * @param {() => Promise<number>} run
 */
export async function main(run) {
  try {
    process.exitCode = await run();
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exitCode = 1;
  }
}

/** @param {unknown} error */
function sentenceOf(error) {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Failure) return error.message;
  const { code = "" } = /** @type {NodeJS.ErrnoException} */ (error);
  if (unwritable.includes(code))
    return `${error.message}\nPreparing MetaHuman OS needs to write into ${root}.`;
  return error.stack ?? error.message;
}
