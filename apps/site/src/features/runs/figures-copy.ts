/** The sentences of the figures and charts of runs, which are loaded when somebody opens them. */
export const copy = {
  noRuns: "No runs yet.",
  noRunsLately: (days: number) => `No runs in the last ${days} days.`,
  planningHeading: "Planning of repeated requests",
  planningEmpty: "Make the same request twice to see here whether the second run needs less planning.",
  planningLegend:
    "Each dot is a run, from the first to the latest. Its height is the number of planning calls.",
  noFunctionFollowed: "No function has been used yet.",
  lowerBoundNote: "“At least” is the lower bound of the 95 % interval. A few uses prove little.",
  lowerBoundColumn: "At least",
  functionsTable: "Functions and their results",
  daysSummary: (runs: string, days: number, answered: number) =>
    `${runs} in ${days} days, ${answered} of them answered`,
  otherOutcomes: "not completed, stopped or failed",
  daysTable: "Runs per day, as a table",
  functionTotals: (used: string, worked: number, calls: string, tokens: string) =>
    `used ${used}, ${worked} of them with success; saved ${calls} and ${tokens}.`,
  planning: (first: string, last: number, answered: number, runs: number) =>
    `${first} at first, ${last} the last time; answered ${answered} of ${runs} times`,
  fromLatest: (runs: string) => `From the latest ${runs}.`,
  functionsHeading: "Functions: uses and success",
} as const;
