/* draw.js - draws a report in node, in a small stand-in for a browser's document, and prints the page that is there then. */
/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

// node draw.js FILE.html: also sorts and filters each table that can be, and complains where that goes wrong.
const fs = require('fs'), vm = require('vm'), assert = require('assert');
const source = fs.readFileSync(process.argv[2], 'utf8');
const VOID = ['meta', 'input', 'br'];

class Text {
	constructor(text) {
		this.textContent = String(text);
	}
}

class Element {
	constructor(name) {
		Object.assign(this, { name, attributes: new Map(), childNodes: [], listeners: new Map(), parent: null, hidden: false });
	}

	setAttribute(key, value) {
		this.attributes.set(key, String(value));
	}

	getAttribute(key) {
		return this.attributes.get(key) ?? null;
	}

	removeAttribute(key) {
		this.attributes.delete(key);
	}

	append(...nodes) {
		for (const given of nodes) {
			const node = given instanceof Element || given instanceof Text ? given : new Text(given);
			if (node.parent)
				node.parent.childNodes = node.parent.childNodes.filter(n => n !== node);
			node.parent = this;
			this.childNodes.push(node);
		}
	}

	addEventListener(type, listener) {
		this.listeners.set(type, listener);
	}

	all(name) {
		return this.childNodes.filter(n => n instanceof Element).flatMap(n => [...(n.name === name ? [n] : []), ...n.all(name)]);
	}

	get textContent() {
		return this.childNodes.map(n => n.textContent).join('');
	}

	set textContent(text) {
		this.childNodes = [new Text(text)];
	}

	get value() {
		return this.chosen ?? '';
	}

	set value(text) {
		this.chosen = text;
	}

	get rows() {
		return this.all('tr');
	}

	get cells() {
		return this.childNodes;
	}

	get cellIndex() {
		return this.parent.childNodes.indexOf(this);
	}

	get tHead() {
		return this.all('thead')[0];
	}

	get tBodies() {
		return this.all('tbody');
	}

	get html() {
		const escape = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
		const attributes = [...this.attributes].map(([key, value]) => ` ${key}="${escape(value)}"`).join('');
		const inner = this.childNodes.map(n => n instanceof Element ? n.html : escape(n.textContent)).join('');
		return `<${this.name}${attributes}>` + (VOID.includes(this.name) ? '' : `${inner}</${this.name}>`);
	}
}

const body = new Element('body'), nav = new Element('nav'), main = new Element('main'), data = new Element('script');
const [, json, script] = source.match(/<script type='application\/json' id='data'>(.*?)<\/script>\n<script>(.*)<\/script>/s);

data.textContent = json;
body.append(nav, main);
vm.runInNewContext(script, {
	document: {
		body, createElement: name => new Element(name), createElementNS: (_, name) => new Element(name),
		getElementById: id => id === 'data' ? data : null,
		querySelector: path => ({ nav, main, 'nav ul': nav.all('ul')[0] })[path],
	},
	Option: function (text, value) {
		const option = new Element('option');
		option.setAttribute('value', value);
		option.append(text);
		return option;
	},
}, { filename: 'page' });

/* The cells of a column, and which way they are sorted: numbers by size, "-" last. */
function sorted(table, column, down) {
	const numbers = table.tBodies[0].rows.map(row => parseFloat(row.cells[column].textContent));
	const known = numbers.filter(x => !Number.isNaN(x));
	assert.deepStrictEqual(known, [...known].sort((a, b) => down ? b - a : a - b));
	assert(numbers.slice(known.length).every(Number.isNaN), 'what has no number is last');
}

function checkTable(tools, table) {
	const heads = table.tHead.rows[0].cells, column = heads.findIndex(h => / (ms|%|min|MB)$/.test(h.textContent)), rows = table.tBodies[0].rows;
	const press = () => heads[column].all('span')[0].listeners.get('click')();
	press();
	sorted(table, column, true);
	assert.strictEqual(heads[column].getAttribute('aria-sort'), 'descending');
	press();
	sorted(table, column, false);
	assert.strictEqual(heads[column].getAttribute('aria-sort'), 'ascending');
	table.tBodies[0].append(...rows);
	heads[column].removeAttribute('aria-sort');
	const field = tools.all('input')[0], word = rows[0].cells[0].textContent, count = tools.all('output')[0];
	field.value = word.toUpperCase();
	field.listeners.get('input')();
	const left = rows.filter(row => !row.hidden);
	assert(left.length && left.every(row => row.textContent.toLowerCase().includes(word.toLowerCase())));
	assert.strictEqual(count.textContent, `${left.length} of ${rows.length} rows`);
	field.value = '';
	const label = tools.all('label').find(l => l.all('select').length), select = label.all('select')[0], kind = select.all('option')[1].textContent;
	const place = heads.findIndex(h => h.textContent === label.childNodes[0].textContent.trim());
	select.value = kind;
	select.listeners.get('change')();
	assert(rows.every(row => row.hidden === (row.cells[place].textContent !== kind)), kind);
	select.value = '';
	select.listeners.get('change')();
	assert(rows.every(row => !row.hidden));
}

const parts = [...main.all('div')];
parts.forEach((part, i) => {
	if (part.getAttribute('class') === 'tools')
		checkTable(part, parts[i + 1].all('table')[0]);
});
console.log('<!doctype html>' + body.html);
