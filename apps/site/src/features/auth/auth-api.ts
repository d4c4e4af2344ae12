import { Api } from "../shell/api.ts";
import { HttpClient } from "../../lib/api/http-client.ts";

/** The server as somebody who is not signed in reaches it. */
export function createAuthApi(): Api {
  return new Api(
    new HttpClient({ fetch: (input, init) => fetch(input, init), signInAgain: () => Promise.resolve() }),
  );
}

/**
 * The page of this site that an address asks for, and "/" for everything that leads elsewhere. A path that begins with
 * two slashes once it is normalized (`/./\host`) names another host to a browser.
 */
export function localPath(to: string | null, origin: string): string {
  const url = to?.startsWith("/") === true ? URL.parse(to, origin) : null;
  if (url?.origin !== origin || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search + url.hash;
}
