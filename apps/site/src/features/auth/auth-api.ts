import { Api } from "../shell/api.ts";
import { HttpClient } from "../../lib/api/http-client.ts";

/** The endpoints for callers who are not signed in. */
export function createAuthApi(): Api {
  return new Api(
    new HttpClient({ fetch: (input, init) => fetch(input, init), signInAgain: () => Promise.resolve() }),
  );
}

/**
 * Returns the path of this site that an address names, and "/" for an address of another site. A path that begins with
 * two slashes after normalization (`/./\host`) names another host.
 */
export function localPath(to: string | null, origin: string): string {
  const url = to?.startsWith("/") === true ? URL.parse(to, origin) : null;
  if (url?.origin !== origin || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search + url.hash;
}
