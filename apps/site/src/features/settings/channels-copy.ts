import type { NoticeChannel } from "@metahuman/core/contract/notice";

/** The names of the channels. */
export const CHANNEL_LABELS: Readonly<Record<NoticeChannel, string>> = {
  ntfy: "ntfy",
  smtp: "E-mail",
  webhook: "Webhook",
};

/** The sentences of the channels. They are separate from the other copy of the settings, which every page loads. */
export const channelCopy = {
  browserAbout:
    "While a page of MetaHuman OS is open, this browser shows notices and runs that wait for you.",
  removeToken: "Remove the stored token",
  renewSecret: "Create a new signing secret",
  pageUrl: "Address of this page (optional)",
  testSent: (channel: string, milliseconds: number) =>
    `Sent a test message by ${channel} (${milliseconds} ms).`,
  browserAllowed: "This browser shows notifications. You can turn them off in its settings for this site.",
  browserDenied:
    "This browser blocks notifications from this page. Allow them in its settings for this site.",
  browserUnsupported: "This browser shows notifications only at localhost or over HTTPS.",
  channelsAbout:
    "Notices always appear on this page and in the terminal. They can also reach you elsewhere while the page is closed.",
  channelUnavailable: "The owner has not turned it on.",
  channelUnavailableOwner: "Off. Turn it on under Servers for notices.",
  channelsUnreadable: "channels.json of your profile is not used:",
  channelNoAnswer: "No answer.",
  channelSecret:
    "Check the signatures of messages with this secret. It is stored encrypted and not shown again.",
  channelTopicHint: "Whoever knows a topic can read it, unless it is protected with a token.",
  channelTokenHint: "For a protected topic. It is stored encrypted and never shown again.",
  channelTokenKept: "One is stored. Leave the field empty to keep it.",
  channelWebhookHint: "Receives JSON, signed with HMAC-SHA-256 as Standard Webhooks describes.",
  channelServersAbout:
    "Which channels people may use on this installation. Hosts of your own network must be listed under network.privateHosts in etc/skills.json.",
  channelServersSaved: "Saved the addresses.",
  ntfyAbout: "Push messages to phones through an ntfy server. Their text passes through that server.",
  webhookAbout: "Signed requests to an address that each person enters.",
  pageUrlHint: "Where people reach this page. Links in messages begin with it; without it they have none.",
  smtpTls: "Encrypted from the start, usually port 465.",
  smtpStarttls: "Encrypted before anything is sent, usually port 587.",
  smtpPlain: "Only for a server on this machine. No password is sent.",
  smtpSaved: "Saved the mail server.",
  smtpPasswordHint: "It is stored encrypted and never shown again.",
  smtpPasswordKept:
    "One is stored. Leave the field empty to keep it; another server or user name needs it again.",
  urgencyHigh: "Reminders, failures, and what waits for you.",
  urgencyNormal: "Also what was missed or skipped.",
  urgencyLow: "Also the results of everything that ran.",
} as const;
