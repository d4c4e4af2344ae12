import { describe, expect, it } from "vitest";
import { parsePatch } from "./parse-patch.ts";

const PATCH = `diff --git a/notes/a b.md b/notes/a b.md
index 5626abf..814f4a4 100644
--- a/notes/a b.md
+++ b/notes/a b.md
@@ -1,2 +1,2 @@
 kept
--- looks like a header
+++ looks like one, too
\\ No newline at end of file
diff --git a/new.md b/new.md
new file mode 100644
index 0000000..5626abf
--- /dev/null
+++ b/new.md
@@ -0,0 +1 @@
+one
diff --git a/gone.bin b/gone.bin
deleted file mode 100644
index 5626abf..0000000
Binary files a/gone.bin and /dev/null differ
`;

describe("a patch", () => {
  it("is parsed file by file, with the change of each line", () => {
    expect(parsePatch(PATCH)).toEqual([
      {
        path: "notes/a b.md",
        change: "changed",
        lines: [
          { kind: "place", text: "@@ -1,2 +1,2 @@" },
          { kind: "kept", text: "kept" },
          { kind: "removed", text: "-- looks like a header" },
          { kind: "added", text: "++ looks like one, too" },
          { kind: "note", text: "No newline at end of file" },
        ],
      },
      {
        path: "new.md",
        change: "new",
        lines: [
          { kind: "place", text: "@@ -0,0 +1 @@" },
          { kind: "added", text: "one" },
        ],
      },
      { path: "gone.bin", change: "deleted", lines: [{ kind: "note", text: "Not text." }] },
    ]);
  });

  it("is parsed up to its end if it is truncated", () => {
    for (let length = 0; length < PATCH.length; length += 1)
      expect(parsePatch(PATCH.slice(0, length)).length).toBeLessThanOrEqual(3);
    expect(parsePatch(PATCH.slice(0, 130))[0]?.lines.at(0)).toMatchObject({ kind: "place" });
  });
});
