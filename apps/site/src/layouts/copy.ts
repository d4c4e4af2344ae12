/** The sentences that only the server renders, so that no browser loads them. */
export const copy = {
  needsScripts: "This page needs JavaScript, all of which comes from this server.",
  notFound: "Page not found",
  notFoundHint: "It may have been deleted, or the link is incomplete.",
  goToChat: "Go to the chat",
  loadFailed: "This page failed to load",
  loadFailedHint: "None of your data has changed. The server log contains the reason.",
} as const;
