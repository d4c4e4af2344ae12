import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import type { MemoryType } from "@metahuman/core/contract/memory";
import { oneLine } from "../output.ts";
import { type AddCommand, demand, openSession } from "../session.ts";

/** The two ways in which a person writes down a memory: what happened, and what is to be kept. */
export const addMemoryCommands: AddCommand = (program, context) => {
  const add = (name: string, type: MemoryType, description: string) =>
    program
      .command(`${name} <text...>`)
      .description(description)
      .option("--tag <tag...>", "labels")
      .action(async (words: string[], options: { tag?: string[] }) => {
        const session = await openSession(context());
        demand(session.policy.canWriteMemory, session, "write memories");
        const content = words.join(" ").trim();
        if (content === "")
          throw new InvalidRequestError("There is nothing to write down.", {
            suggestions: [`mh ${name} "the bins go out on Tuesday"`],
          });
        const memory = await session.profile.memory.add(
          { type, content, ...(options.tag && { tags: options.tag }) },
          { source: { kind: "user" }, trust: "trusted" },
        );
        context().output.result({ memory }, `Kept as ${memory.id}`);
      });

  add("capture", "observation", "write down something that happened");
  add("remember", "curated", "keep a fact for good");

  program
    .command("recall <words...>")
    .description("find memories")
    .option("--limit <count>", "at most this many", "10")
    .option("--explain", "say why each was found")
    .action(async (words: string[], options: { limit: string; explain?: boolean }) => {
      const session = await openSession(context());
      demand(session.policy.canReadMemory, session, "read memories");
      const limit = Number(options.limit);
      if (!Number.isInteger(limit) || limit < 1 || limit > 200)
        throw new InvalidRequestError("--limit takes a whole number from 1 to 200.");
      const items = await session.profile.memory.recall({
        query: words.join(" "),
        limit,
        explain: options.explain ?? false,
      });
      const lines = items.flatMap(({ memory, score, parts }) => [
        `${score.toFixed(2)}  ${memory.timestamp.slice(0, 10)}  ${oneLine(memory.content, 100)}`,
        ...(options.explain
          ? parts.map(
              ({ name, value, detail }) =>
                `        ${name} ${value.toFixed(3)}${detail === undefined ? "" : ` (${detail})`}`,
            )
          : []),
      ]);
      context().output.result({ items }, lines.length === 0 ? "Nothing fits." : lines.join("\n"));
    });
};
