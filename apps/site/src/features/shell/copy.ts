/** The sentences that the app shell shows. Labels of one or two words stand in its components. */
export const copy = {
  emulationBanner: "Emulation: you can chat, but nothing is changed or saved.",
  stateBanner: "Conversations and runs are not available.",
  connectionLost: "The server cannot be reached. What you type is kept, and this page reconnects by itself.",
  noCommand: "Nothing found. Try other words.",
  searchPlaceholder: "Search everything",
  searchCommands: "Search commands, conversations, functions, memory and files",
  modelHeading: "Models",
  trustLink: "What each level allows",
  closeInspector: "Close the inspector",
  composerShortcut: "Go to the composer or search",
  newLineShortcut: "New line",
  closeShortcut: "Close the open panel, or leave the message field",
  noticeShortcut: "Do what the newest notice offers, such as Undo",
  listShortcut: "Show this list",
} as const;
