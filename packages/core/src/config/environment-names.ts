/** Reports whether a variable is set without exposing its value. */
export function processEnvironment(env: Readonly<Record<string, string | undefined>>): {
  has(name: string): boolean;
} {
  return { has: (name) => Object.hasOwn(env, name) && env[name] !== "" };
}
