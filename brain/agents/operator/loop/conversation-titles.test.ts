import { describe, expect, it } from "vitest";
import { extractTitle } from "./conversation-titles.ts";

describe("the title in a model's reply", () => {
  it.each([
    ["Guest wifi access", "Guest wifi access"],
    ['"Guest wifi access."', "Guest wifi access"],
    ['Title: "Guest wifi access"', "Guest wifi access"],
    ['**Title:** "Guest Wifi Access"', "Guest Wifi Access"],
    ['Title:** "Guest Wifi Access', "Guest Wifi Access"],
    ["# Titel: Gäste-WLAN\nmore", "Gäste-WLAN"],
    ['{"title": "Guest wifi access"}', "Guest wifi access"],
    ['```json\n{"title": "Guest wifi access"}\n```', "Guest wifi access"],
  ])("of %j is %j", (reply, title) => {
    expect(extractTitle(reply)).toBe(title);
  });

  it.each(["", "--", "x".repeat(61), "Title:", '{"name": "a"}', "[1, 2, three]"])(
    "is missing in %j",
    (reply) => {
      expect(extractTitle(reply)).toBeUndefined();
    },
  );
});
