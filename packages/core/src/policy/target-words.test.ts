import { describe, expect, it } from "vitest";
import { isOwnGoal } from "./own-words.ts";
import { asksFor, asksForChange, asksQuestion, withoutInformationRequests } from "./target-words.ts";

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

describe("a text of 200,000 characters", () => {
  // If the work for a character grew with the text, these would take longer than the time limit of a test.
  it.each([", 1", "?", "a?"])("that repeats %j is read once", (piece) => {
    const text = `${piece.repeat(200_000 / piece.length)}x`;
    expect(asksFor("delete", text)).toBe(false);
    expect(asksForChange("task", text)).toBe(false);
    expect(withoutInformationRequests(text)).not.toContain("delete");
  });

  it.each(["delete", "a.b!", "!", "x/"])("that repeats %j is compared as a goal", (piece) => {
    const goal = `read a.md${piece.repeat(200_000 / piece.length)}x`;
    expect(isOwnGoal(goal, ["read b.md"])).toBe(false);
  });
});
