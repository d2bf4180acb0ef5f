/*
 * The list of pages is scrolled to the page that is shown; and the search over all pages. search-index.js, a script and no data file so that it also loads from disk, is read when somebody
 * begins to search. A part of a page (a heading and its text) is found where every word occurs in it or in the page's title.
 * Each word counts by the best place that it has: title before heading before text, the beginning of a word before its middle.
 */
'use strict';
(function () {
    const root = document.currentScript.dataset.root;
    const AT = {title: 100, heading: 40, text: 8, path: 6}; // a word's worth by its place
    const INSIDE = 0.5; // within a word
    const SHOWN = 30, OF_A_PAGE = 3, BEFORE = 50, BEHIND = 110;
    let parts = null; // of all pages: {address, section, title, heading, text, …}

    function partsOf(index) {
        const all = [];
        for (const [address, section, title, headings] of index)
            headings.forEach(([anchor, heading, text], n) => all.push({
                address: address + (anchor && '#' + anchor), section, title, heading, text, page: address, first: n === 0,
                low: {title: title.toLowerCase(), heading: heading.toLowerCase(), text: text.toLowerCase(), path: address.toLowerCase()},
            }));
        return all;
    }

    function load(then) {
        if (parts) { then(); return; }
        const script = document.createElement('script');
        script.src = root + 'search-index.js';
        script.onload = () => { parts = parts || partsOf(searchIndex); then(); };
        document.head.append(script);
    }

    // 1 where the word begins a word of the text, less inside of one, 0 where it is not there
    function occurs(text, word) {
        let at = text.indexOf(word);
        if (at < 0) return 0;
        for (; at >= 0; at = text.indexOf(word, at + 1))
            if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) return 1;
        return INSIDE;
    }

    function worth(part, words, query) {
        let sum = 0, own = part.first;
        for (const word of words) {
            let best = 0;
            for (const place in AT) {
                const found = occurs(part.low[place], word);
                if (found && (place === 'heading' || place === 'text')) own = true;
                // Of a page that has the word in its title, its beginning comes first.
                best = Math.max(best, found * AT[place] * (place === 'title' && !part.first ? 0.3 : 1));
            }
            if (!best) return 0;
            sum += best;
        }
        if (!own) return 0;
        if (part.first && (part.low.title === query || part.low.title === 'gait ' + query)) sum += 200;
        if (words.length > 1 && part.low.heading.includes(query)) sum += AT.heading;
        if (words.length > 1 && part.low.text.includes(query)) sum += 2 * AT.text;
        return sum / words.length;
    }

    function search(query) {
        const words = query.split(/\s+/).filter(Boolean), ofPage = new Map();
        if (!words.length) return [];
        return parts.map((part, order) => ({part, order, worth: worth(part, words, query)}))
            .filter(hit => hit.worth > 0)
            .sort((a, b) => b.worth - a.worth || a.order - b.order)
            .filter(hit => {
                const n = (ofPage.get(hit.part.page) || 0) + 1;
                ofPage.set(hit.part.page, n);
                return n <= OF_A_PAGE;
            });
    }

    // The text as nodes, with the words marked; nothing of the index is ever markup.
    function marked(text, words) {
        const out = document.createDocumentFragment(), low = text.toLowerCase();
        for (let at = 0; at < text.length;) {
            let next = text.length, length = 0;
            for (const word of words) {
                const found = low.indexOf(word, at);
                if (found >= 0 && found < next) { next = found; length = word.length; }
            }
            out.append(text.slice(at, next));
            if (length) {
                const mark = document.createElement('mark');
                mark.textContent = text.slice(next, next + length);
                out.append(mark);
            }
            at = next + length;
        }
        return out;
    }

    function snippet(part, words) {
        const places = words.map(word => part.low.text.indexOf(word)).filter(at => at >= 0);
        const at = places.length ? Math.min(...places) : 0;
        const from = at > BEFORE ? part.text.indexOf(' ', at - BEFORE) + 1 : 0;
        const text = part.text.slice(from, at + BEHIND), whole = at + BEHIND >= part.text.length;
        return (from ? '… ' : '') + (whole ? text : text.replace(/\s\S*$/, ' …'));
    }

    function item(part, words) {
        const li = document.createElement('li'), a = document.createElement('a'), title = document.createElement('b');
        const where = document.createElement('small'), text = document.createElement('small');
        a.href = root + part.address;
        title.append(marked(part.title, words));
        a.append(title);
        if (part.heading) a.append(' › ', marked(part.heading, words));
        where.textContent = part.section;
        text.append(marked(snippet(part, words), words));
        a.append(where, text);
        li.append(a);
        return li;
    }

    const form = document.getElementById('search'), input = form.querySelector('input');
    const found = document.getElementById('found'), said = found.querySelector('p'), list = found.querySelector('ol');

    function show() {
        const query = input.value.trim().toLowerCase(), words = query.split(/\s+/);
        found.hidden = !query;
        if (!query) return;
        const hits = search(query);
        said.textContent = hits.length ? hits.length + ' found' + (hits.length > SHOWN ? ', the first ' + SHOWN : '')
            : 'Nothing has all of these words.';
        list.replaceChildren(...hits.slice(0, SHOWN).map(hit => item(hit.part, words)));
        found.scrollTop = 0;
    }
    function close() { found.hidden = true; }
    function move(by) {
        const stops = [input, ...list.querySelectorAll('a')], at = stops.indexOf(document.activeElement);
        if (at >= 0) stops[Math.min(Math.max(at + by, 0), stops.length - 1)].focus();
    }

    form.hidden = false;
    input.addEventListener('input', () => load(show));
    input.addEventListener('focus', () => load(show));
    form.addEventListener('submit', event => {
        event.preventDefault();
        const first = list.querySelector('a');
        if (first && !found.hidden) first.click();
    });
    form.addEventListener('keydown', event => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') { event.preventDefault(); move(event.key === 'ArrowDown' ? 1 : -1); }
        if (event.key === 'Escape') { input.value = ''; input.focus(); close(); }
    });
    list.addEventListener('click', close); // a link within this page leaves it where it is
    document.addEventListener('click', event => { if (!form.contains(event.target)) close(); });
    document.addEventListener('keydown', event => {
        const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey;
        if (event.key === '/' && !typing) { event.preventDefault(); input.focus(); input.select(); }
    });
}());

(function () {
    const list = document.getElementById('sections'), current = list.querySelector('[aria-current]');
    if (current && getComputedStyle(list).position === 'sticky') list.scrollTop = current.offsetTop - list.clientHeight / 2;
}());
