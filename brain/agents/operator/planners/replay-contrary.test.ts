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
const VISITOR = learned(
  "visitor",
  ["sign in the visitor Ola Berg at gate 3", "sign in the visitor {visitor} at gate {gate}"],
  { visitor: ["string", "Ola Berg"], gate: ["number", "3"] },
  [["fs_append", { path: "gates/${gate}.md", text: "${visitor}\n" }]],
);
const CHECKLIST = learned(
  "checklist",
  ["tick off the tent pegs on the camp list", "tick off the {item} on the camp list"],
  { item: ["string", "tent pegs"] },
  [["fs_edit", { path: "camp.md", action: "check", item: "${item}" }]],
);
const REPORT = learned(
  "report",
  ["copy notes/tuesday.md into the shift report", "copy {note} into the shift report"],
  { note: ["path", "notes/tuesday.md"] },
  [
    ["fs_read", { path: "${note}" }],
    ["fs_append", { path: "shift/report.md", text: "${steps.1.content}\n" }],
  ],
);
const SYMPTOMS = learned(
  "symptoms",
  ["write down the symptoms of Rex", "write down the symptoms of {animal}"],
  { animal: ["string", "Rex"] },
  [["fs_append", { path: "symptoms.md", text: "${animal}\n" }]],
);
const CALLS = learned(
  "calls",
  ["log a call with Mira Holt, incoming at desk 4", "log a call with {caller}, incoming at desk {desk}"],
  { caller: ["string", "Mira Holt"], desk: ["number", "4"] },
  [["fs_append", { path: "calls.md", text: "in: ${caller}, ${desk}\n" }]],
);
const JARS = learned(
  "jars",
  ["record 12 jars of plum jam from batch K7", "record {count} jars of {sort} from batch {batch}"],
  { count: ["number", "12"], sort: ["string", "plum jam"], batch: ["string", "K7"] },
  [["fs_append", { path: "jam.csv", text: "${batch},${sort},${count}\n" }]],
);
const LOST_GAMES = learned(
  "lost-games",
  ["note a lost game against Delft, 3 goals", "note a lost game against {team}, {goals} goals"],
  { team: ["string", "Delft"], goals: ["number", "3"] },
  [["fs_append", { path: "lost.csv", text: "${team},${goals}\n" }]],
);
const FUNCTIONS = [LOST_GAMES, VISITOR, REPORT, SYMPTOMS, CHECKLIST, CALLS, JARS];
const read = (say: string) => {
  const { match, likely } = matchRecipe(say, FUNCTIONS, options);
  return { replayed: match?.function.id, values: match?.values, offered: likely.length };
};

describe("a request in the contrary direction", () => {
  it.each([
    "sign out the visitor Ola Berg at gate 3",
    "sign the visitor Ola Berg out at gate 3",
    "please sign out the visitor Ines Roth, gate 2",
    "copy the shift report into notes/tuesday.md",
    "log a call with Mira Holt, outgoing from desk 4",
    "log an outgoing call with Mira Holt at desk 4",
    "sell 12 jars of plum jam from batch K7",
    "copy the shift report into the file notes/friday.md please",
    "note a won game against Leiden, 2 goals",
  ])("is neither replayed nor offered: %s", (say) => {
    expect(read(say)).toEqual({ replayed: undefined, values: undefined, offered: 0 });
  });
});

describe("a request in the function's direction", () => {
  it.each([
    ["sign in the visitor Ines Roth at gate 2", "visitor", { visitor: "Ines Roth", gate: 2 }],
    ["sign the visitor Ines Roth in at gate 2", "visitor", { visitor: "Ines Roth", gate: 2 }],
    ["log a call with Tom Rey, incoming at desk 2", "calls", { caller: "Tom Rey", desk: 2 }],
    ["note 8 jars of quince jelly from batch L2", "jars", { count: 8, sort: "quince jelly", batch: "L2" }],
    ["tick the lantern off on the camp list", "checklist", { item: "lantern" }],
    ["copy notes/friday.md into the shift report", "report", { note: "notes/friday.md" }],
    ["into the shift report please copy notes/friday.md", "report", { note: "notes/friday.md" }],
  ])("is replayed or offered with its values: %s", (say, id, values) => {
    const { match, likely } = matchRecipe(say, FUNCTIONS, options);
    const first = match ?? likely[0];
    expect({ id: first?.function.id, values: first?.values }).toEqual({ id, values });
  });

  it("may use a particle that means the same", () => {
    const { match, likely } = matchRecipe("write up the symptoms of Bella", FUNCTIONS, options);
    expect((match ?? likely[0])?.values).toEqual({ animal: "Bella" });
  });
});
