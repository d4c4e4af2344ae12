import { describe, expect, it } from "vitest";
import { agreesToAll, onlyAgrees, onlyDeclines, restAfterYes } from "./yes-no.ts";

describe("a reply to a question or an offer", () => {
  it.each(
    "yes|Yes please!|yep|ok, do it|okay then|sure, go ahead|of course|absolutely|oh yes, please do|y|fine|please|ja bitte|natürlich|oui merci|sí".split(
      "|",
    ),
  )("agrees with “%s”", (reply) => {
    expect([onlyAgrees(reply), onlyDeclines(reply)]).toEqual([true, false]);
  });

  it.each(
    "no|No thanks.|nope, leave it|nah|never mind|don't|please don’t do that|none of them|not now thanks|nein danke|nej tak|non merci|lieber nicht".split(
      "|",
    ),
  )("declines with “%s”", (reply) => {
    expect([onlyAgrees(reply), onlyDeclines(reply)]).toEqual([false, true]);
  });

  it.each([
    "",
    "  ",
    "!",
    "yes?",
    "ok why?",
    "no?",
    "yes, but tomorrow",
    "yes and no",
    "right now",
    "yes 2",
    "ok 12:30",
    "no 2",
    "No. 2",
    "don't stop",
    "do not cancel",
    "that's it",
    "this one",
    "it is a mistake",
    "не ok",
    "no milk",
    "okra",
    "do you know it",
    "sure as hell not",
    "thanks",
  ])("says neither with “%s”", (reply) => {
    expect([onlyAgrees(reply), onlyDeclines(reply)]).toEqual([false, false]);
  });

  it.each([
    "yes, delete them",
    "ok all of them",
    "all of it please",
    "sure",
    "right, do it",
    "yes, both files",
    "ok, get rid of them all",
    "all right",
    "all 3",
    "sure delete them",
    "delete them all",
    "go ahead, all of them",
  ])("agrees to all with “%s”", (reply) => {
    expect(agreesToAll(reply)).toBe(true);
  });

  it.each([
    "yes, but keep the last",
    "all except the second",
    "ok, stop",
    "right, cancel that",
    "fine, leave them",
    "yes wait",
    "ok no",
    "yes?",
    "the first",
    "allow it",
    "this one",
    "that one: b.md",
    "it is a mistake",
    "fine, don't",
    "right, wait",
    "correct the list first",
    "confirm the names first",
    "that's it, stop",
    "ok, never mind",
    "sure, a.md",
    "yes, a.md",
    "yes, one of them",
    "yes, delete one",
    "ok, two",
    "yes, that one",
    "ok, archive them",
    "yes, the file",
    "go away",
  ])("does not agree to all with “%s”", (reply) => {
    expect(agreesToAll(reply)).toBe(false);
  });

  it.each([
    ["yes, the second", "the second"],
    ["ok: number 2", "number 2"],
    ["yes", ""],
    ["yesterday", undefined],
    ["the second", undefined],
    ["correct the name first", undefined],
    ["right: 2", "2"],
    ["Çok güzel", undefined],
  ])("has after its yes: “%s”", (reply, rest) => {
    expect(restAfterYes(reply)).toBe(rest);
  });
});
