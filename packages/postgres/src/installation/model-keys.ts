import { z } from "zod";
import { boundToOrigin, type ModelKeys, newKeyId } from "@metahuman/core/config/model-keys";
import type { SecretSealer } from "@metahuman/core/config/sealed-secrets";
import { SealedSecret } from "@metahuman/core/contract/channels";
import type { ModelKeyId } from "@metahuman/core/contract/models";
import { AlreadyExistsError } from "@metahuman/core/errors/request-errors";
import type { Postgres } from "../open-postgres.ts";
import type { Session } from "../session.ts";

const KeyRow = z.object({ id: z.string(), sealed: SealedSecret });

/** The encrypted keys of model servers in this process. */
export type SealedKeys = Map<string, SealedSecret>;

export async function readModelKeys(session: Session): Promise<SealedKeys> {
  const rows = await session.all(KeyRow, "SELECT id, sealed FROM model_keys");
  return new Map(rows.map(({ id, sealed }) => [id, sealed]));
}

/** The keys of model servers in the database. `known` is read with the configuration, which names them. */
export function openPostgresModelKeys(
  database: Postgres,
  { sealer, known }: { sealer: SecretSealer; known: () => SealedKeys },
): ModelKeys {
  async function put(id: ModelKeyId, key: string, baseUrl: string): Promise<void> {
    const sealed = sealer.seal(key, boundToOrigin(id, baseUrl));
    const added = await database.inSystem((session) =>
      session.run("INSERT INTO model_keys (id, sealed) VALUES (:id, :sealed::jsonb) ON CONFLICT DO NOTHING", {
        id,
        sealed: JSON.stringify(sealed),
      }),
    );
    if (added === 0) throw new AlreadyExistsError("The key of a model server already exists.");
    known().set(id, sealed);
  }

  return {
    put,
    async store(key, baseUrl) {
      const id = newKeyId();
      await put(id, key, baseUrl);
      return id;
    },
    read(id, baseUrl) {
      const sealed = known().get(id);
      return sealed && sealer.open(sealed, boundToOrigin(id, baseUrl));
    },
    async remove(id) {
      await database.inSystem((session) => session.run("DELETE FROM model_keys WHERE id = :id", { id }));
      known().delete(id);
    },
  };
}
