import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { MemoryNotFoundError } from "../errors/not-found-errors.ts";
import type { MemoryOptions, OpenedMemory } from "./open-memory.ts";
import { found, observe, USER_ORIGIN } from "./testing/open-test-memory.ts";
import { testRecord } from "./testing/test-record.ts";

export interface MemoryPortHarness {
  /** Opens the memories, as another process would; ready on return. */
  open(options?: Pick<MemoryOptions, "onChange">): Promise<OpenedMemory>;
  close(): Promise<void>;
}

/** Tests the memories of a profile that two processes have open. */
export function describeMemoryPort(name: string, openHarness: () => Promise<MemoryPortHarness>): void {
  describe(`memories ${name}, open in two processes`, () => {
    let harness: MemoryPortHarness;
    let here: OpenedMemory;
    let elsewhere: OpenedMemory;
    beforeEach(async () => {
      harness = await openHarness();
      here = await harness.open();
      elsewhere = await harness.open();
    });
    afterEach(() => harness.close());

    const contents = async ({ memory }: OpenedMemory) =>
      (await memory.list({ limit: 100 })).items.map(({ content }) => content);

    it("are found by one process as soon as the other has added them", async () => {
      const [record] = await observe(here, "The walnut cake needs three eggs");
      if (!record) throw new Error("no memory was added");
      expect(await elsewhere.memory.get(record.id)).toEqual(record);
      expect(await contents(elsewhere)).toEqual([record.content]);
      expect(await found(elsewhere, "walnut cake")).toEqual([record.content]);
      const many = Array.from({ length: 600 }, (_, number) => ({
        type: "observation" as const,
        content: `hazelnut number ${number}`,
      }));
      await elsewhere.memory.addMany(many, USER_ORIGIN);
      expect((await here.memory.list({ limit: 1 })).total).toBe(601);
      expect(await found(here, "hazelnut 599")).toContain("hazelnut number 599");
    });

    it("are found by new words as soon as the other process has edited them, and no longer by the old ones", async () => {
      const [record] = await observe(here, "The walnut cake needs three eggs");
      const id = record?.id ?? "";
      await elsewhere.memory.edit(id, { content: "The poppy bread needs yeast" });
      expect(await contents(here)).toEqual(["The poppy bread needs yeast"]);
      expect(await found(here, "walnut cake")).toEqual([]);
      expect(await found(here, "poppy bread")).toEqual(["The poppy bread needs yeast"]);
    });

    it("accept one of two edits that name the same version", async () => {
      const [record] = await observe(here, "The walnut cake needs three eggs");
      const id = record?.id ?? "";
      const edits = await Promise.allSettled([
        here.memory.edit(id, { content: "four eggs", version: 1 }),
        elsewhere.memory.edit(id, { content: "five eggs", version: 1 }),
      ]);
      const refused = edits.filter((edit) => edit.status === "rejected");
      expect(refused).toHaveLength(1);
      expect(refused[0]?.reason).toMatchObject({ code: "STALE_VERSION", context: { currentVersion: 2 } });
    });

    it("are archived for both processes by one, and restored by the other", async () => {
      const [record] = await observe(here, "The walnut cake needs three eggs");
      if (!record) throw new Error("no memory was added");
      const entry = await here.memory.forget(record.id, { runId: "run-1" });
      expect(entry).toMatchObject({ kind: "memory", title: record.content, runId: "run-1" });
      expect(entry.origin).toMatch(/^memory\/episodic\/\d{4}$/);
      expect(await contents(elsewhere)).toEqual([]);
      expect(await found(elsewhere, "walnut cake")).toEqual([]);
      await expect(elsewhere.memory.get(record.id)).rejects.toBeInstanceOf(MemoryNotFoundError);
      expect(await elsewhere.memory.archived()).toEqual([entry]);
      expect(await elsewhere.memory.restore(entry.id)).toEqual(record);
      expect(await found(here, "walnut cake")).toEqual([record.content]);
    });

    it("can be copied to the archive and stay in place", async () => {
      const [record] = await observe(here, "The walnut cake needs three eggs");
      const id = record?.id ?? "";
      const entry = await here.memory.keepCopy(id);
      await here.memory.edit(id, { content: "four eggs" });
      expect(await contents(elsewhere)).toEqual(["four eggs"]);
      await here.memory.forget(id);
      expect((await elsewhere.memory.restore(entry.id)).content).toBe(record?.content);
    });

    it("import each record once, change none that exists, and restore none that was forgotten", async () => {
      const named = (end: string, content: string) =>
        testRecord({ id: `evt-20260101T000000000Z-${end}`, content, metadata: { z: 1, a: [2] } });
      const [same, other, gone] = [named("same", "same"), named("other", "other"), named("gone", "gone")];
      const first = await here.memory.importMany([same, other, gone]);
      expect(first).toMatchObject({ added: [same.id, other.id, gone.id] });
      await elsewhere.memory.forget(gone.id);
      const again = await elsewhere.memory.importMany([
        same,
        { ...other, content: "changed" },
        gone,
        named("new", "new"),
      ]);
      expect({ ...again, conflicts: again.conflicts.toSorted() }).toEqual({
        added: ["evt-20260101T000000000Z-new"],
        unchanged: [same.id],
        conflicts: [gone.id, other.id],
      });
      expect((await contents(here)).toSorted()).toEqual(["new", "other", "same"]);
    });

    it("store nothing of a list with an invalid memory", async () => {
      const good = { type: "observation" as const, content: "good" };
      const bad = { ...good, tags: ["x".repeat(65)] };
      await expect(here.memory.addMany([good, bad], USER_ORIGIN)).rejects.toBeInstanceOf(InvalidArgsError);
      await expect(here.memory.add(bad, USER_ORIGIN)).rejects.toBeInstanceOf(InvalidArgsError);
      expect(await contents(elsewhere)).toEqual([]);
    });

    it("report changes of the other process", async () => {
      const onChange = vi.fn();
      await harness.open({ onChange });
      await observe(elsewhere, "The walnut cake needs three eggs");
      await expect.poll(() => onChange.mock.calls.length).toBeGreaterThan(0);
    });

    it("contain everything when they are opened again", async () => {
      const [kept, gone] = await observe(
        here,
        "The walnut cake needs three eggs",
        "The poppy bread needs yeast",
      );
      await here.close();
      await elsewhere.memory.forget(gone?.id ?? "");
      await observe(elsewhere, "The almond tart needs butter");
      const again = await harness.open();
      expect((await contents(again)).toSorted()).toEqual(["The almond tart needs butter", kept?.content]);
      expect(await found(again, "poppy bread")).toEqual([]);
    });
  });
}
