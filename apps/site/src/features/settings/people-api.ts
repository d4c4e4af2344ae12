import type { PersonaEdit } from "@metahuman/core/contract/answers";
import type { AccountEdit } from "@metahuman/core/contract/http";
import { path, type HttpClient, lazySchemas } from "../../lib/api/http-client.ts";

const answers = lazySchemas(() => import("@metahuman/core/contract/answers"));
const http = lazySchemas(() => import("@metahuman/core/contract/http"));

/** The endpoints of personas and accounts. Throws as `HttpClient` does. */
export class PeopleApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  persona() {
    return this.#http.request(http("PersonaAnswer"), "GET", "/api/persona");
  }

  editPersona(edit: PersonaEdit) {
    return this.#http.request(http("PersonaAnswer"), "PATCH", "/api/persona", { body: edit });
  }

  /** Lists all people: an installation has few. */
  list() {
    return this.#http.request(answers("AccountPage"), "GET", "/api/profiles", { query: { limit: 200 } });
  }

  add(username: string, password: string) {
    return this.#http.request(answers("AccountAnswer"), "POST", "/api/profiles", {
      body: { username, password },
    });
  }

  edit(username: string, edit: AccountEdit) {
    return this.#http.request(answers("AccountAnswer"), "PATCH", path`/api/profiles/${username}`, {
      body: edit,
    });
  }

  remove(username: string): Promise<unknown> {
    return this.#http.requestVoid("DELETE", path`/api/profiles/${username}`);
  }
}
