import type { WorkspaceUnderTest } from "@metahuman/core/workspace/suite/harness";
import { type OpenedObjectWorkspace, openObjectWorkspace } from "../open-object-workspace.ts";
import type { Bucket, ObjectStore } from "../object-store.ts";
import { createSerialQueue } from "@metahuman/core/async/serial-queue";

/** A workspace in an object store, and its objects. */
export interface ObjectHarness extends WorkspaceUnderTest {
  workspace: OpenedObjectWorkspace;
  store: ObjectStore;
  keys(): Promise<string[]>;
}

let count = 0;

/** Opens an empty workspace in a bucket, in which one change is made at a time. */
export function openObjectHarness(bucket: Bucket): ObjectHarness {
  const prefix = `test-${(count += 1)}/`;
  const store = bucket.below(`${prefix}profiles/ada/`);
  const otherProfile = bucket.below(`${prefix}profiles/ben/`);
  const workspace = openObjectWorkspace(store, { exclusively: createSerialQueue() });
  const at = (path: string) => (/^outside(?:\/|$)/.test(path) ? otherProfile : store);
  return {
    files: workspace.files,
    workspace,
    store,
    keys: async () => (await Array.fromAsync(store.list(""))).map(({ key }) => key),
    stored: {
      put: (path, content) => at(path).write(path, content),
      async get(path) {
        const object = await at(path).head(path);
        if (!object) throw new Error(`There is nothing at ${path}.`);
        return Buffer.concat(await Array.fromAsync(await at(path).read(object))).toString();
      },
      makeFolder: (path) => at(path).write(`${path}/`, ""),
      remove: (path) => at(path).remove(path),
      async names(folder) {
        const names: string[] = [];
        for await (const found of at(folder).listFolder(`${folder}/`)) {
          const key = "folder" in found ? found.folder : found.key;
          const name = key.slice(folder.length + 1).replace(/\/$/, "");
          if (name !== "") names.push(name);
        }
        return names.sort();
      },
    },
    close: async () => undefined,
  };
}
