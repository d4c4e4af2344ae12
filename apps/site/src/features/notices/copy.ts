/** The sentences of the list of notices. */
export const copy = {
  noNotices: "No notices. Reminders and results of automations appear here.",
  markAllRead: "Mark all as read",
  offerNotifications: "This browser can notify you of reminders, and of runs that wait for you.",
  turnOnNotifications: "Turn on notifications",
  notDelivered: (channel: string, error = "no reason given") => `Not delivered by ${channel}: ${error}`,
} as const;
