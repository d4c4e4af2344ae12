import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Orders for files in other than the usual words. What is denied, asked, reported or over orders nothing.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";
/** Says each of them in a conversation of its own. */
async function sayEach(goals: readonly string[]): Promise<void> {
  for (const goal of goals) {
    await harness.ask(goal);
    harness.startConversation();
  }
}
const isGone = (path: string) => expect(harness.read(path)).rejects.toThrow("ENOENT");

describe("a line that is named after its file", () => {
  it("is added to the file, also if its name has the word for a task", async () => {
    await harness.write("out/notes/todo-cabin.md", "rake leaves");
    await harness.write("out/task-list.txt", "one");
    await sayEach([
      "out/notes/todo-cabin.md: add 'oil the saw' as one more line",
      'out/task-list.txt: put "two" at the end',
      "in out/task-list.txt, one more line: three",
      "out/notes/todo-cabin.md: please add stack logs as another line, thanks",
      "out/task-list.txt: one more line please, 'four'",
      "out/task-list.txt, add the line 'five' at the bottom",
      "to out/task-list.txt one extra line: six",
      "is there one more line in out/task-list.txt: seven?",
      "out/task-list.txt had one more line: seven",
    ]);
    expect(await harness.read("out/notes/todo-cabin.md")).toBe("rake leaves\noil the saw\nstack logs");
    expect(await harness.read("out/task-list.txt")).toBe("one\ntwo\nthree\nfour\nfive\nsix");
    expect(await harness.tasks()).toEqual([]);
  });

  it("has its place in words", async () => {
    await say('write "la" to out/song.txt');
    await say('now add "lo" as a second line to it');
    await say('put "lu" as the next line in it');
    await say('add "li" as the second line of out/song.txt');
    expect(await harness.read("out/song.txt")).toBe("la\nli\nlo\nlu");
  });

  it("goes, if a person says that it has to", async () => {
    await harness.write("out/team.txt", "Ana\nBo\nCy\nDee\nEd");
    await sayEach([
      "the 2nd line of out/team.txt has to go",
      "the first line in out/team.txt must be deleted",
      "line 2 of out/team.txt can go",
      "the last line of out/team.txt should be removed, please",
    ]);
    expect(await harness.read("out/team.txt")).toBe("Cy");
    await sayEach([
      "must the first line of out/team.txt go?",
      "the first line of out/team.txt must not go",
      "the first line of out/team.txt had to go",
      "if the first line of out/team.txt has to go, tell me",
      "line 1 of out/team.txt is wrong, isn't it?",
      "line 1 of out/team.txt is not wrong, delete it",
      "line 1 of out/team.txt was wrong, I deleted it",
    ]);
    expect(await harness.read("out/team.txt")).toBe("Cy");
    await say("line 1 in out/team.txt is wrong, delete it");
    expect(await harness.read("out/team.txt")).toBe("");
  });
});

describe("words that only say that a text follows", () => {
  it("are no part of the text", async () => {
    await sayEach([
      "put the words open on sundays into a new file out/sign.txt",
      "write the words no dogs to out/dog.txt",
      "please save the phrase wet paint as out/paint.txt",
      "write the sentence the boat leaves at noon into out/boat.txt, thanks",
    ]);
    expect(await harness.read("out/sign.txt")).toBe("open on sundays");
    expect(await harness.read("out/dog.txt")).toBe("no dogs");
    expect(await harness.read("out/paint.txt")).toBe("wet paint");
    expect(await harness.read("out/boat.txt")).toBe("the boat leaves at noon");
  });
});

describe("a copy, a new name and what stays", () => {
  it("are read from whole sentences", async () => {
    await harness.write("inbox/deed.txt", "abc");
    await harness.write("inbox/poem.txt", "roses");
    await sayEach([
      "I'd like a copy of inbox/deed.txt in out under the name deed-old.txt, thank you",
      "I would like to have inbox/poem.txt copied to out under the name tune.txt, thanks",
      "please place a copy of inbox/deed.txt in out with the name deed-2.txt",
      "read inbox/poem.txt and put the same content into out/p2.txt",
      "please read inbox/poem.txt and save the same text in out/p3.txt, also create a task 'learn poem'",
    ]);
    expect(await harness.read("out/deed-old.txt")).toBe("abc");
    expect(await harness.read("out/deed-2.txt")).toBe("abc");
    for (const copy of ["out/tune.txt", "out/p2.txt", "out/p3.txt"])
      expect(await harness.read(copy)).toBe("roses");
    expect(await harness.tasks()).toEqual(["learn poem"]);
    await sayEach([
      "get me a duplicate of inbox/deed.txt in out called deed-4.txt",
      "could inbox/deed.txt be copied into out as deed-5.txt?",
    ]);
    for (const copy of ["out/deed-4.txt", "out/deed-5.txt"]) expect(await harness.read(copy)).toBe("abc");
    await sayEach([
      "inbox/deed.txt copied to out as deed-3.txt",
      "was inbox/deed.txt copied to out as deed-3.txt?",
      "I liked the copy of inbox/deed.txt in out under the name deed-3.txt",
      "did I want a copy of inbox/deed.txt in out under the name deed-3.txt?",
    ]);
    await isGone("out/deed-3.txt");
  });

  it("rename a file whose name is said to be wrong", async () => {
    for (const path of ["out/adress.md", "out/calender.txt", "out/b.txt", "out/recip.md"])
      await harness.write(path, path);
    await sayEach([
      "I mistyped it, out/adress.md should be called out/address.md. Can you rename it?",
      "out/calender.txt is spelt wrong, it should be named out/calendar.txt, please rename it",
      "the file out/recip.md has a typo in its name, it should be out/recipe.md, fix that please",
    ]);
    expect(await harness.read("out/recipe.md")).toBe("out/recip.md");
    expect(await harness.read("out/address.md")).toBe("out/adress.md");
    expect(await harness.read("out/calendar.txt")).toBe("out/calender.txt");
    await sayEach([
      "Tom said out/b.txt should be called out/c.txt. Can you rename it?",
      "I am not sure, out/b.txt should be called out/c.txt. Can you rename it?",
      "if I mistyped it, out/b.txt should be called out/c.txt. Can you rename it?",
    ]);
    expect(await harness.read("out/b.txt")).toBe("out/b.txt");
  });

  it("delete what is named, and not what stays", async () => {
    for (const name of ["d1", "d2", "d3", "e1", "e2", "e3"]) await harness.write(`out/${name}.md`, name);
    await say("delete out/d1.md and also out/d2.md, out/d3.md stays");
    await say("remove out/e1.md but out/e2.md should remain");
    for (const path of ["out/d1.md", "out/d2.md", "out/e1.md"]) await isGone(path);
    await sayEach([
      "delete e2.md and d3.md, out/e2.md stays",
      "delete out/e2.md and out/e3.md, out/e3.md stays",
      "don't delete out/e3.md, out/d3.md stays",
    ]);
    for (const name of ["d3", "e2", "e3"]) expect(await harness.read(`out/${name}.md`)).toBe(name);
    for (const name of ["f1", "f2", "f3"]) await harness.write(`out/${name}.md`, name);
    await sayEach([
      "delete out/f1.md, out/f2.md and out/f3.md must stay",
      "delete f1.md, f2.md and f3.md should stay",
      "delete out/f1.md and out/f2.md and out/f3.md stays",
      "delete out/f1.md, out/f2.md, out/f3.md must stay",
    ]);
    for (const name of ["f1", "f2", "f3"]) expect(await harness.read(`out/${name}.md`)).toBe(name);
  });
});

describe("a file that a statement names, and an order for it", () => {
  it("is the file that the order means", async () => {
    for (const name of ["tmp-9.log", "old.txt", "log1.txt", "log3.txt", "junk.tmp"])
      await harness.write(`out/${name}`, name);
    await sayEach([
      "out/tmp-9.log is just junk, delete it",
      "out/old.txt is useless now, please remove it",
      "out/log1.txt is a leftover from testing. Bin it please",
      "out/log3.txt is old, copy it to out/old/log3.txt",
      "out/junk.tmp can be deleted, it's only clutter",
    ]);
    for (const name of ["tmp-9.log", "old.txt", "log1.txt", "junk.tmp"]) await isGone(`out/${name}`);
    expect(await harness.read("out/old/log3.txt")).toBe("log3.txt");
  });

  it("stays where the statement is a question, a condition, reported or a reason against it", async () => {
    await harness.write("out/keep.txt", "kept");
    await sayEach([
      "out/keep.txt is not junk, delete it never",
      "is out/keep.txt just clutter? delete it",
      "if out/keep.txt is just clutter, delete it",
      "they say out/keep.txt is clutter, delete it",
      "Tom says out/keep.txt is clutter, delete it",
      "out/keep.txt is clutter, should I delete it?",
      "out/keep.txt was clutter until yesterday, delete it",
      "out/keep.txt is private, don't delete it",
      "I deleted out/keep.txt, it was junk",
      "out/keep.txt can be deleted, it is not important, or is it?",
      "out/keep.txt could be deleted, it's junk",
      "can out/keep.txt be deleted, it's junk?",
      "out/keep.txt must not be deleted, it's important",
    ]);
    expect(await harness.read("out/keep.txt")).toBe("kept");
  });

  it("is none of two files, and is kept without a fact about it", async () => {
    for (const name of ["a", "b"]) await harness.write(`out/${name}.md`, name);
    await sayEach([
      "out/a.md is important. out/b.md is junk. Delete it",
      "out/a.md is the final version, out/b.md was a draft, get rid of it",
      "out/a.md is final, get rid of it, out/b.md was a draft",
      "nobody needs out/a.md but keep it",
      "nobody needs out/a.md, keep it",
      "nobody needs out/a.md but remember it",
    ]);
    for (const name of ["a", "b"]) expect(await harness.read(`out/${name}.md`)).toBe(name);
    expect(await harness.facts()).toEqual([]);
  });

  it("is not what somebody prefers", async () => {
    await say("create out/hue.txt with the text red");
    await say("oh, blue would be better. overwrite it with blue");
    expect(await harness.read("out/hue.txt")).toBe("blue");
    await say("hm, green is nicer. replace it with green");
    expect(await harness.read("out/hue.txt")).toBe("green");
    await say("actually pink would be best, swap it for pink");
    expect(await harness.read("out/hue.txt")).toBe("pink");
    await say("grey would be better");
    await say("grey would not be better, overwrite it never");
    expect(await harness.read("out/hue.txt")).toBe("pink");
  });

  it("gets the content of another", async () => {
    await harness.write("inbox/say.txt", "Less is more.");
    for (const name of ["a", "b", "c", "d"]) await harness.write(`out/${name}.txt`, name);
    await sayEach([
      "what comes from inbox/say.txt must be added to end of out/a.txt",
      "the content of inbox/say.txt must go to the end of out/b.txt",
      "whatever is in inbox/say.txt should be appended to out/c.txt",
      "must the content of inbox/say.txt go to the end of out/d.txt?",
      "the content of inbox/say.txt must not go to the end of out/d.txt",
    ]);
    for (const name of ["a", "b", "c"])
      expect(await harness.read(`out/${name}.txt`)).toBe(`${name}\nLess is more.`);
    expect(await harness.read("out/d.txt")).toBe("d");
  });
});

describe("a table", () => {
  it("gets a new row, and loses that of somebody who has left", async () => {
    await harness.write("out/costs.csv", "date,what,amount\n2026-11-20,lunch,9.00\n");
    await say("new row in out/costs.csv: 2026-11-25,bus,3.40");
    await say("a new line for out/costs.csv: 2026-11-26,tea,2.10");
    expect(await harness.read("out/costs.csv")).toBe(
      "date,what,amount\n2026-11-20,lunch,9.00\n2026-11-25,bus,3.40\n2026-11-26,tea,2.10\n",
    );
    await harness.write("out/club.csv", "name,since\nPia,2019\nOtto,2021\nRuth,2024\nSam,2025\n");
    await sayEach([
      "Otto has left the club, take his row out of out/club.csv",
      "Ruth quit, remove her line from out/club.csv",
      "Pia moved away, please strike her off out/club.csv",
      "Sam hasn't left the club, take his row out of out/club.csv",
      "Sam has left but will be back, take his row out of out/club.csv",
      "someone said Sam has left, take his row out of out/club.csv",
      "if Sam has left the club, take his row out of out/club.csv",
      "Sam has left the club, says Ida, take his row out of out/club.csv",
      "has Sam left the club? take his row out of out/club.csv",
    ]);
    expect(await harness.read("out/club.csv")).toBe("name,since\nSam,2025\n");
  });

  it("is counted without its header", async () => {
    await harness.write("out/trip.csv", "name,age\nA,1\nB,2\nC,3\n");
    for (const question of [
      "how many walkers are in out/trip.csv if we do not count the heading?",
      "how many names are in out/trip.csv excluding the header",
      "how many guests does out/trip.csv have, not counting the header",
      "how many rows are in out/trip.csv (without the header row)?",
      "how many walkers does out/trip.csv list, the heading doesn't count",
    ])
      expect(await say(question)).toContain("3");
  });

  it("is made of a header and rows, and not of a part of them", async () => {
    await sayEach([
      "create out/herbs.csv, header name,water then mint,daily then sage,weekly each on its own line",
      "make out/pets.csv with header name,kind then Rex,dog then Tom,cat",
      "please set up the table out/sky.csv with the columns star,size, followed by Vega,2, followed by Io,4",
      "write out/pay.csv: header who,sum, then Al,3, then Bo,4",
      "create out/bad.csv, header name,water then mint then sage,weekly",
      "make out/trees.csv: first row kind,height, second row oak,20, third row elm,15",
    ]);
    expect(await harness.read("out/trees.csv")).toBe("kind,height\noak,20\nelm,15\n");
    expect(await harness.read("out/herbs.csv")).toBe("name,water\nmint,daily\nsage,weekly\n");
    expect(await harness.read("out/pets.csv")).toBe("name,kind\nRex,dog\nTom,cat\n");
    expect(await harness.read("out/sky.csv")).toBe("star,size\nVega,2\nIo,4\n");
    expect(await harness.read("out/pay.csv")).toBe("who,sum\nAl,3\nBo,4\n");
    await isGone("out/bad.csv");
    await harness.write("out/old.csv", "x");
    await sayEach([
      "create out/men.csv with columns name, age; then add Bob, 12",
      "create out/days.csv with columns day, n, then add a row 2026-01-01,5",
      "create out/ages.csv with columns name, age; then delete out/a.csv, out/b.csv",
      "create out/eggs.csv with columns name, age; then add milk, eggs to my list",
    ]);
    expect(await harness.read("out/men.csv")).toBe("name,age\nBob,12\n");
    expect(await harness.read("out/days.csv")).toBe("day,n\n2026-01-01,5\n");
    for (const path of ["out/ages.csv", "out/eggs.csv"])
      expect(await harness.read(path).catch(() => "")).not.toMatch(/delete|add|milk/u);
  });
});

describe("a JSON file", () => {
  it("is made of the keys and values that a person says", async () => {
    await sayEach([
      "I need a JSON file out/conf.json where mode is fast and retries is 3",
      "make me a json out/box.json with width 4 and label big",
      'create the JSON file out/k.json where debug is false and title is "a or b", thanks',
      "I want a json out/sea.json, depth 12 and salty true",
      "there should be a JSON file out/sky.json with colour 'blue'",
    ]);
    expect(JSON.parse(await harness.read("out/sea.json"))).toEqual({ depth: 12, salty: true });
    expect(JSON.parse(await harness.read("out/sky.json"))).toEqual({ colour: "blue" });
    expect(JSON.parse(await harness.read("out/conf.json"))).toEqual({ mode: "fast", retries: 3 });
    expect(JSON.parse(await harness.read("out/box.json"))).toEqual({ width: 4, label: "big" });
    expect(JSON.parse(await harness.read("out/k.json"))).toEqual({ debug: false, title: "a or b" });
    await sayEach([
      "I need a JSON file out/no.json where mode is whatever you like",
      "I needed a JSON file out/no.json where mode is fast",
      "do I need a JSON file out/no.json where mode is fast?",
      "I don't need a JSON file out/no.json where mode is fast",
      "should there be a JSON file out/no.json with colour blue?",
      "there should be a JSON file out/no.json with colour blue or red",
      "create a json file out/no.json with my contacts",
      "create a json file out/no.json with default settings",
      "create a json file out/no.json with no content",
      "create a json file out/no.json with colour blue",
      "create a json file out/no.json with default settings and no comments",
      "create a json file out/no.json where a is 1 and a is 2",
    ]);
    await isGone("out/no.json");
  });

  it("gets a key that it needs, and says what it has", async () => {
    await harness.write("out/crew.json", '{"name": "Otters", "port": 8081}');
    await sayEach([
      "out/crew.json needs a key captain with the value Liv",
      "out/crew.json should get a field city with the value Bergen",
      "the file out/crew.json lacks a key year with the value 1999",
      "add a key keeper to out/crew.json, value Bo",
      "out/crew.json never needs a key club with the value none",
      "out/crew.json needed a key club with the value none",
      "does out/crew.json need a key club with the value none?",
    ]);
    expect(JSON.parse(await harness.read("out/crew.json"))).toEqual({
      name: "Otters",
      port: 8081,
      captain: "Liv",
      city: "Bergen",
      year: 1999,
      keeper: "Bo",
    });
    for (const question of [
      "look into out/crew.json and tell me which port it says",
      "check out/crew.json and say which port is in it",
      "please open out/crew.json and tell me what port it has",
      "in out/crew.json what does port say",
      "read out/crew.json, which port is set?",
    ])
      expect(await say(question)).toContain("8081");
  });
});

describe("a remark after a question", () => {
  it("is not searched for", async () => {
    await harness.write("inbox/a1.txt", "the stove is old");
    for (const question of [
      "Which file mentions the stove? I know I noted it somewhere",
      "Where did I write about the stove? It must be somewhere in inbox",
      "which document talks about the stove? I am sure I saved it",
      "What file contains the word stove? I think I put it there",
    ])
      expect(await say(question)).toContain("a1.txt");
  });
});
