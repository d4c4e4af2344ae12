import { Api } from "../shell/api.ts";
import { HttpClient } from "../../lib/api/http-client.ts";

/** The server as somebody who is not signed in reaches it. */
export function createAuthApi(): Api {
  return new Api(
    new HttpClient({ fetch: (input, init) => fetch(input, init), signInAgain: () => Promise.resolve() }),
  );
}
