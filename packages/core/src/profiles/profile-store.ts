import type { Persona, ProfileSettings } from "../contract/profile.ts";

/** A change of a profile's settings. A missing field is unchanged; `null` removes an optional one. */
export type SettingsEdit = {
  [Field in keyof ProfileSettings]?:
    | ProfileSettings[Field]
    | (undefined extends ProfileSettings[Field] ? null : never)
    | undefined;
};
export type PersonaEdit = { [Field in keyof Persona]?: Persona[Field] | undefined };

/** An invalid file. */
export interface ProfileWarning {
  /** Relative to the profile's folder: `profile.json`. */
  file: string;
  reason: string;
  /** The copy of the invalid text, relative to the profile's folder; absent while the file still contains it. */
  keptAs?: string;
}

/**
 * The settings and the persona of a profile: `profile.json` and `persona/core.json`. The files are the source of truth: each
 * read returns their current content, including manual edits. While a file is invalid, the last valid value is used. At
 * startup, an invalid file is copied and replaced by its usable part and safe defaults. `warnings()` reports both cases.
 */
export interface ProfileStore {
  readonly username: string;
  /** The profile's folder, absolute. */
  readonly folder: string;
  settings(): Promise<ProfileSettings>;
  /**
   * Changes atomically across processes. An edit that depends on the current value is a pure function, which
   * may be called again if another process was first. Throws `InvalidRequestError` for invalid values.
   */
  changeSettings(edit: SettingsEdit | ((current: ProfileSettings) => SettingsEdit)): Promise<ProfileSettings>;
  persona(): Promise<Persona>;
  /** As `changeSettings`. */
  changePersona(edit: PersonaEdit | ((current: Persona) => PersonaEdit)): Promise<Persona>;
  /** The warnings of the last read. */
  warnings(): readonly ProfileWarning[];
  /** Calls `listener` after a change by this process or in the files. Returns a function that removes it. */
  onChange(listener: (part: "settings" | "persona") => void): () => void;
  close(): void;
}
