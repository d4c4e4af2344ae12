import { tick } from "svelte";

/** Moves the focus to the first field of a form whose value was rejected, once the form shows it. */
export async function focusInvalid(form: EventTarget | null): Promise<void> {
  await tick();
  if (form instanceof HTMLElement) form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
}
