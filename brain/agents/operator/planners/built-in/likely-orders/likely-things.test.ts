import { expect, it } from "vitest";
import { rewriteFact } from "./likely-things.ts";
import type { Subject } from "../conversation/subjects.ts";

const facts: Subject[] = [
  { kind: "fact", text: "the gate code is 9904", age: 0, request: "", isChanged: true },
];

it("gives a fact the figure of a message only if it is like the one before", () => {
  expect(rewriteFact("gate code changed. 1177", facts)).toBe("the gate code is 1177 now");
  expect(rewriteFact("they changed the gate code 3 times already", facts)).toBeUndefined();
  expect(rewriteFact("is the gate code 1177?", facts)).toBeUndefined();
});
