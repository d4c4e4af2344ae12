import fc from "fast-check";
import { expect, it } from "vitest";
import { formatExchange, splitExchange } from "../text/exchange.ts";
import { exchangeIn, supersessionKey } from "./exchange.ts";

const exchange = (asked: string, answered = "Yes.") => ({
  type: "conversation" as const,
  content: formatExchange({ asked, answered }),
  metadata: {},
});

it.each([
  ["What is C++?", "What is C#?"],
  ["what is 12 / 4", "what is 12 * 4"],
])("distinguishes %s and %s", (one, other) => {
  expect(supersessionKey(exchange(one))).not.toBe(supersessionKey(exchange(other)));
});

it("treats requests that differ in case and spacing as the same", () => {
  expect(supersessionKey(exchange("When is  lunch?"))).toBe(supersessionKey(exchange("when is lunch")));
});

it.each([
  ["No later than 31 July.", "No later than 31 July."],
  ["No problem: the code is in the drawer.", "No problem: the code is in the drawer."],
  ["No file fits that.", undefined],
  ["There is nothing at out/a.md.", undefined],
])("recalls the answer %j as %j", (answered, recalled) => {
  const record = { ...exchange("when?", answered), source: { kind: "operator" as const } };
  expect(exchangeIn(record)?.answer).toBe(recalled);
});

it("reads the content of an exchange as it was written", () => {
  const line = fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/\s+/gu, " ").trim());
  fc.assert(
    fc.property(
      line,
      line,
      fc.option(fc.constantFrom("stuck", "stopped", "failed")),
      (asked, answered, outcome) => {
        const exchanged = { asked, answered, ...(outcome !== null && { outcome }) };
        expect(splitExchange(formatExchange(exchanged))).toEqual(exchanged);
      },
    ),
  );
});

it("describes how a run without an answer ended", () => {
  expect(formatExchange({ asked: "look", answered: "I stopped.", outcome: "stuck" })).toBe(
    "Asked: look\nNot answered (the run ended stuck): I stopped.",
  );
});
