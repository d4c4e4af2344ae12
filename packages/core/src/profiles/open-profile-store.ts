import { join, relative } from "node:path";
import type { z } from "zod";
import { Persona, ProfileSettings } from "../contract/profile.ts";
import { openFileLock } from "../database/file-lock.ts";
import { profilePaths, type ProfilePaths } from "../paths/profile-paths.ts";
import { openDocument, type ProfileDocument } from "./profile-document.ts";
import { editedValue, newPersona, parserOf, validFieldsOver } from "./profile-values.ts";
import type { ProfileStore, ProfileWarning } from "./profile-store.ts";
import { chmod } from "node:fs/promises";
import { fromNodeError } from "../errors/node-error.ts";
import { makeFolder } from "../files/durable-file.ts";

export interface ProfileStoreOptions {
  /** The data root. */
  home: string;
  username: string;
  /** The display name of a new profile. Default: the username. */
  displayName?: string | undefined;
}

/** The polling interval for edits of the files while there are listeners, in milliseconds. */
const POLL_INTERVAL_MS = 2_000;

/** Opens a profile's settings and persona and creates missing folders and files. */
export async function openProfileStore({
  home,
  username,
  displayName = username,
}: ProfileStoreOptions): Promise<ProfileStore> {
  const paths = profilePaths(home, username);
  await makeProfileFolders(paths);
  const lock = openFileLock(join(paths.root, ".settings.lock"), "the profile's settings");
  const copies: ProfileWarning[] = [];
  const activeWarnings = new Map<string, ProfileWarning>();
  const listeners = new Set<(part: "settings" | "persona") => void>();

  const documentCallbacks = (part: "settings" | "persona", path: string) => {
    const file = relative(paths.root, path);
    return {
      path,
      subject: file,
      changed: () => listeners.forEach((listener) => listener(part)),
      unusable: (reason: string | undefined) => {
        if (reason === undefined) activeWarnings.delete(file);
        else activeWarnings.set(file, { file, reason });
      },
      copied: (reason: string, copiedTo: string) => {
        activeWarnings.delete(file);
        copies.push({ file, reason, keptAs: relative(paths.root, copiedTo) });
      },
    };
  };

  const settings = await openDocument<ProfileSettings>({
    ...documentCallbacks("settings", paths.profile),
    check: parserOf(ProfileSettings),
    defaults: () => ProfileSettings.parse({ displayName }),
    // The unreadable settings may have been stricter than the defaults, so the operator asks until a person checks them.
    keepValid: (found) =>
      validFieldsOver(ProfileSettings, found, ProfileSettings.parse({ displayName, trustLevel: "suggest" })),
  });
  const persona = await openDocument<Persona>({
    ...documentCallbacks("persona", paths.persona),
    check: parserOf(Persona),
    defaults: newPersona,
    keepValid: (found) => validFieldsOver(Persona, found, newPersona()),
  });

  async function change<Value extends object, Edit extends Partial<Record<keyof Value, unknown>>>(
    document: ProfileDocument<Value>,
    schema: z.ZodType<Value>,
    edit: Edit | ((current: Value) => Edit),
  ): Promise<Value> {
    return await lock.hold(async () => {
      const changed = editedValue(schema, await document.read(), edit);
      await document.write(changed);
      return changed;
    });
  }

  let timer: NodeJS.Timeout | undefined;
  const poll = (): void => {
    // A read error is thrown at the next read.
    void Promise.allSettled([settings.read(), persona.read()]);
  };

  return {
    username,
    folder: paths.root,
    settings: () => settings.read(),
    changeSettings: (edit) => change(settings, ProfileSettings, edit),
    persona: () => persona.read(),
    changePersona: (edit) => change(persona, Persona, edit),
    warnings: () => [...copies, ...activeWarnings.values()],
    onChange(listener) {
      listeners.add(listener);
      timer ??= setInterval(poll, POLL_INTERVAL_MS).unref();
      return () => void listeners.delete(listener);
    },
    close() {
      clearInterval(timer);
      listeners.clear();
      lock.close();
    },
  };
}

/** Creates the missing folders of a profile. Other users of the machine cannot read the profile's folder. */
export async function makeProfileFolders(paths: ProfilePaths): Promise<void> {
  const { memory } = paths;
  const folders = [
    memory.functionUsage,
    memory.reflections,
    memory.dreams,
    memory.curiosity,
    memory.curated,
    memory.audio,
    memory.patterns,
    memory.tasks.active,
    memory.tasks.completed,
    memory.functions,
    memory.archive.root,
    paths.out,
    paths.inbox,
    paths.logs.audit,
    paths.logs.runs,
  ];
  try {
    await makeFolder(paths.root, "the profile");
    await chmod(paths.root, 0o700);
    for (const folder of folders) await makeFolder(folder, "the profile");
  } catch (error) {
    throw fromNodeError(error, "the profile's folder");
  }
}
