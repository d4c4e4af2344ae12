import fc from "fast-check";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Config } from "../contract/config.ts";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import { REPOSITORY } from "../paths/data-root.ts";
import { configFiles, loadConfig } from "./load-config.ts";

const shippedEtc = join(REPOSITORY, "etc");
const sections = Object.keys(Config.shape);
const defaults = Config.parse(Object.fromEntries(sections.map((section) => [section, {}])));
const defaultsOf = new Map<string, Record<string, unknown>>(Object.entries(defaults));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mh-config-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(section: string, text: string): Config {
  writeFileSync(join(folder, `${section}.json`), text);
  return loadConfig([shippedEtc, folder]);
}

function refusal(section: string, text: string): ConfigInvalidError {
  try {
    load(section, text);
  } catch (error) {
    if (error instanceof ConfigInvalidError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("the shipped files", () => {
  it.each(sections)("contain every default of %s", (section) => {
    const shipped: unknown = JSON.parse(readFileSync(join(shippedEtc, `${section}.json`), "utf8"));
    expect(defaultsOf.get(section)).toEqual(shipped);
  });

  it("exist for each section", () => {
    const files = configFiles(shippedEtc);
    expect(readdirSync(shippedEtc).map((name) => join(shippedEtc, name))).toEqual(
      expect.arrayContaining(files),
    );
  });

  it("are completely described in the guide", () => {
    const guide = readFileSync(join(REPOSITORY, "docs", "guide", "configuration.md"), "utf8");
    const missing = sections.flatMap((section) =>
      Object.entries(defaultsOf.get(section) ?? {}).flatMap(([key, value]) => {
        const keys =
          typeof value === "object" && value !== null && !Array.isArray(value) && key !== "providers"
            ? Object.keys(value)
            : [];
        return (keys.length > 0 ? keys.map((inner) => `${key}.${inner}`) : [key]).filter(
          (name) => !guide.includes(`\`${name}\``),
        );
      }),
    );
    expect(missing).toEqual([]);
  });
});

describe("files of the data root", () => {
  it("are optional", () => {
    expect(loadConfig([shippedEtc, join(folder, "nowhere")])).toEqual(defaults);
    expect(loadConfig([join(folder, "nowhere")])).toEqual(defaults);
  });

  it("override single keys", () => {
    const config = load("operator", '{ "scratchpad": { "maxSteps": 4 } }');
    expect(config.operator.scratchpad).toEqual({ ...defaults.operator.scratchpad, maxSteps: 4 });
    expect(config.operator.runs).toEqual(defaults.operator.runs);
  });

  it("add a model server, disable the shipped one, or change its kind", () => {
    const local = { kind: "openai-compatible", baseUrl: "http://127.0.0.1:8000/v1" };
    expect(Object.keys(load("models", JSON.stringify({ providers: { local } })).models.providers)).toEqual([
      "ollama",
      "local",
    ]);
    expect(
      load("models", '{ "providers": { "ollama": { "enabled": false } } }').models.providers["ollama"],
    ).toMatchObject({
      kind: "ollama",
      enabled: false,
    });
    expect(
      load("models", JSON.stringify({ providers: { ollama: local } })).models.providers["ollama"],
    ).toEqual({ ...local, enabled: true });
  });

  it("may start with a byte-order mark", () => {
    expect(load("memory", '\uFEFF{ "maxMemories": 5 }').memory.maxMemories).toBe(5);
  });

  it("are immutable", () => {
    const config = load("server", '{ "allowedHosts": ["box.local"] }');
    expect(() => config.server.allowedHosts.push("evil")).toThrow(TypeError);
  });
});

describe("an invalid file", () => {
  it.each([
    ['{\n  "operator": {\n    "reactV2": true,\n  }\n}', 4, 3, "a key in double quotes is missing"],
    ['{\n  "operator": {}\n', 3, 1, "a closing brace } is missing"],
    ["{\n  // faster\n}", 2, 3, "comments are not allowed"],
    ['{ "operator" {} }', 1, 14, "a colon is missing"],
    ['{ "operator": yes }', 1, 15, "strings need double quotes"],
    ['{ "operator": {} } {}', 1, 20, "should have ended"],
    ['{ "operator": {},\n  "operator": {} }', 2, 3, '"operator" is duplicated'],
    ["", 1, 1, "the file is empty"],
    ['{\r\n  "operator": {\r\n    "reactV2": tru\r\n', 3, 16, "unexpected text"],
  ])("is reported with line and column of the JSON error: %j", (text, line, column, reason) => {
    const error = refusal("runtime", text);
    expect(error.message).toContain(`${join(folder, "runtime.json")}, line ${line}, column ${column}: `);
    expect(error.message).toContain(reason);
  });

  it.each([
    [
      "runtime",
      '{ "operator": { "reactV2": "yes" } }',
      "operator.reactV2 must be true or false, not this text",
    ],
    ["runtime", '{ "operator": null }', "operator must be an object in braces, not null"],
    ["runtime", "[]", "the file must be an object in braces, not a list"],
    ["operator", '{ "scratchpad": { "maxSteps": 0 } }', "scratchpad.maxSteps must be at least 1, not 0"],
    [
      "operator",
      '{ "scratchpad": { "maxSteps": 2.5 } }',
      "scratchpad.maxSteps must be a whole number, not 2.5",
    ],
    [
      "operator",
      '{ "functions": { "searchThreshold": true } }',
      'functions.searchThreshold must be "auto", or must be a number, not true',
    ],
    ["server", '{ "allowedHosts": "box" }', "allowedHosts must be a list in square brackets, not this text"],
    ["models", '{ "providers": { "x": { "kind": "magic" } } }', "providers.x.kind must"],
    [
      "models",
      '{ "providers": { "x": { "kind": "openai-compatible" } } }',
      "providers.x.baseUrl must be a text in double quotes, not missing",
    ],
  ])("is reported with key path and reason: %s %s", (section, text, reason) => {
    const error = refusal(section, text);
    expect(error.message).toContain(reason);
    expect(error.message).toContain(`${join(folder, `${section}.json`)}, line 1, column `);
  });

  it("suggests the most similar setting for an unknown one, with its position", () => {
    const error = refusal("runtime", '{\n  "operator": {\n    "useFunction": false\n  }\n}');
    expect(error.message).toContain(
      "line 3, column 5: there is no setting operator.useFunction; did you mean operator.useFunctions?",
    );
    rmSync(join(folder, "runtime.json"));
    expect(refusal("models", '{ "providers": { "ollama": { "keepalive": "1m" } } }').message).toContain(
      "did you mean providers.ollama.keepAlive?",
    );
  });

  it("lists all settings if none is similar", () => {
    expect(refusal("memory", '{ "colour": "red" }').message).toContain(
      "there is no setting colour; there are maxMemories, patternThreshold, contextMemories",
    );
  });

  it("is reported with every problem and the file that contains it", () => {
    const broken = join(folder, "shipped");
    mkdirSync(broken);
    writeFileSync(join(broken, "memory.json"), '{ "maxMemories": 0, "patternThreshold": 1 }');
    writeFileSync(join(folder, "memory.json"), '{ "contextMemories": 3 }');
    expect(() => loadConfig([broken, folder])).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(join(broken, "memory.json")) as unknown,
        context: expect.objectContaining({
          problems: ["maxMemories must be more than 0, not 0", "patternThreshold must be at least 2, not 1"],
        }) as unknown,
      }),
    );
  });

  it("is rejected if it is a folder, not text, or nested too deeply", () => {
    mkdirSync(join(folder, "memory.json"));
    expect(() => loadConfig([shippedEtc, folder])).toThrow(/memory\.json: it is a folder/);
    rmSync(join(folder, "memory.json"), { recursive: true });
    writeFileSync(join(folder, "memory.json"), Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
    expect(() => loadConfig([shippedEtc, folder])).toThrow(/it is not UTF-8 text/);
    expect(refusal("memory", "[".repeat(400_000)).code).toBe("CONFIG_INVALID");
  });
});

describe("any file at all", () => {
  it("either loads or is rejected by name", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "grapheme" }),
          fc.json(),
          fc.json().map((text) => text.slice(0, -1)),
        ),
        (text) => {
          try {
            load("operator", text);
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigInvalidError);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it("changes exactly its own keys", () => {
    const flags = fc.record(
      {
        reactV2: fc.boolean(),
        useReasoningService: fc.boolean(),
        useContextPackage: fc.boolean(),
        useFunctions: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(flags, (operator) => {
        expect(load("runtime", JSON.stringify({ operator })).runtime.operator).toEqual({
          ...defaults.runtime.operator,
          ...operator,
        });
      }),
    );
  });
});
