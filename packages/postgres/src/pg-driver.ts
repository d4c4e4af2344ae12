import pg from "pg";
import { LEASE_MS } from "@metahuman/core/database/lease-table";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { READ_ONLY, toPostgresError, unavailableError } from "./postgres-error.ts";
import type { Connection } from "./session.ts";

/** Gives out connections to one database. */
export interface Driver {
  /**
   * Runs work with a connection of its own. Errors are typed (`toPostgresError`). `answerWithinMs` replaces how long the
   * server may take to answer a statement, for statements with a limit of their own.
   */
  withConnection<Result>(
    work: (connection: Connection) => Promise<Result>,
    options?: { answerWithinMs?: number },
  ): Promise<Result>;
  /** Waits for running work, then closes all connections. */
  close(): Promise<void>;
}

export interface PoolOptions {
  /** The name of the connections in the server's lists. Default: "metahuman". */
  applicationName?: string;
  /** The largest number of connections of this process. */
  maxConnections?: number;
  /** How long to wait for a connection, in milliseconds. */
  connectTimeoutMs?: number;
  /**
   * How long one statement may take, in milliseconds. The server ends it then; a server that does not even do that loses
   * the connection `SILENCE_MS` later.
   */
  statementTimeoutMs?: number;
  /**
   * The time in milliseconds after which the server ends a transaction whose process sends nothing, so that a frozen
   * process keeps no locks.
   */
  idleTransactionTimeoutMs?: number;
  /** Refuses all changes. */
  readOnly?: boolean;
  /** The variable or option that holds the address, for messages. Default: "METAHUMAN_DATABASE_URL". */
  addressName?: string;
  /** Called when an idle connection fails; the pool replaces it. */
  onConnectionLost?: (error: Error) => void;
}

/** How long to wait for the answer to a statement after it should have been ended, in milliseconds. */
const SILENCE_MS = 2_000;

/**
 * One pool of connections to a PostgreSQL server, which connects on first use. Throws `ConfigInvalidError` for an address
 * that is no `postgres://` URL.
 */
export function openPool(url: string, options: PoolOptions = {}): Driver {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  const { addressName = "METAHUMAN_DATABASE_URL" } = options;
  assertPostgresUrl(url, addressName);
  const toTyped = (error: unknown) => toPostgresError(error, addressName);
  const pool = new pg.Pool({
    connectionString: url,
    application_name: options.applicationName ?? "metahuman",
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    statement_timeout: statementTimeoutMs,
    // As long as a lease: what the process would write afterwards is refused anyway.
    idle_in_transaction_session_timeout: options.idleTransactionTimeoutMs ?? LEASE_MS,
    // The server notices the end of a process also while a long statement runs, and frees what it has locked.
    options: `-c client_connection_check_interval=2000${options.readOnly === true ? " -c default_transaction_read_only=on" : ""}`,
    keepAlive: true,
    // Statements are sent without waiting for the answers to those before.
    pipeline: true,
  });
  pool.on("error", (error) => options.onConnectionLost?.(error));

  return {
    async withConnection(work, { answerWithinMs = statementTimeoutMs + SILENCE_MS } = {}) {
      const client = await connect(pool, toTyped, addressName);
      let lost: Error | undefined;
      const onError = (error: Error): void => {
        lost = error;
      };
      client.on("error", onError);
      try {
        return await work({
          async query(text, values) {
            // The rest of a transaction would wait for a response again after its connection has ended.
            if (lost) throw unavailableError("The connection to the database server was lost.", lost);
            sendTogether(client);
            try {
              const statement = {
                text,
                ...(values && { values: values.slice() }),
                query_timeout: answerWithinMs,
              };
              const answer = await client.query<Record<string, unknown>>(statement);
              // Several statements have an answer each; that of the last one with rows counts.
              const answers = [answer].flat();
              const last = answers.findLast(({ rows }) => rows.length > 0) ?? answers.at(-1);
              return { rows: last?.rows ?? [], changes: last?.rowCount ?? 0 };
            } catch (error) {
              if (error instanceof pg.DatabaseError) {
                // After a failover, this connection may lead to the former primary. Another one finds the new one.
                if (error.code === READ_ONLY && options.readOnly !== true) lost = error;
                throw error;
              }
              // Not an answer of the server: the connection has ended, or the server is silent.
              lost = error instanceof Error ? error : new Error("The connection ended.", { cause: error });
              throw unavailableError("The connection to the database server was lost.", error);
            }
          },
        });
      } catch (error) {
        throw toTyped(error);
      } finally {
        client.off("error", onError);
        client.release(lost);
      }
    },
    close: () => pool.end(),
  };
}

/** Hands what is written to the connection in this turn to the system at once: one call for a whole transaction that is pipelined. */
function sendTogether(client: pg.PoolClient): void {
  if (!(client instanceof pg.Client)) return;
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

async function connect(
  pool: pg.Pool,
  toTyped: (error: unknown) => unknown,
  addressName: string,
): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    const typed = toTyped(error);
    if (typed !== error) throw typed;
    if (error instanceof Error && /password must be a (?:non-empty )?string/.test(error.message))
      throw new ConfigInvalidError("The database server asks for a password, and none is set.", {
        suggestions: [`Put it into ${addressName}, with its special characters escaped, or into PGPASSWORD.`],
        cause: error,
      });
    // Errors of the pool itself have no code.
    throw unavailableError("The database server had no free connection in time.", error);
  }
}

function assertPostgresUrl(url: string, addressName: string): void {
  const parsed = URL.parse(url);
  if (parsed?.protocol === "postgres:" || parsed?.protocol === "postgresql:") return;
  throw new ConfigInvalidError(`${addressName} is not the address of a PostgreSQL database.`, {
    suggestions: ["Use the form postgres://user:password@host:5432/database."],
  });
}
