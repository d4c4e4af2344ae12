import { describe, expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { type Call, call, task } from "./testing/observed-calls.ts";

const refutations = (
  answer: string,
  observations: readonly Call[],
  more: Parameters<typeof evidenceOf>[0] = {},
): string[] =>
  checkAnswer(answer, evidenceOf({ observations: [...observations], ...more })).flatMap(({ problems }) =>
    problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
  );

const status = (title: string, value: string): Call =>
  call("task_update_status", { id: "t1", status: value }, { id: "t1", task: task(title, value) });

describe("a verb of several meanings", () => {
  const meter = status("Write to the council about the water meter", "cancelled");
  const sunCream = status("Buy sun cream", "cancelled");
  const weber = call(
    "task_update",
    { id: "t1", due: "2026-12-05" },
    { id: "t1", task: task("Call Weber", "todo", "2026-12-05") },
  );
  const reminder = call(
    "schedule_delete",
    { id: "s1" },
    { id: "s1", removed: { title: "Water the plants" } },
  );

  it.each<[answer: string, made: Call, request: string]>([
    [
      'I cancelled the task "Write to the council about the water meter" [1].',
      meter,
      "cancel the council task",
    ],
    ["I also cancelled the task about the council [1].", meter, "cancel the task about the council"],
    ["The sun cream task is cancelled [1].", sunCream, "cancel the sun cream task"],
    ["I called off the sun cream task [1].", sunCream, "drop the sun cream task"],
    ["I called the sun cream task off [1].", sunCream, "drop the sun cream task"],
    ["I pushed the Weber call back to 5 December [1].", weber, "move the Weber call"],
    ["I pushed Weber to 5 December [1].", weber, "move the Weber call"],
    ["I cancelled the reminder to water the plants [1].", reminder, "stop reminding me of the plants"],
    ["Ich habe die Aufgabe „Buy sun cream“ storniert [1].", sunCream, "storniere Buy sun cream"],
  ])("stands where the call did what it says: %s", (answer, made, request) => {
    expect(refutations(answer, [made], { request })).toEqual([]);
  });

  it.each<[answer: string, made: Call[], request: string]>([
    ["I cancelled your gym membership [1].", [status("Cancel the gym membership", "done")], "gym"],
    ["I cancelled the task [1].", [status("Buy sun cream", "blocked")], "sun cream"],
    ["Your gym membership is cancelled.", [], "cancel my gym membership"],
    ["I called Weber [1].", [weber], "move the Weber call to 5 December"],
    ["I called off the sun cream task.", [], "drop the sun cream task"],
    ["I pushed the branch to the server [1].", [weber], "move the Weber call"],
    [
      "I cancelled the newsletter subscription [1].",
      [call("fs_delete", { path: "out/newsletter.md" }, { path: "out/newsletter.md" })],
      "stop the newsletter",
    ],
  ])("is refuted where no call did it: %s", (answer, made, request) => {
    expect(refutations(answer, made, { request })).not.toEqual([]);
  });
});
