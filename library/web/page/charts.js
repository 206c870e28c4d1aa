/* charts.js - draws curves over workers, and bars, as SVG with their values as a table. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const COLOURS = ['var(--a)', 'var(--b)', 'var(--c)', 'var(--d)'];
const DASHES = ['', '7 3', '2 3', '9 3 2 3'];
const colourOf = (series, i) => COLOURS[(series.colour ?? i) % 4];

/* An element of HTML with attributes and children; those of SVG through draw(). */
function make(name, attributes = {}, ...children) {
	return fill(document.createElement(name), attributes, children);
}

function draw(name, attributes = {}, ...children) {
	return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
	for (const [key, value] of Object.entries(attributes))
		if (value !== undefined && value !== null && value !== false)
			element.setAttribute(key, value === true ? '' : value);
	element.append(...children);
	return element;
}

function digits(x, count = 3) {
	if (x === null || x === undefined || !isFinite(x))
		return '-';
	if (x === 0)
		return '0';
	const whole = Math.floor(Math.log10(Math.abs(x)) + 1e-9) + 1;
	return whole > count ? Math.round(x).toLocaleString('en') : x.toFixed(Math.min(Math.max(count - whole, 0), 9));
}

/* A part of a whole. */
function share(x) {
	return x < 5e-4 ? '< 0.1 %' : digits(100 * x, 2) + ' %';
}

/* Seconds in the unit that fits. */
function time(s, count = 3) {
	if (s === null || s === undefined || !isFinite(s))
		return '-';
	const units = [[1e-6, 'ns', 1e9], [1e-3, 'µs', 1e6], [1, 'ms', 1e3], [120, 's', 1], [7200, 'min', 1 / 60]];
	for (const [below, unit, factor] of units)
		if (Math.abs(s) < below)
			return digits(s * factor, count) + ' ' + unit;
	return digits(s / 3600, count) + ' h';
}

/* Round numbers from 0 up to `top`, four or so. */
function niceTicks(top) {
	const raw = top / 4, base = Math.pow(10, Math.floor(Math.log10(raw)));
	const step = [1, 2, 2.5, 5, 10].map(m => m * base).find(s => s >= raw * 0.999);
	const ticks = [];
	for (let i = 0; i * step <= top * 1.0001; i++)
		ticks.push(i * step);
	return ticks;
}

function tickText(x) {
	return x === 0 ? '0' : x >= 1e6 ? +(x / 1e6).toPrecision(4) + ' M' : x >= 1e4 ? +(x / 1e3).toPrecision(4) + ' k' : String(+x.toPrecision(4));
}

const WIDE = 420, HIGH = 260, LEFT = 52, RIGHT = 8, TOP = 24, BOTTOM = 40;

/* Axes; `beside` is the room between them and the outermost points. */
function frame(counts, top, unit, beside) {
	const svg = draw('svg', { viewBox: `0 0 ${WIDE} ${HIGH}`, role: 'img' });
	const logs = counts.map(n => Math.log2(n)), first = Math.min(...logs), last = Math.max(...logs);
	const x = n => LEFT + beside + (WIDE - LEFT - RIGHT - 2 * beside) * (last > first ? (Math.log2(n) - first) / (last - first) : 0.5);
	const y = v => HIGH - BOTTOM - (HIGH - TOP - BOTTOM) * v / top;
	for (const tick of niceTicks(top)) {
		svg.append(draw('line', { class: 'grid', x1: LEFT, x2: WIDE - RIGHT, y1: y(tick), y2: y(tick) }),
			draw('text', { class: 'faint', x: LEFT - 6, y: y(tick) + 4, 'text-anchor': 'end' }, tickText(tick)));
	}
	svg.append(draw('line', { class: 'axis', x1: LEFT, x2: WIDE - RIGHT, y1: y(0), y2: y(0) }));
	for (const n of counts)
		svg.append(draw('text', { class: 'faint', x: x(n), y: HIGH - BOTTOM + 16, 'text-anchor': 'middle' }, String(n)));
	svg.append(draw('text', { class: 'faint', x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 6, 'text-anchor': 'middle' }, 'workers'));
	if (unit)
		svg.append(draw('text', { class: 'faint', x: LEFT - 6, y: 12, 'text-anchor': 'end' }, unit));
	return { svg, x, y };
}

function keyOf(series) {
	return make('ul', { class: 'key' }, ...series.map((s, i) => make('li', {},
		draw('svg', { viewBox: '0 0 26 10', 'aria-hidden': 'true' }, s.block
			? draw('rect', { x: 3, y: 1, width: 20, height: 8, fill: colourOf(s, i) })
			: draw('line', { x1: 0, x2: 26, y1: 5, y2: 5, stroke: colourOf(s, i), 'stroke-width': 2.5, 'stroke-dasharray': DASHES[i % 4] })),
		s.label)));
}

function valuesOf(series, counts, show) {
	const cell = p => p === undefined ? '-' : p.low != null ? `${show(p.y)} (${show(p.low)} to ${show(p.high)})` : show(p.y);
	return make('details', {}, make('summary', {}, 'values'), make('div', { class: 'scroll' }, make('table', {},
		make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'workers'), ...series.map(s => make('th', { scope: 'col' }, s.label)))),
		make('tbody', {}, ...counts.map(n => make('tr', {}, make('th', { scope: 'row' }, String(n)),
			...series.map(s => make('td', {}, cell(s.points.find(p => p.x === n))))))))));
}

function figure(title, note, svg, rest) {
	svg.setAttribute('aria-label', title);
	return make('figure', {}, make('figcaption', {}, title, ' ', make('small', {}, note || '')), svg, ...rest);
}

function countsOf(series) {
	return [...new Set(series.flatMap(s => s.points.map(p => p.x)))].sort((a, b) => a - b);
}

/* Curves over workers: series of {label, points: [{x, y, low, high}]}; a band where there are low and high. */
function curveFigure(title, note, series, show, unit) {
	const counts = countsOf(series);
	const top = 1.05 * Math.max(...series.flatMap(s => s.points.map(p => Math.max(p.y, p.high ?? 0))), 1e-12);
	const { svg, x, y } = frame(counts, top, unit, 8);
	series.forEach((s, i) => {
		if (s.points.length && s.points.every(p => p.low != null))
			svg.append(draw('path', { fill: COLOURS[i % 4], opacity: 0.16, d: 'M' +
				[...s.points.map(p => `${x(p.x)},${y(p.high)}`), ...s.points.map(p => `${x(p.x)},${y(p.low)}`).reverse()].join('L') + 'Z' }));
	});
	series.forEach((s, i) => {
		svg.append(draw('path', { fill: 'none', stroke: COLOURS[i % 4], 'stroke-width': 2, 'stroke-dasharray': DASHES[i % 4],
			d: 'M' + s.points.map(p => `${x(p.x)},${y(p.y)}`).join('L') }));
		for (const p of s.points)
			svg.append(draw('circle', { cx: x(p.x), cy: y(p.y), r: 3, fill: COLOURS[i % 4] },
				draw('title', {}, `${s.label}, ${p.x} workers: ${show(p.y)}`)));
	});
	return figure(title, note, svg, [keyOf(series), valuesOf(series, counts, show)]);
}

/* Parts of each step, on top of each other. */
function stackFigure(title, note, series, show, unit) {
	const counts = countsOf(series);
	const at = (s, n) => s.points.find(p => p.x === n)?.y ?? 0;
	const top = 1.05 * Math.max(...counts.map(n => series.reduce((sum, s) => sum + at(s, n), 0)), 1e-12);
	const { svg, x, y } = frame(counts, top, unit, 22);
	const width = Math.min(30, 0.6 * (WIDE - LEFT - RIGHT) / counts.length);
	for (const n of counts) {
		let below = 0;
		series.forEach((s, i) => {
			const v = at(s, n);
			svg.append(draw('rect', { x: x(n) - width / 2, width, y: y(below + v), height: Math.max(y(below) - y(below + v), 0), fill: colourOf(s, i) },
				draw('title', {}, `${s.label}, ${n} workers: ${show(v)}`)));
			below += v;
		});
	}
	return figure(title, note, svg, [keyOf(series.map(s => ({ ...s, block: true }))), valuesOf(series, counts, show)]);
}

/* Bars of [{label, s, low, high}], their times beside them; a thin line is the interval. */
function barFigure(title, note, bars, whole) {
	const row = 21, name = 178, value = 112, high = row * bars.length + 4, room = WIDE - name - value;
	const top = Math.max(...bars.map(b => Math.max(b.s, b.high ?? 0)), 1e-15);
	const svg = draw('svg', { viewBox: `0 0 ${WIDE} ${high}`, role: 'img' });
	bars.forEach((b, i) => {
		const at = 2 + row * i, label = b.label.length > 26 ? '...' + b.label.slice(-23) : b.label;
		svg.append(draw('text', { x: name - 6, y: at + 14, 'text-anchor': 'end' }, label, draw('title', {}, b.label)),
			draw('rect', { x: name, y: at + 3, height: row - 7, width: Math.max(room * b.s / top, 0.5), fill: 'var(--a)' }));
		if (b.low != null)
			svg.append(draw('line', { x1: name + room * b.low / top, x2: name + room * b.high / top, y1: at + 10, y2: at + 10, stroke: 'var(--b)', 'stroke-width': 1.5 }));
		svg.append(draw('text', { class: 'faint', x: WIDE - 54, y: at + 14, 'text-anchor': 'end' }, time(b.s)),
			draw('text', { class: 'faint', x: WIDE, y: at + 14, 'text-anchor': 'end' }, share(b.s / whole)));
	});
	return figure(title, note, svg, []);
}
