/* tables.js - the tables of a report, most of which can be sorted and filtered. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

const DIFFERENCES = 25;

/* A number with so many digits behind the point, and, but of whole numbers (0), more of a small one so
 * that three count; "-" where there is none. */
function fixed(value, decimals) {
	if (!Number.isFinite(value))
		return '-';
	const wanted = value === 0 ? 0 : 2 - Math.floor(Math.log10(Math.abs(value)));
	return value.toFixed(decimals ? Math.max(decimals, Math.min(wanted, 15)) : 0);
}

/* Three digits, with a power of ten where the number is small or large. */
function short(value) {
	const size = Math.abs(value);
	if (size > 0 && (size < 1e-4 || size >= 999.5))
		return value.toExponential(2).replace(/\.?0+e/, 'e');
	return String(+value.toPrecision(3));
}

function labelled(text, control) {
	return make('label', {}, text + ' ', control);
}

/* What a cell is sorted by: its number, or its text; "-" comes last. */
function valueOf(row, column) {
	const text = row.cells[column].textContent, number = parseFloat(text);
	return text === '-' ? null : Number.isNaN(number) ? text.toLowerCase() : number;
}

function compare(a, b, direction) {
	if (a === null || b === null)
		return (a === null) - (b === null);
	if (typeof a === typeof b)
		return a === b ? 0 : (a < b ? -1 : 1) * direction;
	return typeof a === 'number' ? -1 : 1;
}

function sortBy(table, heading) {
	const direction = heading.getAttribute('aria-sort') === 'descending' ? 1 : -1;
	const body = table.tBodies[0], rows = Array.from(body.rows, row => ({ row, value: valueOf(row, heading.cellIndex) }));
	for (const other of table.tHead.rows[0].cells)
		other.removeAttribute('aria-sort');
	heading.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
	rows.sort((a, b) => compare(a.value, b.value, direction));
	body.append(...rows.map(item => item.row));
}

/* Buttons in the headings: a click, Enter or the space bar sorts. They are no <button>, whose text
 * is missing where a heading is printed again on the next page. */
function makeSortable(table) {
	for (const heading of table.tHead.rows[0].cells) {
		const button = make('span', { class: 'sort', tabindex: 0, role: 'button' }, ...heading.childNodes);
		button.addEventListener('click', () => sortBy(table, heading));
		button.addEventListener('keydown', event => {
			if (event.key !== 'Enter' && event.key !== ' ')
				return;
			event.preventDefault();
			sortBy(table, heading);
		});
		heading.append(button);
	}
}

/* A field for a part of a name, and choices in the columns that have them. */
function filterOf(table, columns) {
	const rows = Array.from(table.tBodies[0].rows), choices = [];
	const field = make('input', { type: 'search' }), count = make('output');

	function apply() {
		const wanted = field.value.toLowerCase();
		let fitting = 0;
		for (const row of rows) {
			const fits = row.textContent.toLowerCase().includes(wanted) &&
				choices.every(c => !c.select.value || row.cells[c.column].textContent === c.select.value);
			row.hidden = !fits;
			fitting += fits;
		}
		count.textContent = `${fitting} of ${rows.length} rows`;
	}

	columns.forEach(({ title, choose }, column) => {
		if (!choose)
			return;
		const words = [...new Set(rows.map(row => row.cells[column].textContent))].sort();
		const select = make('select', {}, new Option('all', ''), ...words.map(w => new Option(w, w)));
		select.addEventListener('change', apply);
		choices.push({ select, title, column });
	});
	field.addEventListener('input', apply);
	apply();
	return make('div', { class: 'tools' }, labelled('Filter rows', field),
		...choices.map(c => labelled(c.title, c.select)), count);
}

/* A column whose cells are numbers, or with word() and choice() words. */
const number = (title, decimals, value) => ({ title, show: r => fixed(value(r), decimals) });
const word = (title, value, kind = 't') => ({ title, kind, show: r => value(r) || '-' });
const choice = (title, value) => ({ ...word(title, value), choose: true });

/* A table of rows: the first column names them, if it is marked so. `label`: it can be sorted and filtered. */
function tableOf(caption, columns, rows, label) {
	const cell = (c, r) => c.heads ? make('th', { scope: 'row' }, c.show(r)) : make('td', { class: c.kind }, c.show(r));
	const table = make('table', {}, make('caption', {}, caption),
		make('thead', {}, make('tr', {}, ...columns.map(c => make('th', { scope: 'col', class: c.kind && 't' }, c.title)))),
		make('tbody', {}, ...rows.map(r => make('tr', {}, ...columns.map(c => cell(c, r))))));
	if (!label)
		return [make('div', { class: 'wide' }, table)];
	const tools = filterOf(table, columns);
	makeSortable(table);
	return [tools, make('div', { class: 'wide', role: 'region', tabindex: 0, 'aria-label': label }, table)];
}

const heads = column => ({ ...column, heads: true });

/* Of two times, the second measured. */
const error = (title, of) => number(title, 1, r => 100 * (r.s / of(r) - 1));
const when = (there, ...columns) => there ? columns : [];

/* Joules, where a row has them. */
const energies = rows => [
	...when(rows.some(r => r.j !== undefined), number('predicted J', 3, r => r.j)),
	...when(rows.some(r => r.measured_j !== undefined), number('measured J', 3, r => r.measured_j)),
];
const energyOf = r => r.measured_j ?? r.j;

function sumsTable(net) {
	return tableOf('Sums of the rows, in milliseconds. Low and high are the ends of the 90 % interval.', [
		heads(word('part', s => s.what)),
		number('predicted', 3, s => 1e3 * s.s),
		number('low', 3, s => 1e3 * s.low_s),
		number('high', 3, s => 1e3 * s.high_s),
		...when(net.measured, number('measured', 3, s => 1e3 * s.measured_s), error('error %', s => s.measured_share < 1 ? NaN : s.measured_s)),
		...when(net.sums.some(s => s.measured_share < 1), number('measured % (rest predicted)', 0, s => 100 * s.measured_share)),
		...energies(net.sums),
		{ title: 'rows counted', show: s => `${s.counted} of ${s.rows}` },
	], net.sums);
}

/* All rows, with the columns that say something. */
function rowsTable(net) {
	const whole = sumOf(net.rows.map(r => r.time).filter(t => !Number.isNaN(t)));
	const has = key => net.rows.some(r => r[key] !== undefined), atSpeed = has('at_speed_s');
	return tableOf(`All ${net.rows.length} rows. TFLOP/s and GB/s are of the ${net.measured ? 'measured' : 'predicted'} time.` +
		(atSpeed ? ' At speed: predicted at the machine speed probed next to the op.' : ''), [
		heads(word('layer', r => r.layer)),
		choice('kind', r => r.kind),
		choice('pass', r => r.pass),
		choice('bound', r => r.bound),
		...when(net.rows.some(r => r.dtype !== net.dtype), choice('type', r => r.dtype)),
		number('GFLOP', 3, r => 1e-9 * r.flops),
		number('MB', 2, r => 1e-6 * r.bytes),
		number('predicted ms', 3, r => 1e3 * r.s),
		number('low ms', 3, r => 1e3 * r.low_s),
		number('high ms', 3, r => 1e3 * r.high_s),
		...when(atSpeed, number('at speed ms', 3, r => 1e3 * r.at_speed_s)),
		...when(net.measured, number('measured ms', 3, r => 1e3 * r.measured_s),
			number('± %', 1, r => 50 * (r.measured_high_s - r.measured_low_s) / r.measured_s),
			error('error %', r => r.measured_s)),
		...when(has('least_s'), number('low confidence ms', 3, r => 1e3 * r.least_s)),
		number('share %', 2, r => 100 * r.time / whole),
		number('TFLOP/s', 3, r => r.flops > 0 ? 1e-12 * r.flops / r.time : NaN),
		number('GB/s', 1, r => 1e-9 * r.bytes / r.time),
		...energies(net.rows),
		...when(has('algorithm'), word('algorithm', r => r.algorithm)),
		...when(has('status'), word('status', r => r.status)),
	], net.rows, 'rows');
}

/* Whether the difference is beyond both intervals of the measured times. */
function verdict({ a, b }) {
	if (!(a.measured_low_s <= a.measured_high_s) || !(b.measured_low_s <= b.measured_high_s))
		return '-';
	if (a.measured_high_s < b.measured_low_s || b.measured_high_s < a.measured_low_s)
		return b.time < a.time ? 'B faster' : 'B slower';
	return 'intervals overlap';
}

function differencesTable(pairs) {
	const difference = p => p.b.time - p.a.time;
	const most = [...pairs].sort((p, q) => Math.abs(difference(q)) - Math.abs(difference(p))).slice(0, DIFFERENCES);
	return tableOf(`The ${most.length} of ${pairs.length} rows whose times differ most. ` +
		'Whether that is more than noise is told by paleo compare.', [
		heads(word('layer', p => p.a.layer)),
		word('kind', p => p.a.kind),
		word('pass', p => p.a.pass),
		number('A ms', 3, p => 1e3 * p.a.time),
		number('B ms', 3, p => 1e3 * p.b.time),
		number('difference ms', 3, p => 1e3 * difference(p)),
		number('B / A', 2, p => p.b.time / p.a.time),
		...when(pairs.some(p => energyOf(p.a) && energyOf(p.b)),
			number('A J', 3, p => energyOf(p.a)), number('B J', 3, p => energyOf(p.b))),
		{ title: 'beyond the intervals', show: verdict },
	], most);
}

/* A column of rows of a command, by its key: a text, or a number times `scale`. */
const text = (key, title = key) => ({ ...choice(title, r => textOf(r, key)), has: r => textOf(r, key) });
const figures = (key, title, scale, decimals) =>
	({ ...number(title, decimals, r => scale * numberOf(r, key)), has: r => !Number.isNaN(numberOf(r, key)) });

/* With the columns in which a row has something. */
function linesTable(caption, columns, rows) {
	return tableOf(caption, columns.filter(c => rows.some(c.has)), rows, 'rows');
}

const STEP_COLUMNS = [
	text('net'), text('strategy'), text('scaling'), text('all_reduce'),
	figures('workers', 'workers', 1, 0),
	figures('batch', 'batch', 1, 0),
	figures('forward_s', 'forward ms', 1e3, 3),
	figures('backward_s', 'backward ms', 1e3, 3),
	figures('update_s', 'update ms', 1e3, 3),
	figures('comm_s', 'communication ms', 1e3, 3),
	figures('exposed_comm_s', 'exposed ms', 1e3, 3),
	figures('step_s', 'step ms', 1e3, 3),
	figures('speedup', 'speedup', 1, 2),
	figures('efficiency', 'efficiency %', 100, 1),
	figures('memory_bytes', 'memory MB', 1e-6, 0),
	text('fits'),
];
const CHOICE_COLUMNS = [
	text('device'), text('strategy'), text('all_reduce'), text('link'),
	figures('workers', 'workers', 1, 0),
	figures('batch', 'batch', 1, 0),
	figures('step_s', 'step ms', 1e3, 3),
	figures('epoch_s', 'epoch min', 1 / 60, 2),
	figures('cost_usd', 'cost USD', 1, 2),
	figures('memory_bytes', 'memory MB', 1e-6, 0),
];

/* "overhead 4.2e-6 s ± 12 %" */
function parameterText({ name, unit, value, se }) {
	return `${name} ${short(value ?? NaN)}${unit && ' ' + unit}${se === undefined ? '' : ` ± ${(100 * se).toFixed(0)} %`}`;
}

function parametersTable(run) {
	return tableOf('The factors that these rows stand on. The spread behind a value is its standard error; a value without one ' +
		'stands at its prior or was not fitted. The errors are of ops that the fit has not seen.', [
		heads(word('kind of op', f => f.class)),
		choice('pass', f => f.pass),
		word('type', f => f.dtype),
		word('source', f => f.source),
		number('rows', 0, f => f.rows),
		number('records', 0, f => f.records),
		word('model', f => f.model),
		word('parameters', f => f.parameters.map(parameterText).join(', '), 'long'),
		number('held out: median %', 1, f => 100 * f.heldout_median),
		number('p90 %', 1, f => 100 * f.heldout_p90),
	], run.factors, 'parameters');
}
