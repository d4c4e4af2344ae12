import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { fileStamp, readIfExists } from "../files/file-content.ts";
import { fromNodeError } from "../errors/node-error.ts";
import { createFile, replaceFile } from "../files/durable-file.ts";
import { deepFreeze } from "./profile-values.ts";

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
export async function openDocument<Value>(options: DocumentOptions<Value>): Promise<ProfileDocument<Value>> {
  const { path, subject } = options;
  let known: { stamp: string; value: Value } | undefined;
  let unusable: { text: string; reason: string } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** Serializes operations, so that a read that starts before a change does not end after it. */
  function serialize<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  }

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
