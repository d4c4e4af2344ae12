import type { APIRoute } from "astro";
import { NotFoundError } from "@metahuman/boot/errors";
import { problemResponse } from "../../server/http/problem.ts";

export const ALL: APIRoute = ({ locals, url }) =>
  problemResponse(new NotFoundError(`There is nothing at ${url.pathname}.`), locals.log);
