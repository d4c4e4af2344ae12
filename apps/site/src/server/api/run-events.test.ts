import { expect, it } from "vitest";
import { RunCursors, latestCursors, writeCursors } from "./run-events.ts";

const a = `run-${"a".repeat(26)}`;
const b = `run-${"b".repeat(26)}`;

it("reads runs with and without the place to go on from, and writes them back", () => {
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

it("goes on after whichever is later: what is asked for, or what the browser kept", () => {
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

it("follows only the runs that are asked for, and forgives an id that is not one of ours", () => {
  expect(latestCursors(new Map([[a, 3]]), `${b}:9`)).toEqual(new Map([[a, 3]]));
  expect(latestCursors(new Map([[a, 3]]), "17")).toEqual(new Map([[a, 3]]));
});
