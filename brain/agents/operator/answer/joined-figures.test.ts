import { describe, expect, it } from "vitest";
import { call, problemsOf } from "./testing/observed-calls.ts";

describe("a figure over two tables that belong together", () => {
  const file = (path: string, content: string) => call("fs_read", { path }, { path: `out/${path}`, content });
  const orders = file(
    "orders.csv",
    "item,quantity,for\nChairs,24,hall\nTables,6,hall\nLamps,9,stage\nCables,14,stage\nCurtains,4,hall\n",
  );
  const prices = file(
    "prices.csv",
    "item,price,supplier\nTables,48.50,Nordli\nChairs,12.90,Nordli\nCurtains,75.00,Vev\nLamps,31.25,Lys\nCables,7.80,Lys\n",
  );
  const written = (stage: string, total: string) =>
    call(
      "fs_write",
      { path: "budget.md", content: `hall 900.60, stage ${stage}, total ${total}` },
      { created: true },
    );
  const found = (stage: string, total: string) =>
    problemsOf(`The hall costs 900.60 and the stage ${stage}. Together they cost ${total}.`, [
      orders,
      prices,
      written(stage, total),
    ]);

  it("is refuted where it is near the right sum, although the operator wrote it into a file", () => {
    expect(found("388.45", "1289.05")).toEqual([
      "388.45 is stated of “stage”, and its rows come to 390.45.",
      "1289.05 is stated as a total, and the rows come to 1291.05.",
    ]);
  });

  it("stands where it is right", () => {
    expect(found("390.45", "1291.05")).toEqual([]);
  });
});
