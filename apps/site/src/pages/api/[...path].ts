import type { APIRoute } from "astro";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { problemResponse } from "../../server/http/problem.ts";

export const ALL: APIRoute = ({ locals, url }) =>
  problemResponse(new NotFoundError(`There is nothing at ${url.pathname}.`), locals.log);
