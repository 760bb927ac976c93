"use strict";
// Progressive enhancement only. Every page is complete without this file: forms submit, tabs are sections, charts have
// a table or a static picture. Charts are drawn here from the JSON beside them, at the width they have. All numbers
// come from the server.
document.documentElement.classList.add("js");
const $ = (what, where = document) => where.querySelector(what);
const $$ = (what, where = document) => [...where.querySelectorAll(what)];
const NS = "http://www.w3.org/2000/svg";
const draw = (parent, tag, attributes = {}, text) => {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
};
const minus = (text) => String(text).replace("-", "−");
const inHundred = (p) => (p > 0.995 ? "over 99" : p < 0.005 ? "under 1" : String(Math.round(p * 100)));
const whole = (x) => Math.round(x).toLocaleString("en-GB");
const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
const span = (d0, d1, r0, r1) => (x) => r0 + ((x - d0) / (d1 - d0 || 1)) * (r1 - r0);
const ticks = (low, high, about) => {
  const raw = (high - low) / about || 1, size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * size).find((s) => s >= raw * 0.999);
  const out = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-6; t += step) out.push(+t.toFixed(10));
  return out;
};
const form = () => $("form#ask");
const set = (values) => {
  for (const [name, value] of Object.entries(values)) form().elements[name].value = value;
  form().dispatchEvent(new Event("change", { bubbles: true }));
};

/* Charts. Each draws into a plot of known width and height. */
const charts = {
  interval(plot, data, w, h) {
    const now = data.now, wide = w > 700, left = wide ? 24 : 8, right = w - left;
    const name = (who) => cut(data[who].name, wide ? 34 : 16);
    const svg = draw(plot, "svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": `${data.title}: ${data.a.name} ${data.a.said}, ${data.b.name} ${data.b.said}. ${now.words}` });
    const scores = data.a.score !== null && data.b.score !== null;
    let names = 22;
    if (scores) {
      draw(svg, "text", { x: left, y: 12 }, `${data.title} (${data.better} is better)`);
      const low = Math.min(data.a.score, data.b.score), high = Math.max(data.a.score, data.b.score), pad = (high - low || Math.abs(high) || 1) * 0.6;
      const x = span(low - pad, high + pad, left + 60, right - 60), first = 44;
      draw(svg, "line", { class: "grid", x1: left, x2: right, y1: first + 17, y2: first + 17 });
      [["a", first], ["b", first + 34]].forEach(([who, y]) => {
        const at = x(data[who].score);
        draw(svg, "circle", { class: `f${who}`, cx: at, cy: y, r: 7 });
        const beyond = at > w * 0.55;
        draw(svg, "text", { class: `f${who} halo`, x: at + (beyond ? -13 : 13), y: y + 5, "text-anchor": beyond ? "end" : "start" }, `${name(who)} ${data[who].said}`);
      });
      names = first + 66;
    }
    const top = names + (wide ? 10 : 26), bottom = h - 36, middle = (top + bottom) / 2 + 4;
    const d = span(-data.reach, data.reach, left, right);
    if (data.margin) draw(svg, "rect", { class: "margin", x: d(-data.margin), width: d(data.margin) - d(-data.margin), y: top, height: bottom - top });
    for (const t of ticks(-data.reach, data.reach, wide ? 8 : 4)) {
      draw(svg, "line", { class: "grid", x1: d(t), x2: d(t), y1: top, y2: bottom });
      draw(svg, "text", { x: d(t), y: bottom + 16, "text-anchor": "middle", class: t ? "" : "strong" }, minus(t));
    }
    draw(svg, "line", { class: "zero", x1: d(0), x2: d(0), y1: top - 4, y2: bottom });
    draw(svg, "text", { class: "strong", x: d(0), y: top - 8, "text-anchor": "middle" }, "no difference");
    draw(svg, "text", { class: "fb", x: left, y: names }, `◂ ${name("b")} better`);
    draw(svg, "text", { class: "fa", x: right, y: names, "text-anchor": "end" }, `${name("a")} better ▸`);
    if (data.margin && wide) draw(svg, "text", { x: d(-data.margin) + 6, y: top + 16 }, `margin ±${data.margin}`);
    draw(svg, "text", { x: w / 2, y: h - 2, "text-anchor": "middle" }, `difference, ${now.level}`);
    if (now.value === null) return;
    const ends = { low: Math.max(now.low ?? -data.reach, -data.reach), high: Math.min(now.high ?? data.reach, data.reach) };
    draw(svg, "line", { class: "st", x1: d(ends.low), x2: d(ends.high), y1: middle, y2: middle, "stroke-width": 14, "stroke-opacity": 0.4 });
    for (const end of ["low", "high"]) if (now[end] !== null) {
      draw(svg, "line", { class: "st", x1: d(ends[end]), x2: d(ends[end]), y1: middle - 13, y2: middle + 13, "stroke-width": 3 });
      const tight = end === "low" ? d(ends[end]) < 58 : d(ends[end]) > w - 58;  // no room beside it: below
      draw(svg, "text", { class: "halo", x: d(ends[end]) + (tight ? 0 : end === "low" ? -8 : 8), y: middle + (tight ? 29 : 5), "text-anchor": tight ? (end === "low" ? "start" : "end") : end === "low" ? "end" : "start" }, now.said[end]);
    }
    draw(svg, "circle", { class: "ft", cx: d(now.value), cy: middle, r: 9 });
    draw(svg, "text", { class: "strong halo", x: d(now.value), y: middle - 18, "text-anchor": "middle" }, now.said.value);
  },
  items(plot, data, w, h, tip) {
    const rows = data.items, left = 44, low = Math.min(0, ...rows.map((r) => r.d)), high = Math.max(0, ...rows.map((r) => r.d)), room = (high - low || 1) * 0.08;
    const svg = draw(plot, "svg", { viewBox: `0 0 ${w} ${h}`, role: "group", tabindex: 0, "aria-label": data.words + " Use the arrow keys to read single items." });
    const y = span(low - room, high + room, h - 22, 8), x = span(0, rows.length, left, w - 4), each = (w - 4 - left) / rows.length;
    for (const t of ticks(low, high, 5)) {
      draw(svg, "line", { class: t ? "grid" : "zero", x1: left, x2: w - 4, y1: y(t), y2: y(t) });
      draw(svg, "text", { x: left - 6, y: y(t) + 4, "text-anchor": "end" }, minus(t));
    }
    draw(svg, "text", { x: w - 6, y: h - 4, "text-anchor": "end" }, `${whole(data.n)} items, sorted${data.n > rows.length ? `; every ${Math.round(data.n / rows.length)}th is drawn` : ""}`);
    const hits = rows.map((row, i) => {
      const at = x(i) + each / 2, who = row.d > 0 ? "a" : row.d < 0 ? "b" : "n";
      if (row.d) draw(svg, "line", { class: `s${who}`, x1: at, x2: at, y1: y(0), y2: y(row.d), "stroke-width": Math.max(1.5, each - 2) });
      else draw(svg, "circle", { class: "fn", cx: at, cy: y(0), r: 2 });
      const hit = draw(svg, "rect", { class: "hit", x: x(i), width: each, y: 0, height: h - 22 });
      hit.addEventListener("pointerenter", () => pinned || show(i));
      hit.addEventListener("click", () => { pinned = !(pinned && now === i); show(i); });
      return hit;
    });
    draw(svg, "text", { class: "fa halo", x: w - 6, y: y(0) + 18, "text-anchor": "end" }, `${cut(data.a, 24)} better on ${whole(data.wins[0])}`);
    draw(svg, "text", { class: "fb halo", x: left + 4, y: y(0) - 9 }, `${cut(data.b, 24)} better on ${whole(data.wins[1])}`);
    let now = -1, pinned = false;
    const show = (i) => {
      hits[now]?.classList.remove("now");
      now = (i + rows.length) % rows.length;
      hits[now].classList.add("now");
      const r = rows[now];
      const lines = [`${r.name}: ${r.said}`, `${data.a} ${r.a} (answers ${r.ra ?? ""})`, `${data.b} ${r.b} (answers ${r.rb ?? ""})`];
      if (r.gold) lines.push(`gold ${r.gold}`);
      tip(x(now), Math.min(y(r.d), y(0)), lines);
    };
    svg.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by) { event.preventDefault(); show(now + by); }
      if (event.key === "Escape") { pinned = false; tip(); }
    });
    svg.addEventListener("pointerleave", () => pinned || tip());
    svg.addEventListener("blur", () => pinned || tip());
  },
  map(plot, data, w, h, tip) {
    const left = 52, bottom = h - 40, top = 6, cols = data.columns, rows = data.rows, at = {};
    data.cells.forEach((cell) => { at[cell.n + "," + cell.k] = cell; });
    const cw = (w - left - 2) / cols.length, ch = (bottom - top) / rows.length, shade = ["0.05", "0.14", "0.26", "0.4", "0.86", "1"];
    const svg = draw(plot, "svg", { viewBox: `0 0 ${w} ${h}`, role: "group", "aria-label": data.words + " Choose a cell to use that plan." });
    const edge = [];
    rows.forEach((n, r) => {
      const y = bottom - (r + 1) * ch;
      draw(svg, "text", { x: left - 8, y: y + ch / 2 + 4, "text-anchor": "end", class: n === data.n ? "strong" : "" }, whole(n));
      cols.forEach((k, c) => {
        const cell = at[n + "," + k], x = left + c * cw;
        if (!cell) return;
        const said = cell.said + (cell.over ? ", more than you can pay for" : ""), on = n === data.n && k === data.k;
        const link = draw(svg, "a", { href: "?" + new URLSearchParams({ ...Object.fromEntries(new FormData(form())), n_items: n, across: k }), tabindex: on ? 0 : -1, "aria-label": said, "data-at": r + "," + c });
        if (on) link.setAttribute("aria-current", "true");
        draw(link, "rect", { class: "cell facc", "fill-opacity": shade[cell.level], x, y, width: cw, height: ch, rx: 4 });
        draw(link, "text", { class: "in " + (cell.level >= 4 ? "on" : "off"), x: x + cw / 2, y: y + ch / 2 + 5, "text-anchor": "middle" }, Math.round(cell.power * 100));
        const above = at[rows[r + 1] + "," + k];
        if (!cell.over && above?.over) edge.push([x, y, x + cw, y]);
        link.addEventListener("click", (event) => { event.preventDefault(); set({ n_items: n, across: k }); });
        link.addEventListener("pointerenter", () => tip(x + cw / 2, y, [said]));
        link.addEventListener("focus", () => tip(x + cw / 2, y, [said]));
        link.addEventListener("keydown", (event) => {
          const move = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
          if (move) { event.preventDefault(); $(`[data-at="${r + move[0]},${c + move[1]}"]`, svg)?.focus(); }
        });
      });
    });
    for (const [x1, y1, x2, y2] of edge) draw(svg, "line", { class: "hatch", x1, y1, x2, y2 });
    draw(svg, "rect", { class: "here", x: left + cols.indexOf(data.k) * cw + 1, y: bottom - (rows.indexOf(data.n) + 1) * ch + 1, width: cw - 2, height: ch - 2, rx: 4 });
    cols.forEach((k, c) => draw(svg, "text", { x: left + (c + 0.5) * cw, y: bottom + 18, "text-anchor": "middle", class: k === data.k ? "strong" : "" }, k));
    draw(svg, "text", { x: left + (w - left) / 2, y: h - 4, "text-anchor": "middle" }, `${data.word} (across), items (up)`);
    svg.addEventListener("pointerleave", () => tip());
    svg.addEventListener("focusout", () => tip());
  },
  curve(plot, data, w, h, tip) {
    const left = 44, bottom = h - 40, top = 14, right = w - 12;
    const svg = draw(plot, "svg", { viewBox: `0 0 ${w} ${h}`, role: data.drag ? "group" : "img", "aria-label": data.words });
    const x = data.log ? ((f) => (v) => f(Math.log(v)))(span(Math.log(data.x[0]), Math.log(data.x[1]), left, right)) : span(data.x[0], data.x[1], left, right);
    const y = span(0, 1, bottom, top);
    for (const t of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
      draw(svg, "line", { class: t === 0.8 ? "edge" : "grid", x1: left, x2: right, y1: y(t), y2: y(t) });
      draw(svg, "text", { x: left - 8, y: y(t) + 4, "text-anchor": "end", class: t === 0.8 ? "strong" : "" }, Math.round(t * 100));
    }
    let last = -99;
    for (const t of [...new Set(data.ticks || ticks(...data.x, w > 420 ? 6 : 4))].sort((p, q) => p - q)) {
      if (x(t) - last < 40) continue;
      last = x(t);
      draw(svg, "text", { x: x(t), y: bottom + 18, "text-anchor": "middle" }, whole(t));
    }
    draw(svg, "text", { x: (left + right) / 2, y: h - 4, "text-anchor": "middle" }, data.label);
    const named = [];
    for (const line of [...data.lines].reverse().sort((p, q) => !!q.on - !!p.on)) {
      const path = line.points.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)},${y(b).toFixed(1)}`).join("");
      draw(svg, "path", { class: "none " + (line.on ? "sacc" : "sn"), d: path, "stroke-width": line.on ? 3 : 1.5 });
      const end = line.points.at(-1);
      const clear = named.every((other) => Math.abs(other - y(end[1])) > 18);
      if (line.name && clear) named.push(y(end[1]));
      if (line.name && clear) draw(svg, "text", { x: x(end[0]) - 2, y: y(end[1]) - 7, "text-anchor": "end", class: "halo " + (line.on ? "strong" : "") }, line.name);
      if (line.dots) for (const [a, b] of line.points) {
        const dot = draw(svg, "circle", { class: "facc", cx: x(a), cy: y(b), r: 5 });
        dot.addEventListener("pointerenter", () => tip(x(a), y(b), [`${whole(a)} ${data.unit}: ${inHundred(b)} of 100`]));
        dot.addEventListener("pointerleave", () => tip());
      }
    }
    if (!data.here) return;
    const [a, b] = data.here, beyond = x(a) > right - 130;
    draw(svg, "line", { class: "edge", x1: x(a), x2: x(a), y1: y(b), y2: bottom });
    draw(svg, "circle", { class: "hole", cx: x(a), cy: y(b), r: 9 });
    const point = draw(svg, "circle", { class: "none sacc", cx: x(a), cy: y(b), r: 8, "stroke-width": 4 });
    draw(svg, "text", { class: "strong halo", x: x(a) + (beyond ? -14 : 14), y: y(b) + 20, "text-anchor": beyond ? "end" : "start" }, `you are here: ${inHundred(b)}`);
    if (!data.drag) return;
    // The point moves along the points that the server sent; letting go asks for the study of that power.
    const points = data.lines[0].points;
    let place = points.findIndex(([n]) => n === a), moving = false;
    const go = (i) => {
      place = Math.max(0, Math.min(points.length - 1, i));
      const [n, power] = points[place];
      point.setAttribute("cx", x(n));
      point.setAttribute("cy", y(power));
      point.setAttribute("aria-valuenow", Math.round(power * 100));
      point.setAttribute("aria-valuetext", `${whole(n)} ${data.unit}: ${inHundred(power)} of 100`);
      tip(x(n), y(power), [`${whole(n)} ${data.unit}: ${inHundred(power)} of 100`]);
    };
    const done = () => { const power = Math.round(points[place][1] * 100); if (power >= 1 && power <= 99) set({ [data.drag]: power }); };
    for (const [name, value] of Object.entries({ role: "slider", tabindex: 0, "aria-label": "Size of the study", "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(b * 100), "aria-valuetext": `${whole(a)} ${data.unit}: ${inHundred(b)} of 100` })) point.setAttribute(name, value);
    point.classList.add("drag");
    point.addEventListener("pointerdown", (event) => { moving = true; point.setPointerCapture(event.pointerId); event.preventDefault(); });
    point.addEventListener("pointermove", (event) => {
      if (!moving) return;
      const at = event.clientX - svg.getBoundingClientRect().left;
      go(points.reduce((best, [n], i) => (Math.abs(x(n) - at) < Math.abs(x(points[best][0]) - at) ? i : best), 0));
    });
    point.addEventListener("pointerup", () => { if (moving) { moving = false; done(); } });
    point.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (by) { event.preventDefault(); go(place + by); }
      if (event.key === "Enter") { event.preventDefault(); done(); }
    });
    point.addEventListener("blur", () => tip());
  },
  hist(plot, data, w, h) {
    const left = 8, bottom = h - 24, top = 20, high = Math.max(...data.counts), most = data.edges.at(-1);
    const svg = draw(plot, "svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": data.words });
    const low = data.plain ? data.edges[0] : Math.min(0, data.edges[0]), x = span(low, data.plain ? most : Math.max(0, most), left, w - left), y = span(0, high, bottom, top);
    data.counts.forEach((c, i) => draw(svg, "rect", { class: "fa", x: x(data.edges[i]) + 1, width: Math.max(1, x(data.edges[i + 1]) - x(data.edges[i]) - 2), y: y(c), height: bottom - y(c), rx: 2 }));
    for (const t of ticks(low, data.plain ? most : Math.max(0, most), 5)) draw(svg, "text", { x: x(t), y: h - 6, "text-anchor": "middle" }, minus(t));
    if (!data.plain) draw(svg, "line", { class: "zero", x1: x(0), x2: x(0), y1: top - 8, y2: bottom });
    draw(svg, "line", { class: "edge", x1: x(data.mark), x2: x(data.mark), y1: top - 4, y2: bottom });
    draw(svg, "text", { class: "strong", x: Math.min(Math.max(x(data.mark), 50), w - 50), y: 11, "text-anchor": "middle" }, data.name);
  },
};

const render = (figure) => {
  const plot = $(".plot", figure), w = Math.round(plot.clientWidth), h = Math.round(plot.clientHeight);
  if (!w) return;
  plot.replaceChildren();
  let box = $(".tip", figure);
  if (!box) { box = document.createElement("div"); box.className = "tip"; box.setAttribute("role", "status"); box.hidden = true; figure.append(box); }
  const tip = (x, y, lines) => {
    box.hidden = !lines;
    if (!lines) return;
    box.replaceChildren(...lines.map((line, i) => Object.assign(document.createElement(i ? "div" : "b"), { textContent: line })));
    box.style.left = Math.max(0, Math.min(x - box.offsetWidth / 2, w - box.offsetWidth)) + "px";
    box.style.top = plot.offsetTop + (y > box.offsetHeight + 16 ? y - box.offsetHeight - 12 : y + 24) + "px";
  };
  charts[figure.dataset.chart](plot, JSON.parse($("script", figure).textContent), w, h, tip);
};
const watch = new ResizeObserver((entries) => entries.forEach((entry) => {
  const was = +entry.target.dataset.w;
  if (Math.abs(was - entry.contentRect.width) > 1) { entry.target.dataset.w = entry.contentRect.width; render(entry.target.closest("figure")); }
}));

/* What every part of a page gets when it appears. */
const once = (what, each) => $$(what).filter((node) => !node.dataset.on).forEach((node) => { node.dataset.on = 1; each(node); });
let tabbed = "";
const folds = new Map();  // what a visitor opened or closed stays so when a new answer comes
const foldName = (fold) => $("summary", fold).textContent.replace(/[\d.,−%]+/g, "").slice(0, 12);
document.addEventListener("toggle", (event) => { if (event.target.matches?.(".step, #answer .fold")) folds.set(foldName(event.target), event.target.open); }, true);
const enhance = () => {
  once(".step, #answer .fold", (fold) => { if (folds.has(foldName(fold))) fold.open = folds.get(foldName(fold)); });
  once("figure[data-chart]", (figure) => { $(".plot", figure).dataset.w = 0; render(figure); watch.observe($(".plot", figure)); });
  once(".tabs", (tabs) => {
    const panels = $$(":scope > section", tabs), list = document.createElement("div");
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", tabs.dataset.label);
    const pick = (i, focus) => panels.forEach((panel, j) => {
      const tab = list.children[j];
      panel.hidden = i !== j;
      tab.setAttribute("aria-selected", i === j);
      tab.tabIndex = i === j ? 0 : -1;
      if (i === j) { tabbed = panel.id; if (focus) tab.focus(); }
    });
    panels.forEach((panel, i) => {
      const tab = document.createElement("button");
      Object.assign(tab, { type: "button", id: "tab-" + panel.id, textContent: $("h2", panel).textContent });
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", panel.id);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      tab.addEventListener("click", () => pick(i));
      tab.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by) pick((i + by + panels.length) % panels.length, true);
      });
      list.append(tab);
    });
    tabs.prepend(list);
    const wanted = tabbed || location.hash.slice(1);  // a new answer opens the tab that was read
    pick(Math.max(0, panels.findIndex((panel) => panel.id === wanted)));
  });
  once("table.sortable", (table) => $$("thead th[data-sort]", table).forEach((head) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending", at = [...head.parentNode.children].indexOf(head);
      $$("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => { const cell = row.children[at], v = cell.dataset.value ?? cell.textContent; return v === "" || isNaN(v) ? v : +v; };
      table.tBodies[0].append(...$$("tbody tr", table).sort((p, q) => (value(p) > value(q) ? 1 : -1) * (down ? -1 : 1)));
    });
  }));
  once("pre", (pre) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await navigator.clipboard?.writeText(pre.textContent).catch(() => 0);
      button.textContent = "Copied";
    });
    pre.after(button);
  });
  once("[data-set]", (button) => button.addEventListener("click", () => set(JSON.parse(button.dataset.set))));
  once("[data-reload]", (menu) => menu.addEventListener("change", (event) => {
    event.stopPropagation();  // another table has other menus: the page is asked for anew
    location.href = menu.form.action + "?" + new URLSearchParams({ [menu.name]: menu.value });
  }));
  once("form[data-submit]", (one) => one.addEventListener("change", () => one.requestSubmit()));
  once(".drop", (drop) => {
    const file = $("input[type=file]", drop);
    for (const kind of ["dragover", "dragleave", "drop"]) drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length) { file.files = event.dataTransfer.files; drop.requestSubmit(); }
    });
    file.addEventListener("change", () => file.files.length && drop.requestSubmit());
    drop.addEventListener("submit", (event) => {
      if (drop.dataset.sent) { event.preventDefault(); return; }  // a second click sends nothing twice
      drop.dataset.sent = 1;
      $("[data-busy]", drop).textContent = $("[data-busy]", drop).dataset.busy;
    });
  });
  $$("[data-events]").forEach(listen);
};

/* A job tells how far it is as server-sent events; htmx then fetches the answer, and asks now and then without them. */
const listen = (place) => {
  if (!window.EventSource || place.source) return;
  place.source = new EventSource(place.dataset.events);
  place.source.onerror = () => gone(true);
  place.source.onopen = () => gone(false);
  place.source.addEventListener("progress", (event) => {
    const now = JSON.parse(event.data);
    if (now.share) $("progress", place).value = now.share;
    $(".label", place).textContent = place.dataset.reloadWhenDone === undefined
      ? (now.label || now.state) + (now.share ? ", " + now.share + "%" : "") + (now.left ? ", " + now.left : "") + " …"
      : now.share + "%" + (now.left ? ", " + now.left : "");
  });
  place.source.addEventListener("ended", () => {
    place.source.close();
    if (place.dataset.reloadWhenDone !== undefined) location.reload();
    else window.htmx.trigger(place, "ended");
  });
};
const gone = (is) => { $("#gone").hidden = !is; };
document.addEventListener("htmx:afterSwap", enhance);
document.addEventListener("htmx:oobAfterSwap", enhance);
document.addEventListener("htmx:sendError", () => gone(true));
document.addEventListener("htmx:afterOnLoad", () => gone(false));
document.addEventListener("htmx:beforeCleanupElement", (event) => event.target.source?.close());
document.addEventListener("click", (event) => $$("details.pop[open]").forEach((pop) => { if (!pop.contains(event.target)) pop.open = false; }));
document.addEventListener("keydown", (event) => { if (event.key === "Escape") $$("details.pop[open]").forEach((pop) => { pop.open = false; $("summary", pop).focus(); }); });
window.addEventListener("pageshow", () => $$(".drop").forEach((drop) => delete drop.dataset.sent));
enhance();
