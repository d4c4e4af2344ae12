import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import { REPOSITORY } from "../paths/data-root.ts";
import { openConfig } from "./config-source.ts";
import { describeConfigSource } from "./config-source.suite.ts";

const shippedEtc = join(REPOSITORY, "etc");
let home: string;

function makeHome(): string {
  const made = mkdtempSync(join(tmpdir(), "mh-config-"));
  mkdirSync(join(made, "etc"));
  mkdirSync(join(made, "profiles"));
  return made;
}

describeConfigSource("in files", async () => {
  const place = makeHome();
  const source = openConfig({ home: place, shippedEtc });
  const file = join(place, "etc", "runtime.json");
  return {
    source,
    async save(text) {
      if (text === undefined) rmSync(file);
      else writeFileSync(file, text);
    },
    async close() {
      source.close();
      rmSync(place, { recursive: true, force: true });
    },
  };
});

beforeEach(() => {
  home = makeHome();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it("detects a folder that is created later", async () => {
  rmSync(join(home, "etc"), { recursive: true });
  const late = openConfig({ home, shippedEtc });
  mkdirSync(join(home, "etc"));
  writeFileSync(join(home, "etc", "runtime.json"), '{ "operator": { "useFunctions": false } }');
  expect((await late.refresh()).runtime.operator.useFunctions).toBe(false);
  late.close();
});

it("does not start with an invalid file", () => {
  writeFileSync(join(home, "etc", "runtime.json"), "{ nonsense }");
  expect(() => openConfig({ home, shippedEtc })).toThrow(ConfigInvalidError);
});

it("reads one folder once when the data root is the repository", () => {
  const own = openConfig({ home: REPOSITORY, shippedEtc });
  const shipped = openConfig({ home, shippedEtc });
  expect(own.current()).toEqual(shipped.current());
  own.close();
  shipped.close();
});
