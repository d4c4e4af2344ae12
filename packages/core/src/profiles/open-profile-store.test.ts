import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { openProfileStore } from "./open-profile-store.ts";
import { describeProfileStore } from "./profile-store.suite.ts";
import type { ProfileStore } from "./profile-store.ts";

let home: string;
let store: ProfileStore;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "mh-profile-"));
  store = await openProfileStore({ home, username: "greg", displayName: "Greg" });
});

afterEach(() => {
  store.close();
  rmSync(home, { recursive: true, force: true });
});

describeProfileStore("in files", async () => {
  const place = mkdtempSync(join(tmpdir(), "mh-profile-"));
  return {
    open: () => openProfileStore({ home: place, username: "greg", displayName: "Greg" }),
    close: async () => rmSync(place, { recursive: true, force: true }),
  };
});

const file = (name: string): string => join(home, "profiles", "greg", name);
const settingsFile = (): unknown => JSON.parse(readFileSync(file("profile.json"), "utf8"));
const save = (name: string, value: unknown): void => writeFileSync(file(name), JSON.stringify(value));

async function reopen(): Promise<void> {
  store.close();
  store = await openProfileStore({ home, username: "greg" });
}

describe("a new profile", () => {
  it("starts in mode dual at supervised_auto, in readable files", async () => {
    expect(await store.settings()).toEqual({
      displayName: "Greg",
      mode: "dual",
      trustLevel: "supervised_auto",
      skillOverrides: {},
      workspaceRoots: {},
    });
    expect(settingsFile()).toEqual(await store.settings());
    expect(readFileSync(file("profile.json"), "utf8")).toContain('{\n  "displayName": "Greg",\n');
    expect(await store.persona()).toMatchObject({ name: "MetaHuman", goals: [] });
    expect(JSON.parse(readFileSync(file("persona/core.json"), "utf8"))).toEqual(await store.persona());
  });

  it("has folders that other users of the machine cannot read", () => {
    for (const name of [
      "out",
      "inbox",
      "logs/audit",
      "logs/runs",
      "memory/episodic/functions",
      "memory/tasks/active",
      "memory/tasks/completed",
      "memory/archive",
    ]) {
      expect(existsSync(file(name)), name).toBe(true);
    }
    expect(statSync(file(".")).mode & 0o777).toBe(0o700);
  });

  it("is never created outside profiles/", async () => {
    await expect(openProfileStore({ home, username: "../evil" })).rejects.toThrow(InvalidArgsError);
    expect(readdirSync(home)).toEqual(["profiles"]);
  });
});

describe("changing", () => {
  it("loses no concurrent change of this or another process", async () => {
    const program = join(import.meta.dirname, "testing", "change-settings.ts");
    const child = spawn(process.execPath, [program, home, "greg", "theirs", "20"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const ended = once(child, "exit");
    child.stdin.write("go\n");
    for (let n = 0; n < 20; n += 1) {
      await Promise.all(
        ["mine", "also_mine"].map((prefix) =>
          store.changeSettings(({ skillOverrides }) => ({
            skillOverrides: { ...skillOverrides, [`${prefix}_${n}`]: "never" },
          })),
        ),
      );
    }
    await ended;
    expect(Object.keys((await store.settings()).skillOverrides)).toHaveLength(60);
  });
});

describe("editing by hand", () => {
  it("applies from the next read", async () => {
    save("profile.json", { displayName: "Gregory", trustLevel: "observe" });
    expect(await store.settings()).toMatchObject({
      displayName: "Gregory",
      trustLevel: "observe",
      mode: "dual",
    });
    save("persona/core.json", { name: "G", role: "", values: [], voice: "", goals: ["rest"] });
    expect((await store.persona()).goals).toEqual(["rest"]);
    expect(store.warnings()).toEqual([]);
  });

  it("is kept by a change of another field", async () => {
    save("profile.json", { displayName: "Gregory" });
    await store.changeSettings({ mode: "agent" });
    expect(settingsFile()).toMatchObject({ displayName: "Gregory", mode: "agent" });
  });

  it("is detected while there are listeners", async () => {
    const onChange = vi.fn();
    store.onChange(onChange);
    save("profile.json", { displayName: "Gregory" });
    await expect.poll(() => onChange).toHaveBeenCalledWith("settings");
  });

  it("restores a removed file with its last content", async () => {
    await store.changeSettings({ trustLevel: "observe" });
    rmSync(file("profile.json"));
    expect(await store.settings()).toMatchObject({ trustLevel: "observe" });
    expect(settingsFile()).toMatchObject({ trustLevel: "observe" });
  });
});

describe("an invalid file", () => {
  const copies = (): string[] =>
    readdirSync(file(".")).filter((name) => name.startsWith("profile.json.unusable-"));

  it("is copied at startup and replaced by stricter defaults, with a warning", async () => {
    await store.changeSettings({ trustLevel: "observe" });
    writeFileSync(file("profile.json"), '{ "displayName": "Gr');
    await reopen();
    expect(await store.settings()).toMatchObject({
      displayName: "greg",
      mode: "dual",
      trustLevel: "suggest",
    });
    expect(store.warnings()).toEqual([
      { file: "profile.json", reason: "it is not valid JSON", keptAs: copies()[0] },
    ]);
    expect(readFileSync(file(copies()[0] ?? ""), "utf8")).toBe('{ "displayName": "Gr');
    await reopen();
    expect(store.warnings()).toEqual([]);
  });

  it("keeps its valid fields", async () => {
    save("profile.json", {
      displayName: "Gregory",
      mode: "agent",
      trustLevel: "total",
      skillOverrides: { fs_write: "never" },
      extra: 1,
    });
    await reopen();
    expect(await store.settings()).toMatchObject({
      displayName: "Gregory",
      mode: "agent",
      trustLevel: "suggest",
      skillOverrides: { fs_write: "never" },
    });
    expect(store.warnings()[0]?.reason).toContain("trustLevel");
    expect(settingsFile()).toEqual(await store.settings());
  });

  it("does not change the active settings, and stays unchanged for its editor", async () => {
    await store.changeSettings({ trustLevel: "observe" });
    for (const text of ['{ "trustLevel": ', '{ "trustLevel": "bounded', "[]"]) {
      writeFileSync(file("profile.json"), text);
      expect(await store.settings()).toMatchObject({ trustLevel: "observe" });
      expect(store.warnings()).toEqual([{ file: "profile.json", reason: expect.any(String) as unknown }]);
      expect(readFileSync(file("profile.json"), "utf8")).toBe(text);
    }
    expect(copies()).toEqual([]);
    save("profile.json", { displayName: "Greg", trustLevel: "bounded_auto" });
    expect(await store.settings()).toMatchObject({ trustLevel: "bounded_auto" });
    expect(store.warnings()).toEqual([]);
  });

  it("is copied before a change replaces it, based on the last valid settings", async () => {
    await store.changeSettings({ trustLevel: "observe" });
    writeFileSync(file("profile.json"), "[]");
    await store.changeSettings({ mode: "agent" });
    expect(settingsFile()).toMatchObject({ trustLevel: "observe", mode: "agent" });
    expect(store.warnings()).toEqual([
      { file: "profile.json", reason: expect.any(String) as unknown, keptAs: copies()[0] },
    ]);
    expect(readFileSync(file(copies()[0] ?? ""), "utf8")).toBe("[]");
  });

  it("does not affect the other file", async () => {
    writeFileSync(file("persona/core.json"), "oops");
    await reopen();
    expect((await store.persona()).name).toBe("MetaHuman");
    expect((await store.settings()).displayName).toBe("Greg");
    expect(store.warnings()[0]?.file).toBe(join("persona", "core.json"));
  });
});
