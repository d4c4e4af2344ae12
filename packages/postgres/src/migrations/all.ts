import type { Migration } from "../migrate.ts";
import { accounts } from "./accounts.ts";
import { answerParts } from "./answer-parts.ts";
import { audit } from "./audit.ts";
import { configuration } from "./configuration.ts";
import { embeddings } from "./embeddings.ts";
import { installation } from "./installation.ts";
import { operations } from "./operations.ts";
import { records } from "./records.ts";
import { runs } from "./runs.ts";

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
