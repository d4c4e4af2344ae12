/**
 * What the system calls an error, like ENOENT; empty where it is not the system that speaks.
 * @param {unknown} error
 */
export function codeOf(error) {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
