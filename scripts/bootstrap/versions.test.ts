import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareVersions, hasPackagedNode, parseVersion, runsPnpm, runsTypeScript } from "./versions.mjs";

const version = fc
  .tuple(fc.nat(200), fc.nat(200), fc.nat(200))
  .map(([major, minor, patch]) => `v${major}.${minor}.${patch}`);

describe("versions", () => {
  it("are read with or without the v, and without what follows a hyphen", () => {
    expect(parseVersion("v24.21.0")).toEqual([24, 21, 0]);
    expect(parseVersion(" 22.18.0-nightly20250714\n")).toEqual([22, 18, 0]);
    expect(() => parseVersion("latest")).toThrow(TypeError);
  });

  it("are ordered by number, not by text", () => {
    expect(compareVersions("v9.9.9", "v10.0.0")).toBeLessThan(0);
    expect(compareVersions("22.9.0", "22.18.0")).toBeLessThan(0);
    expect(compareVersions("22.18.1", "22.18.0")).toBeGreaterThan(0);
  });

  it("are ordered the same from both sides, and equal to themselves", () => {
    fc.assert(
      fc.property(version, version, (left, right) => {
        expect(Math.sign(compareVersions(left, right))).toBe(-Math.sign(compareVersions(right, left)) + 0);
        expect(compareVersions(left, left)).toBe(0);
      }),
    );
  });
});

describe("the running Node", () => {
  it.each(["v18.20.8", "v20.20.2", "v22.17.1", "v23.6.0"])("%s cannot run our sources", (running) => {
    expect(runsTypeScript(running)).toBe(false);
  });

  it.each(["v22.18.0", "v22.22.3", "v24.0.0", "v26.1.0"])("%s can", (running) => {
    expect(runsTypeScript(running)).toBe(true);
  });

  it("fetches packages while it is replaced, unless pnpm needs a newer one, too", () => {
    expect(runsPnpm("v18.0.0")).toBe(false);
    expect(runsPnpm("v18.12.0")).toBe(true);
    expect(runsPnpm("v20.20.2")).toBe(true);
  });

  it("is replaced only where the toolchain has a Node", () => {
    expect(hasPackagedNode("linux", "x64")).toBe(true);
    expect(hasPackagedNode("linux", "arm64")).toBe(true);
    expect(hasPackagedNode("linux", "riscv64")).toBe(false);
    expect(hasPackagedNode("darwin", "arm64")).toBe(false);
  });
});
