import { describe, expect, it } from "vitest";
import { KeyBuffer } from "./key-buffer.ts";

const key = (name: string, held: { ctrlKey?: boolean } = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

describe("what is typed before the palette is there", () => {
  it("is kept as text, with its corrections", () => {
    const ahead = new KeyBuffer();
    for (const name of ["m", "x", "Backspace", "e"]) expect(ahead.take(key(name))).toBe(true);
    expect(ahead.text).toBe("me");
  });

  it("ends with Enter", () => {
    const ahead = new KeyBuffer();
    ahead.take(key("m"));
    ahead.take(key("Enter"));
    expect(ahead.take(key("z"))).toBe(false);
    expect(ahead).toMatchObject({ text: "m", entered: true });
  });

  it("leaves every other key to the page", () => {
    const ahead = new KeyBuffer();
    expect(ahead.take(key("Escape"))).toBe(false);
    expect(ahead.take(key("r", { ctrlKey: true }))).toBe(false);
    expect(ahead.text).toBe("");
  });
});
