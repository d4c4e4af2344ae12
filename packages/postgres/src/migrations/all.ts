import type { Migration } from "../migrate.ts";
import { accounts, configuration, installation } from "./installation.ts";
import { audit, operations } from "./operations.ts";
import { embeddings, records } from "./records.ts";
import { answerParts, runs } from "./runs.ts";

/** All steps of the schema, in the order of their numbers. */
export const migrations: readonly Migration[] = [
  runs,
  operations,
  accounts,
  configuration,
  audit,
  installation,
  records,
  embeddings,
  answerParts,
];
