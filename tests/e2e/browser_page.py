#!/usr/bin/env python3
"""A copy of a report for a browser to try.

    browser_page.py PAGE OUT            a script uses the page as a person would
    browser_page.py PAGE OUT --attacks  as if a name had become markup in every way known: nothing of it may run

The script that uses the page, and tells in an element #verdict what came of it, stands before the content policy and is
therefore not subject to it; what is planted stands behind it.
"""
import sys

POLICY = '<meta http-equiv="Content-Security-Policy"'

USE = r"""
var stopped = [], planted = [], notes = [];
document.addEventListener('securitypolicyviolation', function (e) {
    stopped.push(e.effectiveDirective + (e.sample ? ' ' + e.sample : ''));
});
function note(good, what) { notes.push((good ? 'good: ' : 'BAD: ') + what); }
function each(css, f) { Array.prototype.forEach.call(document.querySelectorAll(css), f); }
function picture() { return document.getElementById('timeline-canvas').toDataURL(); }
/* Without a screen frames come late or never. */
window.requestAnimationFrame = function (f) { return setTimeout(f, 0); };
function drawn() { return new Promise(function (done) { setTimeout(done, 20); }); }
function sortTables() {
    each('table.sortable', function (t) {
        Array.prototype.forEach.call(t.tHead.rows[0].cells, function (th, i) {
            th.querySelector('button').click();
            var v = Array.prototype.map.call(t.tBodies[0].rows, function (r) {
                return parseFloat(r.cells[i].getAttribute('data-v')); });
            var down = th.getAttribute('aria-sort') === 'descending';
            var sorted = v.every(function (x, k) {
                return !k || isNaN(x) || isNaN(v[k - 1]) || (down ? v[k - 1] >= x : v[k - 1] <= x); });
            note(th.hasAttribute('aria-sort') && sorted, 'a table sorts by ' + th.textContent);
        });
    });
}
function filterTables() {
    note(document.querySelector('.filter input'), 'a long table has a filter');
    each('.filter input', function (input) {
        var table = input.parentNode.nextElementSibling.querySelector('table');
        input.value = 'gemm';
        input.dispatchEvent(new Event('input'));
        var rows = Array.prototype.slice.call(table.tBodies[0].rows);
        note(rows.some(function (r) { return r.hidden; }) && rows.every(function (r) {
            return r.hidden === (r.textContent.indexOf('gemm') < 0); }), 'a table is filtered');
        input.value = '';
        input.dispatchEvent(new Event('input'));
    });
}
function mouse(name, x, y, more) {
    var canvas = document.getElementById('timeline-canvas'), box = canvas.getBoundingClientRect();
    var how = Object.assign({clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true}, more);
    canvas.dispatchEvent(name === 'wheel' ? new WheelEvent(name, how) : new PointerEvent(name, how));
}
async function useTimeline() {
    var canvas = document.getElementById('timeline-canvas'), tip = document.getElementById('timeline-tip');
    var whole = picture(), seen = false;
    for (var y = 4; y < canvas.clientHeight && !seen; y += 6)
        for (var x = 4; x < canvas.clientWidth && !seen; x += 12) {
            mouse('pointermove', x, y);
            seen = !tip.hidden && tip.textContent.length > 3 && tip.style.left !== '';
        }
    note(seen, 'hovering shows a name: ' + tip.textContent.slice(0, 40));
    mouse('wheel', 200, 60, {deltaY: -100});
    await drawn();
    var near = picture();
    note(near !== whole, 'the wheel zooms');
    document.querySelector('[data-zoom=in]').click();
    await drawn();
    note(picture() !== near, 'the button + zooms');
    document.querySelector('[data-zoom=all]').click();
    await drawn();
    note(picture() === whole, 'show all shows all');
    canvas.dispatchEvent(new KeyboardEvent('keydown', {key: '+', bubbles: true}));
    await drawn();
    note(picture() !== whole, 'the key + zooms');
    document.querySelector('[data-zoom=all]').click();
    await drawn();
    each('#timeline-legend .swatch', function (s) {
        var colour = getComputedStyle(s).backgroundColor;
        if (colour === 'rgba(0, 0, 0, 0)') note(false, 'a kind of the legend has no colour');
    });
    note(document.querySelectorAll('#timeline-legend .swatch').length > 2, 'the legend lists kinds');
}
function dragOver(from, to, y) {
    mouse('pointerdown', from, y);
    mouse('pointermove', to, y);
    mouse('pointerup', to, y);
}
async function showAll() {
    document.querySelector('[data-zoom=all]').click();
    await drawn();
}
async function moveTimeline() {
    var canvas = document.getElementById('timeline-canvas'), map = document.getElementById('timeline-map');
    var whole = picture(), wholeMap = map.toDataURL();
    dragOver(100, 300, 10);
    await drawn();
    var part = picture();
    note(part !== whole, 'dragging along the axis zooms');
    note(map.toDataURL() !== wholeMap, 'the map frames what is shown');
    dragOver(300, 200, 60);
    await drawn();
    note(picture() !== part, 'dragging moves');
    await showAll();
    note(picture() === whole, 'show all shows all again');
    ['+', 'ArrowRight', 'ArrowLeft', '0'].forEach(function (key) {
        canvas.dispatchEvent(new KeyboardEvent('keydown', {key: key, bubbles: true})); });
    await drawn();
    note(picture() === whole, 'the keys zoom, move and show all');
    note(map.clientHeight > 20 && !map.hidden, 'the map of the recording is there');
}
async function searchTimeline() {
    var find = document.getElementById('timeline-find'), found = document.getElementById('timeline-found');
    var whole = picture();
    function type(word) { find.value = word; find.dispatchEvent(new Event('input')); return drawn(); }
    await type('GEMM');
    var n = parseInt(found.textContent);
    note(n > 0 && picture() !== whole, 'a search finds and shows: ' + found.textContent);
    var names = JSON.parse(document.getElementById('timeline-data').textContent), hits = 0;
    for (var i = 0; i < names.spans.length; i += 9)
        if (/gemm/i.test(names.names[names.spans[i + 3]])) hits++;
    note(n === hits, 'it counts what there is: ' + hits);
    find.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
    await drawn();
    note(found.textContent === '1 of ' + hits + ' spans', 'Enter goes to the first: ' + found.textContent);
    await type('no such name anywhere');
    note(parseInt(found.textContent) === 0, 'it says that nothing is found');
    find.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}));
    await showAll();
    note(picture() === whole && found.textContent === '', 'Escape ends a search');
}
async function openFindings() {
    var rows = document.querySelectorAll('.finding'), plain = picture();
    note(rows.length > 0, 'there are findings: ' + rows.length);
    for (var i = 0; i < rows.length; i++) {
        var row = rows[i], marked = /^Marked/.test(row.querySelector('.marked').textContent);
        note(!row.open && row.querySelector('summary').clientHeight < 60, 'a finding is one line');
        row.querySelector('summary').click();
        await drawn();
        note(row.open && row.querySelector('.card').clientHeight > 50, 'it opens');
        note(marked === (picture() !== plain), 'an open one is marked in the timeline: ' + marked);
        row.querySelector('summary').click();
        await drawn();
        note(picture() === plain, 'a closed one is not');
        row.dispatchEvent(new PointerEvent('pointerenter'));
        await drawn();
        note(marked === (picture() !== plain), 'one under the pointer is');
        row.dispatchEvent(new PointerEvent('pointerleave'));
        await drawn();
    }
}
async function useFlame() {
    var canvas = document.getElementById('flame-canvas'), tip = document.getElementById('flame-tip');
    function look() { return canvas.toDataURL(); }
    function point(name, x, y) {
        var box = canvas.getBoundingClientRect();
        canvas.dispatchEvent(new PointerEvent(name, {clientX: box.left + x, clientY: box.top + y, bubbles: true}));
    }
    var host = look(), part = host;
    point('pointermove', 20, 5);
    note(!tip.hidden && /host/.test(tip.textContent), 'the flame graph tells of a call: ' + tip.textContent.slice(0, 40));
    for (var y = 22; y < canvas.clientHeight && part === host; y += 18)
        for (var x = 5; x < canvas.clientWidth && part === host; x += 9) {
            point('click', x, y);
            part = look();
        }
    note(part !== host, 'a click shows a call alone');
    document.querySelector('[data-flame=all]').click();
    note(look() === host, 'show all shows all calls');
    document.querySelector('[data-flame=device]').click();
    note(look() !== host, 'it shows the time of the GPU');
    document.querySelector('[data-flame=host]').click();
    note(look() === host, 'and that of the host again');
}
function clickAndHoverEverything() {
    each('body *', function (e) {
        if (e.dispatchEvent) ['pointerover', 'mouseover', 'focus', 'toggle', 'error', 'load'].forEach(function (n) {
            e.dispatchEvent(new Event(n)); });
        if (e.click) e.click();
        else e.dispatchEvent(new Event('click'));
    });
}
function lookAtStyles() {
    if (getComputedStyle(document.body).outlineStyle !== 'none') planted.push('style element');
    each('.planted', function (e) {
        if (getComputedStyle(e).outlineStyle !== 'none') planted.push('style attribute');
    });
    if (document.baseURI.indexOf('elsewhere') >= 0) planted.push('base');
}
window.addEventListener('load', async function () {
    try {
        note(getComputedStyle(document.querySelector('main')).maxWidth === '1080px', 'the style sheet applies');
        sortTables();
        filterTables();
        await useTimeline();
        await moveTimeline();
        await searchTimeline();
        await openFindings();
        await useFlame();
        clickAndHoverEverything();
        await drawn();
        lookAtStyles();
    } catch (e) { note(false, 'threw ' + e); }
    var v = document.createElement('pre');
    v.id = 'verdict';
    v.textContent = ['', 'VERDICT'].concat(notes, planted.map(function (p) { return 'RAN: ' + p; }),
        stopped.map(function (p) { return 'stopped: ' + p; }), ['END', '']).join('\n');
    document.body.appendChild(v);
});
"""

ATTACKS = """
<script>planted.push('script element')</script>
<script type="module">planted.push('module')</script>
<style>body{outline:3px dashed red}</style>
<p class="planted" style="outline:3px dashed red">style attribute</p>
<svg><circle r="9" onclick="planted.push('onclick in SVG')"></circle>
<script>planted.push('script in SVG')</script></svg>
<img src="x" onerror="planted.push('onerror')">
<button onclick="planted.push('onclick')" onmouseover="planted.push('onmouseover')">click</button>
<details ontoggle="planted.push('ontoggle')" open><summary>toggle</summary></details>
<a href="javascript:void planted.push('javascript: link')">link</a>
<iframe srcdoc="<script>parent.planted.push('srcdoc')</script>"></iframe>
<iframe src="javascript:parent.planted.push('javascript: frame')"></iframe>
<base href="https://elsewhere.invalid/">
<form action="javascript:planted.push('form')"><button>send</button></form>
"""


def main(page, out, attacks=None):
    with open(page, encoding="utf-8") as f:
        html = f.read()
    if html.count(POLICY) != 1 or html.count("<footer>") != 1:
        sys.exit(f"{page} has not one content policy and one footer")
    html = html.replace(POLICY, f"<script>{USE}</script>\n{POLICY}")
    if attacks:
        html = html.replace("<footer>", ATTACKS + "<footer>")
    with open(out, "w", encoding="utf-8") as f:
        f.write(html)


if __name__ == "__main__":
    main(*sys.argv[1:])
