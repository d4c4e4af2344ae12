import { once } from "node:events";
import { createServer, Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { StorageUnavailableError } from "@metahuman/core/errors/storage-errors";
import { openPool } from "./pg-driver.ts";

it("refuses an address that is no PostgreSQL URL, without repeating it", () => {
  for (const url of ["", "db.example", "mysql://ada:secret@db.example/mh"]) {
    expect(() => openPool(url)).toThrow(ConfigInvalidError);
    expect(() => openPool(url)).not.toThrow(/secret/);
  }
});

it("reports a server that is not there as unavailable, with a time to wait", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  server.close();
  await once(server, "close");
  const pool = openPool(`postgres://ada:secret@127.0.0.1:${address.port}/mh`);
  const failed = pool.withConnection((connection) => connection.query("SELECT 1"));
  await expect(failed).rejects.toThrow(StorageUnavailableError);
  await expect(failed).rejects.toMatchObject({
    context: { retryAfterMs: 2_000, systemCode: "ECONNREFUSED" },
  });
  await expect(failed).rejects.not.toThrow(/secret/);
  await pool.close();
});

it("reports a server that does not answer in time as unavailable", async () => {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const pool = openPool(`postgres://ada@127.0.0.1:${address.port}/mh`, { connectTimeoutMs: 50 });
  await expect(pool.withConnection((connection) => connection.query("SELECT 1"))).rejects.toThrow(
    StorageUnavailableError,
  );
  await pool.close();
  server.close();
});

it("says that the name of a server cannot be resolved", async () => {
  const pool = openPool("postgres://ada:secret@no-such-host.invalid/mh");
  await expect(pool.withConnection((connection) => connection.query("SELECT 1"))).rejects.toMatchObject({
    code: "STORAGE_UNAVAILABLE",
    message: "The name of the database server in METAHUMAN_DATABASE_URL cannot be resolved.",
  });
  await pool.close();
});

it("hands statements that are sent without waiting to the system with one call", async () => {
  const okAndReady = Buffer.concat([
    Buffer.from("R\0\0\0\u0008\0\0\0\0", "latin1"),
    Buffer.from("Z\0\0\0\u0005I", "latin1"),
  ]);
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket);
    socket.once("data", () => socket.write(okAndReady));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const pool = openPool(`postgres://ada@127.0.0.1:${address.port}/mh`);
  const write = vi.spyOn(Socket.prototype, "_write");
  const writeMany = vi.spyOn(Socket.prototype, "_writev");
  try {
    const failed = pool.withConnection(async (connection) => {
      write.mockClear();
      writeMany.mockClear();
      const answers = Promise.all([
        connection.query("BEGIN"),
        connection.query("SELECT $1::text", ["a"]),
        connection.query("COMMIT"),
      ]);
      await nextTurn();
      expect(write.mock.calls.length + writeMany.mock.calls.length).toBe(1);
      for (const socket of accepted) socket.destroy();
      await answers;
    });
    await expect(failed).rejects.toThrow(StorageUnavailableError);
  } finally {
    write.mockRestore();
    writeMany.mockRestore();
    await pool.close();
    server.close();
  }
});
