// Light or dark: as Airflow around the page is; else as the system wants it.

function airflows(): "light" | "dark" | null {
  try {
    if (window.parent === window) return null;
    const classes = window.parent.document.documentElement.classList;
    if (classes.contains("dark")) return "dark";
    return classes.contains("light") ? "light" : null;
  } catch {
    return null; // framed by another origin
  }
}

/** Set the theme, and follow its changes. */
export function followTheme(): void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const set = (): void => {
    document.documentElement.dataset["theme"] = airflows() ?? (system.matches ? "dark" : "light");
  };
  set();
  system.addEventListener("change", set);
  if (airflows()) {
    const options = { attributes: true, attributeFilter: ["class"] };
    new MutationObserver(set).observe(window.parent.document.documentElement, options);
  }
}
