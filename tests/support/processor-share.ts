import { existsSync } from "node:fs";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Where Linux limits processor time with control groups of version 1. */
const GROUPS = "/sys/fs/cgroup/cpu";
const PERIOD_US = 20_000;

/**
 * Limits each process to a share of one processor until `release` is called. Undefined where there are no control groups of version 1,
 * or this process may not create one.
 */
export async function limitProcessors(
  pids: readonly number[],
  share: number,
): Promise<{ release(): Promise<void> } | undefined> {
  if (!existsSync(join(GROUPS, "cpu.cfs_quota_us")) || process.getuid?.() !== 0) return undefined;
  const limited = pids.map((pid) => ({ pid, group: join(GROUPS, `metahuman-${pid}`) }));
  for (const { pid, group } of limited) {
    await mkdir(group);
    await writeFile(join(group, "cpu.cfs_period_us"), String(PERIOD_US));
    await writeFile(join(group, "cpu.cfs_quota_us"), String(Math.round(share * PERIOD_US)));
    await writeFile(join(group, "cgroup.procs"), String(pid));
  }
  return {
    async release() {
      for (const { pid, group } of limited) {
        await writeFile(join(GROUPS, "cgroup.procs"), String(pid));
        await rmdir(group);
      }
    },
  };
}
