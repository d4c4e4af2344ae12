import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ConfigInvalidError } from "../errors/config-invalid-error.ts";
import { REPOSITORY } from "../paths/data-root.ts";
import { openConfig, type ConfigSource } from "./config-source.ts";

const shippedEtc = join(REPOSITORY, "etc");
let home: string;
let source: ConfigSource;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "mh-config-"));
  mkdirSync(join(home, "etc"));
  source = openConfig({ home, shippedEtc });
});

afterEach(() => {
  source.close();
  rmSync(home, { recursive: true, force: true });
});

function write(text: string): void {
  writeFileSync(join(home, "etc", "runtime.json"), text);
}

const off = '{ "operator": { "useFunctions": false } }';

it("notices a saved file by itself, and tells", async () => {
  const told = vi.fn();
  source.onChange(told);
  write(off);
  await vi.waitFor(() => expect(source.current().runtime.operator.useFunctions).toBe(false), {
    timeout: 8_000,
  });
  expect(told).toHaveBeenCalledExactlyOnceWith(source.current(), undefined);
});

it("sees a saved file at once when asked to look", async () => {
  write(off);
  expect((await source.refresh()).runtime.operator.useFunctions).toBe(false);
});

it("notices a folder that is made later", async () => {
  rmSync(join(home, "etc"), { recursive: true });
  const late = openConfig({ home, shippedEtc });
  mkdirSync(join(home, "etc"));
  write(off);
  expect((await late.refresh()).runtime.operator.useFunctions).toBe(false);
  late.close();
});

it("keeps the last good configuration when a file turns invalid, says so, and recovers", async () => {
  write(off);
  const good = await source.refresh();
  const told = vi.fn();
  source.onChange(told);

  write('{ "operator": ');
  expect(await source.refresh()).toBe(good);
  expect(source.problem()).toBeInstanceOf(ConfigInvalidError);
  expect(source.problem()?.message).toContain("runtime.json, line 1");

  write("{}");
  expect((await source.refresh()).runtime.operator.useFunctions).toBe(true);
  expect(source.problem()).toBeUndefined();
  expect(told).toHaveBeenCalledTimes(2);
});

it("goes back to the default when the file is removed", async () => {
  write(off);
  await source.refresh();
  rmSync(join(home, "etc", "runtime.json"));
  expect((await source.refresh()).runtime.operator.useFunctions).toBe(true);
});

it("stays the same object while nothing changes in substance", async () => {
  const before = source.current();
  write('{ "operator": {} }');
  expect(await source.refresh()).toBe(before);
});

it("does not start on a file that cannot be used", () => {
  write("{ nonsense }");
  expect(() => openConfig({ home, shippedEtc })).toThrow(ConfigInvalidError);
});

it("reads one folder once when the data root is the repository", () => {
  const own = openConfig({ home: REPOSITORY, shippedEtc });
  expect(own.current()).toEqual(source.current());
  own.close();
});

it("tells nobody after it was told to stop", async () => {
  const told = vi.fn();
  source.onChange(told)();
  write(off);
  await source.refresh();
  expect(told).not.toHaveBeenCalled();
});
