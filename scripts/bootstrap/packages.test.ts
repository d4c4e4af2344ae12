import { describe, expect, it } from "vitest";
import { workspaceFolders } from "./packages.mjs";

describe("the workspace's folders", () => {
  it("are read from pnpm's file, whatever else it contains", () => {
    const yaml = 'packages:\n  - apps/*\n  - "packages/*"\n  - brain/*\n\n# more\ncatalog:\n  - other/*\n';
    expect(workspaceFolders(yaml)).toEqual(["apps", "packages", "brain"]);
  });

  it("are none when the file names none", () => {
    expect(workspaceFolders("catalog:\n  zod: 4\n")).toEqual([]);
  });
});
