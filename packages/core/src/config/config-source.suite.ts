import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import type { ConfigSource } from "./config-source.ts";

/** A source over the shipped defaults, and the way in which the owner changes it. */
export interface ConfigBench {
  source: ConfigSource;
  /** Saves the text as the owner's `runtime` section; undefined removes the section. */
  save(text: string | undefined): Promise<void>;
  close(): Promise<void>;
}

const OFF = '{ "operator": { "useFunctions": false } }';

/** What every `ConfigSource` promises. */
export function describeConfigSource(name: string, makeBench: () => Promise<ConfigBench>): void {
  describe(`the configuration ${name}`, () => {
    let bench: ConfigBench;
    let source: ConfigSource;
    beforeEach(async () => {
      bench = await makeBench();
      source = bench.source;
    });
    afterEach(() => bench.close());

    it("notices a saved change by itself, and tells", async () => {
      const told = vi.fn();
      source.onChange(told);
      await bench.save(OFF);
      await vi.waitFor(() => expect(source.current().runtime.operator.useFunctions).toBe(false), {
        timeout: 8_000,
      });
      expect(told).toHaveBeenCalledExactlyOnceWith(source.current(), undefined);
    });

    it("sees a saved change at once when asked to look", async () => {
      await bench.save(OFF);
      expect((await source.refresh()).runtime.operator.useFunctions).toBe(false);
      expect(source.current()).toBe(await source.refresh());
    });

    it("keeps the last good configuration when a section turns invalid, says so, and recovers", async () => {
      await bench.save(OFF);
      const good = await source.refresh();
      const told = vi.fn();
      source.onChange(told);

      await bench.save('{ "operator": ');
      expect(await source.refresh()).toBe(good);
      expect(source.problem()).toBeInstanceOf(ConfigInvalidError);
      expect(source.problem()?.message).toContain("runtime.json, line 1");

      await bench.save("{}");
      expect((await source.refresh()).runtime.operator.useFunctions).toBe(true);
      expect(source.problem()).toBeUndefined();
      expect(told).toHaveBeenCalledTimes(2);
    });

    it("goes back to the default when a section is removed", async () => {
      await bench.save(OFF);
      await source.refresh();
      await bench.save(undefined);
      expect((await source.refresh()).runtime.operator.useFunctions).toBe(true);
    });

    it("stays the same object while nothing changes in substance", async () => {
      const before = source.current();
      await bench.save('{ "operator": {} }');
      expect(await source.refresh()).toBe(before);
    });

    it("tells nobody after it was told to stop", async () => {
      const told = vi.fn();
      source.onChange(told)();
      await bench.save(OFF);
      await source.refresh();
      expect(told).not.toHaveBeenCalled();
    });
  });
}
