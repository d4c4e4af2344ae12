import { setTimeout } from "node:timers/promises";
import { oneLine } from "../output.ts";
import { type AddCommand, demand, openSession } from "../session.ts";

/** How often a rebuild's progress is shown, in milliseconds. */
const PROGRESS_MS = 250;

/** The search index over the profile's files: derived, and rebuilt at will. */
export const addIndexCommand: AddCommand = (program, context) => {
  const index = program.command("index").description("the search index over your files");

  index
    .command("status")
    .description("how it stands")
    .action(async () => {
      const session = await openSession(context());
      const status = await session.profile.index.status();
      const { items, embedded, pending, rebuilding, progress, embedder, searchedWith } = status;
      const state = [
        ...(rebuilding ? [`rebuilding: ${String(Math.round(progress * 100))} %`] : []),
        ...(searchedWith === embedder ? [] : [`searched with ${searchedWith} until then`]),
      ];
      context().output.result(
        status,
        `${String(items)} records, ${String(embedded)} findable by meaning, ${String(pending)} waiting (${[embedder, ...state].join("; ")})`,
      );
    });

  index
    .command("build")
    .description("build it anew from the files")
    .option("--exclude-functions", "leave the index of functions as it is")
    .action(async (options: { excludeFunctions?: boolean }) => {
      const session = await openSession(context());
      demand(session.policy.canWriteMemory, session, "rebuild the index");
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
        `Built: ${String(status.items)} records${status.quarantined.length > 0 ? `, ${String(status.quarantined.length)} files set aside` : ""}.`,
      );
    });

  index
    .command("query <words...>")
    .description("what a search finds")
    .action(async (words: string[]) => {
      const session = await openSession(context());
      demand(session.policy.canReadMemory, session, "read memories");
      const items = await session.profile.memory.recall({ query: words.join(" ") });
      context().output.result(
        { items },
        items
          .map(({ score, memory }) => `${score.toFixed(2)}  ${memory.id}  ${oneLine(memory.content, 80)}`)
          .join("\n") || "Nothing fits.",
      );
    });
};
