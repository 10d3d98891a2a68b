"use strict";
// What is chosen. It is kept in the address, so that a reload or a link shows the same.

const content = JSON.parse(document.getElementById("content").textContent);
const kept = new URLSearchParams(location.hash.slice(1));

function keep(name, value, usual) {
  if (String(value) === String(usual)) kept.delete(name);
  else kept.set(name, value);
  history.replaceState(null, "", "#" + kept);
  drawAll();
}

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children); // strings become text, never HTML
  return made;
}

/** A menu; returns a function that tells the value chosen. Without a choice there is no menu. */
function menu(parent, text, name, options, usual = options[0]?.[0]) {
  const known = options.some(([value]) => String(value) === kept.get(name));
  const list = element("select", { name }, ...options.map(([value, shown]) => element("option", { value }, shown)));
  list.value = known ? kept.get(name) : usual;
  list.addEventListener("change", () => keep(name, list.value, usual));
  if (options.length > 1) parent.append(element("label", {}, text, list));
  return () => list.value;
}

function slider(parent, text, name, most, unit) {
  const shown = element("output");
  const bar = element("input", { type: "range", name, min: 1, max: most, step: 2, value: kept.get(name) || 1 });
  const tell = () => (shown.textContent = bar.value === "1" ? "off" : `${bar.value} ${unit}`);
  bar.addEventListener("input", () => (tell(), keep(name, bar.value, 1)));
  tell();
  parent.append(element("label", {}, text, bar, shown));
  return () => Number(bar.value);
}

/** Boxes to tick; what differs from the usual is kept. Returns a function that tells whether a name is ticked. */
function boxes(parent, text, name, options, usual = () => true) {
  const others = new Set(kept.getAll(name));
  const ticks = options.map(([value, shown, mark]) => {
    const tick = element("input", { type: "checkbox", name, value, checked: usual(value) !== others.has(value) });
    tick.addEventListener("change", () => keepBoxes(name, ticks, usual));
    const label = element("label", {}, tick, ...(mark ? [mark] : []), shown);
    return { tick, label };
  });
  const group = element("fieldset", {}, element("legend", {}, text), ...ticks.map((t) => t.label));
  if (options.length > 1) parent.append(group);
  if (options.length > 5) {
    const all = element("button", { type: "button" }, "all / none");
    all.addEventListener("click", () => {
      const every = ticks.every(({ tick }) => tick.checked);
      ticks.forEach(({ tick }) => (tick.checked = !every));
      keepBoxes(name, ticks, usual);
    });
    group.append(all);
  }
  const byValue = new Map(ticks.map(({ tick }) => [tick.value, tick]));
  return (value) => Boolean(byValue.get(value)?.checked);
}

function keepBoxes(name, ticks, usual) {
  kept.delete(name);
  for (const { tick } of ticks) if (tick.checked !== usual(tick.value)) kept.append(name, tick.value);
  history.replaceState(null, "", "#" + kept);
  drawAll();
}

/** A piece of line in the look of an algorithm. */
function swatch({ colour, dash }) {
  const lengths = { solid: "", dash: "7 4", dot: "2 3", dashdot: "7 3 2 3" };
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  svg.setAttribute("class", "swatch");
  svg.setAttribute("aria-hidden", "true");
  const where = { x1: 0, y1: "50%", x2: "100%", y2: "50%", stroke: colour, "stroke-width": 3 };
  for (const [key, value] of Object.entries({ ...where, "stroke-dasharray": lengths[dash] })) line.setAttribute(key, value);
  svg.append(line);
  return svg;
}

// The choices that all sections share.
const bar = document.getElementById("choices");
bar.addEventListener("submit", (event) => event.preventDefault());
const every = content.tasks.length > 1 ? [["", "all"]] : [];
const chosenTask = menu(bar, "Task", "task", [...every, ...content.tasks.map((name) => [name, name])]);
const modes = ["greedy", "sampled"].filter((mode) => content.runs.some((run) => run.modes[mode]));
const chosenMode = menu(bar, "Actions", "mode", modes.map((mode) => [mode, mode]));
const shownAlgorithm = boxes(bar, "Algorithms", "not", content.algorithms.map((a) => [a.name, a.name, swatch(a)]));
bar.hidden = !bar.children.length;

/** Tasks and their algorithms as chosen, each with those of its runs that have what `part` takes from a run. */
function chosen(part) {
  return content.tasks
    .map((name, index) => ({ name, index }))
    .filter(({ name }) => chosenTask() === "" || chosenTask() === name)
    .map((task) => ({ ...task, algorithms: algorithmsOf(task.index, part) }))
    .filter((task) => task.algorithms.length);
}

function algorithmsOf(task, part) {
  return content.algorithms
    .map((algorithm, index) => ({ ...algorithm, index }))
    .filter(({ name }) => content.algorithms.length === 1 || shownAlgorithm(name))
    .map((algorithm) => {
      const runs = content.runs.filter((run) => run.task === task && run.algorithm === algorithm.index);
      const found = runs.map((run) => [run, part(run)]).filter(([, value]) => value !== undefined && value !== null);
      return { ...algorithm, runs: found.map(([run]) => run), values: found.map(([, value]) => value) };
    })
    .filter(({ runs }) => runs.length);
}
