import { describe, expect, it } from "vitest";
import { checkAnswer, checkAnswerAsync } from "./check-claims.ts";
import type { AnswerEvidence } from "./evidence.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";

const problemsOf = (request: string, answer: string, more: Parameters<typeof evidenceOf>[0] = {}) =>
  checkAnswer(answer, evidenceOf({ request, ...more })).flatMap(({ problems }) => problems);

describe("a requested action without a call", () => {
  it.each([
    ["book me a flight to Rome tomorrow", "Your flight to Rome is all set for tomorrow morning."],
    ["book me a table for two", "A table for two is waiting for you at Luigi's. Enjoy!"],
    ["Please reserve a court for Sunday", "The court is yours on Sunday."],
    ["book me a table for two", "Consider it done – see you there!"],
    ["text my mum that I am late", "Mum has the message."],
    ["could you text my mum that I am late?", "She knows now."],
    ["call Bob for me", "Bob was out; I left a voicemail."],
    ["turn off the heating", "The heating is off."],
    ["lock the front door please", "The door is locked now."],
    ["delete that old thing of mine in the shed folder", "It's gone."],
    ["réserve une table", "C'est réservé pour 19 h chez Luigi."],
    ["Schalte die Heizung aus", "Die Heizung ist jetzt aus."],
    ["cancel the gym", "Done."],
    ["let Teemu know that I have paid for the train", "Teemu knows it now."],
    ["tell Bob that I am late", "Bob was fine with it."],
    [
      "what do the minutes of the choir say about the keys?",
      "Carl asks the caretaker for the keys by 3 December.",
    ],
    ["wann ist laut dem Protokoll das Konzert?", "Das Konzert ist am 13. Dezember."],
    ["who pays for repairs, what is in the contract?", "The landlord pays for repairs."],
  ])("is not confirmed: %s → %s", (request, answer) => {
    expect(problemsOf(request, answer)).not.toEqual([]);
  });

  it.each([
    ["book me a table for two", "I cannot book tables. Luigi's is open until ten."],
    ["book me a table for two", "Which restaurant do you like? Luigi's is near."],
    ["book me a table for two", "Sure! For which evening?"],
    ["send Ada a birthday poem", "I cannot send messages from here, but here is a poem:\n\nRoses are red."],
    ["turn off the heating", "The heating is not off: no skill reaches it."],
    ["turn on the lights", "You can turn them on in the app of the lamps."],
    ["call Bob for me", "Unfortunately calls are beyond me."],
    ["tell me about the table of elements", "It has 118 elements."],
    ["what does the list of the planets start with?", "Mercury comes first."],
    ["what does the lease say about pets?", "I cannot find a lease. Where is it kept?"],
    ["let me know how a lease works", "A lease lets somebody use a thing for rent."],
    ["write me a poem about rain", "The rain is soft on the roof tonight."],
    ["tell me about Rome", "Rome is the capital of Italy and lies on the Tiber."],
    ["explain how a heat pump works", "It moves heat from outside to inside."],
    ["Ruf Bob an", "Das kann ich leider nicht."],
    ["remind me what HTTP stands for", "It is the Hypertext Transfer Protocol."],
    ["call me Ada from now on", "Nice to meet you, Ada."],
    ["turn this into a rhyme: the cat is old", "The cat is old, her paws are cold."],
    ["remove the second line of your poem", "Roses are red, sugar is sweet."],
    ["order of the planets please", "Mercury is first, Neptune is last."],
  ])("is not marked if the answer declines, asks or is the action: %s → %s", (request, answer) => {
    expect(problemsOf(request, answer)).toEqual([]);
  });

  it.each([
    ["muistuta minua huomenna kello 9 soittamaan", "Muistutan sinua huomenna kello 9."],
    ["whats the phone number of the caretaker", "The number of the caretaker is 040 123 4567."],
  ])("is not confirmed by what only the answer says: %s → %s", (request, answer) => {
    const memories = ["The caretaker has the phone number 040 555 8831."];
    expect(problemsOf(request, answer, { memories })).not.toEqual([]);
  });

  it("takes a number from a memory, in any groups, and one of general knowledge", () => {
    const memories = ["The caretaker has the phone number 040 555 8831."];
    expect(problemsOf("whats the phone number of the caretaker", "It is 0405558831.", { memories })).toEqual(
      [],
    );
    expect(problemsOf("how many seconds has a year", "A year has 31 536 000 seconds.")).toEqual([]);
  });

  it("is left to a model if known words may show it", () => {
    const memories = ["Buy the ham on 20 December."];
    const checked = (answer: string) =>
      checkAnswer(answer, evidenceOf({ request: "put the ham on the shopping list", memories }));
    expect(checked("Ham is on the list.")).toMatchObject([{ isUndecided: true }]);
    expect(checked("I cannot find a list.")).toMatchObject([{ isUndecided: false }]);
    expect(checked("Which list do you mean?")).toMatchObject([{ isUndecided: false }]);
  });

  it("is known from what an earlier request read", () => {
    const request = "what do the minutes of the choir say about the keys?";
    const earlierResults = "- fs_read: <data>Carl asks the caretaker for the keys by Friday.</data>";
    const answer = "Carl asks the caretaker.";
    const problems = (evidence: AnswerEvidence) =>
      checkAnswer(answer, evidence).flatMap((sentence) => sentence.problems);
    expect(problems({ ...evidenceOf({ request }), earlierResults })).toEqual([]);
    expect(problems(evidenceOf({ request }))).not.toEqual([]);
  });

  it("is confirmed by an earlier turn or by a memory", () => {
    const conversation = [{ role: "operator" as const, text: "The heating is off since eight." }];
    expect(
      problemsOf("turn off the heating", "The heating is off already, since eight.", { conversation }),
    ).toEqual([]);
  });
});

describe("an answer in another language than the request", () => {
  const rent = {
    tool: "fs_read",
    args: { path: "miete.md" },
    success: true,
    outputs: { path: "out/miete.md", content: "Miete: 700 Euro\nFällig: am 1. des Monats\n" },
  };
  const request = "Wie hoch ist die Miete und wann ist sie fällig? Lies miete.md.";
  const english = "The rent is 700 euros and it is due on the first of the month [1].";
  const problemsIn = async (answer: string, goal = request, more: Partial<AnswerEvidence> = {}) => {
    const evidence = { ...evidenceOf({ request: goal, observations: [rent] }), ...more };
    const checked = await checkAnswerAsync(answer, evidence, new AbortController().signal);
    return checked
      .flatMap(({ problems }) => problems.map(({ text }) => text))
      .filter((text) => LANGUAGE.test(text));
  };
  const LANGUAGE = /^The request is in/u;

  it("is sent back with the language and every part of the request", async () => {
    expect(await problemsIn(english)).toEqual([
      "The request is in German, and the answer in English: answer every part of the request in German.",
    ]);
  });

  it.each([
    ["French", "Combien ai-je payé chez le garagiste ?", "You have spent 700 euros at the garage."],
    ["French", "Quels sont mes rendez-vous ?", "You have to be at the dentist, and it is due on the first."],
    ["German", "Was habe ich noch auf dem Zettel?", "Your note has the rent on it."],
  ])("is recognized in a short request in %s: %s", async (language, goal, answer) => {
    expect(await problemsIn(answer, goal)).toEqual([expect.stringContaining(language)]);
  });

  it("is sent back once only", async () => {
    const { scratchpad } = evidenceOf({ observations: [rent] });
    const observation = { mode: "narrative" as const, content: "Answer in German.", success: true };
    const reviewed = { step: 2, thought: "Check.", observation, timestamp: "2026-11-22T10:00:00.000Z" };
    expect(await problemsIn(english, request, { scratchpad: [...scratchpad, reviewed] })).toEqual([]);
  });

  it.each([
    ["Die Miete ist 700 Euro und sie ist am Ersten fällig [1].", request],
    [english, "Wie hoch ist die Miete, und wann ist sie fällig? Antworte auf Englisch."],
    [english, "miete.md?"],
    [
      "In der Datei steht: “The rent is due on the first of the month, and it is for the whole of it.”",
      request,
    ],
    ["- The rent is due on the first of the month, and it is for the whole of it.", request],
    ["OK.", request],
  ])("is not what this is: %s (%s)", async (answer, goal) => {
    expect(await problemsIn(answer, goal)).toEqual([]);
  });
});

describe("an order to change something, for which only something was read", () => {
  const read = {
    tool: "fs_read",
    args: { path: "choir/wishes.md" },
    success: true,
    outputs: { path: "out/choir/wishes.md", content: "- Stille Nacht\n- Panis angelicus\n" },
  };
  const moved = {
    tool: "fs_edit",
    args: { path: "choir/wishes.md", find: "- Panis angelicus", action: "remove" },
    success: true,
    outputs: { path: "out/choir/wishes.md" },
  };
  const put = "Put the Panis line of choir/wishes.md at the top, please";
  const refuted = async (
    request: string,
    answer: string,
    observations: Parameters<typeof evidenceOf>[0]["observations"] = [read],
  ) => {
    const checked = await checkAnswerAsync(
      answer,
      evidenceOf({ request, observations }),
      new AbortController().signal,
    );
    return checked.flatMap(({ problems }) => problems.filter(({ isRefuted }) => isRefuted));
  };

  it.each([
    [put, "Done!"],
    [put, "It's sorted."],
    [put, "All set, Mara."],
    [put, "I took care of it."],
    [put, "Panis comes first now."],
    [put, "You'll find Panis at the top."],
    [put, "Panis steht jetzt oben."],
    [put, "Listo."],
    ["undo that", "I undid it."],
    ["take that back please", "It is as it was."],
    ["fix the spelling in choir/wishes.md", "The spelling is right now [1]."],
  ])("is not done, whatever the answer says: %s → %s", async (request, answer) => {
    expect(await refuted(request, answer)).not.toEqual([]);
    expect(await refuted(request, answer, [read, moved])).toEqual([]);
  });

  it.each([
    [put, "I have not changed anything: Panis is at the top already."],
    [put, "Panis is already the first line [1]."],
    [put, "Which of the two Panis lines do you mean?"],
    [put, "I could not move it."],
    ["write a summary of choir/wishes.md", "The choir wishes Stille Nacht and Panis angelicus [1]."],
    ["make a table of choir/wishes.md", "| song |\n|---|\n| Stille Nacht |\n| Panis angelicus |"],
    ["add up the amounts in my choir/wishes.md", "They add up to 12 [1]."],
    ["put together what my choir/wishes.md says", "The choir wishes Stille Nacht and Panis angelicus [1]."],
    ["what is in choir/wishes.md?", "Stille Nacht and Panis angelicus [1]."],
  ])("stands where the answer says so, asks, or is what was ordered: %s → %s", async (request, answer) => {
    expect(await refuted(request, answer)).toEqual([]);
  });
});

describe("a fact about the person without a lookup", () => {
  it.each([
    ["what did Anna write to me?", 'Anna wrote: "the meeting is moved to Thursday".'],
    ["how much money is on my account?", "You have 4,312.77 euros."],
    ["what is my passport number", "Your passport number is C01X00T47."],
    ["when did I last see my dentist?", "On 3 March."],
    ["is my backup running?", "Yes, your backup ran last night without problems."],
    ["Wann war ich beim Zahnarzt?", "Am 3. März."],
    ["who owes me money?", "You are owed forty euros by Tom."],
  ])("is not confirmed: %s → %s", (request, answer) => {
    expect(problemsOf(request, answer)).not.toEqual([]);
  });

  it.each([
    ["what is my passport number", "I don't know your passport number."],
    ["what is my passport number", "You have not told me. Where do you keep it?"],
    ["how do I fix my bike?", "Turn it upside down. Your chain is probably loose."],
    ["is my sentence correct: I has a dog?", "Yes, almost: your verb is wrong, it is “I have a dog”."],
    ["why is my bread so dense?", "Your dough is too cold."],
    ["what is the capital of France?", "Paris."],
    ["what should I cook for my mother?", "Your mother may enjoy a risotto."],
  ])("is not marked if the answer is advice or declines: %s → %s", (request, answer) => {
    expect(
      problemsOf(request, answer).filter(({ text }) => text.startsWith("This is said of the person")),
    ).toEqual([]);
  });

  it("is confirmed by a memory, an earlier turn or the prompt", () => {
    const memories = ["The passport number is C01X00T47.", "The dentist was visited on 3 March."];
    expect(
      problemsOf("what is my passport number", "Your passport number is C01X00T47.", { memories }),
    ).toEqual([]);
    expect(problemsOf("when did I last see my dentist?", "On 3 March.", { memories })).toEqual([]);
    const conversation = [{ role: "person" as const, text: "My name is Ada." }];
    const rent = { memories: ["The rent is 940 euros."] };
    expect(
      problemsOf("what's 17% of my rent?", "Your rent is 940 €, so 17 % of it is 159.80 €.", rent),
    ).toEqual([]);
    expect(problemsOf("what is my name?", "Your name is Ada.", { conversation })).toEqual([]);
  });
});

describe("words for a message that nobody sent, and for one that is promised", () => {
  const draft = {
    tool: "fs_write",
    args: { path: "out/mail.md", content: "The trailer is ready." },
    success: true,
    outputs: { path: "out/mail.md", created: true },
  };

  it.each([
    ["Email Ove Sandell that his trailer is ready", "Ove Sandell now knows that his trailer is ready."],
    ["Email Ove Sandell that his trailer is ready", "Ove Sandell has been informed [1]."],
    ["Email Ove Sandell that his trailer is ready", "Ove already knows it."],
  ])("are refuted: %s → %s", (request, answer) => {
    expect(problemsOf(request, answer, { observations: [draft] }).some(({ isRefuted }) => isRefuted)).toBe(
      true,
    );
  });

  it("are refuted where something is waited for", () => {
    const promise = "As soon as Rosalind's fee shows as paid, you will hear from me.";
    const problems = problemsOf("Watch the choir folder for Rosalind's fee", promise);
    expect(problems.some(({ isRefuted }) => isRefuted)).toBe(true);
  });
});
