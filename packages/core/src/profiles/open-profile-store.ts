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
  /** For a profile that is new; the username when missing. */
  displayName?: string | undefined;
}

/** How often edits made elsewhere are looked for while somebody listens. */
const LOOK_EVERY_MS = 2_000;

/** Opens a profile's settings and persona, making the folders and files that are missing. */
export async function openProfileStore({
  home,
  username,
  displayName = username,
}: ProfileStoreOptions): Promise<ProfileStore> {
  const paths = profilePaths(home, username);
  await makeProfileFolders(paths);
  const lock = openFileLock(join(paths.root, ".settings.lock"), "the profile's settings");
  const copies: ProfileWarning[] = [];
  const standing = new Map<string, ProfileWarning>();
  const listeners = new Set<(part: "settings" | "persona") => void>();

  const told = (part: "settings" | "persona", path: string) => {
    const file = relative(paths.root, path);
    return {
      path,
      subject: file,
      changed: () => listeners.forEach((listener) => listener(part)),
      unusable: (reason: string | undefined) => {
        if (reason === undefined) standing.delete(file);
        else standing.set(file, { file, reason });
      },
      copied: (reason: string, keptAs: string) => {
        standing.delete(file);
        copies.push({ file, reason, keptAs: relative(paths.root, keptAs) });
      },
    };
  };

  const settings = await openDocument<ProfileSettings>({
    ...told("settings", paths.profile),
    check: checker(ProfileSettings),
    defaults: () => ProfileSettings.parse({ displayName }),
    // Whatever stood there may have allowed less than the default does: the operator asks until a person has looked.
    salvage: (found) =>
      salvage(ProfileSettings, found, ProfileSettings.parse({ displayName, trustLevel: "suggest" })),
  });
  const persona = await openDocument<Persona>({
    ...told("persona", paths.persona),
    check: checker(Persona),
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
      const kept = Object.fromEntries(merged.filter(([, value]) => value !== null));
      const parsed = schema.safeParse(kept, { error: plainIssue });
      if (!parsed.success) throw invalid(parsed.error);
      await document.write(parsed.data);
      return parsed.data;
    });
  }

  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    // A file that cannot be read now says so to whoever asks for it next.
    void Promise.allSettled([settings.read(), persona.read()]);
  };

  return {
    username,
    folder: paths.root,
    settings: () => settings.read(),
    changeSettings: (edit) => change(settings, ProfileSettings, edit),
    persona: () => persona.read(),
    changePersona: (edit) => change(persona, Persona, edit),
    warnings: () => [...copies, ...standing.values()],
    onChange(listener) {
      listeners.add(listener);
      timer ??= setInterval(look, LOOK_EVERY_MS).unref();
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

function checker<Value>(schema: z.ZodType<Value>): (found: unknown) => Value {
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

/** The fields of `found` that are valid, over `careful`. */
function salvage<Value extends object>(schema: z.ZodType<Value>, found: unknown, careful: Value): Value {
  if (typeof found !== "object" || found === null) return careful;
  return Object.entries(found).reduce(
    (kept, [key, value]: [string, unknown]) => schema.safeParse({ ...kept, [key]: value }).data ?? kept,
    careful,
  );
}

/** Makes the folders of a profile that are missing; the profile's own is closed to other users of the machine. */
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
