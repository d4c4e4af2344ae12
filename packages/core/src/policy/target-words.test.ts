import { describe, expect, it } from "vitest";
import { isOwnGoal } from "./own-words.ts";
import {
  asksFor,
  asksForChange,
  asksOnlyToLook,
  asksQuestion,
  withoutInformationRequests,
} from "./target-words.ts";

describe("a request in one of the supported languages", () => {
  it.each([
    "lösch die alte Liste",
    "schmeiß die alte Liste weg",
    "supprime la vieille liste",
    "jette la vieille liste",
    "borra la lista vieja",
    "tira la lista vieja",
    "butta la lista vecchia",
    "apaga a lista velha",
    "verwijder de oude lijst",
    "poista vanha lista",
    "radera den gamla listan",
    "slett den gamle listen",
  ])("asks for a deletion: %s", (request) => {
    expect(asksFor("delete", request)).toBe(true);
  });

  it.each([
    "hak den Zahnarzt ab",
    "setz den Zahnarzt auf erledigt",
    "marque le dentiste comme fait",
    "marca el dentista como hecho",
    "segna il dentista come fatto",
    "marca o dentista como feito",
    "zet de tandarts op klaar",
    "merkitse hammaslääkäri tehdyksi",
    "siirrä hammaslääkäri maanantaille",
    "markera tandläkaren som klar",
    "marker tannlegen som ferdig",
  ])("asks for a change of a task: %s", (request) => {
    expect(asksForChange("task", request)).toBe(true);
  });

  it.each([
    "Was steht in minutes.md?",
    "combien ai-je dépensé ?",
    "¿cuánto gasté en octubre?",
    "paljonko käytin lokakuussa?",
    "tell me how much I spent, and put it in a.txt",
    "put the total in a.txt. what is it?",
  ])("asks something: %s", (request) => {
    expect(asksQuestion(request)).toBe(true);
    expect(asksForChange("task", request.replace(/, and.*|put.*txt\. /u, ""))).toBe(false);
  });

  it.each(["lue minutes.md", "read minutes.md", "lies minutes.md vor", "can you put the total in a.txt?"])(
    "asks for no change and no answer: %s",
    (request) => {
      expect(asksFor("delete", request)).toBe(false);
      expect(asksQuestion(request)).toBe(false);
    },
  );
});

describe("a request to look at something", () => {
  it.each([
    "what's the gist of the letter from the office, do I need to worry?",
    "what does minutes.md say about the keys?",
    "summarise the letter in my inbox",
    "Can you tell me what he wants? And when?",
    "is there a copy of the contract?",
    "Was steht in dem Brief?",
    "que dit la lettre ?",
    "remind me what the plan was",
  ])("asks for nothing else: %s", (request) => {
    expect(asksOnlyToLook(request)).toBe(true);
  });

  it.each([
    "what does the letter say? then add a task for it",
    "read the letter and make a task",
    "summarise the letter in a note",
    "can you draft a reply to the letter?",
    "what about the other letter?",
    "I need a card for Anna",
    "read the letter, then copy it to old/",
    "Lies den Brief und leg eine Aufgabe an",
    "lis la lettre et crée une tâche",
    "the letter must be answered",
    "summarize notes/n1.md into notes/summary.md",
    "get ready for a trip to Oslo",
    "get my camping notes into shape somehow",
    "please see to the plants",
    "could a pizza file be made somehow",
    "tell Bob that I am late",
    "remind me of the letter",
    "ok",
  ])("may ask for more: %s", (request) => {
    expect(asksOnlyToLook(request)).toBe(false);
  });
});

describe("a text of 200,000 characters", () => {
  // If the work for a character grew with the text, these would take longer than the time limit of a test.
  it.each([", 1", "?", "a?"])("that repeats %j is read once", (piece) => {
    const text = `${piece.repeat(200_000 / piece.length)}x`;
    expect(asksFor("delete", text)).toBe(false);
    expect(asksForChange("task", text)).toBe(false);
    expect(withoutInformationRequests(text)).not.toContain("delete");
    expect(asksOnlyToLook(text)).toBeDefined();
  });

  it.each(["delete", "a.b!", "!", "x/"])("that repeats %j is compared as a goal", (piece) => {
    const goal = `read a.md${piece.repeat(200_000 / piece.length)}x`;
    expect(isOwnGoal(goal, ["read b.md"])).toBe(false);
  });
});
