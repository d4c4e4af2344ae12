import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mh } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { type MovingAddress, openMovingAddress } from "./moving-address.ts";
import { type Cluster, openCluster } from "./nodes.ts";
import { findPrograms, startStandby, type TestServer } from "./server.ts";

const programs = await findPrograms();
/** How many tasks each person stores before and after the failover. */
const TASKS = 10;

describe.runIf(programs)("two servers whose database fails over to its standby", () => {
  let cluster: Cluster;
  let standby: TestServer;
  let address: MovingAddress;
  let environment: Record<string, string>;
  let people: Client[];
  beforeAll(async () => {
    cluster = await openCluster(programs ?? "");
    address = await openMovingAddress(cluster.database);
    environment = { ...cluster.environment, METAHUMAN_DATABASE_URL: address.url };
    const [one, two] = await Promise.all(["one", "two"].map((name) => cluster.start(name, environment)));
    if (!one || !two) throw new Error("no servers");
    const ada = await one.owner();
    people = [ada, ada.at(two.url)];
    standby = await startStandby(programs ?? "", cluster.database);
  }, 120_000);
  afterAll(async () => {
    await cluster.remove();
    await address.close();
    await standby.remove();
  });

  it("lose nothing that was acknowledged, answer with 503 meanwhile, and continue without a restart", async () => {
    const acknowledged: string[] = [];
    const refused: unknown[] = [];
    const isOver = { value: false };
    const add = async (person: Client, title: string): Promise<boolean> => {
      const answer = await person.post("/api/tasks", { title });
      if (answer.status === 201) acknowledged.push(title);
      else refused.push([answer.status, answer.headers.has("retry-after"), answer.body]);
      return answer.status === 201;
    };
    const working = people.map(async (person, index) => {
      let stored = 0;
      for (let n = 0; !isOver.value || stored < TASKS; n += 1) {
        const isStored = await add(person, `walnut ${index} ${n}`);
        if (isOver.value && isStored) stored += 1;
      }
    });
    await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(2 * TASKS);
    await cluster.database.crash();
    await expect.poll(() => refused.length, { timeout: 30_000 }).toBeGreaterThan(0);
    await standby.promote();
    address.leadTo(standby);
    isOver.value = true;
    await Promise.all(working);

    for (const answer of refused)
      expect(answer).toMatchObject([503, true, { error: { code: "STORAGE_UNAVAILABLE" } }]);
    const titles = await standby.sql("SELECT body ->> 'title' FROM metahuman.records WHERE kind = 'task'");
    const stored = titles.split("\n");
    for (const title of acknowledged) expect(stored.filter((found) => found === title)).toHaveLength(1);
    for (const person of people) {
      const run = await person.post("/api/operator", { goal: 'append "after" to log.md' });
      expect(run).toMatchObject({ status: 200, body: { outcome: "answered" } });
    }
    expect(await mh(cluster.shared, ["audit", "verify"], environment)).toMatchObject({ code: 0 });
  }, 120_000);
});
