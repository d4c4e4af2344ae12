// @ts-check
// Stands in the HTML of every page, before its scripts: on a slow phone, a page is visible before it answers. What is
// clicked, typed and sent in the meantime is repeated, in order, once all of the page is hydrated. Links work by themselves.
(() => {
  // Islands of Astro, and the parts of `HydrateLater.svelte`.
  const UNHYDRATED = "astro-island[ssr], [data-unhydrated]";
  /** @type {(() => void)[]} */
  const kept = [];
  /** @type {{ field: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, index: number } | undefined} */
  let typing;

  /** @param {Event} event */
  function keep(event) {
    const { target } = event;
    if (!event.isTrusted || !(target instanceof Element) || !target.closest(UNHYDRATED)) return;
    if (event instanceof KeyboardEvent) keepEnter(event, target);
    else if (event.type === "click") keepClick(event, target);
    else if (isField(target)) keepValue(target, event.type);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Element} target
   */
  function keepEnter(event, target) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !isField(target)) return;
    if (target instanceof HTMLSelectElement) return;
    // Otherwise the browser would send the form, or start a new line.
    event.preventDefault();
    typing = undefined;
    kept.push(() => {
      const again = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
      if (target.dispatchEvent(again) && target instanceof HTMLInputElement) target.form?.requestSubmit();
    });
  }

  /**
   * @param {Event} event
   * @param {Element} target
   */
  function keepClick(event, target) {
    const control = target.closest("button, summary");
    if (!(control instanceof HTMLElement)) return;
    event.preventDefault();
    typing = undefined;
    kept.push(() => control.click());
  }

  /**
   * Stores the last value typed into a field. @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} field
   * @param {string} type
   */
  function keepValue(field, type) {
    const { value } = field;
    const checked = field instanceof HTMLInputElement && field.checked;
    const again = () => {
      if (field instanceof HTMLInputElement) field.checked = checked;
      if (field.type !== "file") field.value = value;
      for (const name of type === "input" ? ["input"] : ["input", "change"])
        field.dispatchEvent(new Event(name, { bubbles: true }));
    };
    if (typing?.field === field) kept[typing.index] = again;
    else typing = { field, index: kept.push(again) - 1 };
  }

  /**
   * @param {EventTarget} target
   * @returns {target is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement}
   */
  function isField(target) {
    return (
      target instanceof HTMLInputElement ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement
    );
  }

  /** Runs each in its own task, so that the effect of one is rendered before the next. */
  function repeat() {
    if (document.querySelector(UNHYDRATED)) return;
    const next = kept.shift();
    if (!next) return;
    next();
    setTimeout(repeat);
  }

  for (const type of ["click", "keydown", "input", "change"]) document.addEventListener(type, keep, true);
  for (const type of ["astro:hydrate", "part-hydrated"])
    document.addEventListener(type, () => setTimeout(repeat), true);
})();
