import { describe, expect, it } from "vitest";
import { AlreadyExistsError } from "../errors/request-errors.ts";
import { type ModelKeys, newKeyId } from "./model-keys.ts";

const SERVER = "https://models.example/v1";
const KEY = "sk-very-secret-0123456789";

/** Tests the contract of `ModelKeys`. `open` opens the same keys again, as another process would. */
export function describeModelKeys(
  name: string,
  makeHarness: () => Promise<{ open(): Promise<ModelKeys>; close(): Promise<void> }>,
): void {
  describe(`the keys of model servers ${name}`, () => {
    it("are returned to their server until they are removed", async () => {
      const harness = await makeHarness();
      const keys = await harness.open();
      const id = await keys.store(KEY, SERVER);
      expect(keys.read(id, SERVER)).toBe(KEY);
      expect((await harness.open()).read(id, "https://models.example/v2")).toBe(KEY);
      await keys.remove(id);
      expect(keys.read(id, SERVER)).toBeUndefined();
      expect((await harness.open()).read(id, SERVER)).toBeUndefined();
      await keys.remove(id);
      await harness.close();
    });

    it("keep their id from another installation, and replace none", async () => {
      const harness = await makeHarness();
      const keys = await harness.open();
      const id = newKeyId();
      await keys.put(id, KEY, SERVER);
      expect((await harness.open()).read(id, SERVER)).toBe(KEY);
      await expect(keys.put(id, "sk-another", SERVER)).rejects.toThrow(AlreadyExistsError);
      expect((await harness.open()).read(id, SERVER)).toBe(KEY);
      await harness.close();
    });

    it("are returned to no other server", async () => {
      const harness = await makeHarness();
      const keys = await harness.open();
      const id = await keys.store(KEY, SERVER);
      for (const other of [
        "https://evil.example/v1",
        "http://models.example/v1",
        "https://models.example:444/v1",
      ])
        expect(keys.read(id, other)).toBeUndefined();
      await harness.close();
    });
  });
}
