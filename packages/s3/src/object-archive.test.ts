import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bucket, openBucket } from "./object-store.ts";
import { openObjectHarness } from "./testing/object-harness.ts";
import { type S3Server, startS3 } from "./testing/start-s3.ts";

describe("the archive in an object store", () => {
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

  it("stores a file and a folder, and restores them completely", async () => {
    const { files, workspace, stored } = openObjectHarness(bucket);
    const { archive } = workspace;
    await files.writeText("a.md", "alone", { expect: "absent" });
    await files.writeText("trip/deep/b.md", "inside", { expect: "absent" });
    await expect(archive.removeFile("trip", { recursive: false })).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
    const file = await archive.removeFile("a.md", { recursive: false, runId: `run-${"0".repeat(26)}` });
    const folder = await archive.removeFile("trip", { recursive: true });
    expect((await archive.list()).map(({ id, title }) => [id, title])).toEqual([
      [folder.removed.id, "trip"],
      [file.removed.id, "a.md"],
    ]);
    expect(await files.state("trip")).toMatchObject({ kind: "absent" });
    const { bytes } = await archive.read(file.removed.id, { maxBytes: 3 });
    expect(Buffer.from(bytes ?? "none").toString()).toBe("alo");
    expect(await archive.read(folder.removed.id, { maxBytes: 3 })).toMatchObject({
      entry: { title: "trip" },
    });
    for (const { removed } of [file, folder]) await archive.restore(removed.id);
    expect(await stored.get("out/a.md")).toBe("alone");
    expect(await stored.get("out/trip/deep/b.md")).toBe("inside");
    expect(await archive.list()).toEqual([]);
    await expect(archive.restore(file.removed.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("keeps the versions of a file that is overwritten", async () => {
    const { files, workspace, stored } = openObjectHarness(bucket);
    await files.writeText("a.md", "first", { expect: "absent" });
    const kept = await workspace.archive.keepCopy("a.md", {});
    await files.writeText("a.md", "second", { expect: "any" });
    await expect(workspace.archive.restore(kept.id)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      suggestions: ["out/a-2.md"],
    });
    const { replaced } = await workspace.archive.restore(kept.id, { replace: true });
    expect(await stored.get("out/a.md")).toBe("first");
    expect(await workspace.archive.list()).toMatchObject([
      { id: replaced?.id, title: "a.md", bytes: 6, reason: "deleted" },
    ]);
    expect(await workspace.amount()).toEqual({ bytes: expect.any(Number), files: 3 });
    const moved = await workspace.archive.restore(replaced?.id ?? "", { to: "old/a.md" });
    expect(moved.restored.origin).toBe("out/old/a.md");
    expect(await stored.get("out/old/a.md")).toBe("second");
  });

  it("refuses a root, an unknown id, and a folder with hidden files", async () => {
    const { workspace, stored } = openObjectHarness(bucket);
    const { archive } = workspace;
    await expect(archive.removeFile("out", { recursive: true })).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
    for (const id of ["../../ben", "file-20261126T000000000Z-00000000"])
      await expect(archive.restore(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await stored.put("out/project/.git/config", "x");
    await expect(archive.removeFile("project", { recursive: true })).rejects.toMatchObject({
      code: "PATH_OUTSIDE_WORKSPACE",
    });
  });
});
