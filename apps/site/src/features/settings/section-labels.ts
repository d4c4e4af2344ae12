interface SettingSection {
  title: string;
  /** Further words by which the command palette finds it. */
  words: string;
}

/** The sections of the settings by their ids, which addresses name after "#". */
export const SETTING_SECTIONS = {
  profile: { title: "Profile", words: "name public guest username" },
  region: { title: "Time zone and language", words: "timezone locale region date format clock" },
  appearance: { title: "Appearance and keys", words: "theme dark light colors keyboard shortcuts" },
  password: { title: "Password", words: "sign in change sessions" },
  persona: { title: "Persona", words: "voice tone role values" },
  mode: { title: "Mode", words: "cognitive dual agent emulation" },
  trust: { title: "Trust", words: "level approval permission observe suggest supervised bounded" },
  skills: { title: "Skills", words: "permission allow deny ask override" },
  functions: { title: "Functions", words: "learning approval replay threshold" },
  flags: { title: "Request handling", words: "flags switches structured reasoning context" },
  models: { title: "Models", words: "servers providers ollama openai key roles download pull embedder" },
  notifications: { title: "Browser notifications", words: "notices allow" },
  notices: { title: "Notices elsewhere", words: "channels e-mail email ntfy webhook notifications" },
  "channel-servers": { title: "Servers for notices", words: "smtp mail ntfy webhook channels" },
  people: { title: "People", words: "users accounts add person" },
  data: { title: "Data", words: "backup restore export import storage space" },
  index: { title: "Search index", words: "rebuild memory embedder" },
  audit: { title: "Audit", words: "log decisions history" },
} as const satisfies Record<string, SettingSection>;
export type SettingSectionId = keyof typeof SETTING_SECTIONS;
