import { describe, expect, it } from "vitest";
import { isBlockedName } from "./file-names.ts";

describe("blocked names", () => {
  it.each([
    ".git",
    ".ENV",
    ".env.staging",
    "id_rsa",
    "id_ed25519.bak",
    "server.KEY",
    "x.p12",
    "state.db",
    "a.sqlite-journal",
    ".ssh",
  ])("blocks %s", (name) => {
    expect(isBlockedName(name)).toBe(true);
  });

  it.each([
    ".gitignore",
    ".env.example",
    "environment.md",
    "id_rsa.pub",
    "keyboard.md",
    "monkey",
    "database.md",
    "db",
    "notes.dbx",
    ".mh-notes.md",
  ])("allows %s", (name) => {
    expect(isBlockedName(name)).toBe(false);
  });
});
