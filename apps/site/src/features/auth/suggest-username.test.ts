import { Username } from "@metahuman/core/contract/ids";
import { expect, it } from "vitest";
import { suggestUsername } from "./suggest-username.ts";

it.each([
  ["Ada Lovelace", "ada-lovelace"],
  ["  Zoë Ångström! ", "zoe-angstrom"],
  ["3rd Earl of Lovelace", "rd-earl-of-lovelace"],
  ["Augusta Ada King Byron Countess o Lovelace", "augusta-ada-king-byron-countess"],
])("suggests for %j the username %j", (name, expected) => {
  expect(suggestUsername(name)).toBe(expected);
  expect(Username.safeParse(expected).success).toBe(true);
});
