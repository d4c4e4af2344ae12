import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { expect, it } from "vitest";
import {
  filesOf,
  foldersTo,
  movedPath,
  nameOf,
  parentOf,
  previewKind,
  withLineBreaksOf,
} from "./file-paths.ts";

it("splits paths", () => {
  expect(parentOf("out/trips/oslo.md")).toBe("out/trips");
  expect(parentOf("out")).toBe("");
  expect(nameOf("out/trips/oslo.md")).toBe("oslo.md");
  expect(foldersTo("out/trips/oslo")).toEqual(["out", "out/trips", "out/trips/oslo"]);
  expect(foldersTo("")).toEqual([]);
});

it("moves a file into a typed folder under its name, and a folder to the typed path", () => {
  expect(movedPath("out/list.txt", "out/trips/", false)).toBe("out/trips/list.txt");
  expect(movedPath("out/list.txt", "out/trips/oslo", false)).toBe("out/trips/oslo");
  expect(movedPath("out/trips", "out/journeys/", true)).toBe("out/journeys/");
});

it("chooses the preview by the extension, ignoring case", () => {
  expect(["a.MD", "b.json", "c.tsv", "d.PNG", "Makefile", "e.py", ".csv"].map(previewKind)).toEqual([
    "markdown",
    "json",
    "csv",
    "image",
    "text",
    "text",
    "csv",
  ]);
});

it("keeps the line breaks of a file", () => {
  expect(withLineBreaksOf("a\r\nb\r\n", "a\nc\n")).toBe("a\r\nc\r\n");
  expect(withLineBreaksOf("a\nb\n", "a\nc\n")).toBe("a\nc\n");
  expect(withLineBreaksOf("a\r\nb\n", "a\nb\n")).toBe("a\nb\n");
});

const step = (tool: string, outputs: Record<string, unknown>, success = true): ScratchpadEntry => ({
  step: 1,
  timestamp: "2026-11-20T09:30:12.123Z",
  thought: "",
  action: { tool, args: {} },
  observation: { mode: "narrative", content: "", success, outputs },
});

it("names each file that a run wrote and that still exists once", () => {
  const scratchpad = [
    step("fs_write", { path: "out/a.md", bytes: 1, created: true }),
    step("fs_append", { path: "out/a.md", bytes: 2, created: false }),
    step("fs_write", { path: "out/b.md", bytes: 1, created: true }),
    step("fs_move", { from: "out/b.md", to: "out/c.md" }),
    step("fs_write", { path: "out/d.md", bytes: 1, created: true }),
    step("fs_delete", { path: "out/d.md", removed: { id: "file-1" } }),
    step("fs_write", { path: "out/refused.md" }, false),
    step("fs_list", { path: "out", entries: [] }),
    step("archive_restore", { id: "file-2", origin: "out/e.md", restored: { kind: "file" } }),
    step("archive_restore", { id: "task-1", origin: "memory/tasks/a.json", restored: { kind: "task" } }),
  ];
  expect(filesOf({ scratchpad })).toEqual(["out/a.md", "out/c.md", "out/e.md"]);
});
