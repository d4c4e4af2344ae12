/** The sentences of the approvals page. Labels of up to three words are in its components. */
export const copy = {
  changedSinceAllowed: "You allowed this, but its target has changed since:",
  wouldDoNow: "It would now do this:",
  changeSinceAllowed: "Changes since you allowed it",
  denyReasonHint: "The operator reads the reason and tries another way.",
  denyReasonKept: "The reason is kept with your decision.",
  rejectReasonHint: "Optional.",
  nothingWaits:
    "Nothing is waiting. Risky calls and functions that the operator registers wait here for your decision.",
  noPermissions: "None. “Always” on an approval grants one; you can revoke it here.",
  noHistory: "No decisions yet.",
  permissionRevoked: "Revoked. The operator asks again from now on.",
  cannotDecideInMode: "In the mode “Chat only”, nothing can be decided. Choose another mode in the top bar.",
  noPowers: "nothing; it only computes",
  whenAllowed: "when you allowed it",
  checksLater: "run when you approve it",
  canBeUndone: "can be undone",
  undoes: (request: string) => `This undoes “${request}”.`,
  whyNot: "Why not?",
  changesOf: (target: string) => `Changes: ${target}`,
  approveFunction: (title: string) => `Approve the function “${title}”?`,
} as const;
