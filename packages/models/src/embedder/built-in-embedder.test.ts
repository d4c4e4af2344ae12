import { dot } from "@metahuman/core/vectors/vector-math";
import fc from "fast-check";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createBuiltInEmbedder } from "./built-in-embedder.ts";

const embedder = createBuiltInEmbedder();

async function vectorOf(text: string): Promise<Float32Array> {
  const [vector] = await embedder.embed([text]);
  if (!vector) throw new Error("one text, one vector");
  return vector;
}

async function similarity(one: string, other: string): Promise<number> {
  return dot(await vectorOf(one), await vectorOf(other));
}

describe("the built-in embedder", () => {
  it("returns one vector of length 1 per text, in order", async () => {
    const texts = ["the garage code", "", "mark b as finished", "!?"];
    const vectors = await embedder.embed(texts);
    expect(vectors.map((vector) => vector.length)).toEqual(texts.map(() => embedder.dimensions));
    expect(vectors.map((vector) => Math.round(dot(vector, vector) * 1e5) / 1e5)).toEqual([1, 0, 1, 0]);
    for (const [index, text] of texts.entries()) expect(vectors[index]).toEqual(await vectorOf(text));
  });

  it("returns the same vector for the same text on every machine", async () => {
    const [vector] = await embedder.embed(["The garage code is kept in the blue notebook — 车库 🚗 مفتاح"]);
    const rounded = Array.from(vector ?? [], (value) => Math.round(value * 1e5));
    const digest = createHash("sha256").update(JSON.stringify(rounded)).digest("hex").slice(0, 16);
    // Another digest means another id: every stored vector has to be made anew.
    expect([embedder.id, digest]).toEqual(["built-in-2", "79b0e43bd88d03b1"]);
  });

  it.each([
    ["another form", "he is running through gardens", "run through the garden", "buying new curtains"],
    ["another order", "plumber called yesterday", "yesterday the plumber called", "yesterday it rained"],
    ["a slip of the pen", "the garrage door", "garage doors", "the marriage register"],
    ["part of a compound", "notebook", "notebooks and notes", "textile"],
    ["Chinese", "车库的密码在笔记本里", "笔记本和车库", "明天会下雨"],
    ["Hebrew", "קוד המוסך במחברת", "המחברת והמוסך", "מחר ירד גשם"],
    ["another word", "who is my physician", "the doctor's surgery", "the driver's licence"],
    ["accents", "le café de Zoë", "cafe zoe", "le train de Paul"],
  ])(
    "returns similar vectors for texts that share words or their meaning: %s",
    async (_, text, near, far) => {
      expect(await similarity(text, near)).toBeGreaterThan((await similarity(text, far)) + 0.1);
    },
  );

  it("accepts any text, and returns a zero vector without content words", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 80 }), async (text) => {
        const vector = await vectorOf(text);
        const length = dot(vector, vector);
        expect(length === 0 || Math.abs(length - 1) < 1e-4).toBe(true);
      }),
      { numRuns: 40 },
    );
    expect(await similarity("the of and", "the of and")).toBe(0);
    expect((await vectorOf("word ".repeat(1_000_000))).length).toBe(embedder.dimensions);
  });

  it("yields to the event loop during many texts", async () => {
    const texts = Array.from(
      { length: 2_000 },
      (_, number) => `call the plumber about leak number ${number} in the kitchen`,
    );
    let turns = 0;
    let working = true;
    const count = (): void => {
      turns += 1;
      if (working) setImmediate(count);
    };
    setImmediate(count);
    await embedder.embed(texts);
    working = false;
    expect(turns).toBeGreaterThan(3);
  });

  it("stops when it is aborted", async () => {
    const stopping = AbortSignal.abort(new Error("stop"));
    await expect(embedder.embed(["text"], stopping)).rejects.toThrow("stop");
  });
});
