/** The content codings that a request takes (`Accept-Encoding: br, gzip;q=0.5`), by their names in small letters. */
export function acceptedCodings(header: string | null | undefined): ReadonlySet<string> {
  return new Set((header ?? "").split(",").flatMap(wanted));
}

/** The name of one accepted coding (`br;q=0.9`), unless it is refused (`br;q=0`). */
function wanted(coding: string): string[] {
  const [name = "", ...parameters] = coding
    .trim()
    .toLowerCase()
    .split(/\s*;\s*/);
  return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [name];
}
