/**
 * The code of a system error, such as ENOENT; empty for any other error.
 * @param {unknown} error
 */
export function codeOf(error) {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
