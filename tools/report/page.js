/* page.js - tables of a report that can be sorted and filtered. Without it, all is there to read. */
/* SPDX-License-Identifier: Apache-2.0 */
"use strict";

/* What a cell is sorted by: its number, or its text; "-" comes last. */
function valueOf(row, column) {
	const text = row.cells[column].textContent;
	const number = parseFloat(text);
	return text === "-" ? null : Number.isNaN(number) ? text.toLowerCase() : number;
}

function compare(a, b, direction) {
	if (a === null || b === null)
		return (a === null) - (b === null);
	if (typeof a === typeof b)
		return a === b ? 0 : (a < b ? -1 : 1) * direction;
	return typeof a === "number" ? -1 : 1;
}

function sortBy(table, heading) {
	const direction = heading.getAttribute("aria-sort") === "descending" ? 1 : -1;
	const column = heading.cellIndex;
	const body = table.tBodies[0];
	const rows = Array.from(body.rows, (row) => ({row, value: valueOf(row, column)}));

	for (const other of table.tHead.rows[0].cells)
		other.removeAttribute("aria-sort");
	heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
	rows.sort((a, b) => compare(a.value, b.value, direction));
	body.append(...rows.map((item) => item.row));
}

/* Buttons in the headings: a click, Enter or the space bar sorts. They are no <button>, whose text
 * is missing where a heading is printed again on the next page. */
function makeSortable(table) {
	for (const heading of table.tHead.rows[0].cells) {
		const button = document.createElement("span");
		button.className = "sort";
		button.tabIndex = 0;
		button.setAttribute("role", "button");
		button.append(...heading.childNodes);
		button.addEventListener("click", () => sortBy(table, heading));
		button.addEventListener("keydown", (event) => {
			if (event.key !== "Enter" && event.key !== " ")
				return;
			event.preventDefault();
			sortBy(table, heading);
		});
		heading.append(button);
	}
}

function labelled(text, control) {
	const label = document.createElement("label");
	label.append(text + " ", control);
	return label;
}

/* A field for a part of a name, and choices of kind and pass where the table has them. */
function makeFilter(table) {
	const tools = document.createElement("div");
	const field = document.createElement("input");
	const count = document.createElement("output");
	const rows = Array.from(table.tBodies[0].rows);
	const choices = [];

	function apply() {
		const wanted = field.value.toLowerCase();
		let shown = 0;
		for (const row of rows) {
			const fits = row.textContent.toLowerCase().includes(wanted) &&
				choices.every((c) => !c.select.value ||
					row.cells[c.column].textContent === c.select.value);
			row.hidden = !fits;
			shown += fits;
		}
		count.textContent = shown + " of " + rows.length + " rows";
	}

	tools.className = "tools";
	field.type = "search";
	field.addEventListener("input", apply);
	tools.append(labelled("Filter rows", field));
	for (const heading of table.tHead.rows[0].cells) {
		if (!("choose" in heading.dataset))
			continue;
		const select = document.createElement("select");
		const column = heading.cellIndex;
		const words = new Set(rows.map((row) => row.cells[column].textContent));
		select.append(new Option("all", ""), ...[...words].sort().map((w) => new Option(w, w)));
		select.addEventListener("change", apply);
		choices.push({select, column});
		tools.append(labelled(heading.textContent, select));
	}
	tools.append(count);
	apply();
	table.parentElement.before(tools);
}

for (const table of document.querySelectorAll("table.rows")) {
	makeFilter(table);
	makeSortable(table);
}
