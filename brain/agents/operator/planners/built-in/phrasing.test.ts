import { expect, it } from "vitest";
import { optionLabels } from "./phrasing.ts";

it("tells options with the same name apart by their details, and by ids only where those are equal, too", () => {
  const stretch = { label: "Stretch", detail: "every day at 09:00" };
  expect(
    optionLabels([
      { id: "sched-1", ...stretch },
      { id: "sched-2", label: "Stretch", detail: "every Friday at 10:00" },
      { id: "sched-3", label: "Swim", detail: "every Monday at 08:00" },
    ]),
  ).toEqual(["Stretch (every day at 09:00)", "Stretch (every Friday at 10:00)", "Swim"]);
  expect(
    optionLabels([
      { id: "sched-1", ...stretch },
      { id: "sched-2", ...stretch },
    ]),
  ).toEqual(["Stretch (every day at 09:00) (sched-1)", "Stretch (every day at 09:00) (sched-2)"]);
});
