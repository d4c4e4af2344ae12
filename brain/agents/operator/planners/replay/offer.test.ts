import { installedSkills } from "@metahuman/skills/installed";
import { NO_CONVERSATION } from "@metahuman/core/context/build-context-package";
import { expect, it } from "vitest";
import { learned } from "../../../testing/learned-recipe.ts";
import { createOfferPlanner } from "./offer.ts";

const COPY = learned(
  "copy",
  ["keep the heading of trips/oslo.md", "keep the heading of {path}"],
  { path: ["path", "trips/oslo.md"] },
  [
    ["fs_read", { path: "${path}" }],
    ["fs_append", { path: "${steps.1.path}", text: "${steps.1.content|trim}" }],
    ["task_create", { title: "Check ${steps.1.content.lines.0}" }],
  ],
);

it("an offer shows words for the results of earlier steps", async () => {
  const planner = createOfferPlanner([
    {
      function: { ...COPY, version: 1 },
      values: { path: "trips/rome.md" },
      score: 0.8,
      explainsAsMuch: true,
      reason: "",
    },
  ]);
  const decision = await planner.next(
    {
      runId: "run-1",
      request: "keep the heading of the rome trip",
      requestedAt: new Date("2026-11-25T10:00:00Z"),
      timeZone: "UTC",
      locale: "en-GB",
      scratchpad: [],
      context: undefined,
      conversation: NO_CONVERSATION,
      skills: installedSkills,
      onModelCall: () => undefined,
      onWarning: () => undefined,
    },
    new AbortController().signal,
  );
  expect(decision).toMatchObject({ kind: "answer" });
  const text = decision.kind === "answer" ? (decision.text ?? "") : "";
  expect(text).toContain("trips/rome.md, “the content of step 1”");
  expect(text).toContain("“Check the line 1 of step 1”");
  expect(text).not.toContain("${");
});
