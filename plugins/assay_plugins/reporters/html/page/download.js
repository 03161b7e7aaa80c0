// The menu that saves what the table shows.

import { announce, el } from "./dom.js";
import { collect, FORMATS } from "./export.js";
import { amount } from "./format.js";
import { entry, menu } from "./menu.js";

/** A menu with an entry per format. */
export function exportMenu(view, store) {
  return menu(
    "Export",
    (close) =>
      [
        el("p", { class: "faint menu-note" }, `${amount(view.rows.length, "case")} as shown`),
        FORMATS.map((format) =>
          entry(format.name, `.${format.suffix}`, async (event) => {
            const button = event.currentTarget;
            button.disabled = true;
            await save(format, view.rows, store);
            close();
          })
        ),
      ].flat(),
    { id: "export" },
  );
}

async function save(format, rows, store) {
  const progress = (done) => {
    announce(`${amount(done, "piece")} written`);
    return new Promise((resolve) => setTimeout(resolve));
  };
  const pieces = await collect(format, rows, store, progress);
  const url = URL.createObjectURL(new Blob(pieces, { type: format.type }));
  el("a", { href: url, download: `${fileName(store)}.${format.suffix}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  announce(`${amount(rows.length, "case")} saved as ${format.name}`);
}

function fileName(store) {
  const agent = (store.summary.agent_id ?? "results").replace(/[^\w-]+/g, "-").slice(0, 60);
  const day = store.start.timestamp.slice(0, 10).replace(/[^\d-]/g, "");
  return `${agent || "results"}-${day}`;
}
