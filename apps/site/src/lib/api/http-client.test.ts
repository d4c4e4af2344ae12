import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApiProblem, ServerUnreachable, UnexpectedResponse } from "./api-problem.ts";
import { HttpClient, path } from "./http-client.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../testing/scripted-server.ts";

const Name = async () => z.strictObject({ name: z.string() });

let server: ScriptedServer;
let signIns: number;
let http: HttpClient;

beforeEach(async () => {
  server = await startScriptedServer();
  signIns = 0;
  http = new HttpClient({
    fetch: server.fetch,
    signInAgain: async () => {
      signIns += 1;
    },
  });
});

afterEach(() => server.close());

describe("HttpClient", () => {
  it("sends JSON and query parameters, and parses the response", async () => {
    server.on("POST /api/names", () => ({ name: "Ada" }));
    const query = { limit: 3, cursor: undefined };
    expect(await http.request(Name, "POST", "/api/names", { body: { a: 1 }, query })).toEqual({
      name: "Ada",
    });
    expect(server.asked[0]).toMatchObject({ body: { a: 1 } });
    expect(server.asked[0]?.query.toString()).toBe("limit=3");
  });

  it("converts a refusal to a problem with its code and suggestions", async () => {
    server.on("GET /api/names", (_, response) => problem(response, 409, "STALE_VERSION", "It was changed."));
    const failure = await http.request(Name, "GET", "/api/names").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiProblem);
    expect(failure).toMatchObject({ status: 409, code: "STALE_VERSION", message: "It was changed." });
  });

  it("distinguishes no response from an invalid one", async () => {
    server.on("GET /api/html", (_, response) => void response.end("<h1>hello</h1>"));
    server.on("GET /api/other", () => ({ nom: "Ada" }));
    server.on("GET /api/cut", (_, response) => void response.destroy());
    await expect(http.request(Name, "GET", "/api/html")).rejects.toBeInstanceOf(UnexpectedResponse);
    await expect(http.request(Name, "GET", "/api/other")).rejects.toBeInstanceOf(UnexpectedResponse);
    await expect(http.request(Name, "GET", "/api/cut")).rejects.toBeInstanceOf(ServerUnreachable);
  });

  it("asks the person to sign in again when the session has ended, and repeats the request", async () => {
    let signedOut = true;
    server.on("POST /api/names", (_, response) => {
      if (!signedOut) return { name: "Ada" };
      signedOut = false;
      return problem(response, 401, "SESSION_EXPIRED", "Your session has ended.");
    });
    expect(await http.request(Name, "POST", "/api/names", { body: { a: 1 } })).toEqual({ name: "Ada" });
    expect(signIns).toBe(1);
    expect(server.asked.map(({ body }) => body)).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it("leaves a wrong password to the form", async () => {
    server.on("POST /api/p", (_, response) => problem(response, 401, "WRONG_CREDENTIALS", "Not this one."));
    await expect(http.request(Name, "POST", "/api/p")).rejects.toMatchObject({ code: "WRONG_CREDENTIALS" });
    expect(signIns).toBe(0);
  });

  it("passes abort errors through", async () => {
    server.on("GET /api/slow", () => undefined);
    const asking = new AbortController();
    const asked = http.request(Name, "GET", "/api/slow", { signal: asking.signal });
    asking.abort();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
  });
});

it("URL-encodes the values of a path", () => {
  expect(path`/api/runs/${"../../x?y"}/cancel`).toBe("/api/runs/..%2F..%2Fx%3Fy/cancel");
});
