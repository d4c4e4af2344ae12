import type { SettingSectionId } from "./section-labels.ts";

export type SettingGroup =
  | "profile"
  | "persona"
  | "trust"
  | "functions"
  | "models"
  | "notices"
  | "people"
  | "data"
  | "audit";

/** The groups of the settings in the order of the navigation, with the ids of their sections. */
export const SETTING_GROUPS: readonly {
  id: SettingGroup;
  label: string;
  sections: readonly SettingSectionId[];
  /** Who sees it; everybody if absent. */
  only?: "owner" | "audit";
}[] = [
  { id: "profile", label: "Profile", sections: ["profile", "region", "appearance", "password"] },
  { id: "persona", label: "Persona", sections: ["persona"] },
  { id: "trust", label: "Trust and skills", sections: ["trust", "mode", "skills"] },
  { id: "functions", label: "Functions", sections: ["functions", "flags"] },
  { id: "models", label: "Models", sections: ["models"] },
  { id: "notices", label: "Notices", sections: ["notices", "notifications", "channel-servers"] },
  { id: "people", label: "People", sections: ["people"], only: "owner" },
  { id: "data", label: "Data", sections: ["data", "index"] },
  { id: "audit", label: "Audit", sections: ["audit"], only: "audit" },
];

/** The group with the section that an address names after "#"; the first group for any other address. */
export function groupOf(hash: string): SettingGroup {
  const section = hash.replace(/^#/u, "");
  return SETTING_GROUPS.find(({ sections }) => sections.some((id) => id === section))?.id ?? "profile";
}
