import { join } from "node:path";
import { openLocalWorkspace } from "../open-local-workspace.ts";

/** Works in the workspace at argv[2] until killed and prints each acknowledged step. */
const home = process.argv[2] ?? "";
const { files, archive } = await openLocalWorkspace({
  out: join(home, "out"),
  inbox: join(home, "inbox"),
  archive: join(home, "archive"),
});

/** A text that shows whether a part of it is missing. */
const whole = (turn: number): string => `${turn} ${"x".repeat(200_000)} ${turn}`;

for (let turn = 1; ; turn += 1) {
  await files.writeText("kept.txt", whole(turn), { expect: "any" });
  process.stdout.write(`kept ${turn}\n`);
  await files.appendText("log.txt", `${turn}`);
  process.stdout.write(`log ${turn}\n`);
  await files.writeText(`new/${turn}.txt`, whole(turn), { expect: "absent" });
  process.stdout.write(`new ${turn}\n`);
  await files.move(`new/${turn}.txt`, `moved/${turn}.txt`, { overwrite: false });
  process.stdout.write(`moved ${turn}\n`);
  await archive.removeFile(`moved/${turn}.txt`, { recursive: false });
  process.stdout.write(`removed ${turn}\n`);
}
