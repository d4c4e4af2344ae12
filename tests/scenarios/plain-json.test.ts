import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Conversations about a JSON file without naming it again, without a model.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
  await harness.write(
    "out/buoy.json",
    JSON.stringify({ interval_min: 30, sensors: ["temp", "salinity"], depth_m: 4.5 }),
  );
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";
const file = async (): Promise<unknown> => JSON.parse(await harness.read("out/buoy.json"));

describe("a JSON file that was asked about", () => {
  it("is changed by orders that do not name it", async () => {
    expect(await say("what is the interval_min in buoy.json")).toContain("30");
    await say("make it 15");
    expect(await say("add turbidity to the sensors")).toContain('Added "turbidity" to sensors');
    await say("depth_m is 5 not 4.5");
    await say("remove temp from the sensors");
    expect(await file()).toEqual({ interval_min: 15, sensors: ["salinity", "turbidity"], depth_m: 5 });
    await say("undo that");
    expect(await file()).toMatchObject({ sensors: ["temp", "salinity", "turbidity"] });
  });

  it("gets a further value after the last one", async () => {
    await say("set interval_min to 15 in buoy.json");
    await say("and now back to work");
    expect(await file()).not.toHaveProperty("back");
    await say("set interval_min to 15 in buoy.json");
    await say("and depth_m to 6");
    expect(await file()).toMatchObject({ interval_min: 15, depth_m: 6 });
    await say("show buoy.json");
    await say("interval_min to 20");
    await say("depth_m is 7, not 6");
    await say("add spare 36");
    await say("remove sensors from it");
    expect(await file()).toEqual({ interval_min: 20, depth_m: 7, spare: 36 });
  });

  it("takes keys and items of its lists without a verb, and takes back only the last change", async () => {
    await harness.write(
      "out/relay.json",
      JSON.stringify({ port: 80, debug: true, mode: "slow", hosts: ["alpha", "beta", "gamma"] }),
    );
    const relay = async (): Promise<unknown> => JSON.parse(await harness.read("out/relay.json"));
    await say("set port in relay.json to 8080");
    await say("debug off");
    await say("add delta to the hosts");
    await say("remove beta");
    await say("remove gamma");
    expect(await relay()).toEqual({ port: 8080, debug: false, mode: "slow", hosts: ["alpha", "delta"] });
    await say("undo");
    expect(await relay()).toMatchObject({ debug: false, hosts: ["alpha", "gamma", "delta"] });
    for (const remark of [
      "me too",
      "it's Friday today",
      "and mode of course",
      "put the kettle on",
      "no debug",
    ])
      await say(remark);
    expect(await relay()).toMatchObject({ port: 8080, mode: "slow", hosts: ["alpha", "gamma", "delta"] });
  });

  it("stays as it is where something else is meant", async () => {
    const before = await file();
    await say("what is the interval_min in buoy.json");
    for (const remark of [
      "make it stop",
      "add insult to injury",
      "the sensors are old",
      "we need more sensors",
      "is it 5 not 4?",
    ])
      await say(remark);
    expect(await file()).toEqual(before);
  });
});
