import crypto from "node:crypto";
import { promisify } from "node:util";
import { UnexpectedError } from "../errors/run-errors.ts";

/** The cost parameters of a password hash. */
export interface PasswordWork {
  /** Argon2id: memory in KiB, passes over it, lanes. */
  argon2: { memory: number; passes: number; parallelism: number };
  /** scrypt: the logarithm of its cost N, block size, lanes. */
  scrypt: { ln: number; r: number; p: number };
}

/** About 0.1 s: the first options of OWASP's Password Storage Cheat Sheet that need under 50 MiB. */
const DEFAULT_WORK: PasswordWork = {
  argon2: { memory: 47_104, passes: 1, parallelism: 1 },
  scrypt: { ln: 15, r: 8, p: 3 },
};

export interface Passwords {
  /**
   * Hashes a password with its own salt. The result contains everything needed to check it, in PHC format
   * (https://github.com/P-H-C/phc-string-format): `$argon2id$v=19$m=47104,t=1,p=1$salt$hash`.
   */
  hash(password: string): Promise<string>;
  /**
   * Compares in constant time. `outdated` means correct, but hashed with other parameters;
   * hash it again. Throws `UnexpectedError` for a hash that this Node cannot compute.
   */
  check(password: string, stored: string): Promise<"wrong" | "right" | "outdated">;
  /** Takes as long as a check, so that the timing does not reveal an unknown name. */
  verifyDummy(password: string): Promise<void>;
}

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** The maximum number of concurrent hashes. Each takes tens of megabytes and a thread of the pool that also reads files. */
const MAX_CONCURRENT = 2;

/** Available since Node 24.7. */
const argon2 = typeof crypto.argon2 === "function" ? promisify(crypto.argon2) : undefined;
const scrypt = promisify<crypto.BinaryLike, crypto.BinaryLike, number, crypto.ScryptOptions, Buffer>(
  crypto.scrypt,
);

/**
 * Hashes passwords with Argon2id if Node has it, otherwise with scrypt, off the event loop. A hash with other parameters
 * or of the weaker method is still valid, but outdated.
 */
export function createPasswords(
  work: PasswordWork = DEFAULT_WORK,
  method: "argon2id" | "scrypt" = argon2 ? "argon2id" : "scrypt",
): Passwords {
  const limit = createQueue();
  const preferred: Recipe = method === "argon2id" ? argon2Recipe(work.argon2) : scryptRecipe(work.scrypt);

  async function hash(password: string): Promise<string> {
    const salt = crypto.randomBytes(SALT_BYTES);
    const derived = await limit(() => preferred.derive(normalize(password), salt, HASH_BYTES));
    return `${preferred.prefix}$${encode(salt)}$${encode(derived)}`;
  }

  return {
    hash,
    async check(password, stored) {
      const { recipe, salt, expected } = parse(stored);
      const derived = await limit(() => recipe.derive(normalize(password), salt, expected.length));
      if (!crypto.timingSafeEqual(derived, expected)) return "wrong";
      return recipe.prefix === preferred.prefix ? "right" : "outdated";
    },
    async verifyDummy(password) {
      await hash(password);
    },
  };
}

/** A hash function with its parameters, and the prefix of its hashes. */
interface Recipe {
  prefix: string;
  derive: (password: string, salt: Buffer, length: number) => Promise<Buffer>;
}

function argon2Recipe({ memory, passes, parallelism }: PasswordWork["argon2"]): Recipe {
  return {
    prefix: `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}`,
    async derive(message, nonce, tagLength) {
      if (!argon2)
        throw new UnexpectedError(
          "This password was stored by a newer Node. Start with Node 24.7 or later, or set a new password.",
        );
      return await argon2("argon2id", { message, nonce, tagLength, memory, passes, parallelism });
    },
  };
}

function scryptRecipe({ ln, r, p }: PasswordWork["scrypt"]): Recipe {
  const N = 2 ** ln;
  return {
    prefix: `$scrypt$ln=${ln},r=${r},p=${p}`,
    derive: (password, salt, length) => scrypt(password, salt, length, { N, r, p, maxmem: 256 * N * r }),
  };
}

const BYTES = "\\$([A-Za-z0-9+/]{16,100})\\$([A-Za-z0-9+/]{16,100})$";
const ARGON2_FORM = new RegExp(`^\\$argon2id\\$v=19\\$m=(\\d{1,7}),t=(\\d{1,3}),p=(\\d{1,2})${BYTES}`);
const SCRYPT_FORM = new RegExp(`^\\$scrypt\\$ln=(1?\\d),r=(\\d{1,2}),p=(\\d{1,2})${BYTES}`);

function parse(stored: string): { recipe: Recipe; salt: Buffer; expected: Buffer } {
  const argon2Form = ARGON2_FORM.exec(stored);
  const form = argon2Form ?? SCRYPT_FORM.exec(stored);
  if (!form) throw new UnexpectedError("A stored password hash has an unknown format.");
  const [, first, second, third, salt = "", expected = ""] = form;
  const [a, b, c] = [Number(first), Number(second), Number(third)];
  return {
    recipe: argon2Form
      ? argon2Recipe({ memory: a, passes: b, parallelism: c })
      : scryptRecipe({ ln: a, r: b, p: c }),
    salt: Buffer.from(salt, "base64"),
    expected: Buffer.from(expected, "base64"),
  };
}

/** Normalizes a password: another keyboard may send other code points (NIST SP 800-63B, 5.1.1.2). */
function normalize(password: string): string {
  return password.normalize("NFKC");
}

function encode(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}

function createQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= MAX_CONCURRENT) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // A waiter takes over the slot.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
