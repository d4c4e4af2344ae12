import { table } from "../output.ts";
import { openSession } from "../session.ts";
import type { AddCommand } from "./command.ts";

/** Bearer tokens: how scripts use the HTTP API under the same rules as the page. */
export const addTokenCommand: AddCommand = (program, context) => {
  const token = program.command("token").description("bearer tokens for scripts");

  token
    .command("create <name>")
    .description("make a token; it is shown once")
    .action(async (name: string) => {
      const { brain, profile } = await openSession(context());
      const { token: secret, info } = await brain.accounts.createToken(profile.username, name);
      await profile.audit.append({
        event: "token_created",
        actor: profile.username,
        surface: "cli",
        details: { id: info.id, name },
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
              tokens.map(({ id, name, createdAt, lastUsedAt }) => [
                id,
                name,
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
