// Light or dark: as the system says, until the reader says otherwise.

import { el } from "./dom.js";

const KEY = "assay-report-theme";
const NAMES = { system: "System", light: "Light", dark: "Dark" };

/** The switch of the theme. */
export function themeSwitch() {
  const select = el("select", { id: "theme", onchange: () => apply(select.value, true) });
  for (const [value, name] of Object.entries(NAMES)) select.append(el("option", { value }, name));
  select.value = remembered();
  apply(select.value, false);
  return el("label", { class: "theme" }, el("span", {}, "Theme"), select);
}

function apply(theme, keep) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  if (!keep) return;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A file from disk may be allowed no storage: the choice then holds for this page.
  }
}

function remembered() {
  try {
    const theme = localStorage.getItem(KEY);
    return theme in NAMES ? theme : "system";
  } catch {
    return "system";
  }
}
