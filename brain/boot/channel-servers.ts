import { type EditableConfig, refreshOrThrow } from "@metahuman/core/config/config-source";
import { openSealer, type SecretSealer } from "@metahuman/core/config/sealed-secrets";
import type { ChannelServers, ChannelServersEdit, SmtpServer } from "@metahuman/core/contract/channels";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";

/** Which channels the people of the installation may use, and through which servers; for owners only. */
export interface ChannelServerControl {
  /** As they are configured, without the password. */
  current(): Promise<ChannelServers>;
  /**
   * Writes to `etc/channels.json` of the data root; a password is stored encrypted. Throws `ConfigInvalidError` without
   * writing the field that is invalid.
   */
  save(edit: ChannelServersEdit): Promise<ChannelServers>;
}

/** The key that encrypts the secrets of channels. */
export const CHANNEL_SECRETS = {
  file: "channel-secrets.key",
  purpose: "metahuman channel secrets",
  advice: "Enter the secrets of the channels again.",
};

/** Opens the key that encrypts the secrets of channels. */
export function openChannelSealer(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): SecretSealer {
  return openSealer(home, env, CHANNEL_SECRETS);
}

export function createChannelServers({
  config,
  sealer,
}: {
  config: EditableConfig;
  sealer: SecretSealer;
}): ChannelServerControl {
  const current = async (): Promise<ChannelServers> => {
    const { ntfy, smtp, webhook, pageUrl } = (await config.refresh()).channels;
    const { password, ...server } = smtp;
    return { ntfy, smtp: { ...server, hasPassword: password !== undefined }, webhook, pageUrl };
  };

  return {
    current,
    async save({ ntfy, smtp, webhook, pageUrl }) {
      await refreshOrThrow(config);
      const set = (keyPath: string[], value: unknown) =>
        config.change({ section: "channels", keyPath, value });
      if (ntfy) await set(["ntfy"], { ...config.current().channels.ntfy, ...ntfy });
      if (smtp) await set(["smtp"], editedServer(config.current().channels.smtp, smtp, sealer));
      if (webhook) await set(["webhook"], webhook);
      if (pageUrl !== undefined) await set(["pageUrl"], pageUrl);
      return await current();
    },
  };
}

/** A stored password stays only while the server and the name stay. */
function editedServer(
  { password: stored, ...before }: SmtpServer,
  { password, ...edit }: NonNullable<ChannelServersEdit["smtp"]>,
  sealer: SecretSealer,
): SmtpServer {
  const server = {
    enabled: edit.enabled ?? before.enabled,
    host: edit.host ?? before.host,
    port: edit.port ?? before.port,
    security: edit.security ?? before.security,
    username: edit.username ?? before.username,
    from: edit.from ?? before.from,
  };
  if (typeof password === "string") return { ...server, password: sealer.seal(password, purposeOf(server)) };
  const isUnchanged = password === undefined && stored && purposeOf(server) === purposeOf(before);
  return { ...server, ...(isUnchanged && { password: stored }) };
}

/** The password of a mail server. Throws `InvalidArgsError` for one that cannot be read. */
export function passwordOf(server: SmtpServer, sealer: SecretSealer): string {
  const password = server.password && sealer.open(server.password, purposeOf(server));
  if (password !== undefined) return password;
  throw new InvalidArgsError(`There is no readable password for ${server.username} at ${server.host}.`, {
    suggestions: ["Ask the owner to enter it again in the settings."],
  });
}

export const purposeOf = ({ host, port, username }: Pick<SmtpServer, "host" | "port" | "username">): string =>
  `smtp ${host}:${port} ${username}`;
