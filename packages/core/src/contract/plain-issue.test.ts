import { describe, expect, it } from "vitest";
import { z } from "zod";
import { plainIssue, plainReason } from "./plain-issue.ts";

/** The only issue of `value`. */
const wordsFor = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: plainIssue }).error?.issues.map(({ message }) => message);

describe("the description of an invalid value", () => {
  it("starts with the first issue and its path", () => {
    const schema = z.strictObject({ links: z.array(z.strictObject({ id: z.string() })) });
    const reason = (value: unknown) => {
      const { error } = schema.safeParse(value, { error: plainIssue });
      return error && plainReason(error);
    };
    expect(reason({ links: [{}] })).toBe("links.0.id: this is missing");
    expect(reason(JSON.parse(`{"links": [], "__proto__": {}}`))).toBe(
      "there is no “__proto__” here; remove it",
    );
  });

  it.each<[z.ZodType, unknown, string]>([
    [z.string(), undefined, "this is missing"],
    [z.string(), 5, "must be text, not a number"],
    [z.object({}), null, "must be an object, not null"],
    [z.array(z.string()), {}, "must be a list, not an object"],
    [z.coerce.number(), "many", "must be a number"],
    [z.int(), 1.5, "must be a whole number"],
    [z.string().min(1), "", "must not be empty"],
    [z.string().min(8), "short", "must have at least 8 characters"],
    [z.string().max(1), "long", "must have at most 1 character"],
    [z.array(z.string()).min(1), [], "must have at least 1 entry"],
    [z.array(z.string()).max(2), ["a", "b", "c"], "must have at most 2 entries"],
    [z.number().max(500), 501, "must be at most 500"],
    [z.number().positive(), 0, "must be more than 0"],
    [z.enum(["once", "always"]), "never", "must be one of once, always"],
    [z.literal("main"), undefined, "this is missing; it must be main"],
    [z.strictObject({}), { bogus: 1 }, "there is no “bogus” here; remove it"],
    [z.iso.date(), "soon", "must be a day such as 2026-11-20"],
    [z.url(), "nowhere", "must be an address such as https://example.org/"],
    [z.base64(), "?", "has a form that is not accepted here"],
    [z.number().multipleOf(5), 7, "must be a multiple of 5"],
    [z.union([z.string(), z.number()]), true, "has none of the accepted forms"],
    [z.string().refine(() => false), "x", "is not accepted here"],
    [z.string().refine(() => false, "say please"), "x", "say please"],
    [z.string().regex(/^a$/), "b", "has a form that is not accepted here"],
    [z.string().regex(/^a$/, "write an a"), "b", "write an a"],
  ])("uses plain words: %#", (schema, value, words) => {
    expect(wordsFor(schema, value)).toEqual([words]);
  });

  it("covers each possible shape", () => {
    const error = z.union([z.string(), z.array(z.string())]).safeParse(5, { error: plainIssue }).error;
    expect(JSON.stringify(error?.issues)).toContain("must be a list, not a number");
  });
});
