import { readEvents, type SentEvent } from "./event-reader.ts";

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON, or the text of anything else. */
  body: unknown;
}

/** Sends requests as the page does, with its cookie and origin. */
export class Client {
  readonly url: string;
  #cookie: string | undefined;
  #bearer: string | undefined;

  constructor(url: string, { bearer }: { bearer?: string } = {}) {
    this.url = url;
    this.#bearer = bearer;
  }

  /** Returns a client with the same session at another address of the same data. */
  at(url: string): Client {
    const client = new Client(url, this.#bearer === undefined ? {} : { bearer: this.#bearer });
    client.#cookie = this.#cookie;
    return client;
  }

  /** The credentials of this client as headers. */
  get credentials(): Record<string, string> {
    if (this.#bearer !== undefined) return { authorization: `Bearer ${this.#bearer}` };
    return this.#cookie === undefined ? {} : { cookie: this.#cookie };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send("GET", path, undefined, headers);
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send("POST", path, body, headers);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await this.raw(method, path, body, headers);
    const text = await response.text();
    const isJson = text !== "" && response.headers.get("content-type")?.includes("application/json") === true;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  async raw(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const origin = this.#bearer === undefined ? { origin: this.url } : {};
    const response = await fetch(this.url + path, {
      method,
      redirect: "manual",
      headers: {
        ...origin,
        ...this.credentials,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      this.#cookie = pair.endsWith("=") ? undefined : pair;
    }
    return response;
  }

  /** Sends a file: a zip, if no other media type is given. */
  async upload(path: string, file: Blob, mediaType = "application/zip"): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method: "POST",
      headers: { origin: this.url, ...this.credentials, "content-type": mediaType },
      body: file,
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  signIn(credentials: { username: string; password: string }): Promise<Answer> {
    return this.post("/api/auth/login", credentials);
  }

  /** Yields the events of a stream until it ends or `signal` aborts. Throws for any other response. */
  async *events(
    path: string,
    { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): AsyncGenerator<SentEvent> {
    const response = await this.raw(
      "GET",
      path,
      undefined,
      { accept: "text/event-stream", ...headers },
      signal,
    );
    yield* readEvents(response);
  }
}
