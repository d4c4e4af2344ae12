export type Theme = "system" | "light" | "dark";

export const THEMES: readonly { value: Theme; label: string }[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

/** The cookie that stores the theme, so that the server renders the page in it. */
export const THEME_COOKIE = "theme";

export function themeFrom(cookie: string | undefined): Theme {
  return cookie === "light" || cookie === "dark" ? cookie : "system";
}

/** Light or dark: the system's choice, or the person's. */
export class Appearance {
  theme = $state<Theme>("system");

  constructor(theme: Theme) {
    this.theme = theme;
  }

  choose(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset["theme"] = theme;
    const age = theme === "system" ? 0 : 31_536_000;
    document.cookie = `${THEME_COOKIE}=${theme}; Path=/; SameSite=Strict; Max-Age=${age}`;
  }
}
