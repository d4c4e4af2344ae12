import { isCancel, password as askPassword, text as askText } from "@clack/prompts";
import { ConflictError, InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { AccountRole } from "@metahuman/core/contract/account";
import { Username } from "@metahuman/core/contract/ids";
import { formatDay, table } from "../output.ts";
import { type AddCommand, type CommandContext, openSession } from "../session.ts";

/** `mh init` and `mh user`. No owner password is required: anybody who can run these commands can read the data. */
export const addUserCommands: AddCommand = (program, context) => {
  program
    .command("init [username]")
    .description("create the owner account (once)")
    .option("--display-name <name>", "your display name")
    .action(async (name: string | undefined, options: { displayName?: string }) => {
      const brain = await context().openBrain();
      if ((await brain.accounts.list()).some(({ role }) => role === "owner"))
        throw new ConflictError("This installation already has an owner.", {
          suggestions: ["Add an account: mh user add <username>"],
        });
      const username = name ?? (await promptForUsername(context()));
      const password = await readNewPassword(context());
      const { account } = await brain.accounts.setup(
        { username, password, displayName: options.displayName },
        { address: "cli", fromLoopback: true },
      );
      context().output.result({ account }, `Created the owner ${account.username}. Start with: npm start`);
    });

  const user = program.command("user").description("accounts of this installation");

  user
    .command("list")
    .description("list the accounts")
    .action(async () => {
      const accounts = await (await context().openBrain()).accounts.list();
      if (accounts.length === 0) {
        const text = "There is no account yet. Create the owner: mh init <username>";
        context().output.result({ accounts }, text);
        return;
      }
      const { timeZone } = await openSession(context(), { printsNotices: false });
      const rows = accounts.map(({ username, role, createdAt }) => [
        username,
        role,
        formatDay(createdAt, timeZone),
      ]);
      context().output.result({ accounts }, table(rows));
    });

  user
    .command("add <username>")
    .description("add an account")
    .option("--role <role>", AccountRole.options.join(", "), "member")
    .action(async (username: string, options: { role: string }) => {
      const role = AccountRole.safeParse(options.role);
      if (!role.success)
        throw new InvalidRequestError(`There is no role "${options.role}".`, {
          suggestions: AccountRole.options,
        });
      const brain = await context().openBrain();
      const account = await brain.accounts.add({
        username,
        password: await readNewPassword(context()),
        role: role.data,
      });
      context().output.result({ account }, `Added ${account.username} (${account.role}).`);
    });

  user
    .command("passwd <username>")
    .description("set a new password; this ends the account's sessions and tokens")
    .action(async (username: string) => {
      const brain = await context().openBrain();
      await brain.accounts.setPassword(username, await readNewPassword(context()));
      context().output.result({ username }, `Changed the password of ${username}.`);
    });

  user
    .command("remove <username>")
    .description("remove an account; its folder is moved, not deleted")
    .action(async (username: string) => {
      await (await context().openBrain()).accounts.remove(username);
      context().output.result({ username }, `Removed ${username}.`);
    });
};

/** `mh guests`: allows guests to chat with the persona of a profile, or stops it. */
export const addGuestsCommand: AddCommand = (program, context) => {
  program
    .command("guests [on|off]")
    .description("let guests chat with this profile's persona without a password")
    .action(async (wanted: string | undefined) => {
      if (wanted !== undefined && wanted !== "on" && wanted !== "off")
        throw new InvalidRequestError(`"${wanted}" is not on or off.`, { suggestions: ["on", "off"] });
      const { brain, profile } = await openSession(context());
      const { username } = profile;
      if (wanted !== undefined) {
        const isPublic = wanted === "on";
        await brain.accounts.setPublic(username, isPublic);
        await profile.audit.append({
          event: "public_profile_changed",
          actor: username,
          surface: "cli",
          details: { publicProfile: isPublic },
        });
      }
      const isPublic = (await brain.accounts.publicProfiles()).includes(username);
      const text = isPublic
        ? `Guests may chat with the persona of ${username}.`
        : `Guests may not chat with the persona of ${username}.`;
      context().output.result({ username, publicProfile: isPublic }, text);
    });
};

async function promptForUsername({ interactive }: CommandContext): Promise<string> {
  const entered = interactive
    ? await askText({
        message: "Username (also the name of your folder)",
        validate: (value) =>
          Username.safeParse(value).success ? undefined : "Use lower-case letters, digits or hyphens.",
      })
    : undefined;
  if (entered !== undefined && !isCancel(entered)) return entered;
  throw new InvalidRequestError("The owner needs a username.", { suggestions: ["mh init <username>"] });
}

/** Reads `METAHUMAN_PASSWORD`, or prompts without echo. A password is never an argument because shells record those. */
async function readNewPassword({ env, interactive }: CommandContext): Promise<string> {
  const password = env["METAHUMAN_PASSWORD"];
  if (password !== undefined) return password;
  if (!interactive)
    throw new InvalidRequestError("A password is required, but this is not a terminal.", {
      suggestions: ["Set METAHUMAN_PASSWORD."],
    });
  const entered = await askPassword({
    message: "New password (at least 8 characters)",
    validate: (value) => ((value ?? "").length < 8 ? "Use at least 8 characters." : undefined),
  });
  if (isCancel(entered))
    throw new InvalidRequestError("No password was entered.", {
      suggestions: ["Enter a password, or set METAHUMAN_PASSWORD."],
    });
  return entered;
}
