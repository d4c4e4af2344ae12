import { copy } from "./copy.ts";
import type { App } from "./app.svelte.ts";
import { SETTING_GROUPS } from "../settings/setting-groups.ts";
import { PAGES } from "./pages.ts";
import { MODES, TRUST_LEVELS } from "../settings/policy-options.ts";

/** A command of the palette. */
export interface Command {
  id: string;
  group: "Go to" | "Settings" | "Conversations" | "Tasks" | "Functions" | "Memory" | "Files" | "Do";
  label: string;
  run: () => void;
}

/** The commands that are available everywhere, in their order. */
export function listCommands(app: App): Command[] {
  const { session, api } = app;
  return [
    { id: "new", group: "Do", label: "New conversation", run: () => location.assign("/") },
    ...PAGES.map(({ id, label, href }): Command => ({
      id: `page-${id}`,
      group: "Go to",
      label,
      run: () => location.assign(href),
    })),
    ...SETTING_GROUPS.map(({ id, label }): Command => ({
      id: `settings-${id}`,
      group: "Settings",
      label,
      run: () => location.assign(`/settings#${id}`),
    })),
    {
      id: "theme",
      group: "Do",
      label: copy.nextTheme,
      run: () => void app.appearance.next(),
    },
    ...MODES.filter(({ value }) => value !== session.me.mode).map(({ value, label }): Command => ({
      id: `mode-${value}`,
      group: "Do",
      label: `Mode: ${label}`,
      run: () => void app.attempt(() => session.setMode(api, value)),
    })),
    ...TRUST_LEVELS.filter(({ value }) => value !== session.me.trustLevel).map(
      ({ value, label }): Command => ({
        id: `trust-${value}`,
        group: "Do",
        label: `Trust level: ${label}`,
        run: () => void app.attempt(() => session.setTrustLevel(api, value)),
      }),
    ),
    { id: "shortcuts", group: "Do", label: "Keyboard shortcuts", run: () => (app.overlay = "shortcuts") },
    { id: "sign-out", group: "Do", label: "Sign out", run: () => void app.signOut() },
  ];
}

/** The commands whose label contains every typed word, ignoring case; those that start with the text come first. */
export function filterCommands(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const begins = ({ label }: Command) => label.toLowerCase().startsWith(words.join(" "));
  const found = commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  return [...found.filter(begins), ...found.filter((command) => !begins(command))];
}
