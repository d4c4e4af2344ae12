import { WrongCredentialsError } from "../errors/access-errors.ts";
import type { LoginLimits } from "./login-limits.ts";
import type { Passwords } from "./password.ts";

/** A password that was correct: its stored hash, and whether that has other parameters than new ones. */
export interface CheckedPassword {
  stored: string;
  outdated: boolean;
}

export interface PasswordCheck {
  /** Undefined for a wrong password. Takes as long for an unknown name. */
  check(username: string, password: string): Promise<CheckedPassword | undefined>;
  /** The same within the limits for attempts from an address. Throws `WrongCredentialsError` for a wrong password. */
  checkWithinLimits(username: string, password: string, address: string): Promise<CheckedPassword>;
}

/** Checks passwords against the hashes that `load` returns; undefined for an unknown name. */
export function createPasswordCheck({
  passwords,
  limits,
  load,
}: {
  passwords: Passwords;
  limits: LoginLimits;
  load: (username: string) => string | undefined | Promise<string | undefined>;
}): PasswordCheck {
  async function check(username: string, password: string): Promise<CheckedPassword | undefined> {
    const stored = await load(username);
    if (stored === undefined) {
      await passwords.verifyDummy(password);
      return undefined;
    }
    const verdict = await passwords.check(password, stored);
    return verdict === "wrong" ? undefined : { stored, outdated: verdict === "outdated" };
  }

  return {
    check,
    async checkWithinLimits(username, password, address) {
      const found = await limits.attempt(username, address, () => check(username, password));
      if (!found) throw wrongCredentials();
      return found;
    },
  };
}

export function wrongCredentials(): WrongCredentialsError {
  return new WrongCredentialsError("The username or the password is wrong.");
}
