import { expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { remind } from "../remind/skill.ts";
import { scheduleDelete } from "./skill.ts";

const bench = skillBench();

it("names no next moment of what it deleted", async () => {
  const { outputs } = await bench.call(remind, { text: "heat the sauna", when: "every Thursday at 19:30" });
  const { narrative } = await bench.call(scheduleDelete, { id: String(outputs["id"]) });
  expect(narrative).toMatch(
    /^Deleted “Heat the sauna” every Thursday at 19:30 \([^)]*\)\. It can be restored from the archive\.$/u,
  );
});
