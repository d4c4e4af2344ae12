import { anyCharacter } from "@metahuman/core/language/testing-characters";
import { exampleOf } from "@metahuman/core/language/grammar/example";
import { compileSkill } from "@metahuman/core/language/grammar/grammar";
import { firstWords } from "@metahuman/core/language/grammar/template";
import type { PlannedCall, PlannedValue } from "@metahuman/core/language/grammar/plan";
import { isTypo } from "@metahuman/core/language/tokens/spelling";
import { tokenize } from "@metahuman/core/language/tokens/tokens";
import { stem } from "@metahuman/core/language/tokens/words";
import { installedSkills } from "@metahuman/skills/installed";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  actingAfter,
  changes,
  corpus,
  grammars,
  groups,
  Labelled,
  MENTIONS,
  orders,
  read,
  readings,
} from "./testing/labelled-requests.ts";

function valueOf(value: PlannedValue): unknown {
  if (value.from === "request" || value.from === "function") return value.value;
  if (value.from === "answer") return { asks: value.question };
  if (value.from === "earlier")
    return {
      earlier: value.candidates.map(({ label }) => label),
      ...(value.folder !== undefined && { folder: value.folder }),
    };
  return {
    call: value.call,
    take: value.take,
    ...(value.folder !== undefined && { folder: value.folder }),
    ...(value.below !== undefined && { below: value.below }),
    ...(value.pick !== undefined && { pick: value.pick }),
  };
}

const callsOf = (calls: readonly PlannedCall[]) =>
  calls.map(({ skill, args, invented }) => [
    skill,
    Object.fromEntries(Object.entries(args).map(([name, value]) => [name, valueOf(value)])),
    ...(invented.length > 0 ? [{ invented }] : []),
  ]);

/** An interpretation in the form of the corpus. */
function labelled(request: string, after?: readonly string[]): Labelled {
  const reading = read(request, after);
  const say = { say: request, ...(after && { after }) };
  switch (reading.kind) {
    case "plan":
      return Labelled.parse({ ...say, plan: callsOf(reading.calls), repeats: reading.repeats });
    case "ambiguous":
      return Labelled.parse({ ...say, ambiguous: reading.plans.map(callsOf), repeats: reading.repeats });
    case "not-understood":
      return Labelled.parse({
        ...say,
        kind: reading.kind,
        ...(reading.needsModel && { needsModel: true }),
        ...(reading.foreign && { foreign: true }),
        recall: reading.recall && Object.values(reading.recall.args).map(valueOf).join(),
      });
    case "capabilities":
      return { say: request, kind: reading.kind, ...(reading.about.length > 0 && { about: reading.about }) };
    case "small-talk":
      return { say: request, kind: reading.kind, topic: reading.topic };
    case "clock":
      return { say: request, kind: reading.kind, asks: reading.asks };
    case "empty":
    case "refrain":
      return { say: request, kind: reading.kind };
    default:
      return reading satisfies never;
  }
}

/** One in so many orders is read after each mention. */
const SHARE = 6;

const TIME =
  /\d|noon|midnight|morning|afternoon|evening|night|^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|^(?:hour|dai|week|month|year)ly$|^week(?:day|end)s?$/;

describe.each([...groups])("requests: %s", (_, requests) => {
  it.each(requests.map((request) => [request.say, request] as const))("%j", (say, expected) => {
    expect(labelled(say, expected.after)).toEqual(expected);
  });
});

describe("the phrases of the installed skills", () => {
  const rules = grammars.flatMap((skill) =>
    compileSkill(skill).rules.map((rule) => ({ skill: skill.id, rule })),
  );
  // A request that refers to an earlier one means nothing alone.
  const alone = rules.filter(
    ({ rule: { phrase, slots } }) =>
      phrase.implies === undefined && !Object.values(slots).some((slot) => slot.pronounOnly),
  );

  it.each(alone.map(({ skill, rule }) => [exampleOf(rule), skill]))(
    "parse their own example %j",
    (example, skill) => {
      const reading = read(example);
      expect(reading.kind === "plan" && reading.calls.at(-1)?.skill).toBe(skill);
    },
  );

  it("make arguments that the skills accept", () => {
    for (const { say, reading } of readings.filter(({ say }) => !/etc\/passwd/.test(say))) {
      for (const call of reading.kind === "plan" ? reading.calls : []) {
        const args = Object.entries(call.args).flatMap(([name, value]) =>
          value.from === "request" ? [[name, value.value]] : [],
        );
        if (args.length < Object.keys(call.args).length) continue;
        const skill = installedSkills.find(({ id }) => id === call.skill);
        expect(() => skill?.parse(Object.fromEntries(args)), `${say}: ${JSON.stringify(args)}`).not.toThrow();
      }
    }
  });

  it("are suggested only in forms that work", () => {
    for (const { kind, reading } of readings) {
      if (kind !== "not-understood" || reading.kind !== "not-understood") continue;
      expect(reading.nearest).toHaveLength(3);
      for (const sentence of reading.nearest) expect(read(sentence).kind, sentence).toBe("plan");
    }
  });
});

describe("a text that only mentions a command", () => {
  // Every order after some of the mentions; `npm run soak -- mentions` reads all of them after each.
  it.each(MENTIONS.map((mention, at) => [mention, at] as const))(
    "changes nothing after “%s”",
    (mention, at) => {
      expect(
        actingAfter(
          mention,
          orders.filter((_, order) => order % SHARE === at % SHARE),
        ),
      ).toEqual([]);
    },
  );

  it.each<[string, string]>([
    ['"', '"'],
    ["“", "”"],
    ["«", "»"],
    ["what does “", "” mean?"],
    ["translate “", "” to german"],
  ])("changes nothing between %s and %s", (open, close) => {
    const quotable = orders.filter((say) => !/["“”«»]/.test(say));
    expect(quotable.filter((say) => changes(read(`${open}${say}${close}`)))).toEqual([]);
  });

  it("is one text to remember if it is quoted", () => {
    for (const say of orders.filter((order) => !/["“”]/.test(order))) {
      expect(labelled(`remember “${say}”`).plan).toEqual([["memory_remember", { text: say }]]);
    }
  });
});

describe("the grammar of the installed skills, for any text", () => {
  const words = [...new Set(corpus.flatMap(({ say }) => say.split(/\s+/)))];
  const anything = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.array(fc.constantFrom(...words), { maxLength: 15 }).map((some) => some.join(" ")),
    // A request with a word lost, doubled or replaced.
    fc
      .tuple(
        fc.constantFrom(...corpus.map(({ say }) => say)),
        fc.nat(),
        fc.constantFrom("", "not", "x", ...words),
      )
      .map(([say, place, word]) => {
        const parts = say.split(" ");
        parts.splice(place % Math.max(parts.length, 1), 1, ...(word === "" ? [] : [word]));
        return parts.join(" ");
      }),
  );

  it("never throws, and always parses the same way", () => {
    fc.assert(
      fc.property(anything, (request) => {
        expect(read(request)).toEqual(read(request));
      }),
      { numRuns: 300 },
    );
  });

  it("changes nothing without a form of a word that begins a phrase of a skill", () => {
    fc.assert(
      fc.property(anything, (request) => {
        const reading = read(request);
        const words = tokenize(request).map((token) => token.text);
        for (const call of reading.kind === "plan" ? reading.calls : []) {
          const skill = grammars.find(({ id }) => id === call.skill);
          if (skill === undefined || skill.reads) continue;
          // A time in front of an order or after it postpones or repeats the order.
          if (skill.id.startsWith("schedule_") && words.some((word) => TIME.test(word))) continue;
          // "prefs/app.json: autosave -> true" sets a key without a verb.
          if (skill.id === "json_update" && /->|=|→|:/u.test(request)) continue;
          // "list my tasks -> notes/today.md" writes a file without a verb, as in a shell.
          if (skill.id === "fs_write" && /(?:->|=>|→)\s*\S+\s*$/u.test(request)) continue;
          const openings = compileSkill(skill).rules.flatMap((rule) => firstWords(rule.pattern).words);
          expect(
            words.some((word) =>
              openings.some((opening) => stem(word) === stem(opening) || isTypo(word, opening)),
            ),
            request,
          ).toBe(true);
        }
      }),
      {
        numRuns: 500,
        examples: [
          ["would you mind writing hello to b.txt"],
          ["Weekly could you please list my tasks for me?"],
          ["first list my tasks and then -> notes/today.md"],
        ],
      },
    );
  });

  it("writes quoted text byte for byte", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
        fc.pre(!/[“”]/.test(text));
        expect(labelled(`create a file called x.md with the text “${text}”`).plan).toEqual([
          ["fs_write", { path: "x.md", content: text }],
        ]);
      }),
      { numRuns: 300 },
    );
  });
});
