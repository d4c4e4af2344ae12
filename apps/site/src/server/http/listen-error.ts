import {
  fromNodeError,
  InvalidArgsError,
  PermissionDeniedError,
  PortTakenError,
  systemCode,
} from "@metahuman/boot/errors";
import { urlHost } from "./hosts.ts";

/** Why nothing can be served at this address, as a sentence about `HOST` or `PORT` and what to do about it. */
export function listenProblem(error: unknown, { host, port }: { host: string; port: number }): Error {
  const address = `http://${urlHost(host)}:${port}`;
  const facts = { cause: error, context: { host, port } };
  switch (systemCode(error)) {
    case "EADDRINUSE":
      return new PortTakenError(`${address} is already in use.`, {
        ...facts,
        suggestions: [
          `End what runs there, or choose another port: PORT=${port === 4322 ? 4323 : 4322} npm start.`,
        ],
      });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new InvalidArgsError(`HOST is ${host}, which is no address of this machine.`, {
        ...facts,
        suggestions: [
          "Leave HOST out to serve this machine alone, or set it to 0.0.0.0 to serve others too.",
        ],
      });
    case "EACCES":
    case "EPERM":
      return new PermissionDeniedError(`The system does not let you serve on port ${port}.`, {
        ...facts,
        suggestions: ["Choose a port above 1023: PORT=4321 npm start."],
      });
    default:
      return fromNodeError(error, address);
  }
}
