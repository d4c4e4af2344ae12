import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Anchor, platformAnchor } from "./folder.ts";
import { openLocalWorkspace } from "./open-local-workspace.ts";
import type { WorkspaceUnderTest } from "./suite/harness.ts";
import { describeWorkspaceFiles } from "./suite/describe-workspace-files.ts";

async function open(anchor: Anchor): Promise<WorkspaceUnderTest> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "mh-workspace-")));
  const [out, inbox, outside] = [join(home, "out"), join(home, "inbox"), join(home, "outside")];
  await mkdir(outside);
  const workspace = await openLocalWorkspace({ out, inbox, archive: join(home, "archive"), anchor });
  const at = (path: string): string => join(home, path);
  return {
    files: workspace.files,
    stored: {
      put: (path, content) => writeFile(at(path), content),
      get: (path) => readFile(at(path), "utf8"),
      makeFolder: async (path) => void (await mkdir(at(path), { recursive: true })),
      remove: (path) => rm(at(path)),
      names: async (folder) => (await readdir(at(folder))).sort(),
    },
    folders: { out, inbox, outside },
    close: async () => {
      workspace.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

describeWorkspaceFiles("local", () => open(platformAnchor), { swapsLeave: "nothing" });
describeWorkspaceFiles("local, by paths", () => open("path"), { swapsLeave: "temporary files" });

it("suggests a free path next to the longest name, which is no longer than that", async () => {
  const { files, close } = await open(platformAnchor);
  const hidden = `.${"a".repeat(254)}`;
  for (const [taken, free] of [
    [`${"ä".repeat(125)}.txt`, `${"ä".repeat(124)}-2.txt`],
    ["a".repeat(255), `${"a".repeat(253)}-2`],
    [hidden, `${hidden.slice(0, 253)}-2`],
  ] as const) {
    await files.writeText(taken, "old", { expect: "absent" });
    await expect(files.writeText(taken, "new", { expect: "absent" })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      suggestions: [`out/${free}`],
    });
    expect(await files.freePath(taken)).toBe(`out/${free}`);
  }
  await close();
});
