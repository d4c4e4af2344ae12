import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Anchor } from "./folder.ts";
import { platformAnchor } from "./folder.ts";
import { openLocalWorkspace } from "./open-local-workspace.ts";
import type { WorkspaceUnderTest } from "./suite/bench.ts";
import { describeWorkspaceFiles } from "./suite/describe-workspace-files.ts";

async function open(anchor: Anchor): Promise<WorkspaceUnderTest> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "mh-workspace-")));
  const [out, inbox, outside] = [join(home, "out"), join(home, "inbox"), join(home, "outside")];
  await mkdir(outside);
  const workspace = await openLocalWorkspace({ out, inbox, archive: join(home, "archive"), anchor });
  return {
    files: workspace.files,
    out,
    inbox,
    outside,
    close: async () => {
      workspace.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

describeWorkspaceFiles("local", () => open(platformAnchor));
describeWorkspaceFiles("local, by paths", () => open("path"), { swapsLeave: "temporary files" });
