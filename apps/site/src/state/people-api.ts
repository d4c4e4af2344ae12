import { AccountAnswer, AccountPage, type PersonaEdit } from "@metahuman/core/contract/answers";
import { PersonaAnswer, type AccountEdit } from "@metahuman/core/contract/http";
import { z } from "zod";
import { path, type HttpClient } from "./http-client.ts";

/** Who there is: the persona that answers, and the people who have an account. Throws as `HttpClient` does. */
export class PeopleApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  persona() {
    return this.#http.ask(PersonaAnswer, "GET", "/api/persona");
  }

  editPersona(edit: PersonaEdit) {
    return this.#http.ask(PersonaAnswer, "PATCH", "/api/persona", { body: edit });
  }

  /** Everybody: deployments are households, not companies. */
  list() {
    return this.#http.ask(AccountPage, "GET", "/api/profiles", { query: { limit: 200 } });
  }

  add(username: string, password: string) {
    return this.#http.ask(AccountAnswer, "POST", "/api/profiles", { body: { username, password } });
  }

  edit(username: string, edit: AccountEdit) {
    return this.#http.ask(AccountAnswer, "PATCH", path`/api/profiles/${username}`, { body: edit });
  }

  remove(username: string): Promise<unknown> {
    return this.#http.ask(z.unknown(), "DELETE", path`/api/profiles/${username}`);
  }
}
