import { describe, expect, it } from "vitest";
import { createOutput, formatDay, formatTime, table, tableOfPage } from "./output.ts";

function streams(isTTY: boolean) {
  const written = { out: "", err: "" };
  return {
    written,
    out: { write: (text: string) => (written.out += text), isTTY },
    err: { write: (text: string) => (written.err += text), isTTY },
  };
}

describe("the output of a command", () => {
  it("writes results to stdout and notes to stderr", () => {
    const { written, ...to } = streams(false);
    const output = createOutput(false, to);
    output.result({ id: 1 }, "one");
    output.note("a note");
    expect(written).toEqual({ out: "one\n", err: "a note\n" });
  });

  it("writes only JSON with --json", () => {
    const { written, ...to } = streams(true);
    const output = createOutput(true, to);
    output.write("part");
    output.note("a note");
    output.progress("half");
    output.line({ id: 1 }, "one");
    output.line({ id: 2 }, "two");
    expect(written).toEqual({ out: '{"id":1}\n{"id":2}\n', err: "" });
  });

  it("shows control characters of texts as code points on a terminal, and leaves other streams as they are", () => {
    const hostile = "a \u001B]0;title\u0007 \u202Eb\r\nc\td\n";
    for (const isTTY of [true, false]) {
      const { written, ...to } = streams(isTTY);
      const output = createOutput(false, to);
      output.write(hostile);
      output.note(hostile);
      const shown = isTTY ? "a <001B>]0;title<0007> <202E>b\r\nc\td\n" : hostile;
      expect(written).toEqual({ out: shown, err: `${shown}\n` });
    }
  });

  it("overwrites the progress line on a terminal and ends it once", () => {
    const { written, ...to } = streams(true);
    const output = createOutput(false, to);
    output.progress("10 %");
    output.progress("10 %");
    output.progress("20 %");
    output.endProgress();
    output.endProgress();
    expect(written.err).toBe("\r\u001B[K10 %\r\u001B[K20 %\n");
  });

  it("writes a progress line each time on other streams", () => {
    const { written, ...to } = streams(false);
    const output = createOutput(false, to);
    output.progress("10 %");
    output.progress("20 %");
    output.endProgress();
    expect(written.err).toBe("10 %\n20 %\n");
  });
});

it("aligns the columns of a table and does not pad the last one", () => {
  expect(
    table([
      ["a", "long", "x"],
      ["bbb", "b", ""],
    ]),
  ).toBe("a    long  x\nbbb  b");
});

it("formats a timestamp in a time zone", () => {
  const timestamp = "2026-11-21T22:30:59.000Z";
  expect(formatTime(timestamp, "Europe/Helsinki")).toBe("2026-11-22 00:30");
  expect(formatDay(timestamp, "Europe/Helsinki")).toBe("2026-11-22");
  expect(formatDay(timestamp, "UTC")).toBe("2026-11-21");
});

describe("a table", () => {
  const rows = [
    [
      "2026-11-27",
      "run-01m8es14y25vwgda6bj0q8e2zb",
      "forget what I said about the key of the sauna at the lake",
    ],
    ["2026-11-27", "run-01m8es0hwnq5p69n1jgv7e4jby", "undo that"],
  ];

  it("fits into the line of a terminal, with its ids whole", () => {
    const lines = table(rows, 80).split("\n");
    expect(lines).toEqual([
      "2026-11-27  run-01m8es14y25vwgda6bj0q8e2zb  forget what I said about the key of…",
      "2026-11-27  run-01m8es0hwnq5p69n1jgv7e4jby  undo that",
    ]);
  });

  it("is whole where no terminal shows it", () => {
    expect(table(rows)).toContain("the sauna at the lake");
  });
});

it("says how many items of a list are not shown", () => {
  expect(tableOfPage([["a", "1"]], 3, "Nothing.")).toBe("a  1\n2 more");
  expect(tableOfPage([["a", "1"]], 1, "Nothing.")).toBe("a  1");
  expect(tableOfPage([], 0, "Nothing.")).toBe("Nothing.");
});
