/** Replaces a secret. */
export const REDACTED = "[redacted]";

/** A form of secret in text. `replace` keeps the parts of a match that are not secret. */
interface SecretPattern {
  find: RegExp;
  replace: string;
}

// Every expression is linear: no nested or adjacent unbounded repetitions of the same characters.
const patterns: readonly SecretPattern[] = [
  // PEM blocks of private keys, including incomplete ones.
  {
    find: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
    replace: REDACTED,
  },
  // HTTP authorization in any context.
  { find: /\b(Bearer|Basic|Digest|Token)(\s+)[\w.~+/=:-]{8,}/gi, replace: `$1$2${REDACTED}` },
  // Passwords in addresses: https://greg:secret@host
  { find: /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,500}@/gi, replace: `$1${REDACTED}@` },
  // Named in text, JSON, environment files and query strings: password=…, "api_key": "…", ?access_token=…
  {
    find: /\b((?:[a-z0-9]{1,30}[_-]){0,4}(?:pass(?:word|wd|phrase)|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|token|authorization|cookie|credentials?)["']?\s{0,3}[=:]\s{0,3}["']?)[^\s"'&,;}]{3,}/gi,
    replace: `$1${REDACTED}`,
  },
  // JSON Web Tokens.
  { find: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, replace: REDACTED },
  // Bearer tokens of this system.
  { find: /\bmh_[\w-]{20,}/g, replace: REDACTED },
  // Keys with the prefix of their issuer: OpenAI, Anthropic and others; GitHub; GitLab; Slack; AWS; Google; Stripe;
  // npm; Hugging Face.
  { find: /\bsk-[\w-]{16,}/g, replace: REDACTED },
  { find: /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,})/g, replace: REDACTED },
  { find: /\bglpat-[\w-]{16,}/g, replace: REDACTED },
  { find: /\bxox[abeoprs]-[\w-]{10,}/g, replace: REDACTED },
  { find: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, replace: REDACTED },
  { find: /\bAIza[\w-]{30,}/g, replace: REDACTED },
  { find: /\b(?:sk|rk|pk)_(?:live|test)_\w{10,}/g, replace: REDACTED },
  { find: /\b(?:npm|hf)_[A-Za-z0-9]{20,}/g, replace: REDACTED },
];

/** Returns `text` with `REDACTED` in place of everything that looks like a secret. */
export function redactText(text: string): string {
  return patterns.reduce((redacted, { find, replace }) => redacted.replace(find, replace), text);
}
