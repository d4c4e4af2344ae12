import { describe, expect, it } from "vitest";
import { KeyBuffer } from "./key-buffer.ts";

const key = (name: string, held: { ctrlKey?: boolean } = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

describe("keys typed before the palette is loaded", () => {
  it("are kept as text, with corrections", () => {
    const ahead = new KeyBuffer();
    for (const name of ["m", "x", "Backspace", "e"]) expect(ahead.take(key(name))).toBe(true);
    expect(ahead.text).toBe("me");
  });

  it("end with Enter", () => {
    const ahead = new KeyBuffer();
    ahead.take(key("m"));
    ahead.take(key("Enter"));
    expect(ahead.take(key("z"))).toBe(false);
    expect(ahead).toMatchObject({ text: "m", entered: true });
  });

  it("exclude all other keys, which the page handles", () => {
    const ahead = new KeyBuffer();
    expect(ahead.take(key("Escape"))).toBe(false);
    expect(ahead.take(key("r", { ctrlKey: true }))).toBe(false);
    expect(ahead.text).toBe("");
  });
});
