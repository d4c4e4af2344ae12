/** The sections of the settings and the page that messages name, with their addresses. */
export const PAGES: Readonly<Record<string, string>> = {
  "Settings → Models": "/settings#models",
  "Settings → Request handling": "/settings#flags",
  "Settings → Trust and skills": "/settings#trust",
  "Functions page": "/functions",
};
