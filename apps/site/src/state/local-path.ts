/** The page of this site that an address asks for; "/" for everything that would lead elsewhere. */
export function localPath(to: string | null): string {
  const here = "https://here.invalid";
  const url = to?.startsWith("/") === true ? URL.parse(to, here) : null;
  return url?.origin === here ? url.pathname + url.search + url.hash : "/";
}
