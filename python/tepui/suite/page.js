// Sorting and filtering of the one table of the page. Without it the table is complete, too.
"use strict";
(() => {
  const table = document.querySelector("table");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const texts = new Map();
  const names = new Intl.Collator(undefined, { numeric: true });
  const search = document.querySelector("input[type=search]");
  const shown = document.querySelector("[role=status]");
  const tiles = Array.from(document.querySelectorAll(".tiles button"));
  let chosen = null;

  const text = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const fits = words.every((word) => text(row).includes(word));
      row.hidden = !(fits && (chosen === null || row.dataset.group === chosen));
      count += row.hidden ? 0 : 1;
    }
    shown.textContent = `${count} of ${rows.length} tasks are shown`;
  };

  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };

  const sort = (heading, column) => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const order = rows.map((row, place) => [key(row, column), place, row]);
    order.sort((left, right) => {
      const [a, b] = [left[0], right[0]];
      const first = typeof a === "number" && typeof b === "number" ? a - b : names.compare(a, b);
      return (down ? -first : first) || left[1] - right[1];
    });
    body.append(...order.map((entry) => entry[2]));
  };

  Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener("click", () => sort(heading, column));
  });
  tiles.forEach((tile) => {
    tile.addEventListener("click", () => {
      chosen = chosen === tile.dataset.group ? null : tile.dataset.group;
      tiles.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.group === chosen)));
      filter();
    });
  });
  search.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search) {
      event.preventDefault();
      search.focus();
    }
  });
  document.querySelector(".filters").hidden = false;
  filter();
})();
