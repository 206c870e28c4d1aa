/* page.js - the page's WebAssembly in node: its answers are those of the same call compiled for this machine. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

// node page.js PAGE WEB_ANSWER [FILE...]: the page's folder, the call as a program, files that are dropped.
const fs = require('fs'), path = require('path'), vm = require('vm');
const { execFileSync } = require('child_process');
const [page, native, ...dropped] = process.argv.slice(2);
let wrong = 0;

for (const name of ['wasi.js', 'engine.js', 'data.js'])
	vm.runInThisContext(fs.readFileSync(path.join(page, name), 'utf8'), { filename: name });
const bundle = vm.runInThisContext('PALEO_BUNDLE');

function complain(what) {
	console.log('WRONG: ' + what);
	wrong++;
}

/* Where two answers differ; numbers may by `tolerance`, as C libraries round logarithms differently. */
function difference(ours, theirs, tolerance, where = '') {
	if (typeof ours === 'number' && typeof theirs === 'number')
		return Math.abs(ours - theirs) <= tolerance * Math.abs(theirs) ? null : `${where}: ${ours}, not ${theirs}`;
	if (ours === null || typeof ours !== 'object' || theirs === null || typeof theirs !== 'object')
		return ours === theirs ? null : `${where}: ${ours}, not ${theirs}`;
	for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
		const found = difference(ours[key], theirs[key], tolerance, `${where}.${key}`);
		if (found)
			return found;
	}
	return null;
}

/* The cost models that only add, multiply and divide are the same to the last bit. */
const requests = [
	[{ ask: 'lists' }, 0],
	[{ net: 'inception_v3', device: 'K80', cost_model: 'paleo2017', ppp_compute: 0.62, ppp_comm: 0.72, batch: 128 }, 0],
	[{ net: 'vgg16', device: 'l4', cost_model: 'datasheet', scaling: 'strong', batch: 128 }, 0],
	[{ net: 'resnet50', device: 'h100-sxm', dtype: 'bf16', batch: 64, schemes: ['ring', 'tree'] }, 1e-12],
	[{ net: 'gpt2', device: 'l4', epoch_size: 1e6, epochs: 3, usd_per_hour: 1 }, 1e-12],
	[{ net: 'efficientnet_v2_s', device: 'cpu-amd-epyc', passes: 'fwd' }, 1e-12],
	[{ net: 'bert_base', device: 'b200', dtype: 'fp8', overlap: 1 }, 1e-12],
	[{ net: 'none', device: 'b200' }, 0],
	[{ net: 'vgg16', device: 'b200', batch: 'many' }, 0],
	...dropped.map(file => [{ net: file, device: 'h200' }, 1e-12]),
];

async function main() {
	const engine = await startEngine(bundle), ask = engine.open();
	for (const file of dropped.map(name => name.replace(/:.*/, '')))
		engine.files.set(file.replace(/^\//, ''), new Uint8Array(fs.readFileSync(file)));
	const theirs = execFileSync(native, { input: requests.map(r => JSON.stringify(r[0]) + '\n').join('') })
		.toString().replaceAll(process.env.PALEO_DATA_DIR, '/share/paleo').trim().split('\n');
	requests.forEach(([request, tolerance], i) => {
		const text = ask.text(JSON.stringify(request));
		const found = difference(JSON.parse(text), JSON.parse(theirs[i]), tolerance);
		if (found)
			complain(`${JSON.stringify(request)}: ${found}`);
		console.log(`${JSON.stringify(request).slice(0, 90)}: ${text.length} bytes, ` +
			(text === theirs[i] ? 'every digit the same' : `numbers within ${tolerance}`));
	});
	const size = fs.readdirSync(page).reduce((sum, name) => sum + fs.statSync(path.join(page, name)).size, 0);
	console.log(`the page has ${size} bytes`);
	if (size > 2.1e6) // corrections and spreads of presets are 1.4 MB of it
		complain('more than 2.1 MB');
}

main().then(() => process.exit(wrong ? 1 : 0), error => {
	console.log('WRONG: ' + error.stack);
	process.exit(1);
});
