/** The sentences that the sign-in shows. Labels of up to three words stand in its components. */
export const copy = {
  displayNameHint: "How MetaHuman OS addresses you.",
  usernameHint: "For signing in, and the name of your folder. Use lower-case letters, digits and hyphens.",
  setupCodeHint: "The server printed it at start. It proves that this machine is yours.",
  sessionEnded: "Your session has ended. What you typed is still here. Sign in to continue.",
  visitEnded: "Your visit as a guest has ended.",
  passwordHint: "At least 8 characters.",
  ownerAbout:
    "The first account owns this installation. It exists only on this machine: no email address is needed, and nothing is sent anywhere.",
  migrationTitle: "A migration has not ended",
  createOwner: "Create the owner account",
  otherPerson: "Sign in as someone else",
  continueAsGuest: (name: string) => `Continue as guest of ${name}`,
} as const;
