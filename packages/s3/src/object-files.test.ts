import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeWorkspaceFiles } from "@metahuman/core/workspace/suite/describe-workspace-files";
import { type Bucket, openBucket } from "./object-store.ts";
import { openObjectWorkspace } from "./open-object-workspace.ts";
import { openObjectHarness } from "./testing/object-harness.ts";
import { type S3Server, startS3 } from "./testing/start-s3.ts";

let server: S3Server;
let bucket: Bucket;
beforeAll(async () => {
  server = await startS3();
  bucket = openBucket(server.options);
});
afterAll(async () => {
  bucket.close();
  await server.close();
});

describeWorkspaceFiles("in an object store", async () => openObjectHarness(bucket));

describe("changes of files in an object store", () => {
  /** Two processes that both believe to hold the lock. */
  function openTwice() {
    const { store, stored } = openObjectHarness(bucket);
    const open = () => openObjectWorkspace(store, { exclusively: (work) => work() });
    return { here: open(), there: open(), stored };
  }

  it("lose no line if the lock is lost", async () => {
    const { here, there, stored } = openTwice();
    const lines = Array.from({ length: 8 }, (_, n) => `line ${n}`);
    const results = await Promise.allSettled(
      lines.map((line, n) => (n % 2 === 0 ? here : there).files.appendText("log.md", line)),
    );
    const written = lines.filter((_, n) => results[n]?.status === "fulfilled");
    expect(written.length).toBeGreaterThan(0);
    expect((await stored.get("out/log.md")).split("\n").sort()).toEqual(written.sort());
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "CONFLICT" });
  });

  it("do not replace what another process wrote since the last read", async () => {
    const { here, there, stored } = openTwice();
    await here.files.writeText("a.md", "one", { expect: "absent" });
    const verify = async (): Promise<void> =>
      void (await there.files.writeText("a.md", "theirs", { expect: "any" }));
    await expect(here.files.writeText("a.md", "mine", { expect: "any", verify })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect(await stored.get("out/a.md")).toBe("theirs");
  });

  it("keep a folder whose last file is moved or deleted", async () => {
    const { files, workspace } = openObjectHarness(bucket);
    await files.writeText("trips/oslo.md", "x", { expect: "absent" });
    await files.writeText("plans/rome.md", "x", { expect: "absent" });
    await files.move("trips/oslo.md", "oslo.md", { overwrite: false });
    await workspace.archive.removeFile("plans/rome.md", { recursive: false });
    expect(await files.state("trips")).toMatchObject({ kind: "folder" });
    expect((await files.list("plans", { recursive: false, limit: 9 })).entries).toEqual([]);
  });

  it("find names and lines in every root", async () => {
    const { files } = openObjectHarness(bucket);
    await files.writeText("trips/oslo.md", "pack\nthe fjord map", { expect: "absent" });
    await files.writeText("inbox/fjord.txt", "nothing", { expect: "absent" });
    expect(await files.search("fjord", { limit: 9 })).toEqual({
      matches: [{ path: "out/trips/oslo.md", line: 2, text: "the fjord map" }],
      names: ["inbox/fjord.txt"],
      total: 2,
      truncated: false,
    });
  });

  it("refuse folders for programs with a sentence", async () => {
    const { workspace } = openObjectHarness(bucket);
    await expect(workspace.folders.within("out", async () => undefined)).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
      message:
        "Programs and git cannot be used here: the files of this installation are in an object store, not in folders.",
    });
  });
});
