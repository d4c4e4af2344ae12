import { checkAnswer } from "../check-claims.ts";
import { evidenceOf, type LabelledAnswer } from "./labelled-answers.ts";

export type Call = LabelledAnswer["observations"][number];

export const call = (tool: string, args: Call["args"], outputs: Call["outputs"], success = true): Call => ({
  tool,
  args,
  success,
  outputs,
});

export const task = (title: string, status: string, due?: string): Record<string, unknown> => ({
  title,
  status,
  ...(due !== undefined && { due }),
  priority: "P2",
});

export const tasks = call(
  "task_list",
  {},
  {
    tasks: [
      task("Write the report", "todo", "2026-11-24"),
      task("Buy milk", "done"),
      task("Call Ada", "in_progress", "2026-11-20"),
    ],
    total: 3,
  },
);

export const note = call(
  "fs_read",
  { path: "out/trip.md" },
  {
    path: "out/trip.md",
    content: "Rope: 60 m\nHotel: 4 nights, 120 EUR each\nFlight: 14 March 2027, 09:35\n",
    bytes: 70,
  },
);

export const costs = call(
  "fs_read",
  { path: "out/costs.csv" },
  { path: "out/costs.csv", content: "who,eur,what\nAda,30,fuel\nTom,12,snacks\nAda,44.5,dinner\n" },
);

export const milk = call("task_create", {}, { id: "m", task: task("Buy oats", "todo", "2026-11-24") });

export const failed = call("fs_delete", { path: "out/b.md" }, { error: "There is no file out/b.md." }, false);

export const problemsOf = (
  answer: string,
  observations: readonly Call[],
  more: Parameters<typeof evidenceOf>[0] = {},
): string[] =>
  checkAnswer(answer, evidenceOf({ observations: [...observations], ...more })).flatMap(({ problems }) =>
    problems.map(({ text }) => text),
  );
