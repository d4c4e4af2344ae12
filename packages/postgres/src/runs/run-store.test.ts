import {
  describeRunStore,
  describeSharedRunStore,
  type RunStoreBench,
} from "@metahuman/core/runs/run-store.suite";
import { pgliteBench } from "../testing/bench.ts";
import { openPostgresRunStore } from "./open-run-store.ts";

async function makeBench(): Promise<RunStoreBench> {
  const { database, newProfile, passTime } = await pgliteBench();
  const profile = newProfile();
  return {
    open: async () => openPostgresRunStore(database, profile),
    passTime,
    close: async () => undefined,
  };
}

describeRunStore("in PostgreSQL", makeBench);
describeSharedRunStore("in PostgreSQL", makeBench);
