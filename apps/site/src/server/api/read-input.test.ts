import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toProblem } from "../http/problem.ts";
import { createInputReader } from "./read-input.ts";

const readInput = createInputReader({
  params: z.object({ id: z.string().regex(/^run-/) }),
  query: z.object({ limit: z.coerce.number().int().max(10).default(5) }),
  body: z.strictObject({ name: z.string().min(2), depth: z.int().optional() }),
});

async function read(
  body: BodyInit | undefined,
  { id = "run-1", query = "", type = "application/json" } = {},
) {
  const url = new URL(`http://localhost/api/things/${id}${query}`);
  const request = new Request(url, {
    method: "POST",
    headers: { "content-type": type },
    ...(body !== undefined && { body }),
  });
  try {
    return await readInput({ request, params: { id }, url });
  } catch (error) {
    return toProblem(error);
  }
}

describe("the input of a request", () => {
  it("is parsed, with defaults filled in", async () => {
    expect(await read('{"name": "ab"}')).toEqual({
      params: { id: "run-1" },
      query: { limit: 5 },
      body: { name: "ab" },
    });
  });

  it.each([
    ["no JSON", "{name}", 400],
    ["half a JSON", '{"name": "a', 400],
    ["bytes that are no text", new Uint8Array([0x22, 0xff, 0x22]), 400],
    ["nothing", undefined, 400],
    ["a missing field", "{}", 400],
    ["a wrong type", '{"name": 7}', 400],
    ["a field nobody knows", '{"name": "ab", "role": "owner"}', 400],
    ["a list instead of an object", "[]", 400],
    ["null", "null", 400],
    ["a value that is too short", '{"name": "a"}', 422],
    ["a wrong type beside a value that is too short", '{"name": "a", "depth": "deep"}', 400],
    ["a field that would change what every object is", '{"__proto__": {"name": "ab"}}', 400],
  ])("is refused if it is %s", async (_what, body, status) => {
    expect(await read(body)).toMatchObject({
      status,
      body: { error: { code: status === 422 ? "INVALID_ARGS" : "INVALID_REQUEST" } },
    });
  });

  it("is refused with at most twenty problems and a count of the rest", async () => {
    const keys = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key${n}`, n]));
    const unknown = await read(JSON.stringify({ name: "ab", ...keys }));
    expect(JSON.stringify(unknown)).toMatch(/“key19” and 30 more here/);
    expect(JSON.stringify(unknown)).not.toContain("key20");
    const query = `?${Array.from({ length: 50 }, (_, n) => `p${n}=1`).join("&")}`;
    expect(await read('{"name": "ab"}', { query })).toMatchObject({
      body: {
        error: {
          details: { issues: { length: 20 }, more: 30 },
          message: expect.stringMatching(/; and 30 more\.$/) as unknown,
        },
      },
    });
    const readList = createInputReader({ body: z.array(z.number()) });
    const request = new Request("http://localhost/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(Array.from({ length: 25 }, () => "x")),
    });
    const refused: unknown = await readList({ request, params: {}, url: new URL(request.url) }).catch(
      toProblem,
    );
    expect(refused).toMatchObject({ body: { error: { details: { issues: { length: 20 }, more: 5 } } } });
  });

  it.each([
    ["holds more values than anybody needs", `{"name": "ab"${',"depth":1'.repeat(250_000)}}`],
    ["is a list of a million", `[${"1,".repeat(1_000_000)}1]`],
    ["is nested without end", "[".repeat(1_000_000)],
    ["is an object in an object without end", `{"a":`.repeat(100_000)],
  ])("is refused before it is parsed if it %s", async (_what, body) => {
    expect(await read(body)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/^A body may /) as unknown } },
    });
  });

  it("may contain any number of commas and brackets in strings", async () => {
    const name = `${"[{,\\".repeat(100_000)}"\\"`;
    expect(await read(JSON.stringify({ name }))).toMatchObject({ body: { name } });
  });

  it("is refused for an unknown parameter, with the names of the known ones", async () => {
    expect(await read('{"name": "ab"}', { query: "?limt=3&x=1" })).toMatchObject({
      status: 400,
      body: {
        error: {
          code: "INVALID_REQUEST",
          message:
            "The request is not valid: there is no parameter “limt” here; did you mean limit?; there is no parameter “x” here.",
          suggestions: ["The parameters are limit."],
          details: { issues: [{ path: "query.limt" }, { path: "query.x" }] },
        },
      },
    });
    const url = new URL("http://localhost/api/health?deep=1");
    const taken = createInputReader({})({ request: new Request(url), params: {}, url });
    await expect(taken).rejects.toMatchObject({ suggestions: ["This takes no parameters."] });
  });

  it("is refused if it is not declared as JSON, whatever its content", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""]) {
      expect(await read('{"name": "ab"}', { type })).toMatchObject({ status: 415 });
    }
    expect(await read('{"name": "ab"}', { type: "Application/JSON; charset=utf-8" })).toHaveProperty(
      "body.name",
      "ab",
    );
  });

  it("names the invalid fields", async () => {
    expect(await read('{"name": "a"}')).toMatchObject({
      body: { error: { details: { issues: [{ path: "body.name" }] } } },
    });
  });

  it("is validated against the closest shape of several", async () => {
    const readEither = createInputReader({
      body: z.union([z.strictObject({ name: z.string() }), z.array(z.string()).max(2)]),
    });
    const url = new URL("http://localhost/");
    const refusal = (body: unknown) => {
      const headers = { "content-type": "application/json" };
      const request = new Request(url, { method: "POST", headers, body: JSON.stringify(body) });
      return readEither({ request, params: {}, url }).catch(toProblem);
    };
    expect(await refusal(["a", "b", "c"])).toMatchObject({ status: 422 });
    expect(await refusal({ nom: "a" })).toMatchObject({ status: 400 });
    expect(await refusal(["a", 7])).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path: "body.1" }] } } },
    });
  });

  it("returns 404 for an invalid id", async () => {
    expect(await read('{"name": "ab"}', { id: "../x" })).toMatchObject({ status: 404 });
  });

  it("is refused for an invalid query", async () => {
    expect(await read('{"name": "ab"}', { query: "?limit=many" })).toMatchObject({ status: 400 });
    expect(await read('{"name": "ab"}', { query: "?limit=99" })).toMatchObject({ status: 422 });
  });
});
