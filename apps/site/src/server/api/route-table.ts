import type { Route } from "./route.ts";

/** Every endpoint by the pattern of its path (`/api/runs/[id]`) and its method. */
export type RouteTable = ReadonlyMap<string, ReadonlyMap<string, Route>>;

const modules = import.meta.glob<Record<string, unknown>>(
  ["../../pages/api/**/*.ts", "!../../pages/api/openapi.json.ts"],
  {
    eager: true,
  },
);

/** Read from the files themselves, so every served endpoint is described here. */
export const routeTable: RouteTable = new Map(
  Object.entries(modules).map(([file, module]) => [
    patternOf(file),
    new Map(Object.entries(module).filter(isRoute)),
  ]),
);

function isRoute(entry: [string, unknown]): entry is [string, Route] {
  return typeof entry[1] === "function" && "definition" in entry[1];
}

function patternOf(file: string): string {
  return file
    .replace(/^.*\/pages/, "")
    .replace(/\.ts$/, "")
    .replace(/(?<=.)\/index$/, "");
}
