import { createHash } from "node:crypto";
import { z } from "zod";
import type { StoredVectors } from "@metahuman/core/vectors/stored-vectors";
import type { Postgres } from "../open-postgres.ts";

const VectorRow = z.object({ record_id: z.string(), text_hash: z.string(), vector: z.string() });

/** Stores vectors of memories beside their rows; those of a removed memory are removed with it. */
export function openStoredVectors(database: Postgres, profile: string): StoredVectors {
  return {
    async load({ id: embedder, dimensions }, texts) {
      const rows = await database.inProfile(profile, (session) =>
        session.all(
          VectorRow,
          `SELECT record_id, text_hash, encode(vector, 'base64') AS vector FROM embeddings
           WHERE profile = :profile AND embedder = :embedder AND record_id = ANY(:ids)`,
          { embedder, ids: texts.map(({ id }) => id) },
        ),
      );
      const hashes = new Map(texts.map(({ id, text }) => [id, hashOf(text)]));
      const found = new Map<string, Float32Array>();
      for (const { record_id: id, text_hash: hash, vector } of rows) {
        const floats = floatsOf(Buffer.from(vector, "base64"));
        if (hashes.get(id) === hash && floats.length === dimensions) found.set(id, floats);
      }
      return found;
    },
    save: ({ id: embedder }, vectors) =>
      database.inProfile(profile, async (session) => {
        // A record that was removed meanwhile gets no vector.
        await session.run(
          `INSERT INTO embeddings (profile, record_id, embedder, text_hash, vector)
           SELECT :profile, given.id, :embedder, given.hash, decode(given.vector, 'base64')
           FROM unnest(:ids::text[], :hashes::text[], :vectors::text[]) AS given(id, hash, vector)
             JOIN records ON records.profile = :profile AND records.kind = 'memory' AND records.id = given.id
               AND records.body IS NOT NULL
           ON CONFLICT (profile, record_id, embedder)
             DO UPDATE SET text_hash = excluded.text_hash, vector = excluded.vector`,
          {
            embedder,
            ids: vectors.map(({ id }) => id),
            hashes: vectors.map(({ text }) => hashOf(text)),
            vectors: vectors.map(({ vector }) => bytesOf(vector).toString("base64")),
          },
        );
      }),
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Four bytes for each number, the lowest first. */
function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [place, value] of vector.entries()) bytes.writeFloatLE(value, place * 4);
  return bytes;
}

function floatsOf(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, place) => bytes.readFloatLE(place * 4));
}
