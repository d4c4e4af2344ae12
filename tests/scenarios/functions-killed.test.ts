import { expect, it } from "vitest";
import { FunctionAnswer, FunctionPage } from "@metahuman/core/contract/answers";
import { disposeAfterAll } from "../support/before-all.ts";
import { functionNow } from "../support/code-samples.ts";
import { startOwnedProcess, startServerHere } from "../support/server.ts";

// Acknowledged changes survive the end of the process; a change by two processes happens once.

const { kept } = disposeAfterAll();

const note = (title: string) => ({
  title,
  summary: "Writes one line.",
  steps: ["Write the note with fs_write."],
  skillsUsed: ["fs_write"],
});

it("a server killed while it saves functions loses none that it acknowledged, and leaves none incomplete", async () => {
  const { server, owner } = await startOwnedProcess();
  kept(server);
  const acknowledged: string[] = [];
  const twelfth = Promise.withResolvers<undefined>();
  async function saveUntilGone(writer: number): Promise<void> {
    for (let number = 1; ; number += 1) {
      try {
        const { status, body } = await owner.post("/api/functions", note(`Note ${writer} of ${number}`));
        if (status !== 201) return;
        acknowledged.push(FunctionAnswer.parse(body).function.id);
      } catch (error) {
        // The connection breaks when the server is killed.
        if (error instanceof TypeError) return;
        throw error;
      }
      if (acknowledged.length === 12) twelfth.resolve(undefined);
    }
  }
  const writers = [1, 2, 3].map((writer) => saveUntilGone(writer));
  await twelfth.promise;
  await server.end("SIGKILL");
  await Promise.all(writers);

  const again = kept(await startServerHere({ home: server.home }));
  const owner2 = owner.at(again.url);
  const listed = async () => {
    const { body } = await owner2.get("/api/functions?limit=200");
    return FunctionPage.parse(body).items.map(({ id }) => id);
  };
  await expect.poll(listed, { timeout: 20_000 }).toEqual(expect.arrayContaining(acknowledged));
  for (const id of await listed()) expect((await owner2.get(`/api/functions/${id}`)).status).toBe(200);
  expect((await owner2.post("/api/functions", note("A note after all"))).status).toBe(201);
});

it("of two concurrent edits of the same version, one is refused with both texts", async () => {
  const { server: one, owner: here } = await startOwnedProcess();
  const two = kept(await startServerHere({ home: kept(one).home }));
  const there = here.at(two.url);
  const created = FunctionAnswer.parse(
    (await here.post("/api/functions", note("Shared note"))).body,
  ).function;
  const edits = await Promise.all(
    [here, there].map((owner, index) =>
      owner.send("PUT", `/api/functions/${created.id}`, {
        version: created.version,
        summary: `Edited by ${index}.`,
      }),
    ),
  );
  expect(edits.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const winner = edits.findIndex(({ status }) => status === 200);
  const refused = JSON.stringify(edits[1 - winner]?.body);
  expect(refused).toContain(`Edited by ${winner}.`);
  expect(refused).toContain(`Edited by ${1 - winner}.`);
  for (const owner of [here, there]) {
    expect(await functionNow(owner, created.id)).toMatchObject({
      version: created.version + 1,
      summary: `Edited by ${winner}.`,
    });
  }
});
