import type { z } from "zod";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { StorageCorruptError } from "@metahuman/core/errors/storage-errors";
import type { ProfileHeads } from "./profile-heads.ts";

/** One connection that nobody else uses meanwhile. A query without values may consist of several statements: it returns the rows of the last one that has any. */
export interface Connection {
  query(text: string, values?: readonly unknown[]): Promise<{ rows: readonly unknown[]; changes: number }>;
}

/** A value for a named parameter. JSON is passed as text. */
export type Parameter = string | number | boolean | null | readonly string[];
export type Parameters = Readonly<Record<string, Parameter>>;

/**
 * One open transaction. Statements have named parameters (`:runId`), each row is parsed by its schema, and a text with
 * U+0000, which PostgreSQL cannot store, throws `InvalidArgsError`.
 */
export interface Session {
  /** When the transaction started, by the clock of the database. */
  readonly now: Date;
  get<Schema extends z.ZodType>(
    schema: Schema,
    sql: string,
    parameters?: Parameters,
  ): Promise<z.output<Schema> | undefined>;
  all<Schema extends z.ZodType>(
    schema: Schema,
    sql: string,
    parameters?: Parameters,
  ): Promise<z.output<Schema>[]>;
  /** Returns the number of changed rows. */
  run(sql: string, parameters?: Parameters): Promise<number>;
}

/** A transaction of one profile: `:profile` is its name, and other profiles are neither visible nor changed. */
export interface ProfileSession extends Session {
  readonly profile: string;
  /** Sends a statement together with the end of the transaction, which fails with it. */
  sendLast(sql: string, parameters?: Parameters): void;
  /** The state found at the end of the transaction; undefined before it was committed. */
  ended?: ProfileHeads;
}

/** Creates the session of a transaction. `always` are parameters that every statement may name. */
export function createSession(connection: Connection, now: () => Date, always: Parameters = {}): Session {
  const send = (sql: string, parameters: Parameters = {}) => {
    const { text, names } = positional(sql);
    const given = { ...parameters, ...always };
    return connection.query(
      text,
      names.map((name) => valueOf(given, name)),
    );
  };
  return {
    get now() {
      return now();
    },
    get: async (schema, sql, parameters) => {
      const [row] = (await send(sql, parameters)).rows;
      return row === undefined ? undefined : parseRow(schema, row);
    },
    all: async (schema, sql, parameters) =>
      (await send(sql, parameters)).rows.map((row) => parseRow(schema, row)),
    run: async (sql, parameters) => (await send(sql, parameters)).changes,
  };
}

/** Creates the session of a transaction of a profile, and returns what it wants to be sent with its end. */
export function createProfileSession(
  connection: Connection,
  now: () => Date,
  profile: string,
): { session: ProfileSession; last: readonly (() => Promise<unknown>)[] } {
  const last: (() => Promise<unknown>)[] = [];
  const session = Object.assign(createSession(connection, now, { profile }), {
    profile,
    sendLast(sql: string, parameters?: Parameters) {
      last.push(() => session.run(sql, parameters));
    },
  });
  return { session, last };
}

interface Statement {
  text: string;
  names: readonly string[];
}
const statements = new Map<string, Statement>();

/** Replaces `:name` by `$1`, but not in a quoted text, and not the `::` of a type. */
function positional(sql: string): Statement {
  const known = statements.get(sql);
  if (known) return known;
  const names: string[] = [];
  const text = sql.replaceAll(/'(?:[^']|'')*'|(?<!:):([a-z][A-Za-z_]*)/g, (found, name?: string) => {
    if (name === undefined) return found;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const statement = { text, names };
  statements.set(sql, statement);
  return statement;
}

function valueOf(parameters: Parameters, name: string): Parameter {
  const value = parameters[name];
  if (value === undefined) throw new RangeError(`The statement needs a value for ":${name}".`);
  if (typeof value === "string" && value.includes("\u0000"))
    throw new InvalidArgsError("The text contains the character U+0000, which cannot be stored.", {
      suggestions: ["Remove the character, then try again."],
    });
  return value;
}

function parseRow<Schema extends z.ZodType>(schema: Schema, row: unknown): z.output<Schema> {
  const parsed = schema.safeParse(row);
  if (parsed.success) return parsed.data;
  throw new StorageCorruptError("The database cannot be read: a row does not match its schema.", {
    suggestions: ["Restore a backup of the database."],
    cause: parsed.error,
  });
}

/**
 * JSON text that PostgreSQL can store: U+0000 and lone surrogates become U+FFFD. For what tools and models wrote; what a
 * person enters is refused instead.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (escape) =>
    /^\\u(?:0000|d)/.test(escape) ? "\\ufffd" : escape,
  );
}

/** Text that PostgreSQL can store, as `jsonText`: for what tools, models and websites wrote. */
export function plainText(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}
