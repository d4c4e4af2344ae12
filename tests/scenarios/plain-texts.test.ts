import { afterEach, beforeEach, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Notes, letters and lists whose text the request holds, and what is then said about them, without a model.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";

it("writes a note or a letter with the text after the colon, and changes it", async () => {
  await say("make a note for the plumber: the tap drips, key is under the mat");
  await say("add: call before you come");
  expect(await harness.read("out/plumber-note.txt")).toBe(
    "the tap drips, key is under the mat\ncall before you come",
  );
  await say("write a letter to the landlord: Dear Mr Holt, the heating is broken.");
  await say("change broken to not working");
  await say('append "PS call me" on a new line');
  expect(await harness.read("out/landlord-letter.txt")).toBe(
    "Dear Mr Holt, the heating is not working.\nPS call me",
  );
  await say("save a copy as holt.txt");
  expect(await harness.read("out/holt.txt")).toContain("Mr Holt");
});

it("corrects words of a letter by both of them, and never writes it anew", async () => {
  const letter = "Dear Mrs Walsh, the plaque will be unveiled on Friday at noon.";
  await say(`write a letter to Mrs Walsh: ${letter}`);
  await say("It's Saturday, not Friday");
  await say("it's three o'clock not noon, our Janet says");
  expect(await harness.read("out/mrs-walsh-letter.txt")).toBe(
    "Dear Mrs Walsh, the plaque will be unveiled on Saturday at three o'clock.",
  );
  await say("it's raining, not sunny");
  for (const remark of ["no, it's lovely", "it's Saturday today", "it is what it is", "no, it's fine"])
    await say(remark);
  expect(await harness.read("out/mrs-walsh-letter.txt")).toBe(
    "Dear Mrs Walsh, the plaque will be unveiled on Saturday at three o'clock.",
  );
});

it("writes nothing that has to be thought of", async () => {
  expect(await say("write a letter to the bank with a complaint and a threat")).toContain(
    "needs a language model",
  );
  expect(await say("write me a poem about the sea: it should rhyme")).toContain("needs a language model");
  await say("make a packing list with socks, hat");
  await say("add gloves");
  await say("write me an intro for the essay");
  expect(await harness.read("out/packing-list.txt")).toBe("socks\nhat\ngloves");
});

it("makes a list in hasty words, and follows what is said about its items", async () => {
  await say("heyy can u make me a to do list for moving out: boxes, tape, call landlord");
  await say("ooh and add bin bags lol");
  await say("call landlord is done");
  await say("I forgot the torch, please add");
  await say("we don't need tape, Ben has some");
  expect(await harness.read("out/moving-out-to-do-list.txt")).toBe("boxes\nbin bags\ntorch");
  await say("please rename file to moving.md");
  expect(await harness.read("out/moving.md")).toContain("torch");
});

it("takes off who does not come, and nobody else", async () => {
  await say("create a list called party guests: Ana, Luis, Tom");
  await say("Luis can't come");
  await say("Otto can't come");
  expect(await harness.read("out/party-guests.txt")).toBe("Ana\nTom");
  expect(await say("who's coming?")).toContain("Tom");
});

it("saves a list under the name that is said", async () => {
  await say("save a packing list for a weekend in Oslo with socks, hat and gloves to packing.md");
  expect(await harness.read("out/packing.md")).toBe("socks\nhat\ngloves");
});

it("puts a line where the person says, as dictated", async () => {
  await harness.write("out/stations.md", "# Stations\n\n- KARD\n- PLT\n");
  await say("show stations.md");
  await say('append "- VIS"');
  await say('insert "- HYB" after the line with KARD');
  await say("add FIN before PLT");
  await say("add a line: call the tower first");
  await say("put VIS at the top of the list");
  expect(await harness.read("out/stations.md")).toBe(
    "# Stations\n\n- VIS\n- KARD\n- HYB\n- FIN\n- PLT\ncall the tower first",
  );
});

it("corrects a value of a line by its form, by its name or by its unit", async () => {
  await harness.write("out/log.txt", "2026-11-20 oiled the winch\n");
  await say('add "2026-11-28 pumped the bilge" to log.txt');
  await say("the day was wrong it should be 2026-11-27");
  await say("actually it was 2026-11-26");
  expect(await harness.read("out/log.txt")).toBe("2026-11-20 oiled the winch\n2026-11-26 pumped the bilge");
  await harness.write("out/budget.txt", "water 40\nrent 900\n");
  await say("show budget.txt");
  await say("wait water was 44 I read it upside down");
  expect(await harness.read("out/budget.txt")).toBe("water 44\nrent 900\n");
  await harness.write("out/aftercare.md", "- no swimming for 2 weeks\n- no sun for 4 weeks\n");
  await say("what does aftercare.md say about swimming");
  await say("make that 3 weeks");
  expect(await harness.read("out/aftercare.md")).toBe("- no swimming for 3 weeks\n- no sun for 4 weeks\n");
});

it("sorts the list that is named, and not into the file before it", async () => {
  await harness.write("out/rota.md", "# Rota\n\n- Ann\n");
  await harness.write("out/guest-list.txt", "Zoe\nAnn\n");
  await say("show rota.md");
  await say("put the guest list in alphabetical order");
  expect(await harness.read("out/guest-list.txt")).toMatch(/^Ann\nZoe/u);
  expect(await harness.read("out/rota.md")).toBe("# Rota\n\n- Ann\n");
});

it("finds the text at hand by “the file” and by its name", async () => {
  await say("save in out/budget-backup.txt: groceries 900, hockey 250");
  await say("what is 3 plus 4");
  await say("add gas 180 to the file");
  expect(await harness.read("out/budget-backup.txt")).toBe("groceries 900\nhockey 250\ngas 180");
  await say("please delete the backup");
  await expect(harness.read("out/budget-backup.txt")).rejects.toThrow();
});

it("leaves the lines of a list alone where nothing is corrected", async () => {
  const list = "- 2 milk\n- flour\n- Monday: gym\n";
  await harness.write("out/shopping-list.md", list);
  await say("show shopping-list.md");
  for (const remark of [
    "it's 5 now",
    "milk was 1.20",
    "not milk, sorry",
    "not Monday, he can't make it",
    "the hall is 30 minutes away",
    "forget everything about the flour",
    "The roof, I need hardly add, is leaking again.",
  ])
    await say(remark);
  expect(await harness.read("out/shopping-list.md")).toBe(list);
});

it("reads the reason beside an order for a list", async () => {
  await say("make a seed list with leeks, kale");
  await say("and sweet peas, the wife likes those");
  await say("Excuse me, I forgot the mint. Add it please");
  await say("kale we don't eat, remove it");
  await say("dear enough. back to the list, take the leeks off");
  await say("wait no mia loves them put the leeks back");
  await say("ok take the mint off Mia is allergic");
  await say("Luis baby put that down right now");
  await say("write also in the file: beans");
  expect(await harness.read("out/seed-list.txt")).toBe("sweet peas\nleeks\nbeans");
});

it("ticks a further line, although its words could mean something else", async () => {
  await harness.write("out/closing.md", "- [ ] feed the cats\n- [ ] take out trash\n");
  await say("what's still open in closing.md?");
  await say("fed the cats, tick that off");
  await say("and the trash too");
  expect(await harness.read("out/closing.md")).toBe("- [x] feed the cats\n- [x] take out trash\n");
});

it("corrects what a text says by the words of the text, and not by an opinion", async () => {
  await harness.write("out/ward.md", "Bed 1 Ali, walking\nBed 2 empty\nBed 3 Green, home on Tuesday\n");
  await say("what's in ward.md");
  await say("bed 2 isn't empty anymore, it's Katz");
  await say("green isnt going home on Tuesday shes going home Wednesday");
  await say("copy it to ward-evening.md");
  await say("add bed 4 Pohl to the evening one");
  await say("not Pohl, it's Pohle sorry");
  for (const remark of ["ali isn't so bad, he's ok", "bed 1 should be fine", "the evening one is nice"])
    await say(remark);
  expect(await harness.read("out/ward-evening.md")).toBe(
    "Bed 1 Ali, walking\nBed 2 Katz\nBed 3 Green, going home Wednesday\nbed 4 Pohle",
  );
  await say("in the first one, replace walking with resting");
  expect(await harness.read("out/ward.md")).toContain("Ali, resting");
});

it("adds no line that only means another file", async () => {
  await harness.write("out/lease-york.txt", "rent 900\nends in May");
  await harness.write("out/lease-bath.txt", "rent 700\nends in June");
  await say("read me the york lease");
  for (const other of ["And the other one", "and the second one too", "also the rest"]) await say(other);
  expect(await harness.read("out/lease-york.txt")).toBe("rent 900\nends in May");
});

it("changes the value that a sentence gives a thing, and no name", async () => {
  await harness.write("out/flat.md", "The asking price is 245000 pounds. Completion is in March.\n");
  await say("read flat.md");
  await say("Correction, the asking price should be 254000 pounds");
  expect(await harness.read("out/flat.md")).toBe(
    "The asking price is 254000 pounds. Completion is in March.\n",
  );
});
