import { join } from "node:path";
import { toErrorDetail } from "../../errors/to-error-detail.ts";
import { openLocalWorkspace } from "../open-local-workspace.ts";

/** Writes, appends and copies more than this process is allowed to write; prints the result of each. */
const home = process.argv[2] ?? "";
const { files, archive } = await openLocalWorkspace({
  out: join(home, "out"),
  inbox: join(home, "inbox"),
  archive: join(home, "archive"),
});
const much = "x".repeat(1_000_000);
const attempts = [
  () => files.writeText("new.txt", much, { expect: "absent" }),
  () => files.writeText("old.txt", much, { expect: "any" }),
  () => files.appendText("old.txt", much),
  () => archive.keepCopy("large.txt", {}),
];
for (const attempt of attempts) {
  const result = await attempt().then(
    () => "done",
    (error: unknown) => toErrorDetail(error).code,
  );
  process.stdout.write(`${result}\n`);
}
