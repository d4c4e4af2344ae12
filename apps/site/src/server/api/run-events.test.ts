import { expect, it } from "vitest";
import { RunCursors, latestCursors, writeCursors } from "./run-events.ts";

const a = `run-${"a".repeat(26)}`;
const b = `run-${"b".repeat(26)}`;

it("parses runs with and without a position, and formats them again", () => {
  expect(RunCursors.parse(`${a}:12,${b}`)).toEqual(
    new Map([
      [a, 12],
      [b, 0],
    ]),
  );
  expect(writeCursors(RunCursors.parse(`${a}:12,${b}`))).toBe(`${a}:12,${b}:0`);
  expect(RunCursors.parse("")).toEqual(new Map());
});

it.each(["run-1", `${a}:x`, `${a}:-1`, `${a}:1:2`, "../etc", Array.from({ length: 51 }, () => a).join(",")])(
  "refuses %s",
  (text) => {
    expect(RunCursors.safeParse(text).success).toBe(false);
  },
);

it("continues after the later of the requested and the last received event", () => {
  expect(
    latestCursors(
      new Map([
        [a, 3],
        [b, 0],
      ]),
      `${a}:2,${b}:7`,
    ),
  ).toEqual(
    new Map([
      [a, 3],
      [b, 7],
    ]),
  );
});

it("follows only the requested runs, and ignores invalid ids", () => {
  expect(latestCursors(new Map([[a, 3]]), `${b}:9`)).toEqual(new Map([[a, 3]]));
  expect(latestCursors(new Map([[a, 3]]), "17")).toEqual(new Map([[a, 3]]));
});
