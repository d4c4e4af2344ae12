import { chmod } from "node:fs/promises";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { Persona, ProfileSettings } from "../contract/profile.ts";
import { openFileLock } from "../database/file-lock.ts";
import { fromNodeError } from "../errors/node-error.ts";
import { createFile, makeFolder, replaceFile } from "../files/durable-file.ts";
import { fileStamp, readIfExists } from "../files/file-content.ts";
import { profilePaths, type ProfilePaths } from "../paths/profile-paths.ts";
import type { ProfileStore, ProfileWarning } from "./profile-store.ts";
import { editedValue, newPersona, parserOf, validFieldsOver } from "./profile-values.ts";
import { createSerialQueue } from "../async/serial-queue.ts";
import { deepFreeze } from "../config/deep-freeze.ts";

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

/** A file with one JSON object, edited by this system and by people. */
export interface DocumentOptions<Value> {
  path: string;
  /** The name shown to people: `profile.json`. */
  subject: string;
  /** Validates the parsed JSON. Throws with the reason. */
  check: (found: unknown) => Value;
  /** The value of a missing file. */
  defaults: () => Value;
  /** Returns the usable part of an invalid value. */
  keepValid: (found: unknown) => Value;
  changed: () => void;
  /** Receives the problem with the file; undefined once it is valid. */
  unusable: (reason: string | undefined) => void;
  /** Called when an invalid text was copied to the path `keptAs` before it was replaced. */
  copied: (reason: string, copiedTo: string) => void;
}

export interface ProfileDocument<Value> {
  /** Returns the current value, including manual edits. */
  read(): Promise<Value>;
  /** Writes the value. Requires the profile's lock. */
  write(value: Value): Promise<void>;
}

/** How long an editor may take to write a file after truncating it, in milliseconds. */
const DEBOUNCE_MS = 100;

/**
 * Opens the document and creates a missing file. While the text is invalid, the last valid value stays
 * in use and the file is unchanged. When opening, an invalid file is rewritten with its usable
 * part. An invalid text is always copied before it is replaced.
 */
async function openDocument<Value>(options: DocumentOptions<Value>): Promise<ProfileDocument<Value>> {
  const { path, subject } = options;
  let known: { stamp: string; value: Value } | undefined;
  let unusable: { text: string; reason: string } | undefined;
  /** Serializes operations, so that a read that starts before a change does not end after it. */
  const serialize = createSerialQueue();

  function setValue(stamp: string, value: Value): Value {
    const before = known;
    if (before && isDeepStrictEqual(before.value, value)) {
      known = { stamp, value: before.value };
      return before.value;
    }
    known = { stamp, value: deepFreeze(value) };
    if (before) options.changed();
    return value;
  }

  async function load(mayWait: boolean): Promise<Value> {
    const stamp = fileStamp(path);
    if (known?.stamp === stamp) return known.value;
    const text = await readText(path, subject);
    if (text === undefined) {
      const value = known?.value ?? options.defaults();
      await replaceFile(path, format(value), subject);
      return setValue(fileStamp(path), value);
    }
    const parsed = parse(text, options.check);
    if (parsed.ok) {
      if (unusable) options.unusable((unusable = undefined));
      return setValue(stamp, parsed.value);
    }
    if (mayWait) {
      await delay(DEBOUNCE_MS);
      if (fileStamp(path) !== stamp) return await load(true);
    }

    unusable = { text, reason: parsed.reason };
    options.unusable(parsed.reason);
    if (known) return setValue(stamp, known.value);
    const value = options.keepValid(parsed.found);
    await replace(value);
    return setValue(fileStamp(path), value);
  }

  async function replace(value: Value): Promise<void> {
    if (unusable) {
      const copyPath = `${path}.unusable-${new Date().toISOString().replaceAll(/[-:.]/g, "")}`;
      await createFile(copyPath, unusable.text, subject);
      options.copied(unusable.reason, copyPath);
    }
    await replaceFile(path, format(value), subject);
    unusable = undefined;
  }

  await serialize(() => load(true));

  return {
    async read() {
      // The file is read only if its stamp changed: 4 µs instead of 54 µs, a dozen times per request (2026-11-27).
      return known?.stamp === fileStamp(path) ? known.value : await serialize(() => load(true));
    },
    write: (value) =>
      serialize(async () => {
        await replace(value);
        // Not the current stamp, because somebody may have edited the file in the meantime.
        setValue("written here", value);
      }),
  };
}

type Parsed<Value> = { ok: true; value: Value } | { ok: false; reason: string; found: unknown };

function parse<Value>(text: string, check: (found: unknown) => Value): Parsed<Value> {
  let found: unknown;
  try {
    found = JSON.parse(text);
    return { ok: true, value: check(found) };
  } catch (error) {
    return {
      ok: false,
      reason:
        error instanceof SyntaxError
          ? "it is not valid JSON"
          : String(error instanceof Error ? error.message : error),
      found,
    };
  }
}

async function readText(path: string, subject: string): Promise<string | undefined> {
  try {
    return await readIfExists(path);
  } catch (error) {
    throw fromNodeError(error, subject);
  }
}

function format(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
