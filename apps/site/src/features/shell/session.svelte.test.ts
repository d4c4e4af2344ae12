import { expect, it } from "vitest";
import { Session } from "./session.svelte.ts";
import { ME, MODELS } from "../../lib/testing/fixtures.ts";

it("lets all requests wait for the same sign-in", async () => {
  const session = new Session(ME, MODELS);
  const done: string[] = [];
  const first = session.signInAgain().then(() => done.push("first"));
  const second = session.signInAgain().then(() => done.push("second"));
  expect(session.ended).toBe(true);
  expect(done).toEqual([]);
  session.signedIn();
  await Promise.all([first, second]);
  expect(done).toEqual(["first", "second"]);
  expect(session.ended).toBe(false);
});

it("allows no changes in emulation", () => {
  const session = new Session(ME, MODELS);
  expect(session.readOnly).toBe(false);
  session.me = { ...ME, mode: "emulation" };
  expect(session.readOnly).toBe(true);
});
