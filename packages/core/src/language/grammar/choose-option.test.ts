import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseOption, optionFromReply } from "./choose-option.ts";

const labelled = (...labels: string[]) => labels.map((label, index) => ({ id: `id-${index}`, label }));

describe("choose", () => {
  it("chooses the only candidate that contains all the words, in inflected forms too", () => {
    expect(chooseOption("the milk task", labelled("buy milk for the task", "call mum"))).toMatchObject({
      kind: "one",
    });
    expect(chooseOption("cleaned windows", labelled("clean the window", "call mum"))).toMatchObject({
      kind: "one",
      candidate: { id: "id-0" },
    });
  });

  it("prefers an exact name to other candidates with the same words", () => {
    expect(chooseOption("buy milk", labelled("buy milk and bread", "Buy milk"))).toMatchObject({
      candidate: { id: "id-1" },
    });
    expect(
      chooseOption("shopping list", labelled("out/shopping-list.txt", "out/old shopping list 2.txt")),
    ).toMatchObject({
      candidate: { id: "id-0" },
    });
  });

  it("asks if several candidates contain all the words, or none does", () => {
    expect(chooseOption("milk", labelled("buy milk", "order milk", "tea"))).toMatchObject({
      kind: "several",
      fits: true,
      candidates: [{ id: "id-0" }, { id: "id-1" }],
    });
    expect(chooseOption("oat drink", labelled("buy milk"))).toMatchObject({ kind: "several", fits: false });
  });

  it("finds nothing without candidates", () => {
    expect(chooseOption("milk", [])).toEqual({ kind: "none" });
  });

  it("never chooses a candidate that lacks one of the words", () => {
    const word = fc.constantFrom("milk", "bread", "window", "report", "garden");
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.array(fc.array(word, { maxLength: 3 }), { maxLength: 5 }),
        (expected, labels) => {
          const choice = chooseOption(
            expected.join(" "),
            labelled(...labels.map((label) => label.join(" "))),
          );
          if (choice.kind === "one")
            for (const one of expected) expect(choice.candidate.label).toContain(one);
        },
      ),
    );
  });
});

describe("optionFromReply", () => {
  const options = ["buy milk", "order milk", "tea (green)"];

  it.each<[string, number | "none" | undefined]>([
    ["buy milk", 0],
    [" Order Milk ", 1],
    ["2", 1],
    ["the third one", 2],
    ["last", 2],
    ["the second one please", 1],
    ["oh, 2 please", 1],
    ["last, thanks", 2],
    ["buy milk please", 0],
    ["tea", 2],
    ["none of them", "none"],
    ["never mind", "none"],
    ["milk", undefined],
    ["7", undefined],
    ["both", undefined],
    ["", undefined],
  ])("understands %j", (reply, expected) => {
    expect(optionFromReply(reply, options)).toBe(expected);
  });

  it.each<[string, number]>([
    ["yes pls", 0],
    ["yeah go on then", 0],
    ["sure, thanks", 0],
    ["oh yes please", 0],
    ["nah", 1],
    ["no thanks", 1],
    ["nope, leave it", 1],
  ])("understands %j as a reply to a question for yes or no", (reply, expected) => {
    expect(optionFromReply(reply, ["Yes", "No"])).toBe(expected);
  });
});

it.each(["", " ", "."])(
  "chooses nothing by a blank reply, even among options without labels: “%s”",
  (reply) => {
    expect(optionFromReply(reply, ["", ""])).toBeUndefined();
  },
);
