import { expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { remind } from "./skill.ts";

const harness = skillHarness();
const reminded = async (text: string, when: string) => (await harness.call(remind, { text, when })).narrative;

it("says that a single reminder is like another one at the same time", async () => {
  await reminded("Ring Birgit, Carl and Frida about the fee", "2099-11-30 18:00");
  expect(await reminded("Call Birgit, Carl and Frida", "2099-11-30 18:00")).toContain(
    "At the same time, you are also reminded of “Ring Birgit, Carl and Frida about the fee”.",
  );
  expect(await reminded("Write to Birgit, Carl and Frida", "2099-12-01 18:00")).not.toContain("also");
  expect(await reminded("Water the plants", "2099-11-30 18:00")).not.toContain("also");
});
