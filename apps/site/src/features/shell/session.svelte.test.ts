import { expect, it } from "vitest";
import { Session } from "./session.svelte.ts";
import { ME, MODELS } from "../../lib/testing/fixtures.ts";

it("lets everything that needs the session wait for one sign-in", async () => {
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

it("knows that in emulation nothing can be changed", () => {
  const session = new Session(ME, MODELS);
  expect(session.readOnly).toBe(false);
  session.me = { ...ME, mode: "emulation" };
  expect(session.readOnly).toBe(true);
});
