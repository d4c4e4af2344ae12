import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { fingerprint, hashContents, isStamped, removeStamp, writeStamp } from "./stamp.mjs";

let folder = "";
const at = (path: string) => join(folder, path);

/** Writes a file as if it had been at that second of 1970. */
function writeAt(second: number, path: string, text: string) {
  writeFileSync(path, text);
  utimesSync(path, second, second);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stamp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

describe("a stamp", () => {
  it("matches the inputs it was written for, until it is removed", () => {
    const stamp = at("made/by/us/.stamp");
    expect(isStamped(stamp, "one")).toBe(false);
    writeStamp(stamp, "one");
    expect(isStamped(stamp, "one")).toBe(true);
    expect(isStamped(stamp, "two")).toBe(false);
    removeStamp(stamp);
    removeStamp(stamp);
    expect(isStamped(stamp, "one")).toBe(false);
  });
});

describe("a hash of contents", () => {
  it("changes with every byte, and with text that moves between files", () => {
    writeFileSync(at("a"), "ab");
    writeFileSync(at("b"), "c");
    const before = hashContents([at("a"), at("b")]);
    expect(hashContents([at("a"), at("b")])).toBe(before);
    writeFileSync(at("a"), "a");
    writeFileSync(at("b"), "bc");
    expect(hashContents([at("a"), at("b")])).not.toBe(before);
  });
});

describe("a fingerprint of sources", () => {
  const counts = (path: string) => !path.endsWith("node_modules");
  const print = () => fingerprint(folder, ["src", "lock.yaml", "absent"], counts);

  beforeEach(() => {
    mkdirSync(at("src/deep"), { recursive: true });
    writeAt(1, at("src/deep/a.ts"), "one");
    writeFileSync(at("lock.yaml"), "1");
  });

  it("stays the same while nothing changes", () => {
    expect(print()).toBe(print());
  });

  it.each<[string, () => void]>([
    ["another size", () => writeAt(1, at("src/deep/a.ts"), "longer")],
    ["another time", () => writeAt(2, at("src/deep/a.ts"), "one")],
    ["a new file", () => writeFileSync(at("src/b.ts"), "")],
    ["a renamed file", () => renameSync(at("src/deep/a.ts"), at("src/deep/b.ts"))],
    ["a removed folder", () => rmSync(at("src/deep"), { recursive: true })],
    ["a file that was absent", () => writeFileSync(at("absent"), "")],
  ])("changes with %s", (_, change) => {
    const before = print();
    change();
    expect(print()).not.toBe(before);
  });

  it("ignores excluded folders", () => {
    const before = print();
    mkdirSync(at("src/node_modules"));
    writeFileSync(at("src/node_modules/x.js"), "");
    expect(print()).toBe(before);
  });
});
