import type { App } from "./app.svelte.ts";
import { THEMES } from "./appearance.svelte.ts";
import { SETTING_SECTIONS } from "../settings/section-labels.ts";
import { SETTING_GROUPS } from "../settings/setting-groups.ts";
import { PAGES } from "./pages.ts";
import { MODES, TRUST_LEVELS } from "../settings/policy-options.ts";

/** A command of the palette. */
export interface Command {
  id: string;
  group: "Go to" | "Settings" | "Conversations" | "Tasks" | "Functions" | "Memory" | "Files" | "Do";
  label: string;
  /** Further words by which it is found. With them it is offered only when something is typed. */
  words?: string;
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
    {
      id: "page-tasks",
      group: "Go to",
      label: "Tasks",
      run: () => location.assign("/memory?tab=tasks"),
    },
    ...SETTING_GROUPS.filter(({ only }) => only !== "owner" || session.me.role === "owner")
      .flatMap(({ sections }) => sections)
      .map((id): Command => ({
        id: `settings-${id}`,
        group: "Settings",
        label: SETTING_SECTIONS[id].title,
        words: SETTING_SECTIONS[id].words,
        run: () => location.assign(`/settings#${id}`),
      })),
    ...THEMES.filter(({ value }) => value !== app.appearance.theme).map(({ value, label }): Command => ({
      id: `theme-${value}`,
      group: "Do",
      label: `Theme: ${label}`,
      run: () => app.appearance.choose(value),
    })),
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

/** Whether the label of a command has every typed word, in any case. */
export function hasWords({ label }: Pick<Command, "label">, typed: string): boolean {
  const text = label.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/**
 * Returns the commands with every typed word in their label, group or further words, in any case. Those whose label begins with what is
 * typed come first, then those with all of it in their label.
 */
export function filterCommands(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands.filter((command) => command.words === undefined);
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const rank = ({ label }: Command) =>
    label.toLowerCase().startsWith(words.join(" ")) ? 0 : has(label) ? 1 : 2;
  return commands
    .filter(({ label, group, words: more = "" }) => has(`${label} ${group} ${more}`))
    .toSorted((one, other) => rank(one) - rank(other));
}
