/* charts.js - draws numbers as SVG: axes, points, curves, columns, bars; for the live page and for reports. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

/*
 * A series has a number from 0 to 5: a colour, a shape of its marks, dashes of its line and a hatching
 * of its areas (charts.css). What files say becomes text or an attribute, and never markup.
 */
const SERIES = 6, SVG = 'http://www.w3.org/2000/svg';
const SHAPES = ['M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z', 'm-3.4-3.4h6.8v6.8h-6.8z', 'm0-4.6 4.6 8h-9.2z',
	'm0-5 5 5-5 5-5-5z', 'm0 4.6 4.6-8h-9.2z', 'm-1.3-4.4h2.6v3.1h3.1v2.6h-3.1v3.1h-2.6v-3.1h-3.1v-2.6h3.1z'];
const HATCHES = ['', 'm-1 1 2-2m-1 7 6-6m-1 7 2-2', 'm1.5 1.5h.01m2.99 3h.01', 'm0 3h6', 'm-1 5 2 2m-1-7 6 6m-1-7 2 2', 'm3 0v6'];

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

/* What is shown to who points at an element, as its child; none without words. */
const titled = words => words ? [draw('title', {}, words)] : [];

/* A coordinate, with a tenth of a pixel. */
const px = x => +x.toFixed(1);

/* A value in the unit's prefix that leaves one to three digits before the point. */
function scaled(value) {
	const prefixes = ['n', 'µ', 'm', '', 'k', 'M', 'G', 'T', 'P'], none = 3;
	const power = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value) * (1 + 5e-4)) / 3);
	const at = Math.min(Math.max(power + none, 0), prefixes.length - 1);
	return [value / 1000 ** (at - none), prefixes[at]];
}

/* Three digits and the unit with its prefix, "1.23 ms"; "-" for NaN. */
function si(value, unit) {
	if (!Number.isFinite(value))
		return '-';
	const [x, prefix] = scaled(value), size = Math.abs(x);
	return `${x.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2)} ${prefix}${unit}`;
}

/* A round number of an axis in the same way, "20 ms", "1 G"; without a unit small ones are plain. */
function tickText(value, unit = '') {
	const [x, prefix] = !unit && value < 1e4 ? [value, ''] : scaled(value);
	return `${+x.toPrecision(4)}${prefix || unit ? ' ' : ''}${prefix}${unit}`;
}

/* 1, 2 or 5 times a power of ten, and no less than `value`. */
function roundUp(value) {
	const power = 10 ** Math.floor(Math.log10(value));
	return [1, 2, 5, 10].map(step => step * power).find(x => x >= value * (1 - 1e-9)) ?? 10 * power;
}

/* Pixels between the numbers of an axis: across, or upright. */
const gapOf = (from, to) => to > from ? 66 : 30;

/* The end of an axis that begins at 0: a round number of some fifths. */
function roundTop(value) {
	const top = value > 0 ? value : 1, step = roundUp(top / 5);
	return step * Math.ceil(top / step - 1e-9);
}

/*
 * An axis from the pixel `from` to the pixel `to`: at() is the place of a value, `ticks` are the round
 * numbers on it. This one goes from 0 to `high`.
 */
function linearAxis(high, from, to, title = '', unit = '') {
	const step = roundUp(high / Math.max(1, Math.floor(Math.abs(to - from) / gapOf(from, to))));
	const count = Math.floor(high / step * (1 + 1e-9)) + 1;
	return { low: 0, high, title, unit, at: v => from + v / high * (to - from), ticks: Array.from({ length: count }, (_, i) => i * step) };
}

/* Of logarithms, with room around the values. `byTwo`: its numbers are powers of two. */
function logAxis(values, from, to, title = '', unit = '', byTwo = false) {
	const finite = values.filter(Number.isFinite), least = finite.reduce((a, b) => Math.min(a, b), Infinity);
	let low = 1, high = 10;
	if (least > 0 && least < Infinity) {
		const logs = [Math.log10(least), Math.log10(finite.reduce((a, b) => Math.max(a, b)))], width = logs[1] - logs[0];
		const more = Math.max(0.06 * width, (Math.log10(5) - width) / 2, 0.04);
		[low, high] = [10 ** (logs[0] - more), 10 ** (logs[1] + more)];
	}
	const axis = { low, high, title, unit, at: v => from + Math.log(v / low) / Math.log(high / low) * (to - from) };
	const length = Math.abs(to - from), gap = gapOf(from, to);
	return { ...axis, ticks: byTwo ? binaryTicks(axis, length, gap) : decimalTicks(axis, length, gap) };
}

/* All powers of two, or every few of them. */
function binaryTicks({ low, high }, length, gap) {
	const stride = Math.max(1, Math.ceil(gap / (length / Math.log2(high / low)))), ticks = [];
	for (let power = Math.ceil(Math.log2(low)); 2 ** power <= high; power++)
		if (power % stride === 0)
			ticks.push(2 ** power);
	return ticks;
}

/* The multiples that there is room for in each decade: 1 2 5, 1, or 1 in every few decades. */
function decimalTicks({ low, high }, length, gap) {
	const decade = length / Math.log10(high / low), ticks = [];
	const multiples = decade * Math.log10(2) >= gap ? [1, 2, 5] : [1], stride = Math.max(1, Math.ceil(gap / decade));
	for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
		if (power % stride === 0)
			ticks.push(...multiples.map(m => m * 10 ** power).filter(v => v >= low && v <= high));
	return ticks;
}

/* A picture; the words are read to those who do not see it. */
function picture(wide, high, words) {
	return draw('svg', { class: 'chart', viewBox: `0 0 ${wide} ${high}`, role: 'img', 'aria-label': words });
}

/* A picture with the lines, numbers and titles of two axes. `box` has the pixels of both. */
function frame(box, x, y, words) {
	const svg = picture(box.wide, box.high, words), axes = draw('g', { class: 'axes' });
	for (const tick of x.ticks)
		axes.append(draw('path', { class: 'grid', d: `M${px(x.at(tick))} ${box.top}V${box.bottom}` }),
			draw('text', { x: px(x.at(tick)), y: box.bottom + 18, 'text-anchor': 'middle' }, tickText(tick, x.unit)));
	for (const tick of y.ticks)
		axes.append(draw('path', { class: 'grid', d: `M${box.left} ${px(y.at(tick))}H${box.right}` }),
			draw('text', { x: box.left - 7, y: px(y.at(tick) + 4), 'text-anchor': 'end' }, tickText(tick, y.unit)));
	axes.append(draw('path', { class: 'frame', d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }),
		draw('text', { class: 'name', x: (box.left + box.right) / 2, y: box.high - 12, 'text-anchor': 'middle' }, x.title),
		draw('text', { class: 'name', transform: `translate(14 ${(box.top + box.bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle' }, y.title));
	svg.append(axes);
	return svg;
}

const pathOf = (points, x, y) => points.map((p, i) => `${i ? 'L' : 'M'}${px(x.at(p.x))} ${px(y.at(p.y))}`).join('');

/* A line of a class of charts.css. */
function line(points, x, y, kind) {
	return draw('path', { class: kind, d: pathOf(points, x, y) });
}

/* A mark for each {x, y, words}. */
function marks(points, x, y, series) {
	return draw('g', { class: `s${series} marks` }, ...points.map(p =>
		draw('use', { href: `#m${series}`, x: px(x.at(p.x)), y: px(y.at(p.y)) }, ...titled(p.words))));
}

/* A line through marks, over a band where all points have `low` and `high`. */
function curve(points, x, y, series) {
	const g = draw('g', { class: `s${series}` });
	if (points.length && points.every(p => p.low != null))
		g.append(draw('path', { class: 'band', d: pathOf([...points.map(p => ({ x: p.x, y: p.high })),
			...points.map(p => ({ x: p.x, y: p.low })).reverse()], x, y) + 'Z' }));
	g.append(line(points, x, y, `curve l${series}`), marks(points, x, y, series));
	return g;
}

/*
 * Parts on top of each other, between the pixels `from` and `to`: {value, series, words}. A narrow
 * column is plain: no hatching can be seen in it.
 */
function column(parts, from, to, y, words) {
	const plain = to - from < 4, g = draw('g', { class: 'column' });
	let below = 0;
	g.append(...titled(words));
	for (const part of parts) {
		const low = y.at(below), high = y.at(below += part.value);
		if (low - high < 0.05)
			continue;
		g.append(draw('path', { ...(plain ? { class: `b${part.series}` } : { fill: `url(#h${part.series})` }),
			d: `M${px(from)} ${px(low)}V${px(high)}h${(plain ? to - from + 0.6 : to - from - 1).toFixed(2)}V${px(low)}z` },
			...titled(part.words)));
	}
	return g;
}

/*
 * Bars below one another, each with its number behind it: `groups` are {label, bars: [{parts, text, low, high}]}.
 * A long label loses its beginning: what tells layers apart stands last. A line goes from `low` to `high`.
 */
function bars(groups, wide, from, to, words) {
	const high = 13, gap = 7, letters = Math.floor(from / 7.6), length = bar => bar.parts.reduce((sum, p) => sum + p.value, 0);
	const top = groups.flatMap(g => g.bars).reduce((most, b) => Math.max(most, length(b), b.high ?? 0), 0) || 1;
	const at = v => from + v / top * (to - from);
	const svg = picture(wide, 12 + groups.reduce((sum, g) => sum + g.bars.length * (high + 2) + gap, 0), words);
	let y = 6;
	for (const group of groups) {
		const label = [...group.label], middle = y + (group.bars.length * (high + 2)) / 2;
		svg.append(draw('text', { x: from - 8, y: px(middle + 3), 'text-anchor': 'end' },
			label.length > letters ? '…' + label.slice(1 - letters).join('') : group.label, draw('title', {}, group.label)));
		for (const bar of group.bars) {
			let begin = 0;
			for (const p of bar.parts.filter(part => part.value > 0)) {
				const x = at(begin), end = at(begin += p.value);
				svg.append(draw('rect', { class: 'bar', x: px(x), y, width: Math.max(end - x, 0.3).toFixed(2), height: high,
					fill: `url(#h${p.series})` }, ...titled(p.words)));
			}
			if (bar.low != null)
				svg.append(draw('path', { class: 'range', d: `M${px(at(bar.low))} ${y + high / 2}H${px(at(bar.high))}` }));
			svg.append(draw('text', { x: px(at(Math.max(begin, bar.high ?? 0)) + 6), y: px(y + high - 2.5) }, bar.text));
			y += high + 2;
		}
		y += gap;
	}
	return svg;
}

/* What stands for what: a sign ('mark', 'area' or 'line'), and {series, words} of each. */
function legend(sign, entries) {
	return make('ul', { class: 'legend' }, ...entries.map(({ series, words }) => make('li', {},
		draw('svg', { class: `s${series}`, width: 24, height: 14, viewBox: '-12 -7 24 14', 'aria-hidden': 'true' },
			...(sign === 'area' ? [draw('rect', { x: -11, y: -6, width: 22, height: 12, fill: `url(#h${series})` })] : []),
			...(sign === 'line' ? [draw('path', { class: `curve l${series}`, d: 'M-12 0H12' })] : []),
			...(sign === 'area' ? [] : [draw('use', { href: `#m${series}` })])), ' ', words)));
}

/* The marks and hatchings that all pictures of a page refer to; once in it. */
function signs() {
	return draw('svg', { class: 'signs', width: 0, height: 0, 'aria-hidden': 'true' }, draw('defs', {},
		...SHAPES.map((d, i) => draw('path', { id: `m${i}`, d })),
		...HATCHES.map((d, i) => draw('pattern', { id: `h${i}`, width: 6, height: 6, patternUnits: 'userSpaceOnUse' },
			draw('rect', { class: `b${i}`, width: 6, height: 6 }), draw('path', { class: `hatch h${i}`, d })))));
}
