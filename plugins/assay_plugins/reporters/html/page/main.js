// Starts the page.

import { charts } from "./charts.js";
import { el, fill } from "./dom.js";
import { exportMenu } from "./download.js";
import { header } from "./header.js";
import { watchKeys } from "./keys.js";
import { watchMenus } from "./menu.js";
import { Panel } from "./panel.js";
import { printMenu, watchPrint } from "./print.js";
import { TextSearch } from "./search.js";
import { initial } from "./state.js";
import { Store } from "./store.js";
import { Table } from "./table.js";
import { themeSwitch } from "./theme.js";
import { watchTips } from "./tip.js";
import { toolbar } from "./toolbar.js";
import { View } from "./view.js";

async function start() {
  const help = document.getElementById("help");
  const asks = el(
    "button",
    { type: "button", class: "button", onclick: () => help.showModal() },
    "Keys",
  );
  help.querySelector("button").addEventListener("click", () => help.close());
  fill(document.getElementById("switches"), themeSwitch(), asks);
  const store = new Store();
  header(store);
  await store.load();
  const search = new TextSearch(store);
  const view = new View(store, search);
  toolbar(view, store, [exportMenu(view, store), printMenu(view, store)]);
  const table = new Table(view, store);
  const panel = new Panel(view, store, table);
  watchKeys(view, table, panel, help);
  watchMenus();
  watchTips();
  watchPrint(view, store);
  addEventListener("popstate", () => view.reread());
  addEventListener("hashchange", () => view.reread());
  await view.refresh();
  document.body.dataset.ready = "rows";
  requestAnimationFrame(() => setTimeout(() => performance.mark("rows")));
  charts(store, {
    only: (filters) => view.change({ ...filterless(), ...filters }),
    open: (n) => view.open(n),
  });
  if (view.state.open !== null) await panel.show();
  document.body.dataset.ready = "all";
  await search.prepare();
  document.body.dataset.searchable = "true";
}

function filterless() {
  const { status, tag, grade, unasserted, query } = initial();
  return { status, tag, grade, unasserted, query };
}

start().catch((error) => {
  const node = document.getElementById("broken");
  node.hidden = false;
  node.textContent = `This report cannot be shown: ${error}. It needs a browser of 2024 or later.`;
  throw error;
});
