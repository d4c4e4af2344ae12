import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { profilePaths } from "../../paths/profile-paths.ts";
import { openScheduleFiles } from "../../schedules/schedule-files.ts";
import { openTaskFiles } from "../tasks/open-tasks.ts";
import { createTestProfile } from "../testing/open-test-memory.ts";
import { newRecords } from "../testing/test-record.ts";
import { openMemoryFiles } from "./memory-file-storage.ts";
import type { MemoryStorage } from "./record-storage.ts";
import { describeRecordStorage } from "./record-storage.suite.ts";

const clock = () => new Date();

describeRecordStorage("memories in files", async () => {
  const profile = await createTestProfile();
  async function open(): Promise<MemoryStorage> {
    const opened = Promise.withResolvers<MemoryStorage>();
    await profile.open({
      async storage(place) {
        const archiveRoot = profile.paths.memory.archive.root;
        const storage = await openMemoryFiles({ ...place, archiveRoot, watched: [] });
        opened.resolve(storage);
        return storage;
      },
    });
    return await opened.promise;
  }
  return {
    here: await open(),
    elsewhere: await open(),
    newRecord: newRecords.memory,
    recordOf: ({ record }) => record,
    close: () => profile.remove(),
  };
});

const folder = async () => {
  const home = await mkdtemp(join(tmpdir(), "metahuman-records-"));
  return { paths: profilePaths(home, "ada"), remove: () => rm(home, { recursive: true }) };
};

describeRecordStorage("tasks in files", async () => {
  const { paths, remove } = await folder();
  const here = await openTaskFiles({ paths, clock });
  const elsewhere = await openTaskFiles({ paths, clock });
  return {
    here,
    elsewhere,
    newRecord: newRecords.task,
    recordOf: (task) => task,
    async close() {
      here.close();
      elsewhere.close();
      await remove();
    },
  };
});

describeRecordStorage("schedules in files", async () => {
  const { paths, remove } = await folder();
  const here = await openScheduleFiles({ paths, clock });
  const elsewhere = await openScheduleFiles({ paths, clock });
  return {
    here,
    elsewhere,
    newRecord: newRecords.schedule,
    recordOf: (schedule) => schedule,
    async close() {
      here.close();
      elsewhere.close();
      await remove();
    },
  };
});
