import { button } from "./dom.js";

const KEY = "mcp-codegen-theme";
const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

/** Returns a button that goes through the themes. The choice is kept where the browser has a store for the page. */
export function createThemeButton(): HTMLButtonElement {
  let theme = read();
  const themeButton = button("", { class: "button theme" }, () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
    store(theme);
    apply();
  });
  const apply = (): void => {
    document.documentElement.dataset["theme"] = theme;
    themeButton.textContent = `Theme: ${theme}`;
  };
  apply();
  return themeButton;
}

function read(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? "auto";
  } catch {
    // Some browsers have no store for files.
    return "auto";
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice is kept until the page is closed.
  }
}
