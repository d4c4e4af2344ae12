import type { FileContent, FileWrite } from "@metahuman/core/contract/files";
import { describe, expect, it } from "vitest";
import { ApiProblem } from "../../lib/api/api-problem.ts";
import { FileEditing } from "./file-editing.svelte.ts";

const PATH = "out/ferry.md";
const FIRST = "# Ferry\nAt nine.\n\nBring bread.\n\nBring walnuts.\n";

/** A server that stores one file and checks its version, as the real one does. */
function serverWith(content: string) {
  let version = 1;
  let text: string | undefined = content;
  const current = (): FileContent => {
    if (text === undefined)
      throw new ApiProblem(404, { code: "FILE_NOT_FOUND", message: "There is no file." });
    return { path: PATH, content: text, bytes: text.length, truncated: false, version: `v${version}` };
  };
  return {
    current,
    change: (changed: string | undefined) => {
      text = changed;
      version += 1;
    },
    read: async () => current(),
    write: async (file: FileWrite) => {
      const isSame = text === undefined ? file.version === undefined : file.version === `v${version}`;
      if (!isSame) throw new ApiProblem(409, { code: "STALE_VERSION", message: "The file has changed." });
      text = file.content;
      version += 1;
      return { path: file.path, bytes: text.length, version: `v${version}`, created: false };
    },
  };
}

function conflict(mine: string, theirs: string) {
  const server = serverWith(FIRST);
  const editing = new FileEditing(server, server.current());
  editing.text = mine;
  server.change(theirs);
  return { server, editing };
}

describe("an edited file", () => {
  it("has unsaved changes only while its text differs", () => {
    const server = serverWith("one\r\ntwo\r\n");
    const editing = new FileEditing(server, server.current());
    expect(editing.dirty).toBe(false);
    editing.text = "one\nthree\n";
    expect(editing.dirty).toBe(true);
    editing.text = "one\ntwo\n";
    expect(editing.dirty).toBe(false);
  });

  it("is saved with the line breaks of the file", async () => {
    const server = serverWith("one\r\ntwo\r\n");
    const editing = new FileEditing(server, server.current());
    editing.text = "one\nthree\n";
    expect(await editing.save()).toMatchObject({ content: "one\r\nthree\r\n", version: "v2" });
    expect(server.current().content).toBe("one\r\nthree\r\n");
  });

  it("does not replace a text that somebody else saved meanwhile", async () => {
    const theirs = FIRST.replace("walnuts", "cheese");
    const { server, editing } = conflict(FIRST.replace("nine", "ten"), theirs);
    expect(await editing.save()).toBeUndefined();
    expect(editing.theirs?.content).toBe(theirs);
    expect(editing.text).toContain("At ten.");
    expect(server.current().content).toBe(theirs);
  });

  it("merges changes of different lines", async () => {
    const { server, editing } = conflict(FIRST.replace("nine", "ten"), FIRST.replace("walnuts", "cheese"));
    await editing.save();
    expect(await editing.keepMine("changes")).toBe(true);
    expect(await editing.save()).toBeDefined();
    expect(server.current().content).toBe(FIRST.replace("nine", "ten").replace("walnuts", "cheese"));
  });

  it("reports changes of the same line, and replaces their text only on request", async () => {
    const { server, editing } = conflict(FIRST.replace("nine", "ten"), FIRST.replace("nine", "eleven"));
    await editing.save();
    expect(await editing.keepMine("changes")).toBe(false);
    expect(editing.overlaps).toBe(true);
    expect(editing.text).toContain("At ten.");
    expect(await editing.keepMine("all")).toBe(true);
    expect(editing.overlaps).toBe(false);
    await editing.save();
    expect(server.current().content).toBe(FIRST.replace("nine", "ten"));
  });

  it("can be discarded in favor of their text", async () => {
    const { server, editing } = conflict(FIRST.replace("nine", "ten"), FIRST.replace("nine", "eleven"));
    await editing.save();
    editing.takeTheirs();
    expect(editing.text).toBe(server.current().content);
    expect(editing.dirty).toBe(false);
  });

  it("is created again on request after somebody else deleted it", async () => {
    const server = serverWith(FIRST);
    const editing = new FileEditing(server, server.current());
    editing.text = "# Ferry\n";
    server.change(undefined);
    expect(await editing.save()).toBeUndefined();
    expect(editing.isGone).toBe(true);
    expect(await editing.save()).toBeDefined();
    expect(server.current().content).toBe("# Ferry\n");
  });

  it("shows the problem of a failed save and keeps the text", async () => {
    const server = serverWith(FIRST);
    const full = new ApiProblem(507, { code: "STORAGE_FULL", message: "The disk is full." });
    const editing = new FileEditing({ ...server, write: () => Promise.reject(full) }, server.current());
    editing.text = "# Ferry\n";
    expect(await editing.save()).toBeUndefined();
    expect(editing.form.problem?.text).toContain("The disk is full.");
    expect(editing.text).toBe("# Ferry\n");
  });
});
