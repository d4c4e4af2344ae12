// @ts-check
// Stands in the HTML of every page, minified, before its scripts: on a slow phone, a page is visible before it answers. What is
// clicked, typed and sent in the meantime is repeated, in order, once all of the page is hydrated. Links work by themselves.
(() => {
  // Islands of Astro, and the parts of `HydrateLater.svelte`.
  const UNHYDRATED = "astro-island[ssr], [data-unhydrated]";
  /** @type {(() => void)[]} */
  const kept = [];
  /** @type {{ field: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, repeat: () => void } | undefined} */
  let typing;
  /** Keys outside of fields that follow each other: they are repeated together, before what they open has loaded. @type {string[] | undefined} */
  let keys;
  /** Whether Ctrl+K was pressed: what is typed then is for the command palette. */
  let opensPalette = false;
  const hydrated = new AbortController();

  const isWaiting = () => kept.length > 0 || document.querySelector(UNHYDRATED) !== null;

  /** @param {Event} event */
  function keep(event) {
    const { target } = event;
    if (!event.isTrusted || !(target instanceof Element) || !isWaiting()) return;
    if (event instanceof KeyboardEvent) keepKey(event, target);
    else if (event.type === "click") keepClick(event, target);
    else if (isField(target)) keepValue(target, event.type);
  }

  /** @param {KeyboardEvent} event @param {Element} target */
  function keepKey(event, target) {
    const { key } = event;
    const hasModifier = event.ctrlKey || event.metaKey;
    if (event.altKey || event.isComposing) return;
    const isPalette = hasModifier && !event.shiftKey && key.toLowerCase() === "k";
    const isTyped = !hasModifier && (key.length === 1 || (opensPalette && /^(Enter|Backspace)$/.test(key)));
    if (isTyped && !opensPalette && !isField(target) && !target.closest("button, a, summary")) {
      // Who types right away beside a composer writes a request: the key goes into it.
      const composer = document.querySelector("form.composer textarea");
      if (composer instanceof HTMLTextAreaElement) return composer.focus();
    }
    if (isPalette || (isTyped && (opensPalette || (key !== " " && !isField(target))))) {
      stop(event);
      opensPalette ||= isPalette;
      keepShortcut(isPalette ? "Ctrl+k" : key);
    } else if (
      key === "Enter" &&
      !event.shiftKey &&
      isField(target) &&
      !(target instanceof HTMLSelectElement)
    ) {
      // Otherwise the browser would send the form, or start a new line.
      stop(event);
      push(() => {
        if (press(target, key) && target instanceof HTMLInputElement) target.form?.requestSubmit();
      });
    }
  }

  /** @param {string} key */
  function keepShortcut(key) {
    if (keys) return keys.push(key);
    const pressed = [key];
    push(() => {
      keys = undefined;
      for (const one of pressed) press(document.body, one.replace("Ctrl+", ""), one.startsWith("Ctrl+"));
    });
    keys = pressed;
  }

  /** Returns whether nobody has handled the key. @param {Element} target @param {string} key @param {boolean} [ctrlKey] */
  const press = (target, key, ctrlKey = false) =>
    target.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, cancelable: true }));

  /** @param {Event} event @param {Element} target */
  function keepClick(event, target) {
    const control = target.closest("button, summary");
    if (!(control instanceof HTMLElement)) return;
    stop(event);
    push(() => control.click());
  }

  /**
   * Stores the last value typed into a field. @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} field
   * @param {string} type
   */
  function keepValue(field, type) {
    const { value } = field;
    const checked = field instanceof HTMLInputElement && field.checked;
    const before = field instanceof HTMLTextAreaElement ? field.defaultValue : field.value;
    const repeat = () => {
      typing = undefined;
      if (field instanceof HTMLInputElement) field.checked = checked;
      // A draft that was restored meanwhile stays, before what was typed.
      const isApplied = field.value.endsWith(value) && field.value !== before;
      const draft = field.value === before ? "" : field.value;
      if (field.type !== "file" && !isApplied) field.value = draft + value;
      for (const name of type === "input" ? ["input"] : ["input", "change"])
        field.dispatchEvent(new Event(name, { bubbles: true }));
    };
    if (typing?.field === field) return (typing.repeat = repeat);
    /** @type {typeof typing} */
    const typed = { field, repeat };
    push(() => typed.repeat());
    typing = typed;
  }

  /** What has an order among what was kept. @param {() => void} repeated */
  function push(repeated) {
    typing = undefined;
    keys = undefined;
    kept.push(repeated);
  }

  /** Keeps an event from the browser, and from what is hydrated already. @param {Event} event */
  function stop(event) {
    event.preventDefault();
    event.stopPropagation();
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
    next?.();
    if (kept.length > 0) setTimeout(repeat);
    else hydrated.abort();
  }

  for (const type of ["click", "keydown", "input", "change"])
    document.addEventListener(type, keep, { capture: true, signal: hydrated.signal });
  for (const type of ["astro:hydrate", "part-hydrated"])
    document.addEventListener(type, () => setTimeout(repeat), { capture: true, signal: hydrated.signal });
})();
