import { describe, expect, it } from "vitest";
import { rewriteAsFileQuestion, findFilesInWords, rewriteWithPaths } from "./file-in-words.ts";

const paths = [
  "out/shopping-list.txt",
  "out/packing.md",
  "out/club/rota.md",
  "out/clients.csv",
  "out/report-draft.md",
  "out/minutes/2026-11-20.md",
  "out/offer-kalusto.txt",
  "inbox/offer-lindqvist.txt",
  "inbox/letter-from-school.txt",
  "inbox/server.log",
];

describe("a file that a request names in words", () => {
  it.each([
    ["summarize the school letter in two lines", "the school letter", "inbox/letter-from-school.txt"],
    ["copy my packing list", "my packing list", "out/packing.md"],
    ["what is on the shoping list", "the shoping list", "out/shopping-list.txt"],
    ["how many words has the report draft", "the report draft", "out/report-draft.md"],
    ["read me the rota", "the rota", "out/club/rota.md"],
    ["last five lines of the log", "the log", "inbox/server.log"],
    ["sort clients by city", "clients", "out/clients.csv"],
  ])("is found: “%s”", (request, words, path) => {
    const [file, ...others] = findFilesInWords(request, paths);
    expect(others).toEqual([]);
    expect(file).toMatchObject({ words, path });
  });

  it.each([
    "read the offer",
    "compare the two offers",
    "clients are waiting",
    "report what happened",
    "buy the milk",
    "read the minutes",
  ])("is not guessed: “%s”", (request) => {
    expect(findFilesInWords(request, paths)).toEqual([]);
  });

  it("is no value among others", () => {
    const found = findFilesInWords("add 4, lamp, opening to the rota", [...paths, "out/opening.md"]);
    expect(found.map(({ path }) => path)).toEqual(["out/club/rota.md"]);
  });

  it("may have a number behind its name", () => {
    const chapters = ["out/part1.md", "out/part2.md"];
    expect(findFilesInWords("count the words in part 2", chapters)).toMatchObject([
      { path: "out/part2.md", words: "part 2", isWhole: true },
    ]);
  });

  it("is whole only if every word of its name is there", () => {
    const isWhole = (request: string) => findFilesInWords(request, paths).map((file) => file.isWhole);
    expect(isWhole("delete the report")).toEqual([false]);
    expect(isWhole("delete the report draft")).toEqual([true]);
  });

  it("is put into the request by its path", () => {
    const request = "copy the packing list and read the rota";
    expect(rewriteWithPaths(request, findFilesInWords(request, paths))[0]).toBe(
      "copy out/packing.md and read out/club/rota.md",
    );
  });

  it.each([
    ["who is on the rota for saturday?", "who is for saturday according to out/club/rota.md"],
    ["how many clients do we have?", "how many entries are in out/clients.csv"],
    ["what's 8 boats times 35 eur divided on 12 clients", undefined],
  ])("is asked, if the words mean it: “%s”", (request, asked) => {
    const [file] = findFilesInWords(request, paths);
    expect(file && rewriteAsFileQuestion(request, file, { isQuestion: true })).toBe(asked);
  });
});
