import { expect, it } from "vitest";
import { makeWordSenses } from "./make-word-senses.ts";

it("writes each noun with its senses in the order of the index, and the more general senses", () => {
  const { words, parents } = makeWordSenses({
    index: ["phoenix n 1 1 @ 1 0 00000002", "payment n 1 1 @ 1 0 00000003", "bird n 1 1 @ 1 0 00000002"],
    data: [
      "00000001 03 n 01 thing 0 000 | anything",
      "00000002 03 n 02 bird 0 Phoenix 0 001 @ 00000001 n 0000 | it flies",
      "00000003 03 n 01 payment 0 001 @ 00000001 n 0000 | what is paid",
    ],
  });
  // The proper name is left out.
  expect(words).toBe("bird 1\npayment 2\n");
  expect([...parents.subarray(6, 12)]).toEqual([0, 0, 0, 255, 255, 255]);
});
