import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { type MemoryType, parseContext } from "@metahuman/core/contract/memory";
import { oneLine, truncate } from "@metahuman/core/text/format";
import { stripJoinedMarkdown } from "@metahuman/core/text/strip-markdown";
import { formatDay } from "../output.ts";
import { parseCount } from "../parse-input.ts";
import { type AddCommand, requirePermission, openSession } from "../session.ts";

interface RecallOptions {
  limit: string;
  context?: string;
  about?: string[];
  explain?: boolean;
  nearest?: boolean;
}

/** `mh capture` and `mh remember` store a memory; `mh recall` searches memories. */
export const addMemoryCommands: AddCommand = (program, context) => {
  const add = (name: string, type: MemoryType, description: string) =>
    program
      .command(`${name} <text...>`)
      .description(description)
      .option("--tag <tag...>", "tags")
      .action(async (words: string[], options: { tag?: string[] }) => {
        const session = await openSession(context());
        requirePermission(session.policy.canWriteMemory, session, "write memories");
        const content = words.join(" ").trim();
        if (content === "")
          throw new InvalidRequestError("The memory has no text.", {
            suggestions: [`mh ${name} "the bins go out on Tuesday"`],
          });
        const memory = await session.profile.memory.add(
          { type, content, ...(options.tag && { tags: options.tag }) },
          { source: { kind: "user" }, trust: "trusted" },
        );
        context().output.result({ memory }, `Saved as ${memory.id}`);
      });

  add("capture", "observation", "store an observation");
  add("remember", "curated", "store a fact permanently");

  program
    .command("recall <words...>")
    .description("search memories")
    .option("--limit <count>", "the maximum number of memories", "10")
    .option("--context <pairs>", "rank memories of this context higher: project:garden,file:out/plan.md")
    .option("--about <entity...>", "people, places, files, dates or amounts that each memory must name")
    .option("--nearest", "if no memory matches, show the nearest ones")
    .option("--explain", "explain each score")
    .action(async (words: string[], options: RecallOptions) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadMemory, session, "read memories");
      const limit = parseCount("--limit", options.limit, 200);
      const where = options.context === undefined ? {} : parseContext(options.context);
      if (where === undefined)
        throw new InvalidRequestError("--context must be key:value pairs.", {
          suggestions: [`mh recall ${words.join(" ")} --context project:garden,file:out/plan.md`],
        });
      const items = await session.profile.memory.recall({
        query: words.join(" "),
        limit,
        context: where,
        ...(options.about && { entities: options.about }),
        explain: options.explain ?? false,
        orNearest: options.nearest ?? false,
      });
      const lines = items.flatMap(({ memory, score, parts }) => [
        `${score.toFixed(2)}  ${formatDay(memory.timestamp, session.timeZone)}  ${truncate(stripJoinedMarkdown(oneLine(memory.content)), 100)}`,
        ...(options.explain
          ? parts.map(
              ({ name, value, detail }) =>
                `        ${name} ${value.toFixed(3)}${detail === undefined ? "" : ` (${detail})`}`,
            )
          : []),
      ]);
      context().output.result({ items }, lines.length === 0 ? "No memories match." : lines.join("\n"));
    });
};
