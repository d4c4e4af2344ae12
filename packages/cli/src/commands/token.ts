import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { TokenScope } from "@metahuman/core/contract/account";
import { formatDay, formatTime, table } from "../output.ts";
import { type AddCommand, openSession } from "../session.ts";

/** `mh token`: bearer tokens for scripts that call the HTTP API. */
export const addTokenCommand: AddCommand = (program, context) => {
  const token = program.command("token").description("bearer tokens for scripts");

  token
    .command("create <name>")
    .description("create a token; it is shown once")
    .option("--scope <scope>", "read, operate (also act and write) or manage (everything)", "manage")
    .option("--expires <time>", "the lifetime: 12h, 30d, 8w (default: until revoked)")
    .action(async (name: string, options: { scope: string; expires?: string }) => {
      const scope = TokenScope.safeParse(options.scope);
      if (!scope.success)
        throw new InvalidRequestError(`There is no scope "${options.scope}".`, {
          suggestions: TokenScope.options,
        });
      const lifetimeMs = options.expires === undefined ? undefined : parseLifetime(options.expires);
      const { brain, profile } = await openSession(context());
      const { token: secret, info } = await brain.accounts.createToken(profile.username, name, {
        scope: scope.data,
        ...(lifetimeMs !== undefined && { lifetimeMs }),
      });
      await profile.audit.append({
        event: "token_created",
        actor: profile.username,
        surface: "cli",
        details: { id: info.id, name, scope: info.scope, expiresAt: info.expiresAt ?? null },
      });
      context().output.note(
        "Store it safely; it is not shown again. Use it as: Authorization: Bearer <token>",
      );
      context().output.result({ token: secret, info }, secret);
    });

  token
    .command("list")
    .description("list the tokens")
    .action(async () => {
      const { brain, profile, timeZone } = await openSession(context());
      const tokens = await brain.accounts.tokens(profile.username);
      const text =
        tokens.length === 0
          ? "No tokens."
          : table(
              tokens.map(({ id, name, scope, createdAt, expiresAt, lastUsedAt }) => [
                id,
                name,
                scope,
                formatExpiry(expiresAt, timeZone),
                `created ${formatDay(createdAt, timeZone)}`,
                lastUsedAt ? `used ${formatDay(lastUsedAt, timeZone)}` : "never used",
              ]),
            );
      context().output.result({ tokens }, text);
    });

  token
    .command("revoke <token>")
    .description("revoke a token by id or name")
    .action(async (idOrName: string) => {
      const { brain, profile } = await openSession(context());
      await brain.accounts.revokeToken(profile.username, idOrName);
      await profile.audit.append({
        event: "token_revoked",
        actor: profile.username,
        surface: "cli",
        details: { token: idOrName },
      });
      context().output.result({ revoked: idOrName }, `Revoked ${idOrName}.`);
    });
};

const HOUR_MS = 3_600_000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ["h", HOUR_MS],
  ["d", 24 * HOUR_MS],
  ["w", 7 * 24 * HOUR_MS],
]);

/** Parses a lifetime such as `30d` into milliseconds. Throws `InvalidRequestError`. */
function parseLifetime(text: string): number {
  const [, count, unit = ""] = /^([1-9]\d{0,3})([hdw])$/.exec(text) ?? [];
  if (count === undefined)
    throw new InvalidRequestError(`"${text}" is not a lifetime.`, {
      suggestions: ["Write hours, days or weeks: 12h, 30d, 8w."],
    });
  return Number(count) * (UNITS.get(unit) ?? HOUR_MS);
}

function formatExpiry(expiresAt: string | undefined, timeZone: string): string {
  if (expiresAt === undefined) return "no expiry";
  const verb = Date.parse(expiresAt) <= Date.now() ? "expired" : "expires";
  return `${verb} ${formatTime(expiresAt, timeZone)}`;
}
