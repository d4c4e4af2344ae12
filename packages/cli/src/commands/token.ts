import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { TokenScope } from "@metahuman/core/contract/account";
import { table } from "../output.ts";
import { type AddCommand, openSession } from "../session.ts";

/** Bearer tokens: how scripts use the HTTP API under the same rules as the page. */
export const addTokenCommand: AddCommand = (program, context) => {
  const token = program.command("token").description("bearer tokens for scripts");

  token
    .command("create <name>")
    .description("make a token; it is shown once")
    .option("--scope <scope>", "read (look), operate (also act and write) or manage (everything)", "manage")
    .option("--expires <time>", "how long it lasts: 12h, 30d, 8w; until it is revoked, when missing")
    .action(async (name: string, options: { scope: string; expires?: string }) => {
      const scope = TokenScope.safeParse(options.scope);
      if (!scope.success)
        throw new InvalidRequestError(`"${options.scope}" is no scope.`, { suggestions: TokenScope.options });
      const lifetimeMs = options.expires === undefined ? undefined : lifetimeOf(options.expires);
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
        "Keep it safe: it cannot be shown again. Use it as: Authorization: Bearer <token>",
      );
      context().output.result({ token: secret, info }, secret);
    });

  token
    .command("list")
    .description("the tokens there are")
    .action(async () => {
      const { brain, profile } = await openSession(context());
      const tokens = await brain.accounts.tokens(profile.username);
      const text =
        tokens.length === 0
          ? "No tokens."
          : table(
              tokens.map(({ id, name, scope, createdAt, expiresAt, lastUsedAt }) => [
                id,
                name,
                scope,
                expiryOf(expiresAt),
                `made ${createdAt.slice(0, 10)}`,
                lastUsedAt ? `used ${lastUsedAt.slice(0, 10)}` : "never used",
              ]),
            );
      context().output.result({ tokens }, text);
    });

  token
    .command("revoke <token>")
    .description("end a token, by id or name")
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

/** A time such as `30d` in milliseconds. Throws `InvalidRequestError`. */
function lifetimeOf(text: string): number {
  const [, count, unit = ""] = /^([1-9]\d{0,3})([hdw])$/.exec(text) ?? [];
  if (count === undefined)
    throw new InvalidRequestError(`"${text}" is no time that a token can last.`, {
      suggestions: ["Write hours, days or weeks: 12h, 30d, 8w."],
    });
  return Number(count) * (UNITS.get(unit) ?? HOUR_MS);
}

function expiryOf(expiresAt: string | undefined): string {
  if (expiresAt === undefined) return "no expiry";
  const verb = Date.parse(expiresAt) <= Date.now() ? "expired" : "expires";
  return `${verb} ${expiresAt.slice(0, 16).replace("T", " ")}`;
}
