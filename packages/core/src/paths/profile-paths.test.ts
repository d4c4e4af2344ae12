import { isAbsolute, resolve, sep } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyString } from "./suite/hostile-paths.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { dataRoot, homePaths, REPOSITORY } from "./data-root.ts";
import { profilePaths } from "./profile-paths.ts";

describe("dataRoot", () => {
  it("is the absolute path of METAHUMAN_HOME", () => {
    expect(dataRoot({ METAHUMAN_HOME: "/srv/mh" })).toBe(resolve("/srv/mh"));
    expect(dataRoot({ METAHUMAN_HOME: "data" })).toBe(resolve("data"));
  });

  it("is the repository if METAHUMAN_HOME is unset or blank", () => {
    expect(dataRoot({})).toBe(REPOSITORY);
    expect(dataRoot({ METAHUMAN_HOME: "  " })).toBe(REPOSITORY);
  });
});

describe("profilePaths", () => {
  it("keeps all paths of a profile inside its folder", () => {
    const { root, ...places } = profilePaths("/srv/mh", "ada");
    const paths = JSON.stringify(places).match(/"[^"]*mh[^"]*"/gu) ?? [];
    expect(paths.length).toBeGreaterThan(15);
    for (const path of paths) expect(path.slice(1).startsWith(`${root}${sep}`)).toBe(true);
    expect(root.startsWith(homePaths("/srv/mh").profiles)).toBe(true);
  });

  it("rejects every invalid username", () => {
    for (const name of [
      "",
      "..",
      ".",
      "a/b",
      "../ada",
      "ada/..",
      "ADA",
      "a\0",
      "a\n",
      "C:",
      "-a",
      "x".repeat(33),
    ]) {
      expect(() => profilePaths("/srv/mh", name)).toThrow(InvalidArgsError);
    }
  });

  it("never leaves the profiles folder", () => {
    fc.assert(
      fc.property(anyString, (name) => {
        try {
          const { root } = profilePaths("/srv/mh", name);
          expect(isAbsolute(root) && resolve(root) === `${homePaths("/srv/mh").profiles}${sep}${name}`).toBe(
            true,
          );
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidArgsError);
        }
      }),
    );
  });
});
