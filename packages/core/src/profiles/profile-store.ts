import type { Persona, ProfileSettings } from "../contract/profile.ts";

/** Part of what a profile's files say; a missing field stays as it is, `null` removes an optional one. */
export type SettingsEdit = {
  [Field in keyof ProfileSettings]?:
    | ProfileSettings[Field]
    | (undefined extends ProfileSettings[Field] ? null : never)
    | undefined;
};
export type PersonaEdit = { [Field in keyof Persona]?: Persona[Field] | undefined };

/** A file that could not be used as it stood. */
export interface ProfileWarning {
  /** Relative to the profile's folder: `profile.json`. */
  file: string;
  reason: string;
  /** Where the unusable text was kept, relative to the profile's folder; absent while it still stands in the file. */
  keptAs?: string;
}

/**
 * Who a person is and how their operator behaves: `profile.json` and `persona/core.json`. The files are the truth: each
 * read sees what stands there, edits made by hand included. While a file cannot be used the last good one counts; at the
 * start it is copied aside and replaced by what can be kept of it and careful defaults. `warnings()` names both cases.
 */
export interface ProfileStore {
  readonly username: string;
  /** The profile's folder, absolute. */
  readonly folder: string;
  settings(): Promise<ProfileSettings>;
  /**
   * Atomic, also against another process: an edit that depends on what stands there is given as a pure function, which
   * may be called again when another process was first. Throws `InvalidRequestError` for values outside the schema.
   */
  changeSettings(edit: SettingsEdit | ((current: ProfileSettings) => SettingsEdit)): Promise<ProfileSettings>;
  persona(): Promise<Persona>;
  /** As `changeSettings`. */
  changePersona(edit: PersonaEdit | ((current: Persona) => PersonaEdit)): Promise<Persona>;
  /** A cache: as of the last read. */
  warnings(): readonly ProfileWarning[];
  /** Called after a change made here or noticed in the files. Returns the way to stop it. */
  onChange(listener: (part: "settings" | "persona") => void): () => void;
  close(): void;
}
