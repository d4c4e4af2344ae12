import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import type { EditableConfig } from "./config-source.ts";

/** A configuration source over the shipped defaults, and a function that changes it. */
export interface ConfigHarness {
  source: EditableConfig;
  /** Saves the text as the owner's `runtime` section; undefined removes the section. */
  save(text: string | undefined): Promise<void>;
  close(): Promise<void>;
}

const OFF = '{ "operator": { "useFunctions": false } }';

/** Tests the contract of `ConfigSource`. */
export function describeConfigSource(name: string, makeHarness: () => Promise<ConfigHarness>): void {
  describe(`the configuration ${name}`, () => {
    let harness: ConfigHarness;
    let source: EditableConfig;
    beforeEach(async () => {
      harness = await makeHarness();
      source = harness.source;
    });
    afterEach(() => harness.close());

    it("detects a saved change and notifies its listeners", async () => {
      const listener = vi.fn();
      source.onChange(listener);
      await harness.save(OFF);
      await expect.poll(() => source.current().runtime.operator.useFunctions).toBe(false);
      expect(listener).toHaveBeenCalledExactlyOnceWith(source.current(), undefined);
    });

    it("sees a saved change immediately on refresh", async () => {
      await harness.save(OFF);
      expect((await source.refresh()).runtime.operator.useFunctions).toBe(false);
      expect(source.current()).toBe(await source.refresh());
    });

    it("keeps the last valid configuration while a section is invalid, reports the problem, and recovers", async () => {
      await harness.save(OFF);
      const good = await source.refresh();
      const listener = vi.fn();
      source.onChange(listener);

      await harness.save('{ "operator": ');
      expect(await source.refresh()).toBe(good);
      expect(source.problem()).toBeInstanceOf(ConfigInvalidError);
      expect(source.problem()?.message).toContain("runtime.json, line 1");

      await harness.save("{}");
      expect((await source.refresh()).runtime.operator.useFunctions).toBe(true);
      expect(source.problem()).toBeUndefined();
      expect(listener).toHaveBeenCalledTimes(2);
    });

    it("restores the default when a section is removed", async () => {
      await harness.save(OFF);
      await source.refresh();
      await harness.save(undefined);
      expect((await source.refresh()).runtime.operator.useFunctions).toBe(true);
    });

    it("returns the same object while no value changes", async () => {
      const before = source.current();
      await harness.save('{ "operator": {} }');
      expect(await source.refresh()).toBe(before);
    });

    it("sets and removes one key and leaves the others as they are", async () => {
      await harness.save('{ "operator": { "useFunctions": false } }');
      await source.change({ section: "runtime", keyPath: ["operator", "reactV2"], value: true });
      expect((await source.refresh()).runtime.operator).toMatchObject({ useFunctions: false, reactV2: true });
      await source.change({ section: "runtime", keyPath: ["operator", "useFunctions"], value: undefined });
      await source.change({ section: "runtime", keyPath: ["operator", "useFunctions"], value: undefined });
      expect((await source.refresh()).runtime.operator).toMatchObject({ useFunctions: true, reactV2: true });
    });

    it("refuses a change that would make it invalid, and stores nothing", async () => {
      const before = await source.refresh();
      await expect(
        source.change({ section: "runtime", keyPath: ["operator", "useFunctions"], value: "maybe" }),
      ).rejects.toThrow(ConfigInvalidError);
      expect(await source.refresh()).toBe(before);
      expect(source.problem()).toBeUndefined();
    });

    it("loses no change that is made at the same moment", async () => {
      const ids = Array.from({ length: 8 }, (_, n) => `server-${n}`);
      await Promise.all(
        ids.map((id) =>
          source.change({
            section: "models",
            keyPath: ["providers", id],
            value: { kind: "openai-compatible", baseUrl: `https://${id}.example/v1` },
          }),
        ),
      );
      expect(Object.keys((await source.refresh()).models.providers)).toEqual(expect.arrayContaining(ids));
    });

    it("does not notify a removed listener", async () => {
      const listener = vi.fn();
      source.onChange(listener)();
      await harness.save(OFF);
      await source.refresh();
      expect(listener).not.toHaveBeenCalled();
    });
  });
}
