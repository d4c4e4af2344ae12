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
const read = (say: string, candidate: ReturnType<typeof learned>) => {
  const { match, likely } = matchRecipe(say, [candidate], options);
  const first = match ?? likely[0];
  return { how: match ? "replayed" : first ? "offered" : "left alone", values: first?.values };
};

describe("who gives something and who gets it", () => {
  const GAVE = learned(
    "gave",
    ["note that I gave the cello to Ines", "note that I gave the {item} to {person}"],
    { item: ["string", "cello"], person: ["string", "Ines"] },
    [["fs_append", { path: "given.md", text: "- ${item}: ${person}\n" }]],
  );
  const GOT = learned(
    "got",
    ["note that I got the cello from Ines", "note that I got the {item} from {person}"],
    { item: ["string", "cello"], person: ["string", "Ines"] },
    [["fs_append", { path: "got.md", text: "- ${item}: ${person}\n" }]],
  );
  const SOLD = learned(
    "sold",
    ["record that Ines sold the cello to Ravi", "record that {seller} sold the {item} to {buyer}"],
    { seller: ["string", "Ines"], item: ["string", "cello"], buyer: ["string", "Ravi"] },
    [["fs_append", { path: "sold.md", text: "- ${item}: ${seller} to ${buyer}\n" }]],
  );

  it.each([
    ["note that Omar gave the trumpet to me", GAVE],
    ["note that Omar gave me the trumpet", GAVE],
    ["note that Omar has given the trumpet to us", GAVE],
    ["note that the trumpet was given to me by Omar", GAVE],
    ["note that I was given the trumpet by Omar", GAVE],
    ["note that Omar got the trumpet from me", GOT],
    ["note that Omar gives his trumpet to us", GAVE],
  ])("is told apart, so a function for the other direction is left alone: %s", (say, candidate) => {
    expect(read(say, candidate).how).toBe("left alone");
  });

  it.each([
    ["note that I gave Omar the trumpet", GAVE, { item: "trumpet", person: "Omar" }],
    ["note that I got the trumpet from Omar", GOT, { item: "trumpet", person: "Omar" }],
    ["record that Omar sold the trumpet to Lena", SOLD, { seller: "Omar", item: "trumpet", buyer: "Lena" }],
    [
      "record that the trumpet was sold to Lena by Omar",
      SOLD,
      { seller: "Omar", item: "trumpet", buyer: "Lena" },
    ],
  ])("is the same in another order of the words: %s", (say, candidate, values) => {
    const found = read(say, candidate);
    expect(found.how).not.toBe("left alone");
    expect(found.values).toEqual(values);
  });
});

describe("a value whose earlier values are numbers, versions or codes", () => {
  const RELEASE = learned(
    "release",
    ["add to the release notes for 3.1.0: smaller images", "add to the release notes for {release}: {line}"],
    { release: ["string", "3.1.0"], line: ["string", "smaller images"] },
    [["fs_append", { path: "RELEASES.md", text: "- ${release}: ${line}\n" }]],
  );
  const LABEL = learned(
    "label",
    ["give sample 0107 the label river-sand", "give sample {sample} the label {label}"],
    { sample: ["string", "0107"], label: ["string", "river-sand"] },
    [["fs_move", { from: "samples/${sample}.md", to: "samples/${label}.md" }]],
  );
  const DRAWER = learned(
    "drawer",
    ["put the key for room-12 on the key list", "put the key for {room} on the key list"],
    { room: ["string", "room-12"] },
    [["fs_append", { path: "keys.md", text: "- ${room}\n" }]],
  );

  it.each([
    ["for release 3.4.1 put into the release notes: faster start", RELEASE, "release", "3.4.1"],
    ["for the release 3.4.1 please note in the release notes faster start", RELEASE, "release", "3.4.1"],
    ["give the sample with the number 0212 the label pine-bark", LABEL, "sample", "0212"],
    ["the sample number 0212 gets the label pine-bark", LABEL, "sample", "0212"],
    ["put the key for the room room-31 on the key list", DRAWER, "room", "room-31"],
  ])("takes no verb, article or noun of the function in: %s", (say, candidate, name, value) => {
    const found = read(say, candidate);
    if (found.values !== undefined) expect(found.values[name]).toBe(value);
    if (found.how === "replayed") expect(found.values?.[name]).toBe(value);
  });

  it("is not certain where it may as well be longer", () => {
    expect(read("for 3.4.1 beta put into the release notes: faster start", RELEASE).how).not.toBe("replayed");
  });
});

describe("a request that takes from what the function adds to, or asks for a part of what it makes", () => {
  const LOGBOOK = learned(
    "logbook",
    ["add the text of inbox/dive.txt to the logbook", "add the text of {file} to the logbook"],
    { file: ["path", "inbox/dive.txt"] },
    [
      ["fs_read", { path: "${file}" }],
      ["fs_append", { path: "notes/logbook.md", text: "${steps.1.content}" }],
    ],
  );
  const CASE = learned(
    "case",
    ["open a case for Hartley", "open a case for {client}"],
    { client: ["string", "Hartley"] },
    [
      ["fs_mkdir", { path: "cases/${client}" }],
      ["fs_write", { path: "cases/${client}/remarks.md", content: "# ${client}\n" }],
    ],
  );

  it.each([
    ["add the text of the logbook to inbox/dive.txt", LOGBOOK],
    ["add the last lines of the logbook to inbox/wreck.txt", LOGBOOK],
    ["open the remarks of the case for Hartley", CASE],
    ["open the folder of the case for Moss", CASE],
  ])("is not replayed: %s", (say, candidate) => {
    expect(read(say, candidate).how).not.toBe("replayed");
  });

  it.each([
    ["add the text of inbox/wreck.txt to the end of the logbook", LOGBOOK, { file: "inbox/wreck.txt" }],
    ["open a new case for Moss", CASE, { client: "Moss" }],
  ])("is replayed if it names the same act: %s", (say, candidate, values) => {
    expect(read(say, candidate)).toEqual({ how: "replayed", values });
  });
});
