import { isCancel, password as askPassword, text as askText } from "@clack/prompts";
import { ConflictError, InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { AccountRole } from "@metahuman/core/contract/account";
import { Username } from "@metahuman/core/contract/ids";
import { table } from "../output.ts";
import { type AddCommand, type CommandContext, openSession } from "../session.ts";

/** Accounts on this machine: whoever can run this can read the data anyway, so it asks for no owner's password. */
export const addUserCommands: AddCommand = (program, context) => {
  program
    .command("init [username]")
    .description("create the owner account (once)")
    .option("--display-name <name>", "how you are addressed")
    .action(async (given: string | undefined, options: { displayName?: string }) => {
      const brain = await context().openBrain();
      if ((await brain.accounts.list()).some(({ role }) => role === "owner"))
        throw new ConflictError("This system has an owner already.", {
          suggestions: ["Add a person: mh user add <username>"],
        });
      const username = given ?? (await ownersName(context()));
      const password = await newPassword(context());
      const { account } = await brain.accounts.setup(
        { username, password, displayName: options.displayName },
        { address: "cli", fromLoopback: true },
      );
      context().output.result({ account }, `Created the owner ${account.username}. Start with: npm start`);
    });

  const user = program.command("user").description("accounts on this machine");

  user
    .command("list")
    .description("who has an account")
    .action(async () => {
      const accounts = await (await context().openBrain()).accounts.list();
      const text =
        accounts.length === 0
          ? "No account yet: mh init <username>"
          : table(accounts.map(({ username, role, createdAt }) => [username, role, createdAt.slice(0, 10)]));
      context().output.result({ accounts }, text);
    });

  user
    .command("add <username>")
    .description("add a person")
    .option("--role <role>", AccountRole.options.join(", "), "member")
    .action(async (username: string, options: { role: string }) => {
      const role = AccountRole.safeParse(options.role);
      if (!role.success)
        throw new InvalidRequestError(`"${options.role}" is no role.`, { suggestions: AccountRole.options });
      const brain = await context().openBrain();
      const account = await brain.accounts.add({
        username,
        password: await newPassword(context()),
        role: role.data,
      });
      context().output.result({ account }, `Added ${account.username} (${account.role}).`);
    });

  user
    .command("passwd <username>")
    .description("set a new password; ends the person's sessions and tokens")
    .action(async (username: string) => {
      const brain = await context().openBrain();
      await brain.accounts.setPassword(username, await newPassword(context()));
      context().output.result({ username }, `Changed the password of ${username}.`);
    });

  user
    .command("remove <username>")
    .description("remove a person; their folder is set aside, not deleted")
    .action(async (username: string) => {
      await (await context().openBrain()).accounts.remove(username);
      context().output.result({ username }, `Removed ${username}.`);
    });
};

/** Whether guests may chat with the persona of a profile. */
export const addGuestsCommand: AddCommand = (program, context) => {
  program
    .command("guests [on|off]")
    .description("whether guests may chat with this profile's persona, without a password")
    .action(async (wanted: string | undefined) => {
      if (wanted !== undefined && wanted !== "on" && wanted !== "off")
        throw new InvalidRequestError(`"${wanted}" is neither on nor off.`, { suggestions: ["on", "off"] });
      const { brain, profile } = await openSession(context());
      const { username } = profile;
      if (wanted !== undefined) {
        const publicProfile = wanted === "on";
        await brain.accounts.setPublic(username, publicProfile);
        await profile.audit.append({
          event: "public_profile_changed",
          actor: username,
          surface: "cli",
          details: { publicProfile },
        });
      }
      const publicProfile = (await brain.accounts.publicProfiles()).includes(username);
      const text = publicProfile
        ? `Guests may chat with the persona of ${username}.`
        : `The profile ${username} takes no guests.`;
      context().output.result({ username, publicProfile }, text);
    });
};

async function ownersName({ interactive }: CommandContext): Promise<string> {
  const typed = interactive
    ? await askText({
        message: "Your username: also the name of your folder",
        validate: (value) =>
          Username.safeParse(value).success ? undefined : "Use lower-case letters, digits or hyphens.",
      })
    : undefined;
  if (typed !== undefined && !isCancel(typed)) return typed;
  throw new InvalidRequestError("The owner needs a name.", { suggestions: ["mh init <username>"] });
}

/** From `METAHUMAN_PASSWORD` for scripts, else asked for without echo. Never an argument: those end up in histories. */
async function newPassword({ env, interactive }: CommandContext): Promise<string> {
  const given = env["METAHUMAN_PASSWORD"];
  if (given !== undefined) return given;
  if (!interactive)
    throw new InvalidRequestError("There is nobody to ask for a password.", {
      suggestions: ["Set METAHUMAN_PASSWORD."],
    });
  const typed = await askPassword({
    message: "New password (at least 8 characters)",
    validate: (value) => ((value ?? "").length < 8 ? "Use at least 8 characters." : undefined),
  });
  if (isCancel(typed)) throw new InvalidRequestError("No password was given.");
  return typed;
}
