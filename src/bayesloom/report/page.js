/* Makes the drawing of a page move, search and light up. Without it the page says the same, standing still.
   Names come as text and are only ever set as text. Nothing is loaded, nothing is sent. */
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const { names, edges, kinds, reasons } = data;
  const doubtful = new Set(data.doubtful);
  const view = $("view"), panel = $("panel"), told = $("told"), near = $("near"), find = $("find");
  const by = $("by"), least = $("least");
  const SVG = "http://www.w3.org/2000/svg";
  const LARGE = 500; // variables from which on only neighbourhoods are drawn
  const STEP = 1.3; // of a zoom
  const PRINTED = 60; // variables up to which all that is said of each is printed
  const AROUND = 60; // variables of a neighbourhood
  const [STRENGTH, SHARE, TURNED, WHY] = [3, 4, 5, 6];

  const parents = names.map(() => []), children = names.map(() => []);
  edges.forEach(([a, b]) => { parents[b].push(a); children[a].push(b); });
  const neighbours = names.map((_, i) => [...parents[i], ...children[i]]);
  const blanketOf = (i) => {
    const found = new Set(neighbours[i]);
    children[i].forEach((c) => parents[c].forEach((p) => found.add(p)));
    found.delete(i);
    return found;
  };

  let svg, boxes, lines; // the drawing; its boxes by variable; its edges by number
  let whole = view.querySelector("svg");
  let chosen = null; // {variable: i} or {edge: k}
  let frame; // x, y, width, height of what is seen

  // The drawing and what is seen of it

  function take(drawing) {
    if (svg !== drawing) {
      if (svg) svg.replaceWith(drawing);
      svg = drawing;
    }
    boxes = new Map();
    svg.querySelectorAll(".v").forEach((box) => {
      boxes.set(Number(box.getAttribute("href").slice(2)), box);
      box.setAttribute("tabindex", "-1");
    });
    const first = boxes.keys().next();
    if (!first.done) boxes.get(first.value).setAttribute("tabindex", "0");
    boxes.forEach((box, i) => box.setAttribute("aria-label",
      `${names[i]}: ${counted(parents[i].length, "parent")}, ${children[i].length === 1 ? "1 child" : `${children[i].length} children`}`));
    const groups = [...svg.querySelectorAll(".e")];
    const drawn = edges.map((_, k) => k).filter((k) => boxes.has(edges[k][0]) && boxes.has(edges[k][1]));
    lines = new Map(drawn.map((k, at) => [k, groups[at]]));
    lines.forEach((group, k) => {
      group.dataset.edge = k;
      if (!group.querySelector(".touch")) {
        const touch = group.querySelector(".edge").cloneNode();
        touch.setAttribute("class", "touch");
        touch.removeAttribute("stroke-width");
        touch.removeAttribute("stroke-dasharray");
        group.append(touch);
      }
    });
    fit();
    weigh();
  }

  const size = () => [Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];

  function show() {
    svg.setAttribute("viewBox", frame.map((x) => x.toFixed(2)).join(" "));
    const [w, h] = size();
    view.classList.toggle("zoomed", frame[2] < w * 0.98 || frame[3] < h * 0.98);
  }
  function fit() {
    const [w, h] = size();
    const most = Math.min(window.innerHeight * 0.78, 960);
    // Small networks are drawn half as large again at most; large ones are seen whole.
    const scale = Math.max(1 / 1.5, w / Math.max(1, view.clientWidth - 8), h / Math.max(1, most - 8));
    view.style.height = `${Math.round(Math.min(most, Math.max(300, h / scale + 8)))}px`;
    const width = view.clientWidth * scale, height = view.clientHeight * scale;
    frame = [(w - width) / 2, (h - height) / 2, width, height];
    show();
  }
  function zoom(factor, x, y) {
    const [w, h] = size();
    const [fx, fy, fw, fh] = frame;
    x = x ?? fx + fw / 2;
    y = y ?? fy + fh / 2;
    const width = Math.min(Math.max(fw / factor, 60), 4 * Math.max(w, h, view.clientWidth));
    const by = width / fw;
    frame = [x - (x - fx) * by, y - (y - fy) * by, width, fh * by];
    show();
  }
  function move(dx, dy) { frame[0] += dx; frame[1] += dy; show(); }
  function centre(i) {
    const rect = boxes.get(i) && boxes.get(i).querySelector("rect");
    if (!rect) return;
    const of = (key) => Number(rect.getAttribute(key));
    const x = of("x") + of("width") / 2, y = of("y") + of("height") / 2;
    // Readable: at most as small as one and a half pixels of the drawing in one of the screen.
    const most = view.clientWidth * 1.5;
    const [left, top, width, height] = frame;
    const seen = of("x") > left && of("x") + of("width") < left + width && of("y") > top && of("y") + of("height") < top + height;
    if (seen && width <= most) return;
    if (frame[2] > most) zoom(frame[2] / most, x, y);
    frame[0] = x - frame[2] / 2;
    frame[1] = y - frame[3] / 2;
    show();
  }
  function place(event) {
    const room = view.getBoundingClientRect();
    return [frame[0] + (event.clientX - room.left) / room.width * frame[2],
      frame[1] + (event.clientY - room.top) / room.height * frame[3]];
  }

  // Pointers: one moves, two zoom

  const pointers = new Map();
  let dragged = 0;
  view.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    if (!pointers.size) dragged = 0;
    pointers.set(event.pointerId, event);
  });
  window.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const scale = frame[2] / view.clientWidth;
    const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
    const free = event.pointerType === "mouse" || view.classList.contains("zoomed") || pointers.size > 1;
    if (pointers.size === 1 && free) {
      dragged += Math.abs(dx) + Math.abs(dy);
      if (dragged > 4) {
        view.classList.add("moving");
        move(-dx * scale, -dy * scale);
      }
    } else if (pointers.size === 2) {
      dragged += 10;
      const [other] = [...pointers.values()].filter((one) => one.pointerId !== event.pointerId);
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      zoom(apart(event) / Math.max(1, apart(before)), ...place(other));
    }
    pointers.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, (event) => {
      pointers.delete(event.pointerId);
      if (!pointers.size) view.classList.remove("moving");
    });
  }
  view.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== view && !view.contains(document.activeElement)) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), ...place(event));
  }, { passive: false });
  view.addEventListener("dblclick", (event) => zoom(STEP * STEP, ...place(event)));
  view.addEventListener("dragstart", (event) => event.preventDefault());
  view.addEventListener("click", (event) => {
    if (dragged > 4) {
      event.preventDefault();
      return;
    }
    const box = event.target.closest(".v"), line = event.target.closest(".e");
    if (box) {
      event.preventDefault();
      choose({ variable: Number(box.getAttribute("href").slice(2)) });
    } else if (line) {
      choose({ edge: Number(line.dataset.edge) });
    } else {
      choose(null);
    }
  });

  // Keys

  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  function toward(i, [dx, dy]) {
    // The nearest box in that direction; up and down rather along edges.
    const at = (k) => {
      const rect = boxes.get(k).querySelector("rect");
      return [Number(rect.getAttribute("x")) + Number(rect.getAttribute("width")) / 2, Number(rect.getAttribute("y"))];
    };
    const [x, y] = at(i);
    let best = null, far = Infinity;
    for (const k of boxes.keys()) {
      const [u, v] = at(k);
      const along = (u - x) * dx + (v - y) * dy, aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (k === i || along <= 0.5) continue;
      const cost = along + 2 * aside + (dy && !neighbours[i].includes(k) ? 200 : 0);
      if (cost < far) [best, far] = [k, cost];
    }
    return best;
  }
  function focusBox(i) {
    boxes.forEach((box) => box.setAttribute("tabindex", "-1"));
    const box = boxes.get(i);
    if (!box) return;
    box.setAttribute("tabindex", "0");
    box.focus({ preventScroll: true });
  }
  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const box = event.target.closest && event.target.closest(".v");
    if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") fit();
    else if (event.key === "Escape") { choose(null); view.focus(); }
    else if (event.key === " " && box) choose({ variable: Number(box.getAttribute("href").slice(2)) });
    else if (event.key in ARROWS && box) {
      const next = toward(Number(box.getAttribute("href").slice(2)), ARROWS[event.key]);
      if (next !== null) {
        focusBox(next);
        const rect = boxes.get(next).getBoundingClientRect(), room = view.getBoundingClientRect();
        if (rect.left < room.left || rect.right > room.right || rect.top < room.top || rect.bottom > room.bottom) centre(next);
      }
    } else if (event.key in ARROWS) {
      const [dx, dy] = ARROWS[event.key];
      move(dx * frame[2] / 8, dy * frame[3] / 8);
    } else return;
    event.preventDefault();
  });
  $("in").addEventListener("click", () => zoom(STEP));
  $("out").addEventListener("click", () => zoom(1 / STEP));
  $("fit").addEventListener("click", fit);
  new ResizeObserver(() => { if (!view.classList.contains("zoomed")) fit(); }).observe(view);

  // What was chosen

  const element = (tag, text, kind) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  function choose(what, quiet) {
    chosen = what;
    if (what && what.variable !== undefined && (near.checked || names.length > LARGE)) draw(what.variable);
    mark();
    panel.replaceChildren();
    if (what && what.variable !== undefined) aboutVariable(what.variable);
    else if (what) aboutEdge(what.edge);
    else overview();
    panel.scrollTop = 0;
    reach();
    if (!quiet) say(what === null ? "" : what.variable !== undefined
      ? `${names[what.variable]}: ${counted(blanketOf(what.variable).size, "variable")} in its Markov blanket.`
      : `${names[edges[what.edge][0]]} to ${names[edges[what.edge][1]]}: ${kinds[edges[what.edge][2]]}.`);
  }
  const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const say = (text) => { told.textContent = text; };

  // Where to begin: what is strong, what is weak, what is in the middle of it all.
  const LISTED = 6;
  function overview() {
    panel.append(element("p", "Choose a variable or an edge."));
    const by = edges.every((edge) => edge[STRENGTH] === null) ? SHARE : STRENGTH;
    const ranked = edges.map((edge, k) => [edge, k]).filter(([edge]) => edge[by] !== null)
      .sort(([a, i], [b, j]) => b[by] - a[by] || i - j);
    const word = by === STRENGTH ? ["strongest", "weakest"] : ["surest", "least sure"];
    if (ranked.length) panel.append(edgeTable(ranked.slice(0, LISTED), `The ${word[0]} edges`));
    if (ranked.length >= 1.5 * LISTED) panel.append(edgeTable(ranked.slice(-LISTED / 2).reverse(), `The ${word[1]} edges`));
    const busy = names.map((_, i) => i).filter((i) => neighbours[i].length > 2)
      .sort((a, b) => neighbours[b].length - neighbours[a].length || a - b).slice(0, ranked.length ? LISTED : 2 * LISTED);
    if (!busy.length) return;
    panel.append(element("h3", "Most neighbours"));
    const list = element("ul", undefined, "busy");
    busy.forEach((i) => {
      const item = element("li"), link = element("a", names[i]);
      link.href = `#v${i}`;
      item.append(link, element("small", ` ${counted(parents[i].length, "parent")}, ${children[i].length === 1 ? "1 child" : `${children[i].length} children`}`));
      list.append(item);
    });
    panel.append(list);
  }
  function aboutVariable(i) {
    panel.append(element("h3", names[i]));
    const about = $(`v${i}`);
    if (about) for (const part of about.cloneNode(true).childNodes) panel.append(part.cloneNode(true));
    const own = edges.map((edge, k) => [edge, k]).filter(([[a, b]]) => a === i || b === i);
    if (own.length) panel.append(edgeTable(own, "Its edges", true));
  }
  function edgeTable(own, about, directed) {
    const table = element("table", undefined, "edges");
    table.append(element("caption", about));
    const head = element("tr");
    const shown = [["edge"], ["strength", STRENGTH], [data.share, SHARE]].filter(([, at]) => !at || own.some(([e]) => e[at] !== null));
    shown.concat(directed ? [["direction"]] : []).forEach(([text, at]) => { const th = element("th", text, at ? "n" : ""); th.scope = "col"; head.append(th); });
    const top = element("thead");
    top.append(head);
    const body = element("tbody");
    own.forEach(([edge, k]) => {
      const row = element("tr"), first = element("td"), button = element("button", `${names[edge[0]]} ${join(edge)} ${names[edge[1]]}`);
      button.type = "button";
      button.addEventListener("click", () => { choose({ edge: k }); panel.focus(); });
      first.append(button);
      row.append(first);
      shown.slice(1).forEach(([, at]) => row.append(element("td", (at === SHARE ? share : number)(edge[at]), "n")));
      if (directed) row.append(element("td", kinds[edge[2]]));
      body.append(row);
    });
    table.append(top, body);
    const around = element("div", undefined, "scroll");
    around.append(table);
    return around;
  }
  const join = (edge) => (edge[2] === 2 ? "\u2014" : "\u2192");
  const number = (value) => (value === null ? "" : value.toLocaleString("en", { maximumFractionDigits: 3 }));
  const share = (value) => (value === null ? "" : value.toFixed(3)); // so that what is nearly 1 is not "1"

  const why = (edge) => reasons[edge[WHY]].replace(/\{(\w)\}/g,
    (_, key) => names[key === "a" ? edge[0] : key === "b" ? edge[1] : edge[WHY + 1 + Number(key)]]);

  function aboutEdge(k) {
    const edge = edges[k];
    panel.append(element("h3", `${names[edge[0]]} ${join(edge)} ${names[edge[1]]}`));
    panel.append(element("p", `This edge is ${kinds[edge[2]]}: ${why(edge)}.`));
    if (doubtful.has(k)) {
      panel.append(element("p", "It rests on values missing together: where both are present, hardly anything is left of it.", "doubt"));
    }
    if (edge[STRENGTH] !== null) {
      panel.append(element("p", `Strength: the score loses ${number(edge[STRENGTH])} nats without it.`));
    }
    if (edge[SHARE] !== null) {
      const called = data.share.charAt(0).toUpperCase() + data.share.slice(1);
      panel.append(element("p", `${called}: ${share(edge[SHARE])}, ${data.meaning}; the other way ${share(edge[TURNED])}.`));
    }
    for (const i of edge.slice(0, 2)) {
      const button = element("button", names[i]);
      button.type = "button";
      button.addEventListener("click", () => { choose({ variable: i }); panel.focus(); });
      const line = element("p");
      line.append(button);
      panel.append(line);
    }
  }
  panel.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#v']");
    if (!link) return;
    event.preventDefault();
    const i = Number(link.getAttribute("href").slice(2));
    choose({ variable: i });
    if (boxes.has(i)) centre(i);
    panel.focus();
  });
  document.querySelector("main").addEventListener("click", (event) => {
    // Links of the tables lead to the drawing and the panel, which hold more than the list below.
    const link = event.target.closest("#edges a[href^='#v'], #variables a[href^='#v']");
    if (!link) return;
    event.preventDefault();
    goTo(Number(link.getAttribute("href").slice(2)));
  });
  function goTo(i) {
    choose({ variable: i });
    if (!near.checked) centre(i);
    document.querySelector("#network").scrollIntoView();
    panel.focus({ preventScroll: true });
  }

  function mark() {
    const around = new Set(), own = new Set();
    if (chosen && chosen.variable !== undefined) {
      blanketOf(chosen.variable).forEach((i) => around.add(i));
      edges.forEach(([a, b], k) => { if (a === chosen.variable || b === chosen.variable) own.add(k); });
    } else if (chosen) {
      edges[chosen.edge].slice(0, 2).forEach((i) => around.add(i));
      own.add(chosen.edge);
    }
    const text = find.value.trim().toLowerCase();
    const hits = new Set(text ? names.map((_, i) => i).filter((i) => names[i].toLowerCase().includes(text)) : []);
    boxes.forEach((box, i) => {
      box.classList.toggle("chosen", Boolean(chosen) && chosen.variable === i);
      box.classList.toggle("near", around.has(i));
      box.classList.toggle("hit", hits.has(i));
    });
    lines.forEach((line, k) => {
      line.classList.toggle("own", own.has(k));
      line.classList.toggle("chosen", Boolean(chosen) && chosen.edge === k);
    });
    svg.classList.toggle("chosing", Boolean(chosen));
    return hits;
  }

  // Search

  names.slice(0, 2000).forEach((name) => {
    const option = element("option");
    option.value = name;
    $("names").append(option);
  });
  find.addEventListener("input", () => {
    const hits = mark();
    if (!find.value.trim()) say("");
    else say(hits.size === 0 ? `No variable has "${find.value.trim()}" in its name.`
      : `${hits.size} of ${names.length} variables; Enter shows ${names[first(hits)]}.`);
    const exact = names.indexOf(find.value);
    if (exact >= 0) { choose({ variable: exact }, true); if (!near.checked) centre(exact); }
  });
  const first = (hits) => {
    const text = find.value.trim().toLowerCase();
    const list = [...hits];
    return list.find((i) => names[i].toLowerCase() === text) ?? list.find((i) => names[i].toLowerCase().startsWith(text)) ?? list[0];
  };
  $("controls").addEventListener("submit", (event) => event.preventDefault());
  find.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { find.value = ""; mark(); say(""); }
    if (event.key !== "Enter") return;
    event.preventDefault();
    const hits = mark();
    if (!hits.size) return;
    const i = first(hits);
    choose({ variable: i });
    if (!near.checked) centre(i);
  });

  // Edges by strength or share

  // From the weakest to the strongest edge, evenly by the logarithm.
  const logs = edges.map((edge) => Math.log1p(Math.max(0, edge[STRENGTH] ?? 0)));
  const weakest = Math.min(...logs), strongest = Math.max(...logs);
  const limit = () => {
    const share = Number(least.value) / 100;
    return by.value === "share" ? share : Math.expm1(weakest + (strongest - weakest) * share) * (1 - 1e-9);
  };
  function weigh() {
    const at = by.value === "share" ? SHARE : by.value === "strength" ? STRENGTH : null;
    lines.forEach((line, k) => {
      const value = at === null ? null : edges[k][at];
      let width = 1.3;
      if (value !== null && at === SHARE) width = 0.8 + 3.2 * value;
      if (value !== null && at === STRENGTH) width = 1.1 + 2.9 * (Math.log1p(Math.max(0, value)) - weakest) / Math.max(strongest - weakest, 2);
      line.querySelector(".edge").setAttribute("stroke-width", width.toFixed(2));
    });
    if (!least) return;
    least.disabled = at === null;
    const lowest = at === null ? -Infinity : Number(least.value) > 0 ? limit() : -Infinity;
    let left = 0;
    edges.forEach((edge) => { if (at === null || (edge[at] ?? 0) >= lowest) left += 1; });
    lines.forEach((line, k) => line.classList.toggle("weak", at !== null && (edges[k][at] ?? 0) < lowest));
    const words = at === null || lowest === -Infinity ? "all" : at === SHARE ? lowest.toFixed(2) : `${number(lowest)} nats`;
    $("shown-edges").textContent = `${words}: ${left} of ${edges.length}`;
    least.setAttribute("aria-valuetext", `${words}, ${left} of ${edges.length} edges`);
  }
  by.addEventListener("change", weigh);
  if (least) least.addEventListener("input", weigh);

  // Neighbourhoods: a small layered drawing of what is near one variable

  near.addEventListener("change", () => {
    if (near.checked) {
      const i = chosen && chosen.variable !== undefined ? chosen.variable : chosen ? edges[chosen.edge][0] : widest();
      choose({ variable: i });
    } else if (whole) {
      take(whole);
      mark();
    }
  });
  const widest = () => names.reduce((best, _, i) => (neighbours[i].length > neighbours[best].length ? i : best), 0);

  function draw(i) {
    const kept = [i, ...blanketOf(i)].slice(0, AROUND);
    const inside = new Set(kept);
    // With room left, a step further.
    for (const k of [...kept]) for (const next of neighbours[k]) if (inside.size < AROUND / 2) inside.add(next);
    take(layered([...inside].sort((a, b) => a - b)));
    const missing = blanketOf(i).size + 1 - [...blanketOf(i)].filter((k) => inside.has(k)).length - 1;
    if (missing > 0) say(`${missing} of the variables near ${names[i]} are left out of the drawing; the panel lists all.`);
    mark();
  }

  function layered(members) {
    const inside = new Set(members);
    const own = edges.map((_, k) => k).filter((k) => inside.has(edges[k][0]) && inside.has(edges[k][1]));
    const level = new Map();
    const depth = (i) => {
      if (!level.has(i)) level.set(i, Math.max(-1, ...parents[i].filter((p) => inside.has(p)).map(depth)) + 1);
      return level.get(i);
    };
    members.forEach(depth);
    // As low as the children allow, so that edges are short.
    [...members].sort((a, b) => level.get(b) - level.get(a)).forEach((i) => {
      const below = children[i].filter((c) => inside.has(c)).map((c) => level.get(c));
      if (below.length) level.set(i, Math.min(...below) - 1);
    });
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = '13px Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif';
    const shortened = (name) => (name.length > 26 ? `${name.slice(0, 13)}\u2026${name.slice(-12)}` : name);
    const rows = [];
    const put = (node) => { (rows[node.row] ??= []).push(node); return node; };
    const node = new Map(members.map((i) => [i, put({
      i, row: level.get(i), up: [], down: [], width: Math.max(44, 22 + Math.ceil(pen.measureText(shortened(names[i])).width)),
    })]));
    const chains = own.map((k) => {
      const [a, b] = edges[k].map((i) => node.get(i));
      const chain = [a];
      for (let row = a.row + 1; row < b.row; row += 1) chain.push(put({ row, up: [], down: [], width: 12 }));
      chain.push(b);
      chain.slice(1).forEach((lower, at) => { lower.up.push(chain[at]); chain[at].down.push(lower); });
      return chain;
    });
    for (let row = 0; row < rows.length; row += 1) rows[row] ??= [];
    const number_ = () => rows.forEach((row) => row.forEach((one, at) => { one.at = at; }));
    const crossings = () => {
      let count = 0;
      rows.forEach((row) => {
        const ends = row.flatMap((one) => one.down.map((lower) => [one.at, lower.at]));
        ends.forEach(([a, b], at) => ends.slice(at + 1).forEach(([c, d]) => { if ((a - c) * (b - d) < 0) count += 1; }));
      });
      return count;
    };
    number_();
    let best = rows.map((row) => [...row]), fewest = crossings();
    for (let sweep = 0; sweep < 24 && fewest > 0; sweep += 1) {
      const side = sweep % 2 ? "down" : "up";
      for (const row of sweep % 2 ? [...rows].reverse() : rows) {
        row.forEach((one) => { one.key = one[side].length ? one[side].reduce((sum, other) => sum + other.at, 0) / one[side].length : one.at; });
        row.sort((a, b) => a.key - b.key);
        row.forEach((one, at) => { one.at = at; });
      }
      const now = crossings();
      if (now < fewest) [best, fewest] = [rows.map((row) => [...row]), now];
    }
    best.forEach((row, at) => { rows[at] = row; });
    number_();
    const GAP = 18, TALL = 28, BETWEEN = 46;
    rows.forEach((row) => {
      let x = 0;
      row.forEach((one) => { one.x = x + one.width / 2; x += one.width + GAP; });
    });
    // Each to the middle of its neighbours, as far as those beside it allow.
    for (let turn = 0; turn < 40; turn += 1) {
      for (const row of turn % 2 ? [...rows].reverse() : rows) {
        row.forEach((one) => {
          const around = [...one.up, ...one.down];
          one.want = around.length ? around.reduce((sum, other) => sum + other.x, 0) / around.length : one.x;
        });
        const apart = (a, b) => (a.width + b.width) / 2 + GAP;
        const right = row.map((one) => one.want), left = row.map((one) => one.want);
        for (let at = 1; at < row.length; at += 1) right[at] = Math.max(right[at], right[at - 1] + apart(row[at - 1], row[at]));
        for (let at = row.length - 2; at >= 0; at -= 1) left[at] = Math.min(left[at], left[at + 1] - apart(row[at], row[at + 1]));
        row.forEach((one, at) => { one.x = (right[at] + left[at]) / 2; });
      }
    }
    const all = rows.flat();
    const start = Math.min(...all.map((one) => one.x - one.width / 2)) - 12;
    const end = Math.max(...all.map((one) => one.x + one.width / 2)) + 12;
    const top = (one) => 12 + one.row * (TALL + BETWEEN);
    const drawing = document.createElementNS(SVG, "svg");
    const wide = Math.ceil(end - start), tall = Math.ceil(24 + rows.length * (TALL + BETWEEN) - BETWEEN);
    const set = (what, values) => { Object.entries(values).forEach(([key, value]) => what.setAttribute(key, value)); return what; };
    const make = (tag, values, text) => {
      const made = set(document.createElementNS(SVG, tag), values);
      if (text !== undefined) made.textContent = text;
      return made;
    };
    set(drawing, { class: "network", width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, role: "group", "aria-label": "Drawing of a neighbourhood" });
    const edgeGroup = make("g", { class: "edges" }), boxGroup = make("g", { class: "boxes" });
    own.forEach((k, at) => {
      const chain = chains[at], kind = edges[k][2], headless = kind === 2;
      const x = (one) => (one.x - start).toFixed(1);
      let path = `M${x(chain[0])} ${top(chain[0]) + TALL}`;
      chain.slice(1).forEach((one, step) => {
        const from = top(chain[step]) + TALL, last = step === chain.length - 2;
        const to = last && !headless ? top(one) - 7 : top(one), middle = (from + to) / 2;
        path += `C${x(chain[step])} ${middle} ${x(one)} ${middle} ${x(one)} ${to}`;
        if (!last) path += `L${x(one)} ${top(one) + TALL}`;
      });
      const group = make("g", { class: `e ${["compelled", "compelled", "reversible", "undecided"][kind]}${doubtful.has(k) ? " doubtful" : ""}` });
      group.append(make("title", {}, `${names[edges[k][0]]} ${join(edges[k])} ${names[edges[k][1]]}`));
      const line = make("path", { class: "edge", d: path, "stroke-width": 1.3 });
      if (kind === 2) line.setAttribute("stroke-dasharray", "6 4");
      if (kind === 3) line.setAttribute("stroke-dasharray", "1.5 4");
      group.append(line);
      if (!headless) {
        const tip = chain.at(-1), tx = tip.x - start, ty = top(tip);
        group.append(make("path", { class: "tip", d: `M${tx - 3.4} ${ty - 8}L${tx} ${ty}L${tx + 3.4} ${ty - 8}z` }));
      }
      edgeGroup.append(group);
    });
    members.forEach((i) => {
      const one = node.get(i), box = make("a", { class: "v", href: `#v${i}` });
      box.append(make("title", {}, names[i]));
      box.append(make("rect", { class: "box", x: (one.x - one.width / 2 - start).toFixed(1), y: top(one), width: one.width, height: TALL, rx: 7 }));
      box.append(make("text", { x: (one.x - start).toFixed(1), y: top(one) + TALL / 2 + 4.5 }, shortened(names[i])));
      boxGroup.append(box);
    });
    drawing.append(edgeGroup, boxGroup);
    return drawing;
  }

  // What scrolls can be reached by keys

  function reach() {
    // Looked at all together before anything is changed; what is closed is not laid out, and need not be.
    const open = [...document.querySelectorAll(".scroll")].filter((part) => !part.closest("details:not([open])"));
    const wide = open.map((part) => part.scrollWidth > part.clientWidth + 1);
    open.forEach((part, at) => {
      if (wide[at]) part.setAttribute("tabindex", "0");
      else part.removeAttribute("tabindex");
    });
  }
  document.addEventListener("toggle", reach, true);
  window.addEventListener("resize", reach);

  // Begin

  document.body.classList.add("alive");
  $("controls").hidden = false;
  panel.hidden = false;
  view.setAttribute("aria-label", "Drawing of the network. Plus and minus zoom, arrow keys move, Tab goes to the variables.");
  if (whole) take(whole);
  choose(null);
  if (names.length > LARGE) {
    whole = null;
    near.checked = true;
    near.disabled = true;
  }
  reach();
  const asked = /^#v(\d+)$/.exec(location.hash);
  if (asked && Number(asked[1]) < names.length) goTo(Number(asked[1]));
  // Paper shows the whole drawing, and what is folded away, if that is not a book.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    choose(null);
    if (svg) {
      frame = [0, 0, ...size()];
      show();
    }
    folded = names.length > PRINTED ? [] : [...document.querySelectorAll("details:not([open])")];
    folded.forEach((part) => { part.open = true; });
  });
  window.addEventListener("afterprint", () => {
    if (svg) fit();
    folded.forEach((part) => { part.open = false; });
  });
})();
