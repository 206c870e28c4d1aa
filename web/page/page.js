/* page.js - what is chosen, kept in the link; asks the model, and shows its answer. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

/* What the link leaves out. */
const DEFAULTS = {
	net: 'resnet50', words: '', batch: '64', passes: 'all', device: 'h100-sxm', dtype: 'bf16', cost_model: 'auto',
	ppp_compute: '', ppp_memory: '', ppp_comm: '', algorithm: 'gemm', link: '', strategy: 'data',
	scheme: 'ring', scaling: 'weak', workers: '1,2,4,8,16,32,64,128', optimizer: 'sgd', overlap: '',
	epoch_size: '1281167', epochs: '90', usd_per_hour: '', whole_hours: '', beside: '',
};
const NUMBERS = ['batch', 'ppp_compute', 'ppp_memory', 'ppp_comm', 'epoch_size', 'epochs', 'usd_per_hour'];
/* Of the original's schemes, those that its page drew. */
const ORIGINAL_SCHEMES = ['one-to-all', 'tree', 'butterfly'];

let lists, engine, ask, askBeside, state = { ...DEFAULTS };
const dropped = new Map(); /* name to path */

const control = id => document.getElementById(id);

function stateOfLink() {
	const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
	return Object.fromEntries(Object.keys(DEFAULTS).map(key => [key, given[key] ?? DEFAULTS[key]]));
}

function linkOfState() {
	const parts = Object.keys(DEFAULTS).filter(key => state[key] !== DEFAULTS[key])
		.map(key => key + '=' + encodeURIComponent(state[key]).replaceAll('%2C', ','));
	return '#' + parts.join('&');
}

function showState() {
	for (const key of Object.keys(DEFAULTS)) {
		const c = control(key);
		if (c.type === 'checkbox')
			c.checked = state[key] === '1';
		else
			c.value = state[key];
		/* a link may name what is not in the list */
		if (c.tagName === 'SELECT' && c.value !== state[key]) {
			c.append(make('option', { value: state[key] }, state[key]));
			c.value = state[key];
		}
	}
	const matching = lists.software.find(s => String(s.ppp_compute) === state.ppp_compute && String(s.ppp_comm) === state.ppp_comm);
	control('software').value = matching ? matching.name : '';
	control('cloud').value = '';
	showTypes();
	const shown = {
		config: isConfig(), fractions: ['paleo2017', 'datasheet'].includes(state.cost_model) || state.beside === 'paleo2017',
		datasheet: state.cost_model === 'datasheet', paleo2017: state.cost_model === 'paleo2017', ops: state.cost_model !== 'paleo2017' || state.beside,
	};
	for (const label of document.querySelectorAll('[data-for]'))
		label.hidden = !shown[label.dataset.for];
}

/* The dtypes of the device; one that it lacks is the first. */
function showTypes() {
	const device = lists.devices.find(d => d.name === state.device), types = device ? device.dtypes : ['f32', 'tf32', 'f16', 'bf16', 'fp8'];
	control('dtype').replaceChildren(...types.map(t => make('option', {}, t)));
	if (!types.includes(state.dtype))
		state.dtype = types[0] ?? 'f32';
	control('dtype').value = state.dtype;
}

/* A config.json, whose words say which pass. */
function isConfig() {
	return state.net.endsWith('.json') || lists.models.includes(state.net);
}

function requestOf(cost_model) {
	const r = { cost_model, device: state.device, passes: state.passes, link: state.link, scaling: state.scaling };
	const path = dropped.get(state.net) ?? state.net;
	r.net = path + (state.words && isConfig() ? ':' + state.words : '');
	for (const key of NUMBERS)
		if (state[key] !== '' && isFinite(Number(state[key])))
			r[key] = Number(state[key]);
	r.workers = state.workers.split(/[ ,]+/).filter(Boolean).map(Number);
	r.whole_hours = Number(state.whole_hours);
	if (cost_model === 'paleo2017')
		return { ...r, algorithm: state.algorithm, passes: 'all' };
	if (cost_model !== 'datasheet') {
		delete r.ppp_compute;
		delete r.ppp_memory;
	}
	return { ...r, dtype: state.dtype, strategy: state.strategy, optimizer: state.optimizer, overlap: Number(state.overlap), schemes: [state.scheme] };
}

/* Curves to draw of an answer: {label, points}. */
function drawnCurves(answer, cost_model, beside) {
	const all = (answer.curves ?? []).filter(c => c.points.length);
	if (cost_model !== 'paleo2017')
		return all.map(c => ({ label: (beside ? 'compared: ' : '') + c.scheme + (beside ? ', ' + costModelName(cost_model) : ''), points: c.points }));
	const wanted = beside ? [ORIGINAL_SCHEMES.includes(state.scheme) ? state.scheme : 'tree'] : ORIGINAL_SCHEMES;
	return all.filter(c => wanted.includes(c.scheme)).map(c => ({ label: c.scheme + (beside ? ', paleo2017' : ''), points: c.points }));
}

function costModelName(cost_model) {
	return control('cost_model').querySelector(`[value="${cost_model}"]`).textContent;
}

/*
 * Points of a chart. A step's interval is that of its computing. So hours and dollars lie within the
 * same, and a speedup between those of workers that all are at one end of it.
 */
function pointsOf(points, value) {
	const one = points.find(p => p.workers === 1);
	return points.filter(p => isFinite(value(p))).map(p => {
		const y = value(p), at = { x: p.workers, y };
		if (p.low_s === null || p.high_s === null)
			return at;
		if (value.isSpeedup) {
			if (!one)
				return at;
			const ends = [one.low_s / one.step_s * p.step_s / p.low_s, one.high_s / one.step_s * p.step_s / p.high_s].map(f => f * y);
			return { ...at, low: Math.min(...ends, y), high: Math.max(...ends, y) };
		}
		const scale = s => state.whole_hours === '1' && value.isHours ? y * Math.max(Math.ceil(p.hours * s / p.step_s - 1e-9), 1) / p.hours : y * s / p.step_s;
		return { ...at, low: scale(p.low_s), high: scale(p.high_s) };
	});
}

const speedupOf = Object.assign(p => p.speedup, { isSpeedup: true });
const hoursOf = Object.assign(p => p.hours, { isHours: true });
const costOf = Object.assign(p => p.usd ?? p.hours * p.workers, { isHours: true });

function showCurves(answer, cost_model, other) {
	const place = control('curves');
	const curves = [...drawnCurves(answer, cost_model, false), ...(other ? drawnCurves(other, state.beside, true) : [])];
	place.replaceChildren();
	if (state.passes === 'fwd' && cost_model !== 'paleo2017') {
		place.append(make('p', { class: 'source' }, 'Curves over workers are of training steps: choose these under "Passes".'));
		return;
	}
	if (!curves.length) {
		const why = answer.curves_error ?? answer.curves?.find(c => c.error)?.error;
		if (why)
			place.append(make('p', { class: 'source' }, 'No curve over workers: ' + why));
		return;
	}
	const of = value => curves.map(c => ({ label: c.label, points: pointsOf(c.points, value) }));
	const words = state.scaling === 'weak' ? 'weak scaling' : 'strong scaling';
	place.append(curveFigure('Speedup', `${words}; the thin line is perfect scaling`, of(speedupOf), v => digits(v), 'speedup', true));
	if (curves.some(c => c.points.some(p => p.hours))) {
		const images = `${tickText(Number(state.epoch_size))} images, ${state.epochs} epochs`;
		place.append(curveFigure('Training', images, of(hoursOf), v => digits(v) + ' h', 'hours'));
		const priced = Number(state.usd_per_hour) > 0;
		place.append(curveFigure(priced ? 'Cost' : 'Device hours', priced ? `at ${state.usd_per_hour} USD per hour` : 'give a price for USD',
			of(costOf), v => priced ? '$' + digits(v) : digits(v) + ' h', priced ? 'USD' : 'hours'));
	}
	const tooLarge = curves.flatMap(c => c.points.filter(p => p.fits === false)).map(p => p.workers);
	if (tooLarge.length)
		place.append(make('p', {}, `Does not fit the device's memory: a training step of ${[...new Set(tooLarge)].join(', ')} workers.`));
	const first = curves.find(c => cost_model !== 'paleo2017' || c.label === 'tree') ?? curves[0], part = key => first.points.map(p => ({ x: p.workers, y: p[key] }));
	place.append(stackFigure('Parts of a step', first.label, [
		{ label: 'forward', points: part('fwd_s') }, { label: 'backward', points: part('bwd_s') },
		{ label: 'update', points: part('update_s') }, { label: 'communication', points: part('exposed_s') },
	]));
}

function showBars(answer) {
	const whole = answer.kinds.reduce((sum, k) => sum + k.s, 0);
	const longest = answer.rows.filter(r => r.s).sort((a, b) => b.s - a.s).slice(0, 10);
	control('bars').replaceChildren(
		barFigure('Time by kind of op', '', answer.kinds.filter(k => k.s > 0).slice(0, 10).map(k => ({ label: k.kind, s: k.s })), whole),
		barFigure('The longest ops', longest.some(r => r.low_s != null) ? 'the line is the 90 % interval' : '',
			longest.map(r => ({ label: `${r.layer} ${r.pass}`, s: r.s, low: r.low_s, high: r.high_s })), whole));
}

function showSummary(answer) {
	const find = what => answer.totals.find(t => t.what === what), main = find('training step') ?? find('forward') ?? answer.totals[0];
	const interval = main.low_s != null ? ` 90 %: ${time(main.low_s)} to ${time(main.high_s)}` : '';
	const others = answer.totals.filter(t => t !== main).map(t => `${t.what} ${time(t.s)}`).join(', ');
	const unpriced = main.rows - main.predicted;
	control('summary').replaceChildren(
		make('p', { class: 'big', id: 'total' }, `${time(main.s, 4)} `, make('small', {}, `a ${main.what}${main.what === 'forward' ? ' pass' : ''}.${interval}`)),
		make('p', {}, `${digits(answer.net.items / main.s, 4)} ${answer.net.unit}/s` + (others && `; ${others}`)),
		make('p', {}, `${answer.net.title}, batch ${answer.net.batch}, ${answer.net.weights.toLocaleString('en')} parameters, ${answer.dtype}, on ${answer.device}.`),
		...(answer.memory ?? []).map(line => make('p', {}, `${line}.`)),
		make('p', { class: 'source' }, `Source: ${answer.stands_on}.` + (unpriced > 0 ? ` ${unpriced} ops cannot be predicted and are left out.` : '')));
}

function showError(text) {
	control('error').hidden = !text;
	control('error').textContent = text ?? '';
}

function refresh() {
	const start = performance.now(), answer = ask(requestOf(state.cost_model));
	showError(answer.error);
	document.body.dataset.state = answer.error ? 'error' : 'answer';
	if (answer.error)
		return;
	const other = state.beside && state.beside !== state.cost_model ? askBeside(requestOf(state.beside)) : null;
	if (other?.error)
		showError(`comparison, ${costModelName(state.beside)}: ${other.error}`);
	showSummary(answer);
	showCurves(answer, state.cost_model, other?.error ? null : other);
	showBars(answer);
	showRows(control('rows'), answer);
	const took = performance.now() - start;
	document.body.dataset.answerMs ??= performance.now().toFixed(0);
	control('footer').textContent = `Answered in ${took.toFixed(0)} ms; the first answer came ${document.body.dataset.answerMs} ms after the page was opened.`;
}

/* A link that is already there changes nothing. */
function takeLink() {
	if (location.hash === linkOfState() || (location.hash === '' && linkOfState() === '#'))
		return;
	state = stateOfLink();
	showState();
	refresh();
}

function takeControls(event) {
	const key = event.target.id;
	if (key === 'software') {
		const s = lists.software.find(x => x.name === event.target.value);
		state.ppp_compute = s ? String(s.ppp_compute) : '';
		state.ppp_comm = s ? String(s.ppp_comm) : '';
	} else if (key === 'cloud') {
		const c = lists.clouds.find(x => x.name === event.target.value);
		if (!c)
			return;
		Object.assign(state, { device: c.device.toLowerCase(), link: c.link, usd_per_hour: String(c.usd_per_hour), whole_hours: '1' });
	} else if (key in DEFAULTS) {
		state[key] = event.target.type === 'checkbox' ? event.target.checked ? '1' : '' : event.target.value;
	} else {
		return;
	}
	if (event.target.tagName === 'SELECT')
		showState();
	location.replace(linkOfState());
	refresh();
}

/* A config.json is named by its folder: here its model's name. */
function folderOf(name, bytes) {
	if (name !== 'config.json')
		return '';
	try {
		const config = JSON.parse(new TextDecoder().decode(bytes)), model = config._name_or_path || config.model_type;
		return String(model ?? 'config').split('/').filter(Boolean).pop().replaceAll(':', '_') + '/';
	} catch {
		return 'config/'; /* the model says what is wrong with it */
	}
}

async function takeFile(file) {
	const bytes = new Uint8Array(await file.arrayBuffer());
	const path = `dropped/${dropped.size + 1}/${folderOf(file.name, bytes)}${file.name.replaceAll('/', '_')}`;
	engine.files.set(path, bytes);
	dropped.set(file.name, '/' + path);
	Object.assign(state, { net: file.name, words: '', batch: '' });
	showState();
	location.replace(linkOfState());
	refresh();
}

function fillLists() {
	const options = (id, list) => control(id).replaceChildren(...list.map(o => make('option', { value: o.name }, o.title)));
	options('net', [...lists.nets, ...lists.models].map(n => ({ name: n, title: n })));
	options('device', [...lists.calibrations.map(c => ({ name: c, title: c + ', calibrated' })), ...lists.devices]);
	options('link', [{ name: '', title: 'usual for the device' }, ...lists.links]);
	options('scheme', lists.schemes.map(s => ({ name: s.name, title: s.name })));
	options('strategy', lists.strategies.filter(s => s.name !== 'model').map(s => ({ name: s.name, title: s.name })));
	options('software', [{ name: '', title: 'your own fractions' }, ...lists.software.map(s => ({ name: s.name, title: `${s.name}, as in 2016` }))]);
	options('cloud', [{ name: '', title: 'none' }, ...lists.clouds.map(c => ({ name: c.name, title: c.name }))]);
}

function listen() {
	control('controls').addEventListener('input', takeControls);
	control('controls').addEventListener('submit', e => e.preventDefault());
	control('file').addEventListener('change', e => e.target.files[0] && takeFile(e.target.files[0]));
	window.addEventListener('hashchange', takeLink);
	for (const [name, on] of [['dragover', true], ['dragleave', false], ['drop', false]])
		window.addEventListener(name, e => {
			e.preventDefault();
			document.body.classList.toggle('dropping', on);
		});
	window.addEventListener('drop', e => e.dataTransfer.files[0] && takeFile(e.dataTransfer.files[0]));
}

async function start() {
	document.body.append(signs());
	engine = await startEngine(PALEO_BUNDLE);
	ask = engine.open();
	askBeside = engine.open();
	lists = ask({ ask: 'lists' });
	fillLists();
	state = stateOfLink();
	showState();
	listen();
	refresh();
}

start().catch(error => {
	showError(`The model could not be started: ${error.message}. It needs WebAssembly and DecompressionStream, which browsers have had since 2023.`);
	document.body.dataset.state = 'error';
});
