import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { editJson } from "./edit-json.ts";
import { jsonUpdate } from "./skill.ts";

const harness = skillHarness();
const SETTINGS =
  '{\n    // where it listens\n    "server": { "port": 80, "hosts": ["a"] },\n    "on": true\n}\n';
const put = (text = SETTINGS) => writeFile(join(harness.folder("out"), "settings.json"), text);
const update = (args: Record<string, unknown>) =>
  harness.call(jsonUpdate, { path: "settings.json", ...args });

describe("json_update", () => {
  it("sets values by path and preserves order, comments and spacing", async () => {
    await put();
    const { assessment, outputs, narrative } = await update({
      set: { "server.port": 8080, "server.hosts.-": "b" },
    });
    expect(assessment).toMatchObject({
      risk: "medium",
      paths: ["out/settings.json"],
      grant: { pathPrefix: "out/settings.json" },
      preview: { title: "Change out/settings.json?", diff: { before: SETTINGS } },
    });
    expect(outputs).toMatchObject({
      path: "out/settings.json",
      changed: true,
      keys: ["server.port", "server.hosts.-"],
      archived: { origin: "out/settings.json" },
    });
    expect(narrative).toBe('Changed server.port to 8080 and added "b" to server.hosts in out/settings.json.');
    const text = await harness.read("out/settings.json");
    expect(text).toContain("    // where it listens\n");
    expect(text).toContain('"port": 8080');
    expect(text.indexOf('"server"')).toBeLessThan(text.indexOf('"on"'));
  });

  it.each([
    ["hosts -= A", { server: { port: 80, hosts: [] }, on: true }],
    ["hosts += b", { server: { port: 80, hosts: ["a", "b"] }, on: true }],
    ["remove port", { server: { hosts: ["a"] }, on: true }],
    ["the listening port to 81", { server: { port: 81, hosts: ["a"] }, on: true }],
  ])("takes “%s” in words", async (set, expected) => {
    await put('{"server": {"port": 80, "hosts": ["a"]}, "on": true}');
    await update({ set });
    expect(JSON.parse(await harness.read("out/settings.json"))).toEqual(expected);
  });

  it("rounds neither a new number nor a sum", async () => {
    const text = '{ "id": 9007199254740993 }';
    await put(text);
    await expect(update({ set: "id to 9007199254740995" })).rejects.toThrow("would be rounded");
    await expect(update({ set: "id += 2" })).rejects.toThrow("too many digits");
    expect(await harness.read("out/settings.json")).toBe(text);
  });

  it("merges by RFC 7396: merges objects, removes null, replaces lists", async () => {
    await put();
    const { outputs } = await update({
      merge: { server: { hosts: ["c"], port: null, tls: { on: true, key: null } } },
    });
    expect(outputs).toMatchObject({ keys: ["server.hosts", "server.port", "server.tls"] });
    expect(JSON.parse((await harness.read("out/settings.json")).replace(/\/\/.*/u, ""))).toEqual({
      server: { hosts: ["c"], tls: { on: true } },
      on: true,
    });
  });

  it("accepts spoken assignments", async () => {
    await put('{"port": 80}');
    await update({ set: "port to 8080" });
    await update({ set: "name = Ada's box" });
    expect(JSON.parse(await harness.read("out/settings.json"))).toEqual({ port: 8080, name: "Ada's box" });
  });

  it.each<[string, unknown]>([
    [
      "engine hours to 1240",
      { engine: { hours: 1240, maxRetries: 2, crewList: ["ann"] }, port: { hours: 1 } },
    ],
    ["max retries += 3", { engine: { hours: 1198, maxRetries: 5, crewList: ["ann"] }, port: { hours: 1 } }],
    [
      "maxRetries -= 0.5",
      { engine: { hours: 1198, maxRetries: 1.5, crewList: ["ann"] }, port: { hours: 1 } },
    ],
    [
      "crew list.- to bob",
      { engine: { hours: 1198, maxRetries: 2, crewList: ["ann", "bob"] }, port: { hours: 1 } },
    ],
    [
      "/port/hours += 0.2",
      { engine: { hours: 1198, maxRetries: 2, crewList: ["ann"] }, port: { hours: 1.2 } },
    ],
  ])("finds the one place that the words %j mean", async (set, expected) => {
    await put('{"engine": {"hours": 1198, "maxRetries": 2, "crewList": ["ann"]}, "port": {"hours": 1}}');
    await update({ set });
    expect(JSON.parse(await harness.read("out/settings.json"))).toEqual(expected);
  });

  it.each([
    ["hours to 5", /may be engine\.hours or port\.hours/u],
    ["wind speed to 5", /Nothing in this file is called “wind speed”/u],
    ["name += 2", /name is "Marta", not a number/u],
    ["retries += 2", /There is no retries/u],
    ["engine += much", /“much” is not a number/u],
    ["crew -= zoe", /crew does not have "zoe"/u],
    ["remove sails", /There is no sails/u],
  ])("changes nothing for %j", async (set, message) => {
    const before = '{"name": "Marta", "engine": {"hours": 1198}, "port": {"hours": 1}, "crew": ["ann"]}';
    await put(before);
    await expect(update({ set })).rejects.toThrow(message);
    expect(await harness.read("out/settings.json")).toBe(before);
  });

  it.each<[string, unknown]>([
    ['port to "abc" and host to b', { port: "abc", host: "b" }],
    ["port = 80, on to true and name as a and b", { port: 80, on: true, name: "a and b" }],
    ["port to [1, 2]", { port: [1, 2] }],
  ])("takes each value from %j", async (set, expected) => {
    await put("{}");
    await update({ set });
    expect(JSON.parse(await harness.read("out/settings.json"))).toEqual(expected);
  });

  it("adds each item that is named to a list", async () => {
    await put('{"crew": ["ann"]}');
    await update({ set: "crew.- = bob and cid" });
    expect(JSON.parse(await harness.read("out/settings.json"))).toEqual({ crew: ["ann", "bob", "cid"] });
  });

  it("writes no words in place of a number", async () => {
    await put('{"port": 80}');
    await expect(update({ set: "port to eighty" })).rejects.toThrow("is the number 80");
    await update({ set: 'port to "eighty"' });
    expect(JSON.parse(await harness.read("out/settings.json"))).toEqual({ port: "eighty" });
  });

  it("loses no change of another writer", async () => {
    await put('{"n": 0}');
    await Promise.all(Array.from({ length: 4 }, () => update({ set: "n += 1" })));
    expect(JSON.parse(await harness.read("out/settings.json"))).toEqual({ n: 4 });
  });

  it("changes nothing if words could belong to a value or begin the next assignment", async () => {
    await put("{}");
    await expect(update({ set: "note to bring cake and go to work" })).rejects.toThrow("one value ends");
    expect(await harness.read("out/settings.json")).toBe("{}");
  });

  it("changes nothing and archives nothing if all values are already set", async () => {
    await put();
    const { outputs, narrative } = await update({ set: { on: true }, merge: { server: { port: 80 } } });
    expect(outputs).toEqual({ path: "out/settings.json", changed: false, keys: [] });
    expect(narrative).toBe("Nothing had to change in out/settings.json.");
    expect(await harness.read("out/settings.json")).toBe(SETTINGS);
  });

  it("creates a file only on request", async () => {
    await expect(update({ set: { a: 1 } })).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      context: { instead: [{ create: true }] },
    });
    const { assessment, outputs } = await update({ set: { "a.b": 1 }, create: true });
    expect(assessment.preview.title).toBe("Create out/settings.json?");
    expect(outputs).toEqual({
      path: "out/settings.json",
      changed: true,
      keys: ["a.b"],
      values: { "a.b": 1 },
    });
    expect(JSON.parse(await harness.read("out/settings.json"))).toEqual({ a: { b: 1 } });
  });

  it("has high risk outside out/", async () => {
    const { assessment } = await harness.call(jsonUpdate, {
      path: "docs/a.json",
      set: { a: 1 },
      create: true,
    });
    expect(assessment.risk).toBe("high");
  });

  it.each([
    ["neither set nor merge", {}],
    ["an unknown argument", { sets: { a: 1 } }],
    ["a place inside a plain value", { set: { "on.x": 1 } }],
    ["a place beyond a list", { set: { "server.hosts.7": 1 } }],
    ["words that set nothing", { set: "something" }],
  ])("rejects %s and changes nothing", async (_what, args) => {
    await put();
    await expect(update(args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
    expect(await harness.read("out/settings.json")).toBe(SETTINGS);
  });

  it("reports the position of a JSON syntax error", async () => {
    await put('{\n  "a": 1,\n  oops\n}');
    await expect(update({ set: { a: 2 } })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: expect.stringContaining("line 3") as unknown,
    });
  });
});

describe("editJson", () => {
  it("supports keys with dots by pointer, and keys of Object.prototype", () => {
    expect(
      JSON.parse(editJson('{"a.b": [1]}', { set: { "/a.b/0": 2, "/x~1y": 3 }, merge: {} }).text),
    ).toEqual({
      "a.b": [2],
      "x/y": 3,
    });
    const { text } = editJson("{}", {
      set: { "__proto__.polluted": true, "constructor.name": "x" },
      merge: {},
    });
    expect(text).toContain('"__proto__"');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("keeps a document on one line", () => {
    const { text } = editJson('{"port":80,"tags":["a"]}', { set: { "tags.-": "b", on: true }, merge: {} });
    expect(text).not.toContain("\n");
    expect(JSON.parse(text)).toEqual({ port: 80, tags: ["a", "b"], on: true });
  });

  it("keeps tabs and Windows line ends", () => {
    const { text } = editJson('{\r\n\t"a": 1\r\n}\r\n', { set: { b: 2 }, merge: {} });
    expect(text).toBe('{\r\n\t"a": 1,\r\n\t"b": 2\r\n}\r\n');
  });
});
