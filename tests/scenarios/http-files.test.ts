import { execFileSync } from "node:child_process";
import { link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { FileContent, FilePage, FileUploaded, FileWritten } from "@metahuman/core/contract/files";
import { hostilePaths } from "@metahuman/core/paths/suite/hostile-paths";
import { serveBeforeAll } from "../support/before-all.ts";
import { mh } from "../support/cli.ts";
import { Client } from "../support/client.ts";
import type { TestServer } from "../support/server.ts";

let server: TestServer;
let owner: Client;
serveBeforeAll((served) => ({ server, owner } = served));

const PASSWORD = "a battery of horses";
const OCTETS = "application/octet-stream";
const Archived = z.object({ archived: z.looseObject({ id: z.string() }) });

const onDisk = (path: string) => join(server.home, "profiles/ada", path);
const query = (path: string, more = "") => `path=${encodeURIComponent(path)}${more}`;
const list = async (path: string, more = "") =>
  FilePage.parse((await owner.get(`/api/files?${query(path, more)}`)).body);
const read = async (path: string) =>
  FileContent.parse((await owner.get(`/api/files/content?${query(path)}`)).body);
const write = (path: string, content: string, version?: string) =>
  owner.send("PUT", "/api/files/content", { path, content, ...(version !== undefined && { version }) });
const rename = (from: string, to: string) => owner.post("/api/files", { from, to });
const remove = (path: string, more = "") => owner.send("DELETE", `/api/files?${query(path, more)}`);
const upload = (path: string, bytes: Uint8Array<ArrayBuffer> | string, more = "") =>
  owner.upload(`/api/files/content?${query(path, more)}`, new Blob([bytes]), OCTETS);
const problem = (code: string) => ({ body: { error: { code, message: expect.any(String) as unknown } } });

beforeAll(async () => {
  await mkdir(onDisk("out/trips"), { recursive: true });
  await writeFile(onDisk("out/trips/oslo.md"), "# Oslo\n");
  await writeFile(onDisk("out/trips/bergen.md"), "# Bergen, by the sea\n");
  await writeFile(onDisk("out/picture.png"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255]));
});

describe("an uploaded file", () => {
  const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 254]);

  it("is stored byte for byte, in folders that it creates", async () => {
    expect(await upload("inbox/uploads/2026/logo.png", PICTURE)).toMatchObject({
      status: 201,
      body: { path: "inbox/uploads/2026/logo.png", bytes: 8, created: true },
    });
    expect(await readFile(onDisk("inbox/uploads/2026/logo.png"))).toEqual(PICTURE);
  });

  it("does not replace another file unless it is told to, and then archives that one", async () => {
    await upload("inbox/uploads/plan.txt", "first");
    expect(await upload("inbox/uploads/plan.txt", "second")).toMatchObject({
      status: 409,
      ...problem("ALREADY_EXISTS"),
    });
    expect(await readFile(onDisk("inbox/uploads/plan.txt"), "utf8")).toBe("first");
    const replaced = await upload("inbox/uploads/plan.txt", "second", "&existing=replace");
    expect(replaced).toMatchObject({ status: 201, body: { created: false } });
    expect(await readFile(onDisk("inbox/uploads/plan.txt"), "utf8")).toBe("second");
    const { id } = Archived.parse(replaced.body).archived;
    expect(await owner.get(`/api/archive/${id}`)).toMatchObject({
      status: 200,
      body: {
        entry: { id, reason: "overwritten", bytes: 5 },
        item: { kind: "file", text: "first", present: "second", truncated: false },
      },
    });
    const back = await owner.post(`/api/archive/${id}/restore?replace=true`, {});
    expect(await readFile(onDisk("inbox/uploads/plan.txt"), "utf8")).toBe("first");
    // The answer names what was replaced, so that restoring can be undone.
    const { replaced: second } = z.object({ replaced: z.object({ id: z.string() }) }).parse(back.body);
    await owner.post(`/api/archive/${second.id}/restore?replace=true`, {});
    expect(await readFile(onDisk("inbox/uploads/plan.txt"), "utf8")).toBe("second");
  });

  it("is stored next to another of its name if both are to be kept", async () => {
    await upload("inbox/uploads/both.txt", "first");
    expect(await upload("inbox/uploads/both.txt", "second", "&existing=keep_both")).toMatchObject({
      status: 201,
      body: { path: "inbox/uploads/both-2.txt", created: true },
    });
    expect(await readFile(onDisk("inbox/uploads/both.txt"), "utf8")).toBe("first");
  });

  it("is not lost if others of its name arrive at the same time", async () => {
    const texts = ["1", "2", "3", "4", "5"];
    const sent = async (name: string, existing: string) =>
      (await Promise.all(texts.map((text) => upload(`inbox/${name}`, text, `&existing=${existing}`)))).map(
        ({ body }) => FileUploaded.parse(body),
      );
    const replaced = (await sent("busy.txt", "replace")).flatMap(({ archived }) => archived?.id ?? []);
    const old = await Promise.all(
      replaced.map((id) => readFile(onDisk(`memory/archive/files/${id}/payload`), "utf8")),
    );
    expect([...old, await readFile(onDisk("inbox/busy.txt"), "utf8")].sort()).toEqual(texts);
    const kept = (await sent("busy.md", "keep_both")).map(({ path }) => path);
    expect(kept.sort()).toEqual(["-2", "-3", "-4", "-5", ""].map((number) => `inbox/busy${number}.md`));
    const tides = await Promise.all(
      texts.map((text) => owner.upload("/api/inbox?name=tides.md", new Blob([text]), OCTETS)),
    );
    expect(tides.map(({ status }) => status)).toEqual(texts.map(() => 201));
  });

  it("never replaces a folder", async () => {
    await mkdir(onDisk("inbox/uploads/folder"), { recursive: true });
    for (const existing of ["refuse", "replace"])
      expect(await upload("inbox/uploads/folder", "text", `&existing=${existing}`)).toMatchObject({
        status: 422,
        ...problem("INVALID_ARGS"),
      });
    expect(await readdir(onDisk("inbox/uploads/folder"))).toEqual([]);
  });

  it("can have 25 MB, and leaves nothing behind if it is larger", async () => {
    expect(await upload("inbox/uploads/large.bin", new Uint8Array(25_000_001))).toMatchObject({
      status: 413,
      ...problem("BODY_TOO_LARGE"),
    });
    expect(await readdir(onDisk("inbox/uploads"))).not.toContain("large.bin");
    expect(await upload("inbox/uploads/large.bin", new Uint8Array(25_000_000))).toMatchObject({
      status: 201,
    });
  });

  it("stays in the workspace", async () => {
    expect(await upload("../../outside.txt", "text")).toMatchObject(problem("PATH_OUTSIDE_WORKSPACE"));
  });
});

describe("a list of files", () => {
  it("begins with the roots of the workspace", async () => {
    const { items, total } = FilePage.parse((await owner.get("/api/files")).body);
    expect(items).toEqual([
      { name: "out", path: "out", kind: "folder", bytes: 0 },
      { name: "inbox", path: "inbox", kind: "folder", bytes: 0 },
    ]);
    expect(total).toBe(2);
  });

  it("pages through a folder, folders first", async () => {
    const first = await list("out", "&limit=1");
    expect(first).toMatchObject({ items: [{ path: "out/trips", kind: "folder" }], total: 2 });
    const rest = await list("out", `&limit=1&cursor=${first.nextCursor ?? ""}`);
    expect(rest).toMatchObject({
      items: [{ path: "out/picture.png", kind: "file", bytes: 8, modified: expect.any(String) as unknown }],
      nextCursor: null,
    });
  });

  it("finds files below by name and sorts them", async () => {
    expect((await list("", "&query=OSLO")).items.map(({ path }) => path)).toEqual(["out/trips/oslo.md"]);
    expect((await list("out/trips", "&sort=largest")).items.map(({ name }) => name)).toEqual([
      "bergen.md",
      "oslo.md",
    ]);
  });

  it("of a missing folder suggests the nearest", async () => {
    expect(await owner.get("/api/files?path=out/trip")).toMatchObject({
      status: 404,
      body: {
        error: { code: "FILE_NOT_FOUND", suggestions: expect.arrayContaining(["out/trips"]) as unknown },
      },
    });
  });
});

describe("a file", () => {
  it("is created, read, changed with its version, renamed, deleted and restored", async () => {
    const created = await write("notes/today.md", "call the plumber\n");
    expect(created).toMatchObject({
      status: 201,
      body: { path: "out/notes/today.md", bytes: 17, created: true },
    });
    const { content, version } = await read("out/notes/today.md");
    expect(content).toBe("call the plumber\n");
    expect(FileWritten.parse(created.body).version).toBe(version);

    const changed = await write("out/notes/today.md", "call the bank\n", version);
    expect(changed).toMatchObject({
      status: 200,
      body: { created: false, archived: { origin: "out/notes/today.md" } },
    });
    expect(await write("out/notes/today.md", "mine\n", version)).toMatchObject({
      status: 409,
      ...problem("STALE_VERSION"),
    });
    expect(await readFile(onDisk("out/notes/today.md"), "utf8")).toBe("call the bank\n");

    expect(await rename("out/notes/today.md", "out/notes/monday.md")).toMatchObject({
      status: 200,
      body: { from: "out/notes/today.md", to: "out/notes/monday.md" },
    });
    const removed = await remove("out/notes/monday.md");
    expect(removed.status).toBe(200);
    await expect(readFile(onDisk("out/notes/monday.md"))).rejects.toThrow("ENOENT");
    const { archived } = Archived.parse(removed.body);
    expect((await owner.post(`/api/archive/${archived.id}/restore`)).status).toBe(200);
    expect(await readFile(onDisk("out/notes/monday.md"), "utf8")).toBe("call the bank\n");
  });

  it("that is moved back from a new folder takes the folder with it, unless something else is in it", async () => {
    await write("out/lamp.md", "bright");
    const back = { from: "out/attic/boxes/lamp.md", to: "out/lamp.md", removeEmpty: "out/attic" };
    expect((await rename(back.to, back.from)).body).toEqual({
      from: back.to,
      to: back.from,
      createdFolder: "out/attic",
    });
    await write("out/attic/other.md", "x");
    expect((await owner.post("/api/files", back)).body).toEqual({ from: back.from, to: back.to });
    expect(await readFile(onDisk("out/attic/other.md"), "utf8")).toBe("x");
    await remove("out/attic/other.md");
    expect((await rename(back.to, back.from)).body).toEqual({ from: back.to, to: back.from });
    await owner.post("/api/files", back);
    await expect(stat(onDisk("out/attic"))).rejects.toThrow("ENOENT");
    expect((await read("out/lamp.md")).content).toBe("bright");
    // A root stays.
    await rm(onDisk("inbox"), { recursive: true, force: true });
    await owner.send("PUT", "/api/files/content", { path: "inbox/only.md", content: "x" });
    const emptied = await owner.post("/api/files", {
      from: "inbox/only.md",
      to: "out/only.md",
      removeEmpty: "inbox",
    });
    expect(emptied.status).toBe(200);
    expect((await stat(onDisk("inbox"))).isDirectory()).toBe(true);
  });

  it("is never overwritten without its version, by writing or by renaming", async () => {
    expect(await write("out/trips/oslo.md", "x")).toMatchObject({
      status: 409,
      ...problem("ALREADY_EXISTS"),
    });
    expect(await rename("out/trips/bergen.md", "out/trips/oslo.md")).toMatchObject({
      status: 409,
      ...problem("ALREADY_EXISTS"),
    });
    expect(await readFile(onDisk("out/trips/oslo.md"), "utf8")).toBe("# Oslo\n");
  });

  it("that was deleted meanwhile is not recreated by a save", async () => {
    await write("gone.md", "x");
    const { version } = await read("gone.md");
    await remove("gone.md");
    expect(await write("gone.md", "y", version)).toMatchObject({ status: 409, ...problem("STALE_VERSION") });
  });

  it("that is not text is not read as text", async () => {
    expect(await owner.get("/api/files/content?path=out/picture.png")).toMatchObject({
      status: 422,
      ...problem("INVALID_ARGS"),
    });
  });

  it("downloads byte by byte, as an attachment that cannot run", async () => {
    await write('a "quoted" naïve.svg', "<svg><script>alert(1)</script></svg>");
    const response = await owner.raw("GET", "/api/files/content?download=true&path=out/picture.png");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(
      Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255),
    );
    const picture = await owner.raw(
      "GET",
      `/api/files/content?download=true&${query('a "quoted" naïve.svg')}`,
    );
    expect(picture.headers.get("content-disposition")).toBe(
      `attachment; filename="a _quoted_ na_ve.svg"; filename*=UTF-8''a%20%22quoted%22%20na%C3%AFve.svg`,
    );
    expect(picture.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(await picture.text()).toContain("<svg>");
    const page = await owner.raw("GET", "/api/files/content?download=true&path=out/trips/oslo.md");
    expect(page.headers.get("content-type")).toBe("application/octet-stream");
    expect(await page.text()).toBe("# Oslo\n");
  });

  it("of many megabytes downloads completely, and the client may disconnect midway", async () => {
    const bytes = Buffer.alloc(20_000_000, "0123456789abcdef");
    await writeFile(onDisk("out/large.bin"), bytes);
    const address = "/api/files/content?download=true&path=out/large.bin";
    const whole = await owner.raw("GET", address);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    const left = await owner.raw("GET", address);
    await left.body?.cancel();
    expect((await owner.get("/api/health")).status).toBe(200);
  });
});

describe("a folder", () => {
  it("is deleted only on request, and restored completely", async () => {
    await write("plans/a.md", "a");
    await write("plans/deep/b.md", "b");
    expect(await remove("plans")).toMatchObject({ status: 422, ...problem("INVALID_ARGS") });
    const { archived } = Archived.parse((await remove("plans", "&recursive=true")).body);
    expect((await owner.get("/api/files?path=plans")).status).toBe(404);
    await owner.post(`/api/archive/${archived.id}/restore`);
    expect(await readFile(onDisk("out/plans/deep/b.md"), "utf8")).toBe("b");
  });

  it("that is a root cannot be deleted or renamed", async () => {
    for (const root of ["out", "inbox"]) {
      expect((await remove(root, "&recursive=true")).status).toBe(403);
      expect((await rename(root, "out/elsewhere")).status).toBeGreaterThanOrEqual(400);
    }
    expect((await list("out")).total).toBeGreaterThan(0);
  });
});

describe("an attack on the files", () => {
  it("with a path outside of the workspace is refused everywhere and changes nothing", async () => {
    const before = (await readdir(server.home, { recursive: true })).filter(
      (name) => !/logs|-wal|-shm/.test(name),
    );
    // An address cannot hold half a character.
    for (const path of hostilePaths.filter((one) => one.isWellFormed())) {
      const answers = await Promise.all([
        owner.get(`/api/files?${query(path)}`),
        owner.get(`/api/files/content?${query(path)}`),
        owner.get(`/api/files/content?${query(path, "&download=true")}`),
        write(path, "evil"),
        rename(path, "out/stolen.md"),
        rename("out/trips/oslo.md", path),
        remove(path, "&recursive=true"),
      ]);
      // An empty path is a list of the roots.
      const refused = path.trim() === "" ? answers.slice(1) : answers;
      for (const { status } of refused) expect([path, [403, 422].includes(status)]).toEqual([path, true]);
    }
    const after = (await readdir(server.home, { recursive: true })).filter(
      (name) => !/logs|-wal|-shm/.test(name),
    );
    expect(after.sort()).toEqual(before.sort());
  });

  it("through a link, a pipe or a second name of a file is refused", async () => {
    await writeFile(join(server.home, "secret.txt"), "top secret");
    await symlink(join(server.home, "secret.txt"), onDisk("out/link.txt"));
    await symlink(server.home, onDisk("out/way"));
    await link(join(server.home, "secret.txt"), onDisk("out/hard.txt"));
    execFileSync("mkfifo", [onDisk("out/pipe")]);
    for (const path of ["link.txt", "way/secret.txt", "hard.txt", "pipe"]) {
      for (const address of [
        `/api/files/content?${query(path)}`,
        `/api/files/content?${query(path, "&download=true")}`,
      ])
        expect(await owner.get(address)).toMatchObject({ status: 403, ...problem("PATH_OUTSIDE_WORKSPACE") });
      expect((await rename(path, "out/mine.txt")).status).toBe(403);
      expect((await remove(path)).status).toBe(403);
    }
    expect(await readFile(join(server.home, "secret.txt"), "utf8")).toBe("top secret");
    expect((await list("out")).items.filter(({ name }) => /link|way|hard|pipe/.test(name))).toSatisfy(
      (items: { kind: string; bytes: number }[]) =>
        items.length === 4 && items.every(({ kind, bytes }) => kind === "other" && bytes === 0),
    );
  });

  it("on keys and databases finds nothing to list or read", async () => {
    await writeFile(onDisk("out/.env"), "KEY=1");
    await writeFile(onDisk("out/copy.db"), "x");
    const { items } = await list("out");
    expect(items.map(({ name }) => name)).not.toContain(".env");
    expect(items.map(({ name }) => name)).not.toContain("copy.db");
    for (const path of ["out/.env", "out/copy.db", "../state.db", "../profile.json"])
      expect((await owner.get(`/api/files/content?${query(path)}`)).status).toBe(403);
  });

  it("from another site or without a sign-in is refused", async () => {
    const forged = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect(
      await owner.send("DELETE", `/api/files?${query("out/trips/oslo.md")}`, undefined, forged),
    ).toMatchObject({
      status: 403,
      ...problem("FORBIDDEN_ORIGIN"),
    });
    expect(
      (await owner.send("PUT", "/api/files/content", { path: "evil.md", content: "" }, forged)).status,
    ).toBe(403);
    expect((await server.client().get("/api/files")).status).toBe(401);
    expect(await readFile(onDisk("out/trips/oslo.md"), "utf8")).toBe("# Oslo\n");
  });

  it("by another person, a guest, a narrow token or in emulation is refused", async () => {
    await owner.post("/api/profiles", { username: "bob", password: PASSWORD });
    const bob = server.client();
    await bob.signIn({ username: "bob", password: PASSWORD });
    expect((await bob.get("/api/files/content?path=out/trips/oslo.md")).status).toBe(404);

    await owner.send("PATCH", "/api/settings", { publicProfile: true });
    const guest = server.client();
    await guest.post("/api/auth/login", { guestOf: "ada" });
    expect((await guest.get("/api/files")).status).toBe(403);
    expect((await guest.get("/api/files/content?path=out/trips/oslo.md")).status).toBe(403);

    const made = await mh(server.home, [
      "--json",
      "-u",
      "ada",
      "token",
      "create",
      "script",
      "--scope",
      "operate",
    ]);
    const { token } = z.looseObject({ token: z.string() }).parse(JSON.parse(made.out));
    const script = new Client(server.url, { bearer: token });
    expect((await script.get("/api/files/content?path=out/trips/oslo.md")).status).toBe(200);
    expect((await script.send("DELETE", "/api/files?path=out/trips/oslo.md")).status).toBe(403);

    await owner.send("PUT", "/api/mode", { mode: "emulation" });
    expect((await owner.get("/api/files/content?path=out/trips/oslo.md")).status).toBe(200);
    expect((await write("emulated.md", "x")).status).toBe(403);
    expect((await remove("out/trips/oslo.md")).status).toBe(403);
    await owner.send("PUT", "/api/mode", { mode: "dual" });
  });

  it("on the disk space ends at the quota, with the old text unchanged", async () => {
    const { bytes } = z.looseObject({ bytes: z.number() }).parse((await owner.get("/api/storage")).body);
    await mkdir(join(server.home, "etc"), { recursive: true });
    await writeFile(
      join(server.home, "etc/storage.json"),
      JSON.stringify({ profile: { maxBytes: bytes + 1_000 } }),
    );
    await expect
      .poll(async () => (await owner.get("/api/storage")).body)
      .toMatchObject({ maxBytes: bytes + 1_000 });
    expect(await write("big.txt", "x".repeat(5_000))).toMatchObject({
      status: 507,
      ...problem("QUOTA_EXCEEDED"),
    });
    const { version } = await read("out/trips/oslo.md");
    expect((await write("out/trips/oslo.md", "x".repeat(5_000), version)).status).toBe(507);
    expect(await readFile(onDisk("out/trips/oslo.md"), "utf8")).toBe("# Oslo\n");
    expect((await write("huge.txt", "x".repeat(1_000_001))).status).toBe(422);
  });
});

it("a person's changes of files are in the audit log, without the text", async () => {
  const Audit = z.looseObject({ items: z.array(z.looseObject({ event: z.string() })) });
  const { items } = Audit.parse((await owner.get("/api/audit?query=file&limit=200")).body);
  expect(items.map(({ event }) => event)).toEqual(
    expect.arrayContaining(["file_written", "file_renamed", "file_deleted"]),
  );
  expect(JSON.stringify(items)).not.toContain("call the bank");
});
