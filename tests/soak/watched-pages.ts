import { rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { NoticePage } from "@metahuman/core/contract/notice";
import { type Occurrence, OccurrencePage, ScheduleAnswer } from "@metahuman/core/contract/schedule";
import type { Client } from "../support/client.ts";
import {
  createOwnedHome,
  startServerHere,
  startTestServer,
  type OwnedHome,
  type TestServer,
} from "../support/server.ts";
import { startWebServer, type WebServer } from "../support/web-server.ts";

/** When a server is killed: after it requested the page, or after it was answered. */
export interface KillMoment {
  point: "request" | "answer";
  afterMs: number;
}

const LOOK_AGAIN_MS = 100;
const PATIENCE_MS = 40_000;
const HOUR_SECONDS = 3_600;

/** A data root whose owner allows the web server, and in which failed attempts are not retried. */
export async function createWatchHome({ host }: WebServer): Promise<OwnedHome> {
  const owned = await createOwnedHome();
  for (const [file, content] of Object.entries({
    "skills.json": { network: { privateHosts: [host, `localhost:${host.split(":")[1] ?? ""}`] } },
    "schedules.json": { retryAfterSeconds: [] },
  }))
    await writeFile(join(owned.home, "etc", file), JSON.stringify(content));
  return owned;
}

/** The newest occurrence of a schedule, once it fits. */
async function occurrence(
  client: Client,
  id: string,
  fits: (one: Occurrence) => boolean,
): Promise<Occurrence | undefined> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const [row] = OccurrencePage.parse((await client.get(`/api/schedules/${id}/occurrences`)).body).items;
    if ((row && fits(row)) || Date.now() > end) return row;
    await delay(LOOK_AGAIN_MS);
  }
}

/**
 * Kills a server at this moment of a check of a page that changed, and starts another one. Returns the problems: the
 * change must be reported once.
 */
export async function changeAfterKill({ point, afterMs }: KillMoment): Promise<string[]> {
  let page = "<p>Boots 50</p>";
  let onRequest: ((send: () => void, response: ServerResponse) => void) | undefined;
  const web = await startWebServer((_request, response) => {
    const send = () => void response.writeHead(200, { "content-type": "text/html" }).end(page);
    if (onRequest) onRequest(send, response);
    else send();
  });
  const { home, session } = await createWatchHome(web);
  const killed = await startTestServer({ home });
  const servers: TestServer[] = [killed];
  try {
    let ada = session.at(killed.url);
    const created = await ada.post("/api/schedules", {
      what: { kind: "request", goal: `check http://${web.host}/kill and tell me when it changes` },
      when: { kind: "every", seconds: HOUR_SECONDS },
    });
    const { id } = ScheduleAnswer.parse(created.body).schedule;
    await ada.post(`/api/schedules/${id}/run`);
    const first = await occurrence(ada, id, ({ endedAt }) => endedAt !== undefined);

    page = "<p>Boots 40</p>";
    const asked = Promise.withResolvers<void>();
    onRequest = (send, response) => {
      if (point === "request") return asked.resolve();
      response.once("finish", asked.resolve);
      send();
    };
    const { status } = await ada.post(`/api/schedules/${id}/run`);
    await asked.promise;
    await delay(afterMs);
    await killed.end("SIGKILL");
    onRequest = undefined;

    const again = await startServerHere({ home });
    servers.push(again);
    ada = session.at(again.url);
    const made = await occurrence(
      ada,
      id,
      ({ state, outcome }) => state === "succeeded" && outcome === "changed",
    );
    await ada.post(`/api/schedules/${id}/run`);
    const last = await occurrence(ada, id, (one) => one.dueAt !== made?.dueAt && one.endedAt !== undefined);
    const reported = NoticePage.parse((await ada.get("/api/notices?limit=100")).body)
      .items.filter(({ title }) => title.startsWith("Changed:"))
      .map(({ body }) => body);
    return [
      ...(first?.state === "succeeded" ? [] : [`The first check ${first?.state ?? "is missing"}.`]),
      ...(status === 202 ? [] : [`The second check was answered with ${String(status)}.`]),
      ...(made?.outcome === "changed" ? [] : [`The change was not noticed: ${JSON.stringify(made)}.`]),
      ...(last?.outcome === "unchanged" ? [] : [`The last check found ${last?.outcome ?? "nothing"}.`]),
      ...(reported.length === 1 ? [] : [`The change was reported ${String(reported.length)} times.`]),
      ...reported.filter((body) => !body.includes("New: “Boots 40”. Gone: “Boots 50”.")),
    ];
  } finally {
    for (const server of servers) await server.dispose();
    await web.close();
    await rm(home, { recursive: true, force: true });
  }
}
