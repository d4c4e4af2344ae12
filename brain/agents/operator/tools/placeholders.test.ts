import { describe, expect, it } from "vitest";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { assertFilled } from "./execute-step.ts";

const filled = (
  args: Record<string, unknown>,
  { id = "fs_append", category = "files" as const, request = "" } = {},
) => assertFilled({ id, category }, args, request);

describe("an argument", () => {
  it.each<[string, Record<string, unknown>]>([
    ["path", { path: "${path}", text: "Luna" }],
    ["path", { path: "notes/{day}.md", text: "Luna" }],
    ["path", { path: "${steps.1.path}" }],
    ["text", { path: "grooming.md", text: "- ${text}: ${text2}, ${due}" }],
    ["title", { title: "bath for ${name}" }],
    ["title", { title: "{title}" }],
    ["title", { title: "${title|capital}" }],
    ["id", { id: "{{id}}" }],
    ["content", { path: "mean.md", content: "Weighted mean: {{steps.2.result}} mm/yr" }],
    ["text", { path: "list.md", text: "in ${steps.1.path}" }],
  ])("%s is refused with a placeholder of a template: %j", (name, args) => {
    expect(() => filled(args)).toThrow(InvalidArgsError);
    expect(() => filled(args)).toThrow(`fs_append: ${name} still has the placeholder`);
  });

  it.each<[string, Record<string, unknown>]>([
    ["a script", { path: "run.sh", content: "echo ${HOME}" }],
    ["a letter with fields", { path: "letter.md", text: "Dear {name}, we are closed." }],
    ["a JSON text", { path: "a.json", content: '{"a": 1}' }],
    ["a glob", { path: "notes", pattern: "*.{md,txt}" }],
    ["an empty object", { path: "a.json", content: "{}" }],
  ])("is accepted if it is %s", (_what, args) => {
    expect(() => filled(args)).not.toThrow();
  });

  it("may contain a placeholder that the person wrote, and so may code", () => {
    expect(() => filled({ path: "${path}" }, { request: "delete the file ${path}" })).not.toThrow();
    expect(() => filled({ code: "return `${x}`" }, { id: "execute_code" })).not.toThrow();
  });
});
