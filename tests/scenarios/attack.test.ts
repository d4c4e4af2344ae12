import { expect, it } from "vitest";
import { attack } from "../soak/attack.ts";

// A slice of `npm run soak -- attack`.

it("answers requests of every kind, by every caller, without a server error or data that the caller may not have", async () => {
  const { problems } = await attack({ seed: 20_261_122, probes: 400 });
  expect(problems).toEqual([]);
}, 120_000);
