import { z } from "zod";
import { seededRandom } from "../bench/statistics.ts";
import { mh } from "../support/cli.ts";
import { Client } from "../support/client.ts";
import { describedRoutes, type DescribedRoute } from "../support/openapi.ts";
import { REPOSITORY, startServerHere, type TestServer } from "../support/server.ts";
import type { SoakReport } from "./soak.ts";

export interface AttackOptions {
  seed: number;
  /** The number of random requests across all routes, callers, methods and bodies. */
  probes: number;
  /** Whether every method of every route is first sent as every caller, each with a random body. */
  everyCombination?: boolean;
  progress?: (line: string) => void;
}

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
const SCOPES = ["read", "operate", "manage"];

/** Occurs in all of the owner's data, and in no request. */
const SECRET = "zebrafish";

/** The maximum length of an examined answer, in characters. */
const MAX_ANSWER = 200_000;

const bodies: readonly { name: string; text: string | undefined }[] = [
  { name: "none", text: undefined },
  { name: "empty", text: "{}" },
  { name: "a list", text: "[]" },
  { name: "null", text: "null" },
  { name: "nonsense", text: "{id:" },
  { name: "wrong types", text: '{"id": 7, "title": {}, "goal": [], "decision": 1, "type": null}' },
  {
    name: "unknown keys",
    text: JSON.stringify(Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, n]))),
  },
  { name: "deep", text: `${"[".repeat(5_000)}${"]".repeat(5_000)}` },
  { name: "prototype", text: '{"__proto__": {"role": "owner"}, "constructor": {"prototype": {}}}' },
  { name: "huge", text: JSON.stringify({ goal: "a".repeat(1_000_000) }) },
  { name: "control characters", text: JSON.stringify({ title: "\u0000\u202e\ud800", goal: "\u0000" }) },
];

interface Caller {
  name: string;
  client: Client;
  /** Whether the description of a route permits this caller. */
  may: (route: DescribedRoute) => boolean;
  /** Whether the secret data belongs to this caller. */
  isOwner: boolean;
}

/**
 * Sends requests to every route that the server describes, as every kind of caller: signed out, a guest, another profile, the
 * owner, and tokens of each scope. A finding is an answer with a server error, with something of another profile, with a
 * path of this machine, or a success that the description does not allow.
 */
export async function attack({
  seed,
  probes,
  everyCombination = false,
  progress = () => undefined,
}: AttackOptions): Promise<SoakReport> {
  const server = await startServerHere();
  try {
    const { callers, ids } = await createContent(server);
    const routes = await describedRoutes(callers.at(-1)?.client ?? server.client());
    const random = seededRandom(seed);
    const pick = <Item>(items: readonly Item[]): Item => {
      const item = items[Math.floor(random() * items.length)];
      if (item === undefined) throw new Error("There is nothing to pick from.");
      return item;
    };
    const drawn = (): Combination => {
      const route = pick(routes);
      return { route, caller: pick(callers), method: random() < 0.7 ? route.method : pick(METHODS) };
    };
    const problems = new Set<string>();
    // Callers without write access come first, because data that the owner deletes can no longer leak.
    const combinations = everyCombination ? combinationsOf(callers, routes) : [];
    const total = combinations.length + probes;
    for (let sent = 0; sent < total; sent += 1) {
      const { caller, route, method } = combinations[sent] ?? drawn();
      const body = pick(bodies);
      // Signing out and stopping the process are permitted, but would end the attack.
      if (route.path === "/api/auth/logout" && caller.name !== "nobody") continue;
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === "id" ? (ids.get(kindOf(route.path)) ?? "missing") : pick(["librarian", "bob-not", "%2e%2e"]),
      );
      const described = routes.find((one) => one.path === route.path && one.method === method);
      const found = await probe(
        {
          caller,
          method,
          path,
          described,
          body: method === "GET" || method === "HEAD" ? undefined : body.text,
        },
        server,
      );
      if (found !== undefined)
        problems.add(`${caller.name}: ${method} ${route.path} with ${body.name}: ${found}`);
      if (sent % 500 === 499) progress(`${String(sent + 1)} requests, ${String(problems.size)} findings`);
    }
    // After a caller is signed out, the attack would find nothing.
    for (const { name, client } of callers.filter(({ name: caller }) => caller !== "nobody")) {
      const { status } = await client.get("/api/auth/me");
      if (status !== 200) problems.add(`${name} was signed out: status ${String(status)}`);
    }
    return {
      done: `${String(total)} requests to ${String(routes.length)} routes as ${String(callers.length)} callers.`,
      problems: [...problems],
    };
  } finally {
    await server.dispose();
  }
}

interface Combination {
  caller: Caller;
  route: DescribedRoute;
  method: string;
}

function combinationsOf(callers: readonly Caller[], routes: readonly DescribedRoute[]): Combination[] {
  const byPath = new Map(routes.map((route) => [route.path, route]));
  return callers.flatMap((caller) =>
    METHODS.flatMap((method) => [...byPath.values()].map((route) => ({ caller, route, method }))),
  );
}

interface Probe {
  caller: Caller;
  method: string;
  path: string;
  /** Absent for a method that the path does not support. */
  described: DescribedRoute | undefined;
  body: string | undefined;
}

/** Returns what must not have been answered; undefined if everything is correct. */
async function probe(
  { caller, method, path, described, body }: Probe,
  server: TestServer,
): Promise<string | undefined> {
  const response = await caller.client.raw(method, path, body);
  const text = await beginning(response);
  if (response.status >= 500 && !text.includes('"MODEL_UNAVAILABLE"'))
    return `status ${String(response.status)}: ${text.slice(0, 200)}`;
  const asked = `${path} ${body ?? ""}`;
  if (!caller.isOwner && text.includes(SECRET) && !asked.includes(SECRET))
    return "something of another profile";
  if (response.status >= 400 && [server.home, REPOSITORY].some((place) => text.includes(place)))
    return `a path of this machine: ${text.slice(0, 200)}`;
  if (/\n\s+at .*:\d+:\d+/.test(text)) return "a stack";
  const succeeded = response.status < 300;
  if (succeeded && described === undefined && method !== "HEAD")
    return `status ${String(response.status)} for a method that is not described`;
  if (succeeded && described !== undefined && !caller.may(described))
    return `status ${String(response.status)} without the right`;
  return undefined;
}

/** Returns the first part of an answer; leaves a stream when it pauses. */
async function beginning(response: Response): Promise<string> {
  if (response.headers.get("content-type")?.includes("text/event-stream") === true) {
    const reader = response.body?.getReader();
    const first = await reader?.read();
    await reader?.cancel();
    const bytes: unknown = first?.value;
    return bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : "";
  }
  return (await response.text()).slice(0, MAX_ANSWER);
}

const kindOf = (path: string) => /^\/api\/([a-z_]+)\//.exec(path)?.[1] ?? "";

async function createContent(server: TestServer): Promise<{ callers: Caller[]; ids: Map<string, string> }> {
  const owner = await server.owner();
  const bob = { username: "bob", password: "a battery of horses" };
  await owner.post("/api/profiles", bob);
  const member = server.client();
  await member.signIn(bob);
  await owner.send("PATCH", "/api/settings", { publicProfile: true });
  const guest = server.client();
  await guest.post("/api/auth/login", { guestOf: "ada" });
  const tokens = await Promise.all(
    SCOPES.map(async (scope): Promise<Caller> => {
      const { out } = await mh(server.home, ["--json", "token", "create", scope, "--scope", scope]);
      const { token } = z.looseObject({ token: z.string() }).parse(JSON.parse(out));
      return {
        name: `a token of scope ${scope}`,
        client: new Client(server.url, { bearer: token }),
        may: ({ needs, scope: needed = "manage" }) =>
          needs === "nothing" || SCOPES.indexOf(needed) <= SCOPES.indexOf(scope),
        isOwner: true,
      };
    }),
  );
  const callers: Caller[] = [
    { name: "nobody", client: server.client(), may: ({ needs }) => needs === "nothing", isOwner: false },
    {
      name: "a guest",
      client: guest,
      may: ({ needs, guests }) => guests || needs === "nothing",
      isOwner: false,
    },
    {
      name: "another profile",
      client: member,
      may: ({ needs }) => needs !== "canAdminister",
      isOwner: false,
    },
    ...tokens,
    { name: "the owner", client: owner, may: () => true, isOwner: true },
  ];
  return { callers, ids: await makeThings(owner) };
}

/** Creates one item of the owner's for every kind of id. */
async function makeThings(owner: Client): Promise<Map<string, string>> {
  const Id = z.looseObject({ id: z.string() });
  const Asked = z.looseObject({
    runId: z.string(),
    conversationId: z.string(),
    pending: z.looseObject({ approvalId: z.string() }).optional(),
  });
  const ask = async (goal: string) => Asked.parse((await owner.post("/api/operator", { goal })).body);
  await ask(`create a file called notes/${SECRET}.md with the text "${SECRET}"`);
  const run = await ask(`delete notes/${SECRET}.md`);
  const made = async (path: string, key: string, body: object) =>
    z.record(z.string(), z.unknown()).parse((await owner.post(path, body)).body)[key];
  const task = Id.parse(await made("/api/tasks", "task", { title: SECRET }));
  const memory = Id.parse(await made("/api/memories", "memory", { type: "curated", content: SECRET }));
  const written = { title: SECRET, summary: SECRET, steps: [SECRET], skillsUsed: ["fs_write"] };
  const procedure = Id.parse(await made("/api/functions", "function", written));
  return new Map([
    ["runs", run.runId],
    ["conversations", run.conversationId],
    ["approvals", run.pending?.approvalId ?? "missing"],
    ["tasks", task.id],
    ["memories", memory.id],
    ["functions", procedure.id],
  ]);
}
