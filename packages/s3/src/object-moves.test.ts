import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Bucket, openBucket } from "./object-store.ts";
import { type ObjectBench, openObjectBench } from "./testing/object-bench.ts";
import { type S3Server, startS3 } from "./testing/start-s3.ts";

describe("a move in an object store", () => {
  let server: S3Server;
  let bucket: Bucket;
  beforeAll(async () => {
    server = await startS3();
    bucket = openBucket({ ...server.options, attempts: 1 });
  });
  afterEach(() => server.failAfter(undefined));
  afterAll(async () => {
    bucket.close();
    await server.close();
  });

  const names = ["a.md", "b.md", "deep/c.md"];
  async function openWithFolder(): Promise<ObjectBench> {
    const bench = openObjectBench(bucket);
    for (const name of names) await bench.files.writeText(`trip/${name}`, name, { expect: "absent" });
    return bench;
  }
  const keysIn = async (bench: ObjectBench, folder: string): Promise<string[]> =>
    (await bench.keys()).filter((key) => key.startsWith(`${folder}/`) && !key.endsWith("/"));
  const under = (folder: string): string[] => names.map((name) => `${folder}/${name}`);

  it("is undone or completed by the next change if it was interrupted after any number of requests", async () => {
    const whole = await openWithFolder();
    const before = server.requests.length;
    await whole.files.move("trip", "moved", { overwrite: false });
    const requests = server.requests.length - before;
    expect(requests).toBeGreaterThan(10);
    let undone = 0;
    for (let count = 0; count < requests; count += 1) {
      const bench = await openWithFolder();
      server.failAfter(count);
      await expect(bench.files.move("trip", "moved", { overwrite: false })).rejects.toMatchObject({
        code: "STORAGE_UNAVAILABLE",
      });
      server.failAfter(undefined);
      // Nothing is ever missing in between.
      const [left, arrived] = [await keysIn(bench, "out/trip"), await keysIn(bench, "out/moved")];
      for (const name of names)
        expect([...left, ...arrived].some((key) => key.endsWith(`/${name}`))).toBe(true);
      await bench.files.writeText("next.md", "x", { expect: "absent" });
      const after = [await keysIn(bench, "out/trip"), await keysIn(bench, "out/moved")];
      if (after[1]?.length === 0) undone += 1;
      expect([
        [under("out/trip"), []],
        [[], under("out/moved")],
      ]).toContainEqual(after);
      expect(await keysIn(bench, "memory/archive/moves")).toEqual([]);
    }
    expect(undone).toBeGreaterThan(0);
    expect(undone).toBeLessThan(requests);
  }, 60_000);

  it("of a file leaves it in one place if it was interrupted", async () => {
    for (let count = 0; count < 12; count += 1) {
      const bench = openObjectBench(bucket);
      await bench.files.writeText("a.md", "text", { expect: "absent" });
      server.failAfter(count);
      const moved = await bench.files.move("a.md", "b.md", { overwrite: false }).catch(() => undefined);
      server.failAfter(undefined);
      await bench.files.writeText("next.md", "x", { expect: "absent" });
      const texts = await Promise.all(
        ["out/a.md", "out/b.md"].map((path) => bench.stored.get(path).catch(() => undefined)),
      );
      expect(texts.filter((text) => text !== undefined)).toEqual(["text"]);
      if (moved) expect(texts).toEqual([undefined, "text"]);
    }
  }, 60_000);

  it("keeps what another program wrote into the folder meanwhile", async () => {
    const bench = await openWithFolder();
    const verify = async (): Promise<void> => bench.stored.put("out/trip/late.md", "late");
    await bench.files.move("trip", "moved", { overwrite: false, verify });
    const keys = await bench.keys();
    expect(keys.filter((key) => key.endsWith("/late.md"))).toHaveLength(1);
  });
});
