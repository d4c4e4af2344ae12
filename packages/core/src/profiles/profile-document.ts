import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { fileStamp } from "../database/file-stamp.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { createFile, replaceFile } from "../memory/store/durable-file.ts";

/** A file that holds one JSON object, edited by this system and by people. */
export interface DocumentOptions<Value> {
  path: string;
  /** What people know it by: `profile.json`. */
  subject: string;
  /** Checks what was read; throws with the reason. */
  check: (found: unknown) => Value;
  /** What stands in for a file that is not there. */
  defaults: () => Value;
  /** What can be kept of an object that does not pass, or of nothing at all. */
  salvage: (found: unknown) => Value;
  changed: () => void;
  /** Told what is wrong with the file as it stands; undefined once nothing is. */
  unusable: (reason: string | undefined) => void;
  /** Told when a text that could not be used was copied to the path `keptAs`, because something else takes its place. */
  copied: (reason: string, keptAs: string) => void;
}

export interface ProfileDocument<Value> {
  /** What the file says now, hand edits included. */
  read(): Promise<Value>;
  /** Only while holding the profile's lock. */
  write(value: Value): Promise<void>;
}

/** How long an editor may take to fill a file that it has emptied. */
const SETTLE_MS = 100;

/**
 * Opens the document, making the file when there is none. While a text cannot be used but the last good one is known,
 * that stays in force and the file is left to whoever is editing it. At the start the file is rewritten with what can be
 * kept of it. No text is replaced before it was copied aside.
 */
export async function openDocument<Value>(options: DocumentOptions<Value>): Promise<ProfileDocument<Value>> {
  const { path, subject } = options;
  let known: { stamp: string; value: Value } | undefined;
  let unusable: { text: string; reason: string } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One after another, so that no reading that began before a change ends after it. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  }

  function adopt(stamp: string, value: Value): Value {
    const before = known;
    if (before && isDeepStrictEqual(before.value, value)) {
      known = { stamp, value: before.value };
      return before.value;
    }
    known = { stamp, value: freeze(value) };
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
      return adopt(fileStamp(path), value);
    }
    const parsed = parse(text, options.check);
    if (parsed.ok) {
      if (unusable) options.unusable((unusable = undefined));
      return adopt(stamp, parsed.value);
    }
    if (mayWait) {
      await delay(SETTLE_MS);
      if (fileStamp(path) !== stamp) return await load(true);
    }

    unusable = { text, reason: parsed.reason };
    options.unusable(parsed.reason);
    if (known) return adopt(stamp, known.value);
    const value = options.salvage(parsed.found);
    await replace(value);
    return adopt(fileStamp(path), value);
  }

  async function replace(value: Value): Promise<void> {
    if (unusable) {
      const keptAs = `${path}.unusable-${new Date().toISOString().replaceAll(/[-:.]/g, "")}`;
      await createFile(keptAs, unusable.text, subject);
      options.copied(unusable.reason, keptAs);
    }
    await replaceFile(path, format(value), subject);
    unusable = undefined;
  }

  await inTurn(() => load(true));

  return {
    async read() {
      // A check of the file's stamp; the file itself is read only when that changed.
      return known?.stamp === fileStamp(path) ? known.value : await inTurn(() => load(true));
    },
    write: (value) =>
      inTurn(async () => {
        await replace(value);
        // Not the stamp it has now: somebody may have saved their own edit a moment ago.
        adopt("written here", value);
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
          ? "it is not JSON"
          : String(error instanceof Error ? error.message : error),
      found,
    };
  }
}

async function readText(path: string, subject: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw fromNodeError(error, subject);
  }
}

function format(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
}
