/** Tells whether a variable is set, and never what it holds. */
export function processEnvironment(env: Readonly<Record<string, string | undefined>>): {
  has(name: string): boolean;
} {
  return { has: (name) => Object.hasOwn(env, name) && env[name] !== "" };
}
