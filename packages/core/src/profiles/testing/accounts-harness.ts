import type { ServerConfig } from "../../contract/config.ts";
import type { Accounts, NewSession } from "../accounts.ts";

/** Empty accounts with a clock that the test sets. */
export interface AccountsHarness {
  /** Timeouts and limits; a change applies to the next call. */
  settings: Pick<ServerConfig, "session" | "login">;
  /** Opens the accounts as another process would. */
  open(): Promise<Accounts>;
  /** Advances every clock. */
  pass(ms: number): void;
  /** The current time in milliseconds since 1970. */
  now(): number;
  /** Closes everything that was opened and deletes the data. */
  remove(): void;
}

export const password = "correct horse battery";
export const local = { address: "127.0.0.1", fromLoopback: true };

export const createOwner = (accounts: Accounts, username = "greg"): Promise<NewSession> =>
  accounts.setup({ username, password }, local);
