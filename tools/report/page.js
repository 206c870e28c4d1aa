/* page.js - a report drawn from its data: contents, charts, and where its tables stand. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

const FRAME = { wide: 720, high: 420, left: 78, right: 704, top: 14, bottom: 364 };
const LABELS = 190, BARS_END = 590; /* of bars below one another: where they begin and end */
const KINDS_MOST = 10, LONGEST = 20, COLUMNS_MOST = 1200;
const PARTS = ['forward', 'backward', 'update'];
const PART_OF = { fwd: 0, bwd_data: 1, bwd_filter: 1, update: 2 };

/* Control characters, and what turns the direction of writing or breaks a line, as their codes. */
function shown(text) {
	const code = (c, digits) => c.charCodeAt(0).toString(16).padStart(digits, '0');
	return text.replace(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
		c => c <= '\x7f' ? '\\x' + code(c, 2) : '\\u' + code(c, 4));
}

const sumOf = list => list.reduce((a, b) => a + b, 0);

/* Rows of other commands have what these print: a text, or a number. */
const textOf = (row, key) => typeof row[key] === 'string' ? row[key] : '';
const numberOf = (row, key) => typeof row[key] === 'number' ? row[key] : NaN;
const keyIn = (...keys) => row => JSON.stringify(keys.map(key => textOf(row, key)));

/* A net as the page shows it: its rows with the time that counts: measured, of low confidence, or predicted. */
function prepare(net) {
	net.measured = net.rows.some(r => (r.measured_s ?? r.least_s) !== undefined);
	for (const r of net.rows) {
		r.time = r.measured_s ?? r.least_s ?? r.s ?? NaN;
		r.part = PART_OF[r.pass];
	}
}

/* Rows of one key together, in the order in which each key comes first. */
function together(rows, keyOf) {
	const sets = new Map();
	for (const row of rows) {
		const key = keyOf(row);
		if (!sets.has(key))
			sets.set(key, []);
		sets.get(key).push(row);
	}
	return [...sets.values()];
}

/* The times of rows that have the same word, by part of a step, as far as they count. */
function grouped(rows, word) {
	return together(rows, r => r[word]).map(set => {
		const counted = set.filter(r => !Number.isNaN(r.time));
		const sums = of => PARTS.map((_, p) => sumOf(counted.filter(r => r.part === p).map(of)));
		return { name: set[0][word], time: sums(r => r.time), predicted: sums(r => r.s ?? 0) };
	});
}

function longestFirst(groups) {
	return groups.sort((a, b) => sumOf(b.time) - sumOf(a.time) || (a.name < b.name ? -1 : 1));
}

/* By kind, the longest first; of more than `most` the last stands for all others. */
function kindsOf(net, most) {
	const kinds = longestFirst(grouped(net.rows, 'kind')), others = kinds.slice(most - 1);
	if (kinds.length <= most)
		return kinds;
	const sums = key => PARTS.map((_, p) => sumOf(others.map(k => k[key][p])));
	return [...kinds.slice(0, most - 1), { name: 'other', time: sums('time'), predicted: sums('predicted') }];
}

/* Axes of logarithms, across and upright. */
const across = (values, title, unit, byTwo) => logAxis(values, FRAME.left, FRAME.right, title, unit, byTwo);
const upright = (values, title, unit, byTwo) => logAxis(values, FRAME.bottom, FRAME.top, title, unit, byTwo);

/* A picture with its legend and caption. */
function figure(svg, key, caption) {
	return make('figure', {}, svg, key, make('figcaption', {}, caption));
}

/* A bar of the parts of a step; `first` is the series of its first part. */
function barOf(parts, first, who, whole) {
	const s = sumOf(parts), share = whole > 0 ? `, ${(100 * s / whole).toFixed(s < 0.0995 * whole ? 1 : 0)} %` : '';
	const words = (value, p) => `${who}${PARTS[p]}: ${si(value, 's')}`;
	return { text: si(s, 's') + share, parts: parts.map((value, p) => ({ value, series: first + p, words: words(value, p) })) };
}

/* The parts of a step that rows have. */
function partsLegend(net, both) {
	const parts = [0, 1, 2].filter(p => net.rows.some(r => r.part === p));
	const of = (first, words) => parts.map(p => ({ series: first + p, words: PARTS[p] + words }));
	return legend('area', both ? [...of(0, ', measured'), ...of(3, ', predicted')] : of(0, ''));
}

/* Bars of groups: one each, or two where what was measured stands beside what was predicted. */
function groupBars(net, groups, whole, words) {
	const barsOf = g => net.measured
		? [barOf(g.time, 0, 'measured ', whole), barOf(g.predicted, 3, 'predicted ', 0)] : [barOf(g.time, 0, '', whole)];
	return bars(groups.map(g => ({ label: g.name, bars: barsOf(g) })), FRAME.wide, LABELS, BARS_END, words);
}

function kindsFigure(net) {
	const kinds = kindsOf(net, KINDS_MOST), whole = sumOf(kinds.map(k => sumOf(k.time)));
	const svg = groupBars(net, kinds, whole,
		'Time by kind of op. Bars, the longest kind first. The numbers stand behind the bars.');
	return figure(svg, partsLegend(net, net.measured), 'Time by kind of op, with its share of the whole.');
}

/* Of some layers that stand next to one another. */
function columnOf(layers, from) {
	const parts = PARTS.map((_, p) => sumOf(layers.map(l => l.time[p]))), more = layers.length - 1;
	const name = layers[0].name + (more ? ` and ${more} more` : '');
	return { from, to: from + layers.length, parts, words: `${name}: ${si(sumOf(parts), 's')}` };
}

/* All layers in their order, each a column; of very many a few in each. */
function profileFigure(net, layers) {
	const stride = Math.max(1, Math.ceil(layers.length / COLUMNS_MOST)), columns = [];
	for (let i = 0; i < layers.length; i += stride)
		columns.push(columnOf(layers.slice(i, i + stride), i));
	const most = columns.reduce((top, c) => Math.max(top, sumOf(c.parts)), 0);
	const x = linearAxis(layers.length || 1, FRAME.left, FRAME.right, 'layers, from the first to the last');
	const y = linearAxis(roundTop(most), FRAME.bottom, FRAME.top, stride > 1 ? 'time of a column' : 'time of a layer', 's');
	const svg = frame(FRAME, x, y,
		'Time by layer, in the order of the net. A column for each layer. The names and times stand in the table.');
	for (const c of columns)
		svg.append(column(c.parts.map((value, series) => ({ value, series })), x.at(c.from), x.at(c.to), y, c.words));
	return figure(svg, partsLegend(net, false), `Time by layer: ${layers.length} layers in the order of the net, ` +
		`from below: forward, backward, update${stride > 1 ? '; a column stands for several' : ''}.`);
}

function longestFigure(net, layers) {
	const whole = sumOf(layers.map(l => sumOf(l.time))), longest = longestFirst([...layers]).slice(0, LONGEST);
	const svg = groupBars(net, longest, whole,
		'The longest layers. Bars, the longest layer first. The numbers stand behind the bars.');
	return figure(svg, partsLegend(net, net.measured), `The ${longest.length} longest of ${layers.length} layers.`);
}

/* Marks of rows, {row, x, y, words}, series by series: by the kinds that take longest, the last for the others. */
function drawPoints(svg, points, x, y, kinds) {
	const place = new Map(kinds.map((k, i) => [k.name, i]));
	const seriesOf = p => place.get(p.row.kind) ?? kinds.length - 1;
	const named = p => ({ ...p, words: `${p.row.layer} ${p.row.kind} ${p.row.pass}: ${p.words}` });
	for (let series = 0; series < SERIES; series++)
		svg.append(marks(points.filter(p => seriesOf(p) === series).map(named), x, y, series));
	return legend('mark', kinds.map((k, i) => ({ series: i, words: k.name })));
}

/* The limits of the device as a line with a corner. */
function drawRoof(svg, x, y, flops, bytes) {
	const start = Math.max(x.low, y.low / bytes), turn = Math.min(Math.max(flops / bytes, x.low), x.high);
	const at = v => ({ x: v, y: Math.min(flops, bytes * v) });
	if (turn > start)
		svg.append(line([at(start), at(turn)], x, y, 'roof'));
	if (x.high > turn)
		svg.append(line([at(turn), at(x.high)], x, y, 'roof'));
}

function rooflineCaption(device, net, dtype, points, without) {
	const flops = device.flop_per_s[dtype], bytes = device.mem_bytes_per_s;
	const limit = flops > 0 && bytes > 0
		? `The line is the limit of the device: ${si(flops, 'FLOP/s')} and ${si(bytes, 'B/s')}, ` +
			`${device.measured ? 'as measured' : 'by its datasheet'}. Rows whose data stay in a cache can lie above it.`
		: `The device's peak in ${dtype} is not known, so no limit is drawn.`;
	const rest = without === 1 ? ' 1 row without operations, or without a time, has no point.'
		: without ? ` ${without} rows without operations, or without a time, have no point.` : '';
	return `Roofline in ${dtype}: ${points.length} rows, as ${net.measured ? 'measured' : 'predicted'}. ${limit}${rest}`;
}

/* What rows of one number type reach, below the device's limits; none if there are no such rows. */
function rooflines(device, net, dtype, kinds) {
	const rows = net.rows.filter(r => r.dtype === dtype), flops = device.flop_per_s[dtype], bytes = device.mem_bytes_per_s;
	const points = rows.filter(r => r.time > 0 && r.flops > 0 && r.bytes > 0).map(row =>
		({ row, x: row.flops / row.bytes, y: row.flops / row.time, words: si(row.flops / row.time, 'FLOP/s') }));
	if (!points.length)
		return [];
	const corner = flops > 0 && bytes > 0 ? [flops / bytes] : [], peak = flops > 0 ? [flops] : [];
	const x = across([...points.map(p => p.x), ...corner], 'arithmetic intensity (FLOP/B)');
	const y = upright([...points.map(p => p.y), ...peak], net.measured ? 'achieved FLOP/s' : 'predicted FLOP/s');
	const svg = frame(FRAME, x, y, 'Roofline. A point for each row: FLOPs per byte, and FLOPs per second. ' +
		'The line is the limit of the device.');
	if (corner.length)
		drawRoof(svg, x, y, flops, bytes);
	const key = drawPoints(svg, points, x, y, kinds);
	return [figure(svg, key, rooflineCaption(device, net, dtype, points, rows.length - points.length))];
}

/* Two equal axes of logarithms, and lines where y is some times x. */
function squareFrame(points, names, words, lines) {
	const both = points.flatMap(p => [p.x, p.y]), x = across(both, names[0], 's'), y = upright(both, names[1], 's');
	const svg = frame(FRAME, x, y, words);
	for (const [factor, kind] of lines) {
		const ends = [Math.max(x.low, y.low / factor), Math.min(x.high, y.high / factor)];
		svg.append(line(ends.map(v => ({ x: v, y: factor * v })), x, y, kind));
	}
	return { svg, x, y };
}

/* Of the intervals of a row, cut at the frame: upright that of its prediction, across that of its median. */
function intervalPath({ row, x: measured, y: predicted }, x, y) {
	const cut = (axis, v) => px(axis.at(Math.min(Math.max(v, axis.low), axis.high)));
	const low = [row.low_s, row.measured_low_s], high = [row.high_s, row.measured_high_s];
	return (low[0] <= high[0] ? `M${px(x.at(measured))} ${cut(y, low[0])}V${cut(y, high[0])}` : '') +
		(low[1] <= high[1] ? `M${cut(x, low[1])} ${px(y.at(predicted))}H${cut(x, high[1])}` : '');
}

function median(list) {
	const sorted = list.sort((a, b) => a - b), at = (sorted.length - 1) / 2;
	return (sorted[Math.floor(at)] + sorted[Math.ceil(at)]) / 2;
}

/* In percent, of the predictions that a key names. */
function medianError(rows, key) {
	return (100 * median(rows.map(r => Math.abs(r[key] / r.measured_s - 1)))).toFixed(1) + ' %';
}

function errorsCaption(rows) {
	const atSpeed = rows.filter(r => r.at_speed_s !== undefined), intervals = rows.filter(r => r.low_s !== undefined);
	const within = intervals.filter(r => r.measured_s >= r.low_s && r.measured_s <= r.high_s);
	const fitted = rows.filter(r => r.fitted).length;
	return `Predicted against measured: ${rows.length} rows. On the line both are the same; the dashed lines are 25 % off. ` +
		`Median error before measuring ${medianError(rows, 's')}` +
		(atSpeed.length ? `; at the speed probed next to each op ${medianError(atSpeed, 'at_speed_s')}.` : '.') +
		(intervals.length ? ' The thin bars are the 90 % intervals of predictions, and the 95 % intervals of medians: ' +
			`${within.length} of ${intervals.length} measured times lie within the former.` : '') +
		(fitted ? ` The calibration was fitted to the ops of ${fitted} of these rows, whose errors prove nothing.` : '');
}

/* None where nothing was measured. */
function errorFigures(net, kinds) {
	const points = net.rows.filter(r => r.measured_s > 0 && r.s > 0).map(row =>
		({ row, x: row.measured_s, y: row.s, words: `predicted ${si(row.s, 's')}, measured ${si(row.measured_s, 's')}` }));
	if (!points.length)
		return [];
	const { svg, x, y } = squareFrame(points, ['measured', 'predicted, before measuring'],
		'Predicted against measured. A point for each row, on axes of logarithms. On the diagonal both times are the same.',
		[[1, 'same'], [1.25, 'off'], [1 / 1.25, 'off']]);
	svg.append(draw('path', { class: 'interval', d: 'M0 0' + points.map(p => intervalPath(p, x, y)).join('') }));
	return [figure(svg, drawPoints(svg, points, x, y, kinds), errorsCaption(points.map(p => p.row)))];
}

const titleOf = (run, net) => `${net.title}, batch ${net.batch}, ${net.dtype}: ${run.title}`;

/* A part of the page, with its line in the contents. */
function section(id, title, ...children) {
	document.querySelector('nav ul').append(make('li', {}, make('a', { href: '#' + id }, title)));
	document.querySelector('main').append(make('section', { id }, make('h2', {}, title), ...children));
}

const charts = (...figures) => make('div', { class: 'charts' }, ...figures);
const soft = text => make('p', { class: 'soft' }, text);

function showNet(id, run, net) {
	const kinds = kindsOf(net, SERIES), layers = grouped(net.rows, 'layer');
	const types = new Set([...Object.keys(run.device.flop_per_s), ...net.rows.map(r => r.dtype)]);
	section(id, titleOf(run, net), soft('Predictions: ' + run.source), ...sumsTable(net),
		charts(kindsFigure(net), ...errorFigures(net, kinds), ...[...types].flatMap(t => rooflines(run.device, net, t, kinds)),
			profileFigure(net, layers), longestFigure(net, layers)),
		make('h3', {}, 'All rows'), ...rowsTable(net));
}

/* The rows that both nets have a time of, in the order of the first: {a, b}. */
function pairsOf(first, second) {
	const keyOf = keyIn('layer', 'kind', 'pass');
	const found = new Map(together(second.rows, keyOf).map(set => [keyOf(set[0]), set]));
	return first.rows.map(a => ({ a, b: found.get(keyOf(a))?.shift() })).filter(p => p.a.time > 0 && p.b?.time > 0);
}

function twoBars(first, second) {
	const others = new Map(grouped(second.rows, 'kind').map(k => [k.name, k.time]));
	const groups = longestFirst(grouped(first.rows, 'kind')).slice(0, KINDS_MOST).map(k =>
		({ label: k.name, bars: [barOf(k.time, 0, 'A ', 0), barOf(others.get(k.name) ?? [0, 0, 0], 3, 'B ', 0)] }));
	const svg = bars(groups, FRAME.wide, LABELS, BARS_END, 'Time by kind in two runs. Two bars for each kind, with their numbers.');
	const entries = ['A ', 'B '].flatMap((who, i) => PARTS.map((part, p) => ({ series: 3 * i + p, words: who + part })));
	return figure(svg, legend('area', entries), 'Time by kind of op in both runs.');
}

function twoPoints(first, pairs) {
	const points = pairs.map(({ a, b }) =>
		({ row: a, x: a.time, y: b.time, words: `A ${si(a.time, 's')}, B ${si(b.time, 's')}` }));
	const { svg, x, y } = squareFrame(points, ['time in run A', 'time in run B'],
		'One run against the other. A point for each row, on axes of logarithms. On the diagonal both times are the same; ' +
		'below it run B is faster.', [[1, 'same']]);
	return figure(svg, drawPoints(svg, points, x, y, kindsOf(first, SERIES)),
		`Run A against run B: ${points.length} rows. On the line both are the same; below it B is faster.`);
}

/* A net of two runs: the one that came first is A. */
function showTwo(id, firstRun, first, secondRun, second) {
	const pairs = pairsOf(first, second);
	section(id, second.title + ': two runs side by side',
		make('p', {}, 'A: ' + titleOf(firstRun, first), make('br'), 'B: ' + titleOf(secondRun, second)),
		...(pairs.length ? [charts(twoBars(first, second), twoPoints(first, pairs)), ...differencesTable(pairs)]
			: [make('p', {}, 'They have no row in common that both have a time of.')]));
}

/* What a row of steps is as a point of a curve. */
function speedupOf(row) {
	const workers = numberOf(row, 'workers'), speedup = numberOf(row, 'speedup');
	return { x: workers, y: speedup, words: `${textOf(row, 'strategy')}, ${workers} workers: ${fixed(speedup, 2)} times one` };
}

/* Speedups of one net and one scaling over workers, with a line for each strategy and scheme. */
function stepsFigure(rows) {
	const points = rows.map(speedupOf), sets = together(rows, keyIn('strategy', 'all_reduce')), scaling = textOf(rows[0], 'scaling');
	const x = across(points.map(p => p.x), 'workers', '', true);
	const y = upright([...points.map(p => p.y), ...points.map(p => p.x)], 'speedup', '', true);
	const svg = frame(FRAME, x, y,
		'Speedup over workers. A line for each strategy, on axes of logarithms, beside the straight line of the ideal.');
	svg.append(line([Math.max(x.low, y.low), Math.min(x.high, y.high)].map(v => ({ x: v, y: v })), x, y, 'same'));
	sets.forEach((set, i) => svg.append(curve(set.map(speedupOf).filter(p => p.x > 0 && p.y > 0), x, y, i % SERIES)));
	const nameOf = row => ['strategy', 'all_reduce'].map(key => textOf(row, key)).filter(Boolean).join(', ');
	const how = { strong: ', strong scaling: all workers share the batch.', weak: ', weak scaling: each worker has the batch.' };
	return figure(svg, legend('line', sets.map((set, i) => ({ series: i % SERIES, words: nameOf(set[0]) }))),
		`${textOf(rows[0], 'net')}${how[scaling === 'strong' ? scaling : 'weak']} The thin line is perfect scaling.`);
}

/* What a choice is as a point: `key` names the cost, or the memory. */
function choiceOf(row, key) {
	const minutes = numberOf(row, 'epoch_s') / 60;
	return { x: minutes, y: numberOf(row, key), words: `${textOf(row, 'device')}, ${textOf(row, 'strategy')}, ` +
		`${numberOf(row, 'workers')} workers, batch ${numberOf(row, 'batch')}: ${fixed(minutes, 2)} min an epoch` };
}

/* The choices that none beats: time against cost, or against memory where there is no price. */
function choicesFigure(rows) {
	const priced = rows.some(r => numberOf(r, 'cost_usd') > 0), key = priced ? 'cost_usd' : 'memory_bytes';
	const points = rows.map(r => choiceOf(r, key)), sets = together(rows, keyIn('device'));
	const x = across(points.map(p => p.x), 'time of an epoch (minutes)');
	const y = upright(points.map(p => p.y), priced ? 'cost of an epoch (USD)' : 'memory of a worker', priced ? '' : 'B');
	const svg = frame(FRAME, x, y, 'Pareto-optimal configurations. A point for each, on axes of logarithms: less is better on both.');
	sets.forEach((set, i) => svg.append(marks(set.map(r => choiceOf(r, key)).filter(p => p.x > 0 && p.y > 0), x, y,
		Math.min(i, SERIES - 1))));
	return figure(svg, legend('mark', sets.slice(0, SERIES).map((set, i) => ({ series: i, words: textOf(set[0], 'device') }))),
		`${rows.length} configurations that no other beats in ${priced ? 'time, cost and memory' : 'time and memory'}. ` +
		'Lower left is better.' + (sets.length > SERIES ? ` The last sign stands for ${sets.length - SERIES + 1} devices.` : ''));
}

function showAll({ runs, steps, choices }) {
	document.querySelector('nav').append(make('ul'));
	runs.forEach((run, i) => run.nets.forEach((net, k) => {
		prepare(net);
		showNet(`net-${i}-${k}`, run, net);
		const before = runs.slice(0, i).find(r => r.nets.some(n => n.name === net.name));
		if (before)
			showTwo(`two-${i}-${k}`, before, before.nets.find(n => n.name === net.name), run, net);
	}));
	if (steps.length) {
		const curves = together(steps.filter(r => textOf(r, 'scaling')), keyIn('net', 'scaling')).map(stepsFigure);
		section('steps', 'Several workers', charts(...curves), ...linesTable('Simulated training steps.', STEP_COLUMNS, steps));
	}
	if (choices.length)
		section('choices', 'Pareto-optimal configurations', charts(choicesFigure(choices)),
			...linesTable('Configurations that no other beats.', CHOICE_COLUMNS, choices));
	if (runs.length)
		section('parameters', 'Parameter sources', ...runs.flatMap(run =>
			[make('h3', {}, run.title), soft(run.source), ...parametersTable(run)]));
}

document.body.append(signs());
showAll(JSON.parse(document.getElementById('data').textContent,
	(key, value) => typeof value === 'string' ? shown(value) : value));
