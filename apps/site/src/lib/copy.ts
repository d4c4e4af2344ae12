/** The sentences that several pages share. */
export const copy = {
  chooseFile: "Choose a file…",
  noFileChosen: "No file chosen",
  unreachable: "The server cannot be reached.",
  unreachableHint: "Check that it is running where you started it. This page reconnects by itself.",
  unexpected: (path: string) => `The server sent an unexpected response for ${path}.`,
  reload: "Reload the page.",
  pageError: "Something went wrong on this page.",
  reloadSafely: "Reload the page. Everything done so far is saved.",
  showOtherLines: (lines: string) => `Show the other ${lines}`,
  savedElsewhere: (what: string) =>
    `This ${what} was saved elsewhere in the meantime. What you typed is kept.`,
  deletedElsewhere:
    "This was deleted in the meantime. Restore it in another tab, under Memory → Archive, then save again.",
  bothChanged: (what: string) => `Both of you changed ${what}. Merging keeps yours.`,
  merge: "Merge my changes into theirs",
  noDifference: "No differences.",
  onlyBeginning: "Only the beginning is shown.",
  noMatches: "No matches. Try fewer or other words.",
  showMore: (shown: number, total: number) => `Show more (${shown} of ${total})`,
  backToList: "Back to the list",
  hidePassword: "Hide what you type",
  showPassword: "Show what you type",
  unsaved: "You have unsaved changes.",
  copyRefused: "The browser does not allow copying",
  notText: "Not text.",
} as const;
