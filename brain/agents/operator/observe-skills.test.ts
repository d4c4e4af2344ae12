import { ObservationMode } from "@metahuman/core/contract/run";
import type { Skill } from "@metahuman/skills/define-skill";
import { installedSkills } from "@metahuman/skills/installed";
import { skillCard } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { observe } from "./tools/execute-call.ts";

// Every installed skill is observed in all three modes and can be requested in words.

const Shape = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
});

/** Values for the patterns of the contract. */
const IDS = [
  "task-20260101T000000000Z-milk",
  "evt-20260101T000000000Z-milk",
  "func-20260101-abc123",
  "fs_read",
  "2026-01-01",
  `run-${"0".repeat(26)}`,
  `conv-${"0".repeat(26)}`,
  "milk",
];

/** A value that fits the schema, with every optional part. */
function sample(schema: unknown, name = "value"): unknown {
  const shape = Shape.parse(schema);
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[0];
  if (shape.anyOf) return sample(shape.anyOf[0], name);
  const type = Array.isArray(shape.type) ? shape.type[0] : shape.type;
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(shape.properties ?? {}).map(([key, part]) => [key, sample(part, key)]),
      );
    case "array":
      return [sample(shape.items ?? {}, name)];
    case "integer":
    case "number":
      return Math.max(shape.minimum ?? 0, (shape.exclusiveMinimum ?? 0) + 1);
    case "boolean":
      return false;
    case "string": {
      if (shape.format === "date-time") return "2026-01-01T00:00:00.000Z";
      if (shape.format === "date") return "2026-01-01";
      const { pattern } = shape;
      if (pattern !== undefined) return IDS.find((id) => new RegExp(pattern, "u").test(id));
      return `some ${name}`;
    }
    default:
      return `some ${name}`;
  }
}

const outputsOf = (skill: Skill) =>
  skill.output.parse(sample(z.toJSONSchema(skill.output, { io: "output" })));
const modes = installedSkills.flatMap((skill) =>
  ObservationMode.options.map((mode) => [skill.id, mode, skill] as const),
);

describe("the output of a skill", () => {
  it.each(modes)(
    "%s is formatted in mode %s with words of its outputs and no placeholders",
    (_id, mode, skill) => {
      const outputs = outputsOf(skill);
      const { content, outputs: kept } = observe(skill, outputs, { mode, maxCharacters: 10_000 });
      expect(content.trim()).not.toBe("");
      expect(content).not.toMatch(/undefined|\[object Object\]|NaN/);
      expect(kept).toEqual(outputs);
    },
  );

  it.each(modes)(
    "%s is clipped in mode %s if it is long, reports it, and is stored completely",
    (_id, mode, skill) => {
      const outputs = outputsOf(skill);
      const whole = observe(skill, outputs, { mode, maxCharacters: 10_000 }).content;
      const clipped = observe(skill, outputs, { mode, maxCharacters: 5 });
      expect(clipped.content).toMatch(/clipped: \d of \d+ characters; the run keeps the whole output/);
      expect(clipped.outputs).toEqual(outputs);
      expect(clipped.content).not.toBe(whole);
    },
  );
});

/** Skills that a run uses by itself, so that no person needs to name them. */
const CONTROLS = new Set(["conversational_response", "ask_user", "write_todos"]);
/** Skills that take code, which no request contains. */
const WRITTEN = new Set(["function_register", "function_curate"]);

describe("each installed skill", () => {
  const named = installedSkills.filter(({ id }) => !CONTROLS.has(id) && !WRITTEN.has(id));

  it.each(named.map((skill) => [skill.id, skill] as const))("%s can be asked for in words", (_id, skill) => {
    expect(skillCard(skill).examples.length).toBeGreaterThan(0);
  });
});
