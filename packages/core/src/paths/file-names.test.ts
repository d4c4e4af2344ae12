import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidArgsError, PathOutsideWorkspaceError } from "../errors/request-errors.ts";
import { confine, MAX_DEPTH } from "./file-names.ts";
import { anyHostilePath, anyPlainPath, anyString, hostilePaths } from "./suite/hostile-paths.ts";

const roots = ["out", "inbox", "docs"];

describe("confine", () => {
  it.each([
    ["notes.md", "out", "out/notes.md"],
    ["trips/oslo.md", "out", "out/trips/oslo.md"],
    ["out/trips/oslo.md", "out", "out/trips/oslo.md"],
    ["Out/x.md", "out", "out/x.md"],
    ["inbox/letter.txt", "inbox", "inbox/letter.txt"],
    ["docs/a/b.md", "docs", "docs/a/b.md"],
    ["docs2/a.md", "out", "out/docs2/a.md"],
    ["./a//b/./c.md", "out", "out/a/b/c.md"],
    ["notes/", "out", "out/notes"],
    ["", "out", "out"],
    [".", "out", "out"],
    ["out", "out", "out"],
    ["docs/", "docs", "docs"],
    ["out/out/x", "out", "out/out/x"],
  ])("resolves %j to the root %s", (path, root, canonical) => {
    expect(confine(path, roots)).toMatchObject({ root, path: canonical });
  });

  it.each(hostilePaths.map((path) => [path]))("rejects %j", (path) => {
    expect(() => confine(path, roots)).toThrow(PathOutsideWorkspaceError);
  });

  it("rejects every path with a hostile segment", () => {
    fc.assert(
      fc.property(anyHostilePath, (path) => {
        expect(() => confine(path, roots)).toThrow(PathOutsideWorkspaceError);
      }),
      { numRuns: 2_000 },
    );
  });

  it("accepts ordinary names in any script and its own canonical paths", () => {
    fc.assert(
      fc.property(anyPlainPath, (path) => {
        const confined = confine(path, roots);
        expect(confine(confined.path, roots)).toEqual(confined);
        expect(confined.path).toBe([confined.root, ...confined.segments].join("/"));
      }),
    );
  });

  it("never returns a segment that could lead out of the root", () => {
    fc.assert(
      fc.property(anyString, (path) => {
        let segments: readonly string[];
        try {
          segments = confine(path, roots).segments;
        } catch (error) {
          expect(error).toBeInstanceOf(PathOutsideWorkspaceError);
          return;
        }
        for (const segment of segments) expect(segment).not.toMatch(/^\.{0,2}$|[/\\\0:]|[. ]$/u);
      }),
      { numRuns: 2_000 },
    );
  });

  it("normalizes composed and decomposed spellings", () => {
    expect(confine("cafe\u0301.md", roots)).toEqual(confine("caf\u00E9.md", roots));
  });

  it("rejects a path that is too long or too deep as an invalid argument", () => {
    expect(() => confine("x".repeat(256), roots)).toThrow(InvalidArgsError);
    expect(() => confine("é".repeat(128), roots)).toThrow(InvalidArgsError);
    expect(() => confine(`${"a/".repeat(MAX_DEPTH)}b`, roots)).toThrow(InvalidArgsError);
    expect(() => confine("a/".repeat(600), roots)).toThrow(InvalidArgsError);
    expect(confine("x".repeat(255), roots).segments).toHaveLength(1);
  });

  it("gives a reason and quotes only the start of a long path", () => {
    const error = catchError(() => confine(`../${"x".repeat(500)}`, roots));
    expect(error).toMatchObject({ context: { reason: "it points to another folder" } });
    expect(error.message.length).toBeLessThan(250);
  });
});

function catchError(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing was thrown");
}
