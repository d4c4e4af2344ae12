import { FileRename, FileWrite } from "@metahuman/core/contract/files";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../lib/api/http-client.ts";
import { AT } from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";
import { Toasts } from "../shell/toasts.svelte.ts";
import { parentOf } from "./file-paths.ts";
import { FilesState } from "./files-state.svelte.ts";

let server: ScriptedServer;
/** The files on the server, by path. */
let stored: Map<string, string>;
/** The deleted files, by archive id. */
let archive: Map<string, { path: string; content: string }>;
let toasts: Toasts;
let files: FilesState;

const entryOf = (path: string) => ({
  ...{ name: path.split("/").at(-1) ?? "", path, kind: "file", bytes: stored.get(path)?.length ?? 0 },
  modified: AT,
});
const contentOf = (path: string) => {
  const content = stored.get(path) ?? "";
  return { path, content, bytes: content.length, truncated: false, version: `${path}:${content}` };
};
const listed = (): string[] => files.entries.items.map(({ path }) => path);

/** Chooses the action of the newest toast. */
function undo(): void {
  const toast = toasts.items.at(-1);
  if (!toast) throw new Error("there is no toast");
  toasts.choose(toast);
}

beforeEach(async () => {
  stored = new Map([
    ["out/ferry.md", "At nine."],
    ["out/logo.bin", "\0"],
  ]);
  archive = new Map();
  server = await startScriptedServer();
  server.on("GET /api/files", ({ query }) => {
    const items = [...stored.keys()].filter((path) => parentOf(path) === query.get("path")).map(entryOf);
    return { items, nextCursor: null, total: items.length };
  });
  server.on("GET /api/files/content", ({ query }, response) => {
    const path = query.get("path") ?? "";
    if (!stored.has(path)) return problem(response, 404, "FILE_NOT_FOUND", "There is no such file.");
    if (path.endsWith(".bin")) return problem(response, 422, "INVALID_ARGS", "This is not a text.");
    return contentOf(path);
  });
  server.on("PUT /api/files/content", ({ body }, response) => {
    const { path, content, version } = FileWrite.parse(body);
    const current = stored.has(path) ? contentOf(path).version : undefined;
    if (version !== current) return problem(response, 409, "STALE_VERSION", "The file has changed.");
    stored.set(path, content);
    return { path, bytes: content.length, version: contentOf(path).version, created: version === undefined };
  });
  server.on("POST /api/files", ({ body }) => {
    const { from, to } = FileRename.parse(body);
    stored.set(to, stored.get(from) ?? "");
    stored.delete(from);
    return { from, to };
  });
  server.on("DELETE /api/files", ({ query }) => {
    const path = query.get("path") ?? "";
    archive.set("arc-1", { path, content: stored.get(path) ?? "" });
    stored.delete(path);
    return { archived: { id: "arc-1", kind: "file", title: path, origin: path, archivedAt: AT } };
  });
  toasts = new Toasts();
  files = new FilesState(
    {
      http: new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined }),
      attempt: async (action) => {
        await action();
        return true;
      },
      toasts,
      restore: async (id) => {
        const item = archive.get(id);
        if (item) stored.set(item.path, item.content);
        return item !== undefined;
      },
    },
    { folder: "out", query: "" },
  );
  await files.show("out");
});

afterEach(() => server.close());

describe("opening a file", () => {
  it("loads its text, and says if it is not text or does not exist", async () => {
    await files.open("out/ferry.md");
    expect(files.opened?.text?.content).toBe("At nine.");
    await files.open("out/logo.bin");
    expect(files.opened).toEqual({ path: "out/logo.bin", isBinary: true });
    await files.open("out/gone.md");
    expect(files.opened).toMatchObject({ path: "out/gone.md", isMissing: true });
  });

  it("loads no text of a picture", async () => {
    await files.open("out/chart.png");
    expect(files.opened).toEqual({ path: "out/chart.png" });
    expect(server.asked.filter(({ path }) => path === "/api/files/content")).toEqual([]);
  });

  it("shows the file that was opened last, even if an earlier one arrives later", async () => {
    const slow = Promise.withResolvers<void>();
    const read = files.api.read.bind(files.api);
    files.api.read = async (path) => {
      if (path === "out/logo.bin") await slow.promise;
      return read(path);
    };
    const first = files.open("out/logo.bin");
    await files.open("out/ferry.md");
    slow.resolve();
    await first;
    expect(files.opened?.path).toBe("out/ferry.md");
  });
});

describe("changing files", () => {
  it("opens a created file for editing in its folder", async () => {
    await files.create("out/notes/new.md");
    expect(files.folder).toBe("out/notes");
    expect(listed()).toEqual(["out/notes/new.md"]);
    expect(files.editing).toBe(true);
  });

  it("undoes a saved text, also after the file was renamed", async () => {
    const before = contentOf("out/ferry.md");
    stored.set("out/ferry.md", "At ten.");
    await files.saved(before, contentOf("out/ferry.md"));
    const saved = toasts.items.at(-1);
    await files.rename("out/ferry.md", "out/boat.md", "file");
    expect(listed()).toContain("out/boat.md");
    if (saved) toasts.choose(saved);
    await expect.poll(() => stored.get("out/boat.md")).toBe("At nine.");
  });

  it("offers to undo a saved text until another window changes the file", async () => {
    const before = contentOf("out/ferry.md");
    stored.set("out/ferry.md", "At ten.");
    await files.saved(before, contentOf("out/ferry.md"));
    await files.refresh();
    expect(toasts.items.map(({ text }) => text)).toEqual(["Saved ferry.md."]);
    stored.set("out/ferry.md", "At eleven.");
    await files.refresh();
    expect(toasts.items).toEqual([]);
  });

  it("renames a file and undoes it", async () => {
    await files.open("out/ferry.md");
    await files.rename("out/ferry.md", "out/boat.md", "file");
    expect(files.opened?.path).toBe("out/boat.md");
    undo();
    await expect.poll(() => files.opened?.path).toBe("out/ferry.md");
    expect(stored.has("out/boat.md")).toBe(false);
    await expect.poll(() => toasts.items.at(-1)?.text).toBe("Renamed boat.md to ferry.md.");
  });

  it("says where a renamed file went, if it is another folder", async () => {
    await files.rename("out/ferry.md", "out/trips/boat.md", "file");
    expect(toasts.items.at(-1)?.text).toBe("Moved ferry.md to out/trips/boat.md.");
    await files.rename("out/trips/boat.md", "out/boat.md", "file");
    expect(toasts.items.at(-1)?.text).toBe("Moved boat.md to out/.");
  });

  it("closes a deleted file, and restores it on Undo", async () => {
    await files.open("out/ferry.md");
    expect(await files.remove("out/ferry.md", "file")).toBe(true);
    expect(files.opened).toBeUndefined();
    expect(listed()).not.toContain("out/ferry.md");
    undo();
    await expect.poll(listed).toContain("out/ferry.md");
  });
});
