import { openMemory, type OpenedMemory } from "@metahuman/core/memory/open-memory";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBuiltInEmbedder } from "./built-in-embedder.ts";

const GARAGE = "the garage code is kept in the blue notebook";
const BIRTHDAY = "Ana's birthday is on the 4th of May";
const PLUMBER = "call the plumber about the kitchen leak";
const MEETING = "we decided to meet on Tuesdays at nine";
const WIFI = "the wifi password is on the fridge";
const PIE = "Grandma's apple pie needs six apples and cinnamon";
const CAR = "the car is due for inspection in March";
const FILES = "Default files go to out/drafts/";
const HEBREW = "הפגישה עם דנה ביום שלישי";

let home: string;
let opened: OpenedMemory;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "metahuman-recall-"));
  opened = await openMemory({ paths: profilePaths(home, "ada"), embedder: createBuiltInEmbedder() });
  await opened.memory.addMany(
    [GARAGE, BIRTHDAY, PLUMBER, MEETING, WIFI, PIE, CAR, FILES, HEBREW].map((content) => ({
      type: "observation" as const,
      content,
    })),
    { source: { kind: "user" }, trust: "trusted" },
  );
  await opened.embedded();
});
afterAll(async () => {
  await opened.close();
  await rm(home, { recursive: true });
});

const first = async (query: string): Promise<string | undefined> =>
  (await opened.memory.recall({ query }))[0]?.memory.content;

describe("a handful of memories and the built-in embedder", () => {
  it.each([
    ["where is the garage code kept?", GARAGE],
    ["garage", GARAGE],
    ["garrage", GARAGE],
    ["where did I write the door code", GARAGE],
    ["when is Ana's birthday?", BIRTHDAY],
    ["what day do we meet", MEETING],
    ["plumbing problem", PLUMBER],
    ["passwrod", WIFI],
    ["how do I bake grandma's pie?", PIE],
    ["when does the car need inspecting", CAR],
    ["what does the vehicle inspection cost", CAR],
    ["wireless passphrase", WIFI],
    ["make test file", FILES],
    ["מתי הפגישה עם דנה?", HEBREW],
  ])("answers %j", async (query, memory) => {
    expect(await first(query)).toBe(memory);
  });

  it.each([
    "what is the capital of France?",
    "who won the world cup in 1998",
    "recipe for bread",
    "write me a poem about rain",
    "list my tasks",
    "how are you",
    "xyzzy",
    "明天会下雨吗",
  ])("finds nothing for %j", async (query) => {
    expect(await first(query)).toBeUndefined();
  });

  it("ranks the fact first after it was asked for and answered", async () => {
    await opened.memory.addMany(
      [
        {
          type: "conversation",
          content: `Asked: where is the garage code kept?\nAnswered: I found 1 memory: ${GARAGE}.`,
        },
        { type: "tool_invocation", content: `memory_search: Found 1 memory: “${GARAGE}”.` },
      ],
      { source: { kind: "operator" }, trust: "trusted" },
    );
    await opened.embedded();
    expect(await first("where is the garage code kept?")).toBe(GARAGE);
    expect(await first("garage code")).toBe(GARAGE);
  });
});
