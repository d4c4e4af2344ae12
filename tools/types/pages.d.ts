import type { Component } from "svelte";

declare global {
  namespace astroHTML.JSX {
    /** What a page hands to a component are its properties; a component is called with its internals before them. */
    type LibraryManagedAttributes<Drawn, Own> = Drawn extends Component<infer Properties> ? Properties : Own;
  }
}
