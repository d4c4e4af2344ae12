import { describe, expect, it } from "vitest";
import { attachedRequest, joinAttachments, splitAttachments } from "./attachments.ts";

describe("a request with files", () => {
  it.each([
    [{ text: "who has not paid?", files: ["inbox/fees.csv"] }, "in inbox/fees.csv: who has not paid?"],
    [
      { text: "compare them", files: ["inbox/a.csv", "inbox/b.csv"] },
      "in inbox/a.csv and inbox/b.csv: compare them",
    ],
    [{ text: "show it", files: ["inbox/my letter: 2.txt"] }, 'in "inbox/my letter: 2.txt": show it'],
    [{ text: "", files: ["inbox/fees.csv"] }, "in inbox/fees.csv: "],
    [{ text: "two\nlines ", files: ["inbox/fees.csv"] }, "in inbox/fees.csv: two\nlines "],
    [{ text: "no file", files: [] }, "no file"],
  ])("is joined and taken apart again: %j", (request, joined) => {
    expect(joinAttachments(request)).toBe(joined);
    expect(splitAttachments(joined)).toEqual(request);
  });

  it.each([
    "in summer: plant beans",
    "in out/a.csv: who has paid",
    "in inbox/a.csv who has paid",
    "In inbox/a.csv: x",
  ])("is not seen in %s", (text) => {
    expect(splitAttachments(text)).toEqual({ text, files: [] });
  });

  it("without words asks to read them", () => {
    expect(attachedRequest({ text: " ", files: ["inbox/fees.csv"] })).toBe("read inbox/fees.csv");
    expect(attachedRequest({ text: "sum it", files: ["inbox/fees.csv"] })).toBe("in inbox/fees.csv: sum it");
  });
});
