/* engine.js - unpacks the compiled model with its nets and presets, and asks it: JSON in, JSON out. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

/* The bytes behind base64 text. */
function decodeBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text), out = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++)
		out[i] = binary.charCodeAt(i);
	return out;
}

async function gunzip(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* The regular files of a tar archive (ustar: heads and contents in blocks of 512 bytes). */
function untar(tar) {
	const decoder = new TextDecoder(), files = new Map();
	const field = (at, size) => decoder.decode(tar.subarray(at, at + size)).replace(/\0.*$/s, '');
	for (let at = 0; at + 512 <= tar.length && tar[at];) {
		const size = parseInt(field(at + 124, 12), 8) || 0;
		if (field(at + 156, 1) !== '5')
			files.set(field(at, 100), tar.subarray(at + 512, at + 512 + size));
		at += 512 + 512 * Math.ceil(size / 512);
	}
	return files;
}

/*
 * The model: `files` may be added to, and open() gives a function from a request to its answer, as
 * web/answer.h tells. Each such function keeps its last net and device.
 */
async function startEngine(bundle) {
	const files = untar(await gunzip(decodeBase64(bundle)));
	let memory;
	const imports = wasiImports(files, ['PALEO_DATA_DIR=/share/paleo'], () => memory);
	const { instance } = await WebAssembly.instantiate(files.get('paleo.wasm'),
		{ wasi_snapshot_preview1: imports });
	const wasm = instance.exports, encoder = new TextEncoder(), decoder = new TextDecoder();

	memory = wasm.memory;
	files.delete('paleo.wasm');
	wasm._initialize();

	function answerText(kept, request) {
		const text = encoder.encode(request), room = wasm.malloc(text.length + 1);
		const to = new Uint8Array(memory.buffer, room, text.length + 1);
		to.set(text);
		to[text.length] = 0;
		const at = wasm.paleo_web_answer(kept, room);
		wasm.free(room);
		if (!at)
			throw new Error('out of memory');
		const all = new Uint8Array(memory.buffer), answer = decoder.decode(all.subarray(at, all.indexOf(0, at)));
		wasm.free(at);
		return answer;
	}

	function open() {
		const kept = wasm.paleo_web_open();
		const ask = request => JSON.parse(answerText(kept, JSON.stringify(request)));
		ask.text = request => answerText(kept, request);
		return ask;
	}
	return { files, open };
}
