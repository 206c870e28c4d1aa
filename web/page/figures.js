/* figures.js - the live page's charts: curves over workers, steps, bars, and their values as tables. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

const BOX = { wide: 430, high: 272, left: 72, right: 422, top: 10, bottom: 220 };

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

function valuesOf(list, counts, show) {
	const cell = p => p === undefined ? '-' : p.low != null ? `${show(p.y)} (${show(p.low)} to ${show(p.high)})` : show(p.y);
	return make('details', {}, make('summary', {}, 'values'), make('div', { class: 'scroll' }, make('table', {},
		make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'workers'), ...list.map(s => make('th', { scope: 'col' }, s.label)))),
		make('tbody', {}, ...counts.map(n => make('tr', {}, make('th', { scope: 'row' }, String(n)),
			...list.map(s => make('td', {}, cell(s.points.find(p => p.x === n))))))))));
}

function figure(title, note, svg, ...rest) {
	return make('figure', {}, make('figcaption', {}, title, ' ', make('small', {}, note || '')), svg, ...rest);
}

/* A picture over the numbers of workers: its axes, and the counts, of which upright() makes the other axis. */
function overWorkers(title, list, upright) {
	const counts = [...new Set(list.flatMap(s => s.points.map(p => p.x)))].sort((a, b) => a - b);
	const x = { ...logAxis(counts, BOX.left, BOX.right, 'workers'), ticks: counts };
	const y = upright(counts);
	return { counts, x, y, svg: frame(BOX, x, y, title) };
}

/*
 * Curves over workers: {label, points: [{x, y, low, high}]}; a band where there are low and high. Of speedups on axes
 * of logarithms, where perfect scaling is a straight line, drawn thin.
 */
function curveFigure(title, note, list, show, name, isSpeedup = false) {
	const all = list.flatMap(s => s.points.flatMap(p => [p.y, p.low ?? p.y, p.high ?? p.y]));
	const { counts, x, y, svg } = overWorkers(title, list, of => isSpeedup
		? logAxis([...all, ...of], BOX.bottom, BOX.top, name, '', true)
		: linearAxis(roundTop(Math.max(...all)), BOX.bottom, BOX.top, name));
	if (isSpeedup)
		svg.append(line(counts.map(n => ({ x: n, y: n })), x, y, 'same'));
	const points = s => s.points.map(p => ({ ...p, words: `${s.label}, ${p.x} workers: ${show(p.y)}` }));
	svg.append(...list.map((s, i) => curve(points(s), x, y, i % SERIES)));
	return figure(title, note, svg, legend('line', list.map((s, i) => ({ series: i % SERIES, words: s.label }))), valuesOf(list, counts, show));
}

/* Parts of each step, on top of each other, in seconds. */
function stackFigure(title, note, list) {
	const at = (s, n) => s.points.find(p => p.x === n)?.y ?? 0;
	const { counts, x, y, svg } = overWorkers(title, list, all =>
		linearAxis(roundTop(Math.max(...all.map(n => list.reduce((sum, s) => sum + at(s, n), 0)))),
			BOX.bottom, BOX.top, 'time of a step', 's'));
	const half = Math.min(15, 0.3 * (BOX.right - BOX.left) / counts.length);
	for (const n of counts)
		svg.append(column(list.map((s, i) => ({ value: at(s, n), series: i, words: `${s.label}, ${n} workers: ${time(at(s, n))}` })),
			x.at(n) - half, x.at(n) + half, y));
	return figure(title, note, svg, legend('area', list.map((s, i) => ({ series: i, words: s.label }))), valuesOf(list, counts, s => time(s)));
}

/* Bars of [{label, s, low, high}] with their times and shares; a thin line is the interval. */
function barFigure(title, note, list, whole) {
	return figure(title, note, bars(list.map(b => ({ label: b.label, bars: [{ parts: [{ value: b.s, series: 0 }],
		low: b.low, high: b.high, text: `${time(b.s)}, ${share(b.s / whole)}` }] })), 430, 190, 324, title));
}
