import { join, relative } from "node:path";
import type { z } from "zod";
import { DEFAULT_OPERATOR_NAME, Persona, ProfileSettings } from "../contract/profile.ts";
import { plainIssue } from "../contract/plain-issue.ts";
import { openFileLock } from "../database/file-lock.ts";
import { InvalidRequestError } from "../errors/request-errors.ts";
import { profilePaths, type ProfilePaths } from "../paths/profile-paths.ts";
import { openDocument, type ProfileDocument } from "./profile-document.ts";
import type { ProfileStore, ProfileWarning } from "./profile-store.ts";
import { chmod } from "node:fs/promises";
import { fromNodeError } from "../errors/node-error.ts";
import { makeFolder } from "../memory/store/durable-file.ts";

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
      copied: (reason: string, keptAs: string) => {
        activeWarnings.delete(file);
        copies.push({ file, reason, keptAs: relative(paths.root, keptAs) });
      },
    };
  };

  const settings = await openDocument<ProfileSettings>({
    ...documentCallbacks("settings", paths.profile),
    check: createParser(ProfileSettings),
    defaults: () => ProfileSettings.parse({ displayName }),
    // The unreadable settings may have been stricter than the defaults, so the operator asks until a person checks them.
    salvage: (found) =>
      salvage(ProfileSettings, found, ProfileSettings.parse({ displayName, trustLevel: "suggest" })),
  });
  const persona = await openDocument<Persona>({
    ...documentCallbacks("persona", paths.persona),
    check: createParser(Persona),
    defaults: newPersona,
    salvage: (found) => salvage(Persona, found, newPersona()),
  });

  async function change<Value extends object, Edit extends Partial<Record<keyof Value, unknown>>>(
    document: ProfileDocument<Value>,
    schema: z.ZodType<Value>,
    edit: Edit | ((current: Value) => Edit),
  ): Promise<Value> {
    return await lock.hold(async () => {
      const current = await document.read();
      const fields = Object.entries(typeof edit === "function" ? edit(current) : edit).filter(
        ([, value]) => value !== undefined,
      );
      const merged = Object.entries({ ...current, ...Object.fromEntries(fields) });
      const valid = Object.fromEntries(merged.filter(([, value]) => value !== null));
      const parsed = schema.safeParse(valid, { error: plainIssue });
      if (!parsed.success) throw invalid(parsed.error);
      await document.write(parsed.data);
      return parsed.data;
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

function newPersona(): Persona {
  return {
    name: DEFAULT_OPERATOR_NAME,
    role: "",
    values: ["Say what was done and what was not."],
    voice: "Plain and friendly, in short sentences.",
    goals: [],
  };
}

function createParser<Value>(schema: z.ZodType<Value>): (found: unknown) => Value {
  return (found) => {
    const parsed = schema.safeParse(found, { error: plainIssue });
    if (parsed.success) return parsed.data;
    throw invalid(parsed.error);
  };
}

function invalid(error: z.ZodError): InvalidRequestError {
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  );
  return new InvalidRequestError(`${problems.join("; ")}.`, { context: { problems }, cause: error });
}

/** Returns the valid fields of `found` over the `fallback`. */
function salvage<Value extends object>(schema: z.ZodType<Value>, found: unknown, fallback: Value): Value {
  if (typeof found !== "object" || found === null) return fallback;
  return Object.entries(found).reduce(
    (valid, [key, value]: [string, unknown]) => schema.safeParse({ ...valid, [key]: value }).data ?? valid,
    fallback,
  );
}

/** Creates the missing folders of a profile. Other users of the machine cannot read the profile's folder. */
async function makeProfileFolders(paths: ProfilePaths): Promise<void> {
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
