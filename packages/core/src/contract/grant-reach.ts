import type { Grant } from "./approval.ts";

type Scope = Pick<Grant, "pathPrefix" | "paths" | "host">;

/**
 * Describes the scope of a standing permission in words that follow "Always for": "out/notes/today.md", "everything in
 * out/notes/", "any address on example.org", "any use of task_delete".
 */
export function grantReach(skill: string, { pathPrefix, paths = [], host }: Scope): string {
  const places = [...(pathPrefix === undefined ? [] : [pathPrefix]), ...paths].map((path) =>
    path.endsWith("/") ? `everything in ${path}` : path,
  );
  if (host !== undefined) places.push(`any address on ${host}`);
  const last = places.pop();
  if (last === undefined) return `any use of ${skill}`;
  return places.length === 0 ? last : `${places.join(", ")} and ${last}`;
}
