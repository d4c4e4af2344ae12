import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { learned } from "../../testing/learned-recipe.ts";

const options = {
  now: new Date("2026-11-25T10:00:00Z"),
  timeZone: "UTC",
  skillGrammars: installedSkills.map(skillGrammar),
};
const BULLETIN = learned(
  "bulletin",
  ["summarize reports/may.md for the bulletin", "summarize {report} for the bulletin"],
  { report: ["path", "reports/may.md"] },
  [
    ["summarize_file", { path: "${report}" }],
    ["fs_append", { path: "bulletin.md", text: "${steps.1.summary}\n" }],
  ],
);
const MARKET = learned(
  "market",
  ["put leeks on the market list", "put {item} on the market list"],
  { item: ["string", "leeks"] },
  [["fs_append", { path: "market.md", text: "- ${item}\n" }]],
);
const TASTING = learned(
  "tasting",
  ["note that Ravi is out of stock of cheddar", "note that {shop} is out of stock of {cheese}"],
  { shop: ["string", "Ravi"], cheese: ["string", "cheddar"] },
  [["fs_append", { path: "stock.md", text: "${shop}: ${cheese}\n" }]],
);
const MIND = learned(
  "mind",
  ["log what is on my mind: the fence needs paint", "log what is on my mind: {thought}"],
  { thought: ["string", "the fence needs paint"] },
  [["fs_append", { path: "mind.md", text: "${thought}\n" }]],
);
const read = (say: string, club = [BULLETIN, MARKET]) => {
  const { match, likely, doubtful, open } = matchRecipe(say, club, options);
  return {
    replayed: match?.function.id,
    values: match?.values,
    shown: [...likely, ...doubtful, ...open].length,
  };
};

describe("a request that removes what the function adds", () => {
  it.each([
    "take the summary of reports/may.md out of the bulletin",
    "cut the summary of reports/may.md from the bulletin",
    "pull the summary of reports/may.md out of the bulletin, please",
    "leave the summary of reports/may.md out of the bulletin",
    "take leeks off the market list",
    "cross leeks off the market list",
    "strike the leeks from the market list",
    "the leeks must come off the market list",
  ])("is neither replayed nor offered, and no model is asked about the function: %s", (say) => {
    expect(read(say)).toEqual({ replayed: undefined, values: undefined, shown: 0 });
  });

  it("is not one where such words are a part of a value", () => {
    expect(read("log what is on my mind: take the bins out of the hall", [MIND]).values).toEqual({
      thought: "take the bins out of the hall",
    });
  });

  it("is not one where the function contains such a word itself", () => {
    expect(read("please note that Milena is out of stock of gouda", [TASTING]).values).toEqual({
      shop: "Milena",
      cheese: "gouda",
    });
  });
});
