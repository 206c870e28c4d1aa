/* wasi.js - the few functions of WASI that the compiled model calls: files in memory, read only. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

const WASI_BADF = 8, WASI_NOENT = 44, WASI_NOSYS = 52, WASI_DIRECTORY = 3, WASI_FILE = 4, WASI_ROOT = 3;

/* `files` maps paths without a leading slash to bytes; what is added to it later is seen, too. */
function wasiImports(files, environment, memory) {
	const open = new Map([[WASI_ROOT, { path: '', at: 0 }]]);
	const encoder = new TextEncoder(), decoder = new TextDecoder();
	const view = () => new DataView(memory().buffer);
	const bytes = (at, size) => new Uint8Array(memory().buffer, at, size);
	let next = WASI_ROOT + 1;

	function children(path) {
		const prefix = path ? path + '/' : '', names = new Set();
		for (const name of files.keys())
			if (name.startsWith(prefix))
				names.add(name.slice(prefix.length).split('/')[0]);
		return [...names];
	}

	/* The kind of what lies at a path; 0: nothing. */
	function kindOf(path) {
		if (files.has(path))
			return WASI_FILE;
		return path === '' || children(path).length ? WASI_DIRECTORY : 0;
	}

	function resolve(fd, at, size) {
		const parts = [];
		for (const part of (open.get(fd).path + '/' + decoder.decode(bytes(at, size))).split('/'))
			if (part === '..')
				parts.pop();
			else if (part !== '' && part !== '.')
				parts.push(part);
		return parts.join('/');
	}

	function putStat(path, out) {
		bytes(out, 64).fill(0);
		view().setUint8(out + 16, kindOf(path));
		view().setBigUint64(out + 32, BigInt(files.get(path)?.length ?? 0), true);
		return 0;
	}

	/* Fills the pieces from `offset` on; returns how much that was. */
	function read(file, pieces, count, offset) {
		const content = files.get(file.path) ?? new Uint8Array();
		let done = 0;
		for (let i = 0; i < count; i++) {
			const to = view().getUint32(pieces + 8 * i, true), room = view().getUint32(pieces + 8 * i + 4, true);
			const part = content.subarray(offset + done, offset + done + room);
			bytes(to, part.length).set(part);
			done += part.length;
		}
		return done;
	}

	/* Entries of 24 bytes and a name; the last one may be cut, and is asked for again. */
	function readFolder(fd, buffer, size, cookie, out) {
		const names = children(open.get(fd).path);
		let used = 0;
		for (let i = Number(cookie); i < names.length && used < size; i++) {
			const name = encoder.encode(names[i]), entry = new Uint8Array(24 + name.length);
			const head = new DataView(entry.buffer);
			const path = [open.get(fd).path, names[i]].filter(Boolean).join('/');
			head.setBigUint64(0, BigInt(i + 1), true);
			head.setUint32(16, name.length, true);
			head.setUint8(20, kindOf(path));
			entry.set(name, 24);
			const part = entry.subarray(0, size - used);
			bytes(buffer + used, part.length).set(part);
			used += part.length;
		}
		view().setUint32(out, used, true);
		return 0;
	}

	const calls = {
		environ_sizes_get(count, size) {
			view().setUint32(count, environment.length, true);
			view().setUint32(size, environment.reduce((sum, e) => sum + encoder.encode(e).length + 1, 0), true);
			return 0;
		},
		environ_get(pointers, buffer) {
			environment.forEach((e, i) => {
				const text = encoder.encode(e + '\0');
				view().setUint32(pointers + 4 * i, buffer, true);
				bytes(buffer, text.length).set(text);
				buffer += text.length;
			});
			return 0;
		},
		fd_prestat_get(fd, out) {
			if (fd !== WASI_ROOT)
				return WASI_BADF;
			view().setUint32(out, 0, true);
			view().setUint32(out + 4, 1, true);
			return 0;
		},
		fd_prestat_dir_name(fd, at) {
			bytes(at, 1)[0] = '/'.charCodeAt(0);
			return 0;
		},
		fd_fdstat_get(fd, out) {
			if (!open.has(fd))
				return WASI_BADF;
			bytes(out, 24).fill(0);
			view().setUint8(out, kindOf(open.get(fd).path));
			bytes(out + 8, 16).fill(0xff); /* all rights */
			return 0;
		},
		path_open(fd, flags, at, size, how, rights, inherited, fdFlags, out) {
			const path = resolve(fd, at, size);
			if (!kindOf(path))
				return WASI_NOENT;
			open.set(next, { path, at: 0 });
			view().setUint32(out, next++, true);
			return 0;
		},
		path_filestat_get(fd, flags, at, size, out) {
			const path = resolve(fd, at, size);
			return kindOf(path) ? putStat(path, out) : WASI_NOENT;
		},
		fd_filestat_get: (fd, out) => open.has(fd) ? putStat(open.get(fd).path, out) : WASI_BADF,
		fd_close: fd => open.delete(fd) ? 0 : WASI_BADF,
		fd_read(fd, pieces, count, out) {
			const file = open.get(fd);
			if (!file)
				return WASI_BADF;
			const done = read(file, pieces, count, file.at);
			file.at += done;
			view().setUint32(out, done, true);
			return 0;
		},
		fd_pread(fd, pieces, count, offset, out) {
			if (!open.has(fd))
				return WASI_BADF;
			view().setUint32(out, read(open.get(fd), pieces, count, Number(offset)), true);
			return 0;
		},
		fd_readdir: readFolder,
		/* Only a failed assert writes. */
		fd_write(fd, pieces, count, out) {
			let text = '', done = 0;
			for (let i = 0; i < count; i++) {
				const size = view().getUint32(pieces + 8 * i + 4, true);
				text += decoder.decode(bytes(view().getUint32(pieces + 8 * i, true), size));
				done += size;
			}
			console.error(text);
			view().setUint32(out, done, true);
			return 0;
		},
		proc_exit(status) {
			throw new Error('the model ended with status ' + status);
		},
	};
	/* What libc names and no reading of files needs. */
	return new Proxy(calls, { get: (all, name) => all[name] ?? (() => WASI_NOSYS) });
}
