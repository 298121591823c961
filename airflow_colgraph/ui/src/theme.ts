// Light or dark, the font and colours: as Airflow around the page has them; else as the system wants it.

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

const LINK = "--chakra-colors-fg-info"; // of Airflow's links

/** Take the font and colours of Airflow's own page. */
function takeAirflows(): void {
  const airflow = window.parent.getComputedStyle(window.parent.document.documentElement);
  const taken = { font: airflow.fontFamily, text: airflow.color, back: airflow.backgroundColor, accent: airflow.getPropertyValue(LINK).trim() };
  for (const [name, value] of Object.entries(taken)) if (value) document.documentElement.style.setProperty(`--${name}`, value);
}

/** Set the theme, and follow its changes. */
export function followTheme(): void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const set = (): void => {
    const theme = airflows();
    document.documentElement.dataset["theme"] = theme ?? (system.matches ? "dark" : "light");
    if (theme) takeAirflows();
  };
  set();
  system.addEventListener("change", set);
  if (airflows()) {
    const options = { attributes: true, attributeFilter: ["class"] };
    new MutationObserver(set).observe(window.parent.document.documentElement, options);
  }
}
