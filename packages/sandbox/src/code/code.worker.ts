import { parentPort } from "node:worker_threads";
import { checkTypes } from "./check-types.ts";
import type { CodeReport, InspectedSources, OnCheck } from "./code-tools.ts";
import { compile, compileSnippet } from "./compile.ts";
import { syntaxProblems } from "./joined-sources.ts";
import { lint } from "./lint.ts";
import type { CodeReply, CodeRequest } from "./protocol.ts";

/** The worker thread that inspects code. It executes none of it. */
parentPort?.on("message", (request: CodeRequest) => post(answer(request)));
post({ kind: "ready" });

function post(reply: CodeReply): void {
  parentPort?.postMessage(reply);
}

function answer(request: CodeRequest): CodeReply {
  const { number } = request;
  switch (request.kind) {
    case "compile":
      return { kind: "compiled", number, ...copyCompiled(compile(request.sources)) };
    case "snippet":
      return { kind: "compiled", number, ...copyCompiled(compileSnippet(request.code)) };
    case "inspect":
      return {
        kind: "inspected",
        number,
        report: inspect(request.sources, (part, problems) =>
          post({ kind: "found", number, part, problems: [...problems] }),
        ),
      };
    default:
      return request satisfies never;
  }
}

function copyCompiled({ places, skills, ...compiled }: ReturnType<typeof compile>) {
  return { ...compiled, places: [...places], skills: [...skills] };
}

function inspect(sources: InspectedSources, onFound: OnCheck): CodeReport {
  const syntax = syntaxProblems(sources);
  onFound("syntax", syntax);
  if (syntax.length > 0) return { syntax, types: [], lint: [], skills: [] };
  const { types, lint: typed } = checkTypes(sources);
  onFound("types", types);
  const { problems, skills } = lint(sources);
  const found = [...problems, ...typed];
  onFound("lint", found);
  return { syntax, types, lint: found, skills };
}
