/* rows.js - the table of all ops: sorted by any column, filtered by a word. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

const ROWS_AT_FIRST = 30;

/* Kept while settings change. */
const rowsShown = { by: 's', down: true, word: '', all: false };

const ROW_COLUMNS = [
	{ key: 'layer', title: 'layer', word: true },
	{ key: 'kind', title: 'op', word: true },
	{ key: 'pass', title: 'pass', word: true },
	{ key: 's', title: 'time', show: r => time(r.s) },
	{ key: 'share', title: 'share', show: r => share(r.share) },
	{ key: 'low_s', title: '90 %: from', show: r => time(r.low_s) },
	{ key: 'high_s', title: 'to', show: r => time(r.high_s) },
	{ key: 'flops', title: 'GFLOP', show: r => r.flops === undefined ? '-' : digits(r.flops / 1e9) },
	{ key: 'bytes', title: 'MB', show: r => r.bytes === undefined ? '-' : digits(r.bytes / 1e6) },
	{ key: 'bound', title: 'bound', word: true },
	{ key: 'source', title: 'source', word: true },
];

function sortedRows(rows) {
	const { by, down, word } = rowsShown, wanted = word.toLowerCase();
	const kept = rows.filter(r => [r.layer, r.kind, r.pass, r.bound, r.source].some(t => (t ?? '').toLowerCase().includes(wanted)));
	const compare = (a, b) => typeof a === 'string' || typeof b === 'string'
		? String(a ?? '').localeCompare(String(b ?? ''), 'en', { numeric: true }) : (a ?? -1) - (b ?? -1);
	return kept.sort((a, b) => (down ? -1 : 1) * compare(a[by], b[by]));
}

function headOf(column, redraw) {
	const here = rowsShown.by === column.key, button = make('button', { type: 'button', 'data-column': column.key },
		column.title + (here ? rowsShown.down ? ' ↓' : ' ↑' : ''));
	button.addEventListener('click', () => {
		rowsShown.down = here ? !rowsShown.down : !column.word;
		rowsShown.by = column.key;
		redraw(`[data-column="${column.key}"]`);
	});
	return make('th', { scope: 'col', class: column.word && 'word', 'aria-sort': here ? rowsShown.down ? 'descending' : 'ascending' : 'none' }, button);
}

function bodyOf(rows, columns) {
	return make('tbody', {}, ...rows.map(r => make('tr', {}, ...columns.map(c =>
		make('td', { class: c.word && 'word' }, c.show ? c.show(r) : r[c.key] ?? '-')))));
}

/* Draws the table into `place`. */
function showRows(place, answer) {
	const whole = answer.rows.reduce((sum, r) => sum + (r.s ?? 0), 0);
	const rows = answer.rows.map(r => ({ ...r, share: (r.s ?? 0) / whole }));
	const columns = ROW_COLUMNS.filter(c => rows.some(r => r[c.key] !== undefined && r[c.key] !== null));
	const filter = make('input', { type: 'search', id: 'filter', value: rowsShown.word, autocomplete: 'off' });
	const under = make('div');

	function redraw(focus) {
		const sorted = sortedRows(rows), shown = rowsShown.all ? sorted : sorted.slice(0, ROWS_AT_FIRST);
		under.replaceChildren(make('div', { class: 'scroll' }, make('table', {},
			make('thead', {}, make('tr', {}, ...columns.map(c => headOf(c, redraw)))), bodyOf(shown, columns))));
		if (shown.length < sorted.length) {
			const more = make('button', { type: 'button', class: 'more' }, `Show all ${sorted.length} rows`);
			more.addEventListener('click', () => {
				rowsShown.all = true;
				redraw();
			});
			under.append(more);
		}
		if (focus)
			under.querySelector(focus)?.focus();
	}
	filter.addEventListener('input', () => {
		rowsShown.word = filter.value;
		redraw();
	});
	place.replaceChildren(make('div', { class: 'tools' }, make('h2', {}, `All ${rows.length} ops`),
		make('label', {}, 'Filter ', filter)), under);
	redraw();
}
