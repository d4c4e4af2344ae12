import { setTimeout } from "node:timers/promises";
import { oneLine, truncate } from "@metahuman/core/text/format";
import { stripJoinedMarkdown } from "@metahuman/core/text/strip-markdown";
import { type AddCommand, requirePermission, openSession } from "../session.ts";

/** The interval between progress lines of a rebuild, in milliseconds. */
const PROGRESS_MS = 250;

/** `mh index`: the search index, which is derived from the profile's files. */
export const addIndexCommand: AddCommand = (program, context) => {
  const index = program.command("index").description("the search index of your memories");

  index
    .command("status")
    .description("show the state of the index")
    .action(async () => {
      const session = await openSession(context());
      const status = await session.profile.index.status();
      const { items, embedded, pending, rebuilding, progress, embedder, searchedWith } = status;
      const state = [
        ...(rebuilding ? [`rebuilding: ${String(Math.round(progress * 100))} %`] : []),
        ...(searchedWith === embedder ? [] : [`searched with ${searchedWith} meanwhile`]),
      ];
      context().output.result(
        status,
        `${String(items)} records, ${String(embedded)} embedded, ${String(pending)} pending (${[embedder, ...state].join("; ")})`,
      );
    });

  index
    .command("build")
    .description("rebuild the index from the files")
    .option("--exclude-functions", "do not rebuild the index of functions")
    .action(async (options: { excludeFunctions?: boolean }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "rebuild the index");
      let status = await session.profile.index.rebuild({
        excludeFunctions: options.excludeFunctions ?? false,
      });
      while (status.rebuilding) {
        await setTimeout(PROGRESS_MS, undefined, { signal: context().signal });
        status = await session.profile.index.status();
        context().output.note(`${String(Math.round(status.progress * 100))} %`);
      }
      context().output.result(
        status,
        `Built: ${String(status.items)} records${status.quarantined.length > 0 ? `, ${String(status.quarantined.length)} files quarantined` : ""}.`,
      );
    });

  index
    .command("query <words...>")
    .description("search the index")
    .action(async (words: string[]) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadMemory, session, "read memories");
      const items = await session.profile.memory.recall({ query: words.join(" ") });
      context().output.result(
        { items },
        items
          .map(
            ({ score, memory }) =>
              `${score.toFixed(2)}  ${memory.id}  ${truncate(stripJoinedMarkdown(oneLine(memory.content)), 80)}`,
          )
          .join("\n") || "No memories match.",
      );
    });
};
