import { describe, expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { call } from "./testing/observed-calls.ts";

describe("a table that was merged from two others", () => {
  const north = call(
    "fs_read",
    { path: "shop/north.csv" },
    {
      path: "out/shop/north.csv",
      content: "sku,product,qty,unit_price\nA1,soap,12,2.50\nA2,candle,4,8.00\nA3,basket,1,31.20\n",
    },
  );
  const south = call(
    "fs_read",
    { path: "shop/south.csv" },
    {
      path: "out/shop/south.csv",
      content: "Article;Name;Pieces;Price\nA2;Candle;6;8.00\nA4;Towel;3;14.90\nA1;Soap;5;2.60\n",
    },
  );
  const writing = (...rows: string[]) =>
    call(
      "fs_write",
      { path: "shop/all.csv", content: ["sku,product,qty,unit_price", ...rows, ""].join("\n") },
      { path: "out/shop/all.csv", created: true },
    );
  const soap = "A1,soap,17,2.60";
  const candle = "A2,candle,10,8.00";
  const basket = "A3,basket,1,31.20";
  const towel = "A4,towel,3,14.90";
  const request = "merge out/shop/north.csv and out/shop/south.csv into out/shop/all.csv, one row per sku";
  const refutedIn = (answer: string, rows: string[], goal = request): string[] =>
    checkAnswer(
      answer,
      evidenceOf({ request: goal, observations: [north, south, writing(...rows)] }),
    ).flatMap(({ problems }) => problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text));

  it.each([
    "I merged both files into out/shop/all.csv with one row per sku [3].",
    "I wrote out/shop/all.csv [3].",
  ])("is not said to be done if it lacks a row: %s", (answer) => {
    expect(refutedIn(answer, [soap, candle, towel])).toEqual([
      "The written table has no row for basket, which a file that was read has.",
    ]);
  });

  it.each([
    ["a price that no row has", "A1,soap,17,2.06", request, "2.06 for soap"],
    ["a price of another thing", "A1,soap,17,8.00", request, "8 for soap"],
    ["a quantity that the rows do not add up to", "A1,soap,18,2.60", request, "18 for soap"],
    [
      "the lower price where the request wants the higher one",
      "A1,soap,17,2.50",
      `${request}, with the higher price`,
      "2.5 for soap",
    ],
  ])("is not said to be done if it has %s", (_about, row, goal, wrong) => {
    expect(
      refutedIn(
        "I merged both files into out/shop/all.csv [3].",
        [row, "A2,candle,10,8.00", basket, "A4,towel,3,14.90"],
        goal,
      ),
    ).toEqual([
      `The written table has ${wrong}, which neither stands in the rows that were read nor follows from them.`,
    ]);
  });

  it.each([
    ["the price of one of the files", ["A1,soap,17,2.50", candle, basket, towel], request],
    ["the higher price", [soap, candle, basket, towel], `${request}, with the higher price`],
    ["the quantity of one of the files", ["A1,soap,12,2.60", candle, basket, towel], request],
    [
      "an average that the request wants",
      ["A1,soap,17,2.55", candle, basket, towel],
      `${request}, with the average price`,
    ],
    [
      "a price with the tax of the request",
      ["A1,soap,17,3.25", candle, basket, towel],
      `${request}, with 25 percent tax`,
    ],
    ["a value of the row", ["A1,soap,17,2.60,44.20", "A2,candle,10,8.00,80.00", basket, towel], request],
  ])("may have %s", (_about, rows, goal) => {
    expect(refutedIn("I merged both files into out/shop/all.csv [3].", rows, goal)).toEqual([]);
  });

  it.each([
    [
      "has every row",
      "I merged both files into out/shop/all.csv [3].",
      [soap, candle, basket, towel],
      request,
    ],
    [
      "has a row under another name",
      "I merged both files into out/shop/all.csv [3].",
      [soap, candle, "A-3,basket,1,31.20", towel],
      request,
    ],
    [
      "has the rows that the request asks for",
      "I merged both files into out/shop/all.csv [3].",
      [soap, candle],
      `${request}, only those in both files`,
    ],
    [
      "is not complete and said to be so",
      "I merged both files into out/shop/all.csv except for A3 [3].",
      [soap, candle, towel],
      request,
    ],
    [
      "is another text",
      "I wrote the report to out/shop/all.csv [3].",
      ["x1,total,35,1", "x2,mean,9,2"],
      request,
    ],
  ])("may be said to be done if it %s", (_about, answer, rows, goal) => {
    expect(refutedIn(answer, rows, goal)).toEqual([]);
  });
});
