import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SearchEntry, SearchIndex } from "./search-index.ts";

export interface OpenedSearchIndex {
  index: SearchIndex;
  close: () => Promise<void>;
}

const texts = {
  garage: "the garage code is kept in the blue notebook",
  door: "the garage door needs new oil before winter",
  plumber: "call the plumber, then the bank",
  notes: "Notebooks and notebook covers were bought for school; the blue ones are Ana's",
  shout: 'He said "NEAR(the AND door)" and left*',
  hebrew: "קוד המוסך נמצא במחברת הכחולה",
  chinese: "车库密码写在蓝色笔记本里",
  emoji: "party at nine 🎉🎈",
  camel: "getUserName reads the GitHub profile_picture",
  accents: "déjà vu in the café of Zürich",
};

/** Tests the contract of `SearchIndex`. `open` returns an empty one. */
export function describeSearchIndex(name: string, open: () => Promise<OpenedSearchIndex>): void {
  describe(`search index: ${name}`, () => {
    let opened: OpenedSearchIndex;
    const found = async (
      query: string,
      options?: Partial<Parameters<SearchIndex["search"]>[1]>,
    ): Promise<string[]> => (await opened.index.search(query, { limit: 20, ...options })).map(({ id }) => id);

    beforeEach(async () => {
      opened = await open();
      await opened.index.put(Object.entries(texts).map(([id, text]) => entry(id, text)));
    });
    afterEach(() => opened.close());

    it("ranks the entry first that shares the rarest and the most words", async () => {
      expect((await found("where is the garage code kept?"))[0]).toBe("garage");
      expect(await found("garage")).toEqual(expect.arrayContaining(["garage", "door"]));
    });

    it("compares words without their endings, and prefers the exact form", async () => {
      expect(await found("winters")).toEqual(["door"]);
      expect(await found("wintry")).toEqual([]);
      expect((await found("notebooks"))[0]).toBe("notes");
      expect(await found("covering")).toEqual(["notes"]);
    });

    it("finds synonyms, after the word itself", async () => {
      await opened.index.put([
        entry("doctor", "our doctor is Mira Lund"),
        entry("physician", "the old physician retired"),
        entry("pet", "Pluto, the dog, sleeps in the kitchen"),
      ]);
      expect(await found("doctor")).toEqual(["doctor", "physician"]);
      expect(await found("which physicians")).toEqual(["physician", "doctor"]);
      expect(await found("pets")).toEqual(["pet"]);
      // A dog is a pet, but not every pet is a dog.
      await opened.index.put([entry("pet", "the pet shop closes at five")]);
      expect(await found("dogs")).toEqual([]);
    });

    it("reports how much of the query was found", async () => {
      const [all] = await opened.index.search("blue notebook", { limit: 1 });
      const [half] = await opened.index.search("plumber xyzzy", { limit: 1 });
      expect(all?.coverage).toBeCloseTo(1, 5);
      expect(all?.matched.sort()).toEqual(["blue", "notebook"]);
      expect(half?.coverage).toBeGreaterThan(0);
      expect(half?.coverage).toBeLessThan(0.6);
    });

    it("finds nothing for stop words, punctuation or an empty query", async () => {
      for (const query of ["", "   ", "?!", "the of and", "*"]) expect(await found(query)).toEqual([]);
    });

    it("treats operators and quotes of the query language as plain text", async () => {
      expect(await found('"garage" AND NOT door OR (near*')).toContain("garage");
      expect(await found("NEAR(door)")).toContain("shout");
      expect(await found("stems:garage ^garage -garage")).toContain("garage");
    });

    it("answers any query without an error", async () => {
      const pieces = [
        '"',
        "'",
        "*",
        "(",
        ")",
        "^",
        ":",
        "-",
        "+",
        "{",
        "AND",
        "NOT",
        "NEAR(",
        "stems",
        "garage",
        " ",
        "\0",
        "\ud800",
        "🎉",
      ];
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 5 })), { maxLength: 12 }),
          fc.constantFrom("exact" as const, "loose" as const),
          async (query, mode) => {
            await opened.index.search(query.join(""), { limit: 3, mode });
          },
        ),
        { numRuns: 60 },
      );
    });

    it("supports other scripts, emoji, names in camel case, and words without their accents", async () => {
      expect(await found("מחברת המוסך")).toEqual(["hebrew"]);
      expect(await found("蓝色的笔记本")).toEqual(["chinese"]);
      expect(await found("🎉")).toEqual(["emoji"]);
      expect(await found("user name")).toEqual(["camel"]);
      expect(await found("github picture")).toEqual(["camel"]);
      expect(await found("cafe zurich deja")).toEqual(["accents"]);
    });

    it("finds prefixes and typos only in a loose search", async () => {
      for (const slip of ["plum", "plumbr", "plumbre"]) {
        expect(await found(slip)).toEqual([]);
        expect(await found(slip, { mode: "loose" })).toEqual(["plumber"]);
      }
      expect(await found("garrage", { mode: "loose" })).toEqual(expect.arrayContaining(["garage", "door"]));
      expect(await found("xyzzyq", { mode: "loose" })).toEqual([]);
    });

    it("finds new records, replaces known ones, and forgets removed ones", async () => {
      await opened.index.put([entry("door", "the shed needs paint")]);
      expect(await found("garage")).toEqual(["garage"]);
      expect(await found("shed paint")).toEqual(["door"]);
      await opened.index.remove(["door", "nobody"]);
      expect(await found("shed paint")).toEqual([]);
      expect(await opened.index.count()).toBe(Object.keys(texts).length - 1);
    });

    it("respects the limit and the filter", async () => {
      expect(await found("garage", { limit: 1 })).toHaveLength(1);
      await opened.index.put([
        entry("curated-garage", "the garage is red", { kind: "curated", tags: ["home", "car"] }),
        entry("old-garage", "the garage was green", {
          timestamp: "2001-01-01T00:00:00.000Z",
          tags: ["home"],
        }),
      ]);
      expect(await found("garage", { filter: { kinds: ["curated"] } })).toEqual(["curated-garage"]);
      expect(await found("garage", { filter: { until: "2002-01-01T00:00:00.000Z" } })).toEqual([
        "old-garage",
      ]);
      expect(await found("garage", { filter: { tags: ["home", "car"] } })).toEqual(["curated-garage"]);
      expect(await found("garage", { filter: { kinds: [] } })).toEqual([]);
    });

    it("finds a word at the end of a million characters, without ranking long texts above short ones", async () => {
      const long = `${"lorem ipsum dolor garage ".repeat(40_000)} zanzibar`;
      await opened.index.put([entry("long", long)]);
      expect(await found("zanzibar")).toEqual(["long"]);
      expect((await found("garage code"))[0]).toBe("garage");
    });

    it("answers a request of a hundred thousand characters", async () => {
      const request = `${Array.from({ length: 12_000 }, (_, number) => `word${number}`).join(" ")} plumber`;
      await expect(found(request)).resolves.toBeInstanceOf(Array);
    });
  });
}

function entry(id: string, text: string, facts: Partial<SearchEntry["facts"]> = {}): SearchEntry {
  return {
    id,
    text,
    facts: { kind: "observation", timestamp: "2026-01-01T00:00:00.000Z", tags: [], ...facts },
  };
}
