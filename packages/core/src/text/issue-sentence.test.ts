import { expect, it } from "vitest";
import { issueSentence } from "./issue-sentence.ts";

it.each([
  ["body.title", "must have at most 500 characters", "Title must have at most 500 characters."],
  ["tags.1", "must not be empty", "Tag 2 must not be empty."],
  ["links.0.id", "this is missing", "Id of link 1 is missing."],
  ["timeZone", "must be text, not a number", "Time zone must be text, not a number."],
  ["body", "there is no “x” here; remove it", "There is no “x” here; remove it."],
  ["model", "write the model's name, e.g. qwen3:4b", "Model: write the model's name, e.g. qwen3:4b."],
])("writes an issue at %s as a sentence", (path, message, sentence) => {
  expect(issueSentence(path, message)).toBe(sentence);
});
