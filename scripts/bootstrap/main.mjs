import { root } from "./paths.mjs";

/** An error that a person can correct; only its message is shown, without a stack trace. */
export class Failure extends Error {
  /** @override */
  name = "Failure";
}

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
