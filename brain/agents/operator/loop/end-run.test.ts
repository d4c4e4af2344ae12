import { OperatorConfig, RuntimeConfig } from "@metahuman/core/contract/config";
import { describe, expect, it } from "vitest";
import { endingTexts } from "../answer/ending-texts.ts";
import { stepBudget, stepsTaken } from "./end-run.ts";

const config = OperatorConfig.parse({});
const { operator: flags } = RuntimeConfig.parse({});

describe("the step limit of a run", () => {
  it.each([
    [false, undefined, 10],
    [false, 0, 10],
    [true, 0, 1],
    [true, 1, 5],
    [true, 2, 10],
    [true, 3, 15],
    [true, undefined, 10],
  ])("is, with the reasoning service %s and depth %s: %i", (useReasoningService, depth, steps) => {
    expect(stepBudget(config, { ...flags, useReasoningService }, depth)).toBe(steps);
  });

  it("follows the configuration without the reasoning service", () => {
    expect(stepBudget({ ...config, scratchpad: { ...config.scratchpad, maxSteps: 3 } }, flags, 3)).toBe(3);
  });

  it("counts calls, not thoughts", () => {
    expect(stepsTaken([{ action: { tool: "look", args: {} } }, {}])).toBe(1);
  });
});

const ERROR = { message: "No plan.", suggestions: ["Try again."] };

it("reports why a run failed and what to do about it", () => {
  const texts = endingTexts({ request: "sum up the costs", conversation: { turns: [] } });
  expect(texts.failed(ERROR)).toBe("This request could not be finished. No plan. Try again.");
});

it.each([
  ["Fass mir bitte die Notizen von gestern zusammen", [], "Diese Anfrage konnte nicht abgeschlossen werden."],
  ["fais un résumé de mes notes et de la liste", [], "Cette demande n'a pas pu être terminée."],
  ["haz un resumen de la lista y de mis notas", [], "No se pudo terminar esta petición."],
  ["und Otto?", ["wie viel Geld habe ich für die Fenster bezahlt"], "Diese Anfrage konnte nicht"],
  ["and Otto?", ["how much have I paid for the windows"], "This request could not be finished."],
])("reports it in the language of the person: %s", (request, before, expected) => {
  const turns = before.map((text) => ({ role: "person", text }));
  expect(endingTexts({ request, conversation: { turns } }).failed(ERROR)).toContain(expected);
});
