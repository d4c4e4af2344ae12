import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readOrCreateMark } from "./installation-mark.ts";
import { type Bucket, type BucketOptions, ObjectChangedError, openBucket } from "./object-store.ts";
import { type FaultyProxy, startFaultyProxy } from "./testing/faulty-proxy.ts";
import { openObjectHarness } from "./testing/object-harness.ts";
import { type S3Server, startS3 } from "./testing/start-s3.ts";

let server: S3Server;
let proxy: FaultyProxy;
let opened: Bucket[];
beforeAll(async () => {
  server = await startS3();
  proxy = await startFaultyProxy(server.options.endpoint);
  opened = [];
});
afterEach(() => {
  proxy.always(undefined);
  for (const bucket of opened.splice(0)) bucket.close();
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

const WHOLE = { maxBytes: 1_000_000 };

/** Opens the bucket behind the proxy. */
function open(options: Partial<BucketOptions> = {}): Bucket {
  const bucket = openBucket({ ...server.options, endpoint: proxy.endpoint, answerWithinMs: 500, ...options });
  opened.push(bucket);
  return bucket;
}

describe("an object store with temporary failures", () => {
  it.each([500, 503])("is asked again after %s, and a change is made once", async (status) => {
    const { files, stored } = openObjectHarness(open());
    await files.writeText("log.md", "one", { expect: "absent" });
    proxy.next(status, status);
    await files.appendText("log.md", "two");
    expect(await stored.get("out/log.md")).toBe("one\ntwo");
  });

  it("recognizes its own write if the response was lost, and not one of another program", async () => {
    const { files, store, stored } = openObjectHarness(open());
    proxy.next("lost answer");
    await store.write("out/new.md", "mine", { isAbsent: true });
    expect(await stored.get("out/new.md")).toBe("mine");
    const before = await store.head("out/new.md");
    proxy.next("lost answer");
    await store.write("out/new.md", "mine again", { etag: before?.etag ?? "" });
    expect(await stored.get("out/new.md")).toBe("mine again");
    // The object as it was before is no longer there.
    const late = store.write("out/new.md", "late", { etag: before?.etag ?? "" });
    await expect(late).rejects.toThrow(ObjectChangedError);
    expect((await files.readText("new.md", WHOLE)).content).toBe("mine again");
  });

  it("does not treat an equal text of another program as its own", async () => {
    const { store } = openObjectHarness(open());
    await store.write("out/same.md", "same", { isAbsent: true });
    proxy.next("silence");
    await expect(store.write("out/same.md", "same", { isAbsent: true })).rejects.toThrow(ObjectChangedError);
  });
});

describe("an object store with lasting failures", () => {
  it.each([500, 503, "silence", "lost answer"] as const)(
    "is reported as unavailable with a time to wait: %s",
    async (fault) => {
      const { files, stored } = openObjectHarness(open({ attempts: 2 }));
      await files.writeText("log.md", "one", { expect: "absent" });
      proxy.always(fault);
      for (const attempt of [() => files.readText("log.md", WHOLE), () => files.appendText("log.md", "two")])
        await expect(attempt()).rejects.toMatchObject({
          code: "STORAGE_UNAVAILABLE",
          message: "The object store cannot be used now.",
          context: { retryAfterMs: 2_000 },
        });
      proxy.always(undefined);
      expect(await stored.get("out/log.md")).toBe("one");
      await files.appendText("log.md", "three");
      expect(await stored.get("out/log.md")).toBe("one\nthree");
    },
  );

  it("is reported if a response ends early", async () => {
    const { files } = openObjectHarness(open({ attempts: 1 }));
    await files.writeText("long.md", "x".repeat(100_000), { expect: "absent" });
    const received = proxy.received();
    await files.readText("long.md", WHOLE);
    const requests = proxy.received() - received;
    proxy.next(...Array.from({ length: requests - 1 }, () => undefined), "cut off");
    await expect(files.readText("long.md", WHOLE)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    expect((await files.readText("long.md", WHOLE)).content).toHaveLength(100_000);
  });

  it("does not delay a caller that has stopped waiting", async () => {
    const { store } = openObjectHarness(open({ answerWithinMs: 60_000 }));
    proxy.always("silence");
    const stop = new AbortController();
    const waiting = store.head("out/a.md", stop.signal);
    stop.abort(new RangeError("given up"));
    await expect(waiting).rejects.toThrow("given up");
  });
});

describe("an object store that rejects this server", () => {
  it("reports wrong credentials, whether the key or its signature is wrong", async () => {
    const credentials = { accessKeyId: "WRONG", secretAccessKey: "very secret" };
    const rejected = {
      code: "CONFIG_INVALID",
      message: "The object store rejects the credentials of this server.",
    };
    const { store } = openObjectHarness(open({ credentials }));
    const requests = [() => store.write("a", "x"), () => readOrCreateMark(store, "mark", "mine")];
    for (const send of requests) await expect(send()).rejects.toMatchObject(rejected);
    // The server of the tests checks no signatures, the proxy answers as one that does.
    proxy.next(403);
    await expect(openObjectHarness(open()).store.write("a", "x")).rejects.toMatchObject(rejected);
  });
});

describe("the mark of a prefix", () => {
  it.each(["no conditions", 501] as const)(
    "is not created in a store without conditional writes: %s",
    async (fault) => {
      const { store, stored } = openObjectHarness(open());
      await store.write("mark", "theirs\n");
      if (fault === "no conditions") proxy.always(fault);
      // A store may refuse the conditions, too.
      else proxy.next(undefined, undefined, fault);
      await expect(readOrCreateMark(store, "mark", "mine")).rejects.toMatchObject({
        code: "CONFIG_INVALID",
        message:
          "The object store does not check the conditions of writes, which servers need that share it.",
      });
      expect(await stored.get("mark")).toBe("theirs\n");
    },
  );

  it("is the same for all servers that create it at the same moment", async () => {
    const { store } = openObjectHarness(open());
    const made = await Promise.all(["a", "b", "c"].map((mark) => readOrCreateMark(store, "mark", mark)));
    expect(new Set(made.map(({ mark }) => mark)).size).toBe(1);
    expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
  });
});
