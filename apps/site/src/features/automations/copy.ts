/** The sentences that the automations page shows. Labels of one or two words stand in its components. */
export const copy = {
  runsFunction: "Runs the function",
  about: "What you ask for once and MetaHuman OS does again: reminders, requests and functions.",
  nothingScheduled:
    "Nothing is scheduled yet. Say it in the chat (“every weekday at 7:30 list my tasks”), or create it here.",
  noNotices: "No notices. Reminders and results of automations appear here.",
  whenHint: "A moment or a recurrence: “Friday at 9”, “every weekday at 7:30”, “every 2 hours”.",
  requestHint: "A request as you would write it in the chat.",
  reminderHint: "The words that you want to be reminded of.",
  grantsHint: "It asks you before it uses anything else. Reading needs no permission.",
  noVerified: "No function is verified yet. A function has to be verified before it runs by itself.",
  noneFound: "No verified function fits these words.",
  agentsAbout:
    "Agents run in the background on the schedules in etc/agents.json and log what they do. None starts by itself in emulation mode.",
  agentNoLog: "No log yet.",
  agentNever: "Has not run yet.",
  agentPaused: "Paused: runs only on request.",
  agentManual: "Runs only on request.",
  agentsLoading: "Loading…",
  needsModel: "It needs a language model each time. Without one it fails when it is due, and you are told.",
  calendarAbout: "The last 60 days and the next 20. Each column is a week.",
  calendarAsList: "As a list",
  notDueYet: "It has not been due yet.",
} as const;
