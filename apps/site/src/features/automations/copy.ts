/** The sentences of the automations page. Labels of up to three words are in its components. */
export const copy = {
  runsFunction: "Runs the function",
  about: "Reminders, requests and functions that run by themselves, once or repeatedly.",
  nothingScheduled:
    "Nothing is scheduled yet. Say it in the chat (“every weekday at 7:30 list my tasks”), or create it here.",
  whenHint: "A moment or a recurrence: “Friday at 9”, “every weekday at 7:30”, “every 2 hours”.",
  requestHint: "A request as you would write it in the chat.",
  reminderHint: "What to remind you of.",
  grantsHint: "It asks you before it does anything else. Reading needs no permission.",
  noVerified:
    "No function is verified yet. Only verified functions run by themselves: promote one on the Functions page first.",
  noneFound: "No verified function matches. Try other words, or promote a function first.",
  agentsAbout:
    "Agents run in the background on the schedules in etc/agents.json and log what they do. None starts by itself in emulation mode.",
  agentNoLog: "No log yet.",
  agentNever: "Has not run yet.",
  agentPaused: "Paused: runs only on request.",
  agentManual: "Runs only on request.",
  agentsLoading: "Loading…",
  needsModel:
    "It needs a language model each time. If none answers when it is due, it fails and you get a notice.",
  calendarAbout: "The last 60 days and the next 20. Each column is a week.",
  calendarAsList: "As a list",
  notDueYet: "Not due yet.",
  yourTime: " by your clock",
  historyZone: "Times are by your clock.",
  mayDo: (actions: string, level: string) =>
    `Without asking it may do this: ${actions} (trust level ${level}).`,
  changedElsewhere: (title: string, when: string) =>
    `This automation was changed elsewhere in the meantime. It is now “${title}”, ${when}. Save again to apply your changes to it.`,
  deletedElsewhere: (title: string) =>
    `“${title}” was deleted in the meantime. You find it under Memory → Archive.`,
  savedSchedule: (title: string) => `Saved “${title}”.`,
  savedWithoutSkips: (title: string, days: string) =>
    `Saved “${title}”. It no longer skips ${days}: nothing is due then.`,
  moreAbout: (title: string) => `More about “${title}”`,
  skipped: (title: string, day: string) => `Skipped “${title}” on ${day}.`,
  unskipped: (title: string, day: string) => `“${title}” runs on ${day} again.`,
} as const;
