import { expect, it } from "vitest";
import { ApiProblem } from "../api/api-problem.ts";
import { fieldProblems } from "./form-state.svelte.ts";

it("shows each problem of the server at its field, as a sentence", async () => {
  const details = {
    issues: [
      { path: "body.username", message: "use 1–32 lower-case letters" },
      { path: "body.password", message: "Too short." },
    ],
  };
  const problem = new ApiProblem(422, {
    code: "INVALID_ARGS",
    message: "The request cannot be used.",
    details,
  });
  expect(await fieldProblems(problem)).toEqual({
    username: "Use 1–32 lower-case letters.",
    password: "Too short.",
  });
});

it("finds no fields in other errors", async () => {
  expect(
    await fieldProblems(new ApiProblem(409, { code: "CONFLICT", message: "There is an owner already." })),
  ).toEqual({});
  expect(await fieldProblems(new Error("off"))).toEqual({});
});
