/* browser.js - the page in a headless Chromium, opened from its folder: what it shows, its link, its keys. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

// node browser.js CHROMIUM PAGE WORK [SHOTS]: with SHOTS, a folder, pictures are put there.
const fs = require('fs'), path = require('path'), { spawn } = require('child_process');
const [chromium, page, work, shots] = process.argv.slice(2);
const url = 'file://' + path.resolve(page, 'index.html');
const ORIGINAL = '#net=inception_v3&device=k80&dtype=f32&batch=128&cost_model=paleo2017&ppp_compute=0.62&ppp_comm=0.72' +
	'&link=ethernet20&scheme=tree&epoch_size=1200000&epochs=20&usd_per_hour=0.9&whole_hours=1&beside=auto';
let wrong = 0;

/* Chromium at the other end of two pipes: JSON messages, each with a NUL behind it. */
class Browser {
	constructor() {
		this.process = spawn(chromium, ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars',
			'--no-first-run', '--remote-debugging-pipe', '--user-data-dir=' + path.join(work, 'profile'),
			'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
		this.waiting = new Map();
		this.complaints = [];
		this.requests = [];
		this.last = 0;
		let text = '';
		this.process.stdio[4].on('data', part => {
			text += part;
			for (let end; (end = text.indexOf('\0')) >= 0; text = text.slice(end + 1))
				this.take(JSON.parse(text.slice(0, end)));
		});
	}

	take(message) {
		if (message.id)
			this.waiting.get(message.id)(message);
		else if (message.method === 'Runtime.exceptionThrown')
			this.complaints.push(message.params.exceptionDetails.exception?.description ?? 'an exception');
		else if (message.method === 'Network.requestWillBeSent')
			this.requests.push(message.params.request.url);
	}

	send(method, params = {}) {
		const id = ++this.last;
		return new Promise((resolve, reject) => {
			this.waiting.set(id, m => m.error ? reject(new Error(`${method}: ${m.error.message}`)) : resolve(m.result));
			this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + '\0');
		});
	}

	async open() {
		const { targetInfos } = await this.send('Target.getTargets');
		const { targetId } = targetInfos.find(t => t.type === 'page');
		this.session = (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
		for (const domain of ['Page', 'Runtime', 'Network'])
			await this.send(domain + '.enable');
	}

	/* Processor time that pages have taken, in ms, with what compiles beside them. */
	async spent() {
		const session = this.session;
		this.session = undefined;
		const { processInfo } = await this.send('SystemInfo.getProcessInfo');
		this.session = session;
		return 1000 * processInfo.filter(p => p.type === 'renderer').reduce((sum, p) => sum + p.cpuTime, 0);
	}

	async ask(expression) {
		const { result, exceptionDetails } = await this.send('Runtime.evaluate',
			{ expression, returnByValue: true, awaitPromise: true });
		if (exceptionDetails)
			throw new Error(expression + ': ' + exceptionDetails.exception.description);
		return result.value;
	}

	async until(expression) {
		for (let tries = 0; tries < 600; tries++) {
			if (await this.ask(expression))
				return;
			await new Promise(resolve => setTimeout(resolve, 50));
		}
		throw new Error('never came true: ' + expression);
	}

	async go(hash) {
		await this.send('Page.navigate', { url: 'about:blank' });
		await this.until(`location.href === 'about:blank'`);
		await this.send('Page.navigate', { url: url + hash });
		await this.until(`document.body?.dataset.state !== undefined`);
	}

	async shoot(name, width, height, dark) {
		if (!shots)
			return;
		await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
		await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
		const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
		fs.writeFileSync(path.join(shots, name), Buffer.from(data, 'base64'));
	}

	async press(key, code) {
		await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, windowsVirtualKeyCode: code, text: key === 'Enter' ? '\r' : undefined });
		await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode: code });
	}
}

function expect(what, good) {
	if (!good)
		wrong++;
	console.log((good ? 'good: ' : 'WRONG: ') + what);
}

const text = id => `document.getElementById('${id}').textContent`;
/* Chooses as a person does: the control's value, then its event. */
const choose = (id, value) => `(() => { const c = document.getElementById('${id}'); c.value = '${value}';
	c.dispatchEvent(new Event('input', { bubbles: true })); })()`;

async function checkFirst(b) {
	const before = await b.spent();
	await b.go('');
	console.log(`${(await b.spent() - before).toFixed(0)} ms of processor time until the first answer stood there`);
	expect('an answer by itself', await b.ask(`document.body.dataset.state`) === 'answer');
	expect('a total with a unit: ' + await b.ask(text('total')), /^[0-9.]+ (ms|s) /.test(await b.ask(text('total'))));
	console.log('first answer after ' + await b.ask(`document.body.dataset.answerMs`) + ' ms');
	expect('four charts and two sets of bars', await b.ask(`document.querySelectorAll('figure').length`) === 6);
	expect('every chart has a name', await b.ask(`[...document.querySelectorAll('figure > svg')].every(s => s.getAttribute('aria-label'))`));
	expect('every control has a label', await b.ask(`[...document.querySelectorAll('form input, form select')].every(c => c.labels.length === 1)`));
	expect('nothing stands beyond the page', await b.ask(`document.documentElement.scrollWidth <= innerWidth`));
	expect('nothing was asked of a network', b.requests.every(r => r.startsWith('file:') || r.startsWith('data:') || r.startsWith('about:')));
	await b.shoot('page-light.png', 1280, 1180, false);
}

async function checkLink(b) {
	const before = await b.ask(text('total'));
	await b.ask(choose('batch', '128'));
	expect('a choice stands in the link', await b.ask('location.hash') === '#batch=128');
	const after = await b.ask(text('total'));
	expect('and changes the answer', after !== before);
	await b.go('#batch=128');
	expect('the link leads back to it', await b.ask(text('total')) === after);
	await b.ask(choose('device', 't4'));
	expect('a device without the dtype gets one that it has', await b.ask(`document.getElementById('dtype').value`) !== 'bf16' &&
		await b.ask('document.body.dataset.state') === 'answer');
	await b.go('#net=no_such_net');
	expect('a link to nothing says so: ' + await b.ask(text('error')), (await b.ask(text('error'))).includes('no_such_net'));
	expect('no older answer stands below an error', await b.ask(`document.getElementById('answer').innerText.trim() === document.getElementById('error').innerText.trim()`));
}

async function checkOriginal(b) {
	await b.go(ORIGINAL);
	const labels = `[...document.querySelectorAll('#curves figcaption')].map(c => c.firstChild.textContent).join(', ')`;
	expect('the charts of the original: ' + await b.ask(labels), (await b.ask(labels)).startsWith('Speedup, Training, Cost'));
	expect('its three schemes and ours beside', await b.ask(`document.querySelector('#curves .legend').children.length`) === 4);
	expect('ours has its interval', await b.ask(`document.querySelectorAll('#curves figure .band').length`) === 3);
	await b.shoot('page-dark.png', 1280, 1180, true);
	await b.shoot('page-narrow.png', 420, 1400, false);
}

async function checkForward(b) {
	await b.go('#net=resnet50&device=cpu-amd-epyc&dtype=f32&batch=1&passes=fwd');
	const said = await b.ask(text('summary'));
	expect('a forward pass by a calibration: ' + said.slice(0, 60), /a forward pass/.test(said) && /calibrated by/.test(said));
	expect('has no curves of training', await b.ask(`document.querySelectorAll('#curves figure').length`) === 0);
}

/* What is dropped is read here. */
async function checkDropped(b) {
	await b.go('');
	const net = JSON.stringify(fs.readFileSync('nets/vgg16.json', 'utf8'));
	await b.ask(`takeFile(new File([${net}], 'mine.json'))`);
	expect('a dropped net is answered', (await b.ask(text('summary'))).includes('138,357,544 parameters'));
	await b.ask(`takeFile(new File(['{'], 'broken.json'))`);
	expect('a broken one is refused with its place: ' + await b.ask(text('error')), /broken.json:1:2/.test(await b.ask(text('error'))));
}

async function checkKeys(b) {
	await b.go('');
	const top = `document.querySelector('#rows tbody td').textContent`;
	const by = await b.ask(top);
	await b.ask(`document.querySelector('[data-column="layer"]').focus()`);
	await b.press('Enter', 13);
	expect('a key sorts the table, which says how', await b.ask(`document.querySelector('th[aria-sort="ascending"]').textContent`) === 'layer ↑');
	await b.press('Enter', 13);
	expect('the other way at the next, and the place is kept', await b.ask(top) !== by && await b.ask(`document.activeElement.dataset.column`) === 'layer');
	await b.ask(`document.activeElement.blur(), window.scrollTo(0, 0)`);
	const reached = new Set();
	await b.ask(`document.body.setAttribute('tabindex', -1), document.body.focus()`);
	for (let i = 0; i < 45; i++) {
		await b.press('Tab', 9);
		reached.add(await b.ask(`document.activeElement.id`));
	}
	expect('the tabulator reaches every control that is shown', await b.ask(`[...document.querySelectorAll('form input, form select')]
		.filter(c => c.offsetParent).map(c => c.id)`).then(ids => ids.every(id => reached.has(id))));
}

async function main() {
	const b = new Browser();
	try {
		await b.open();
		await checkFirst(b);
		await checkLink(b);
		await checkOriginal(b);
		await checkForward(b);
		await checkDropped(b);
		await checkKeys(b);
		expect('no exception: ' + b.complaints.join('; '), !b.complaints.length);
	} finally {
		b.process.kill();
	}
}

main().then(() => process.exit(wrong ? 1 : 0), error => {
	console.log('WRONG: ' + error.stack);
	process.exit(1);
});
