/** The sentences of a run, which the chat and the page of runs show. The page of runs loads no others of the chat. */
export const copy = {
  broken: "interrupted",
  observationModes: "Show results as",
  noSteps: "No steps.",
  readingSteps: "Loading the steps…",
  exactAnswer: "Answer, verbatim",
  exactOutcome: "Result, verbatim",
  stagesOfCall: "Stages of this call",
  checklist: "Checklist of this run",
  wasUseful: "This was useful",
  wasNotUseful: "This was not useful",
} as const;
