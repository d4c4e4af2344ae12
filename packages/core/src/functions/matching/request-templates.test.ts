import { describe, expect, it } from "vitest";
import type { FunctionParameter } from "../../contract/function.ts";
import { bindByTaughtTemplate, isRefused } from "./request-templates.ts";
import { readUnits } from "./request-units.ts";

const clock = { now: new Date("2026-11-23T10:00:00Z"), timeZone: "Europe/Oslo" };
const parameter = (name: string, type: FunctionParameter["type"]): FunctionParameter => ({
  name,
  type,
  description: "",
  required: true,
});
const parameters = [
  parameter("text", "string"),
  parameter("path", "path"),
  parameter("title", "string"),
  parameter("due", "date"),
  parameter("minutes", "number"),
];
const BY_ADA = { id: "t-1", by: "ada", at: "2026-11-20T10:00:00.000Z" };

function bind(template: string, request: string): Record<string, unknown> | undefined {
  const units = readUnits(request, clock);
  if (units === undefined) throw new Error("The request is too long.");
  const taught = [{ ...BY_ADA, template, prompt: "…", values: {} }];
  return bindByTaughtTemplate(units, { taught, parameters });
}

describe("words that were taught", () => {
  const RUN = 'log my evening run "{text}" in {path}, and stretching: {title} {due}';

  it.each([
    ["neck", "neck tomorrow", "2026-11-24"],
    ["shoulders", "shoulders on Friday", "2026-11-27"],
    ["calves and feet", "calves and feet tomorrow", "2026-11-24"],
    ["my neck", "my neck on 2026-12-01", "2026-12-01"],
    ["back", "back for tomorrow.", "2026-11-24"],
  ])("match all of “%s” in “%s”", (title, prompt, due) => {
    expect(bind(RUN, `log my evening run "12 km, 70 min" in running.md, and stretching: ${prompt}`)).toEqual({
      text: "12 km, 70 min",
      path: "running.md",
      title,
      due,
    });
  });

  it("match a day or a number at any position", () => {
    expect(bind("walk on {due} for {minutes} minutes", "walk on friday for 40 minutes")).toEqual({
      due: "2026-11-27",
      minutes: 40,
    });
    expect(bind("{minutes} min of {title}, please log it", "25 min of yoga, please log it")).toEqual({
      minutes: 25,
      title: "yoga",
    });
  });

  it.each([
    ["a day that is more than a day", "log stretching {due}", "log stretching back tomorrow"],
    ["a second day in a text", "log {title} for {due}", "log the walk of today for friday"],
    ["two texts with nothing between them", "log this: {title} {text}", "log this: neck and back"],
    ["a number with words around it", "log {minutes} minutes", "log about 20 or so minutes"],
    ["a part of a word", "log{title}", "logs neck"],
  ])("do not match %s", (_what, template, request) => {
    expect(bind(template, request)).toBeUndefined();
  });

  it("mean the day of today's request when the same words are typed again", () => {
    const prompt = "log stretching for tomorrow";
    const units = readUnits(prompt, clock);
    const taught = [
      {
        ...BY_ADA,
        template: "log {title} for {due}",
        prompt,
        values: { title: "stretching", due: "2026-11-20" },
      },
    ];
    expect(units && bindByTaughtTemplate(units, { taught, parameters })).toEqual({
      title: "stretching",
      due: "2026-11-24",
    });
  });

  it("have their values from the offer when the same words are typed again and their places are unclear", () => {
    const prompt = "log this: neck and back";
    const units = readUnits(prompt, clock);
    const values = { title: "neck and", text: "back" };
    const taught = [{ ...BY_ADA, template: "log this: {title} {text}", prompt, values }];
    expect(units && bindByTaughtTemplate(units, { taught, parameters })).toEqual(values);
  });

  it("keep a day in quotation marks in the text", () => {
    expect(bind("log {title} for {due}", 'log "the walk of today" for friday')).toEqual({
      title: "the walk of today",
      due: "2026-11-27",
    });
  });
});

describe("words that were refused", () => {
  it("are refused with other values, too", () => {
    const units = readUnits("log my run, and stretching: back on friday", clock);
    const refused = [{ ...BY_ADA, template: "log my run, and stretching: {title} {due}", prompt: "…" }];
    expect(units && isRefused(units, { refused, parameters })).toBe(true);
  });
});
