/** Sets the address in the location bar: as a new history entry, or with `replace` in place of the current one. */
export function showAddress(address: string, { replace = false } = {}): void {
  if (address === location.pathname + location.search) return;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
}

/** The address of a page with the parameters that are set. */
export function addressWith(page: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? page : `${page}?${new URLSearchParams(given)}`;
}
