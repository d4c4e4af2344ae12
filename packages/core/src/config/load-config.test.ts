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
  it.each(sections)("spell out every default of %s", (section) => {
    const shipped: unknown = JSON.parse(readFileSync(join(shippedEtc, `${section}.json`), "utf8"));
    expect(defaultsOf.get(section)).toEqual(shipped);
  });

  it("are one for each section", () => {
    const files = configFiles(shippedEtc);
    expect(readdirSync(shippedEtc).map((name) => join(shippedEtc, name))).toEqual(
      expect.arrayContaining(files),
    );
  });

  it("have every setting explained in the guide", () => {
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
  it("need not exist", () => {
    expect(loadConfig([shippedEtc, join(folder, "nowhere")])).toEqual(defaults);
    expect(loadConfig([join(folder, "nowhere")])).toEqual(defaults);
  });

  it("override single keys and leave the rest", () => {
    const config = load("operator", '{ "scratchpad": { "maxSteps": 4 } }');
    expect(config.operator.scratchpad).toEqual({ ...defaults.operator.scratchpad, maxSteps: 4 });
    expect(config.operator.runs).toEqual(defaults.operator.runs);
  });

  it("add a model server beside the shipped one, switch that one off, or make it another kind", () => {
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

  it("may begin with a byte-order mark", () => {
    expect(load("memory", '\uFEFF{ "maxMemories": 5 }').memory.maxMemories).toBe(5);
  });

  it("cannot be changed by those who read them", () => {
    const config = load("server", '{ "allowedHosts": ["box.local"] }');
    expect(() => config.server.allowedHosts.push("evil")).toThrow(TypeError);
  });
});

describe("a file that cannot be used", () => {
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
  ])("names line and column of bad JSON: %j", (text, line, column, reason) => {
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
  ])("names the key path and the reason: %s %s", (section, text, reason) => {
    const error = refusal(section, text);
    expect(error.message).toContain(reason);
    expect(error.message).toContain(`${join(folder, `${section}.json`)}, line 1, column `);
  });

  it("names the nearest setting for an unknown one, and where it stands", () => {
    const error = refusal("runtime", '{\n  "operator": {\n    "useFunction": false\n  }\n}');
    expect(error.message).toContain(
      "line 3, column 5: there is no setting operator.useFunction; did you mean operator.useFunctions?",
    );
    rmSync(join(folder, "runtime.json"));
    expect(refusal("models", '{ "providers": { "ollama": { "keepalive": "1m" } } }').message).toContain(
      "did you mean providers.ollama.keepAlive?",
    );
  });

  it("names all settings where none is near", () => {
    expect(refusal("memory", '{ "colour": "red" }').message).toContain(
      "there is no setting colour; there are maxMemories, patternThreshold, contextMemories",
    );
  });

  it("lists every problem, and blames the file that has it", () => {
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

  it("is refused when it is a folder, not text, or nested beyond measure", () => {
    mkdirSync(join(folder, "memory.json"));
    expect(() => loadConfig([shippedEtc, folder])).toThrow(/memory\.json: it is a folder/);
    rmSync(join(folder, "memory.json"), { recursive: true });
    writeFileSync(join(folder, "memory.json"), Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
    expect(() => loadConfig([shippedEtc, folder])).toThrow(/it is not UTF-8 text/);
    expect(refusal("memory", "[".repeat(400_000)).code).toBe("CONFIG_INVALID");
  });
});

describe("any file at all", () => {
  it("either loads or is refused by name", () => {
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

  it("changes exactly what it says", () => {
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
