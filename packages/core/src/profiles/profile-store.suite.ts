import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InvalidRequestError } from "../errors/request-errors.ts";
import type { ProfileStore } from "./profile-store.ts";

export interface ProfileStoreHarness {
  /** Opens the settings of one profile, called Greg, as another process would. */
  open(): Promise<ProfileStore>;
  close(): Promise<void>;
}

/** Tests the contract of `ProfileStore`. */
export function describeProfileStore(name: string, makeHarness: () => Promise<ProfileStoreHarness>): void {
  describe(`settings and persona ${name}`, () => {
    let harness: ProfileStoreHarness;
    let store: ProfileStore;
    let elsewhere: ProfileStore;
    beforeEach(async () => {
      harness = await makeHarness();
      store = await harness.open();
      elsewhere = await harness.open();
    });
    afterEach(async () => {
      store.close();
      elsewhere.close();
      await harness.close();
    });

    it("start in mode dual at supervised_auto", async () => {
      expect(await store.settings()).toEqual({
        displayName: "Greg",
        mode: "dual",
        trustLevel: "supervised_auto",
        skillOverrides: {},
        workspaceRoots: {},
      });
      expect(await store.persona()).toMatchObject({ name: "MetaHuman", goals: [] });
      expect(store.warnings()).toEqual([]);
    });

    it("keep the fields that a change does not name, and are the same for every process at once", async () => {
      expect(await store.changeSettings({ trustLevel: "suggest", displayName: undefined })).toMatchObject({
        trustLevel: "suggest",
        displayName: "Greg",
      });
      await elsewhere.changePersona({ role: "gardener" });
      expect(await elsewhere.settings()).toEqual(await store.settings());
      expect(await store.persona()).toMatchObject({ name: "MetaHuman", role: "gardener" });
      expect(await (await harness.open()).settings()).toMatchObject({ trustLevel: "suggest", mode: "dual" });
    });

    it("lose an optional field that is set to null", async () => {
      await store.changeSettings({ pausedAgents: ["librarian"] });
      await store.changeSettings({ pausedAgents: null });
      expect(await elsewhere.settings()).not.toHaveProperty("pausedAgents");
    });

    it("refuse invalid values without changing anything", async () => {
      const before = await store.settings();
      await expect(store.changeSettings({ displayName: "  " })).rejects.toThrow(InvalidRequestError);
      await expect(store.changeSettings({ workspaceRoots: { "Bad Name": "/tmp" } })).rejects.toThrow(
        InvalidRequestError,
      );
      expect(await elsewhere.settings()).toEqual(before);
    });

    it("lose no change that another process makes at the same moment", async () => {
      const changes = [store, elsewhere].flatMap((one, process) =>
        Array.from({ length: 10 }, (_, n) =>
          one.changeSettings(({ skillOverrides }) => ({
            skillOverrides: { ...skillOverrides, [`skill_${process}_${n}`]: "never" },
          })),
        ),
      );
      await Promise.all(changes);
      expect(Object.keys((await store.settings()).skillOverrides)).toHaveLength(20);
    });

    it("notify once per change, also of a change by another process", async () => {
      const onChange = vi.fn();
      store.onChange(onChange);
      await store.changeSettings({ mode: "agent" });
      await store.changeSettings({ mode: "agent" });
      await store.changePersona({ role: "gardener" });
      expect(onChange.mock.calls).toEqual([["settings"], ["persona"]]);
      await elsewhere.changeSettings({ mode: "dual" });
      await expect.poll(() => onChange).toHaveBeenCalledTimes(3);
    });

    it("are immutable", async () => {
      const { skillOverrides } = await store.settings();
      expect(() => Object.assign(skillOverrides, { fs_write: "always" })).toThrow(TypeError);
    });
  });
}
