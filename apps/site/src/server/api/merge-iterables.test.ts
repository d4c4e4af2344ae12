import { expect, it } from "vitest";
import { mergeIterables } from "./merge-iterables.ts";

async function* listed<Value>(...values: Value[]): AsyncGenerator<Value> {
  for (const value of values) yield await Promise.resolve(value);
}

it("yields every value of every source, in order per source, and ends with the last", async () => {
  const seen: string[] = [];
  for await (const value of mergeIterables([listed("a1", "a2", "a3"), listed("b1"), listed<string>()]))
    seen.push(value);
  expect([...seen].sort()).toEqual(["a1", "a2", "a3", "b1"]);
  expect(seen.filter((value) => value.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
});

it("requests the next value of a source only after the previous one was consumed", async () => {
  let asked = 0;
  const eager = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false, value: (asked += 1) }) }),
  };
  const merged = mergeIterables([eager]);
  await merged.next();
  await new Promise(setImmediate);
  expect(asked).toBe(1);
  await merged.next();
  await new Promise(setImmediate);
  expect(asked).toBe(2);
});

it("throws an error of a source, even while another one is pending", async () => {
  async function* failing(): AsyncGenerator<string> {
    yield await Promise.resolve("first");
    throw new Error("broken");
  }
  const waiting: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
  };
  const merged = mergeIterables([waiting, failing()]);
  expect(await merged.next()).toEqual({ done: false, value: "first" });
  await expect(merged.next()).rejects.toThrow("broken");
});

it("ends its sources when the consumer stops", async () => {
  let finished = 0;
  async function* endless(): AsyncGenerator<number> {
    try {
      for (let count = 0; ; count += 1) yield await Promise.resolve(count);
    } finally {
      finished += 1;
    }
  }
  for await (const _value of mergeIterables([endless(), endless()])) break;
  await new Promise(setImmediate);
  expect(finished).toBe(2);
});
