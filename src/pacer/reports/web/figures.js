// Sections draw figures: a caption and a chart each. A chart is painted when it comes into view.

const sections = []; // functions that draw one section anew
const dark = matchMedia("(prefers-color-scheme: dark)");
const CONFIG = { responsive: true, displaylogo: false, modeBarButtons: [["toImage", "resetScale2d"]] };

const view = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      target.near = isIntersecting;
      if (isIntersecting) paint(target);
    }
  },
  { rootMargin: "200px" },
);

function drawAll() {
  sections.forEach((draw) => draw());
}

/** Register a section: `figures()` gives what to show now, as {title, small, traces, layout, height, legend}. */
function section(id, figures) {
  const place = document.getElementById(id);
  if (!place) return; // left out: there is nothing for it
  const grid = place.querySelector(".figures");
  const legend = place.querySelector(".legend");
  sections.push(() => {
    const wanted = figures();
    while (grid.children.length > wanted.length) discard(grid.lastChild);
    while (grid.children.length < wanted.length) grid.append(blank());
    wanted.forEach((figure, index) => fill(grid.children[index], figure));
    grid.classList.toggle("single", wanted.length === 1);
    const entries = new Map(wanted.flatMap((figure) => (figure.legend || []).map((entry) => [entry.name, entry])));
    legend.replaceChildren(...[...entries.values()].map((e) => element("span", {}, swatch(e), e.name)));
    if (!wanted.length) legend.replaceChildren("Nothing to show for this choice.");
  });
}

function controls(id) {
  return document.querySelector(`#${id} .controls`) || document.createElement("div");
}

function blank() {
  const plot = element("div");
  const figure = Object.assign(element("figure", {}, element("figcaption"), plot), { plot });
  view.observe(figure);
  return figure;
}

function discard(figure) {
  view.unobserve(figure);
  Plotly.purge(figure.plot);
  figure.remove();
}

function fill(figure, { title, small = "", traces, layout = {}, height = 300 }) {
  figure.firstChild.replaceChildren(title, ...(small ? [element("small", {}, small)] : []));
  figure.plot.style.height = `${height}px`;
  figure.plot.setAttribute("role", "img");
  figure.plot.setAttribute("aria-label", `Chart: ${title}`);
  Object.assign(figure, { traces, layout: { ...layout, height }, stale: true });
  if (figure.near) paint(figure);
}

function paint(figure) {
  if (!figure.stale) return;
  figure.stale = false;
  figure.ariaBusy = "true";
  Plotly.react(figure.plot, figure.traces, themed(figure.layout), CONFIG).then(() => (figure.ariaBusy = "false"));
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function themed({ xaxis = {}, yaxis = {}, ...layout }) {
  const axis = { gridcolor: colour("grid"), zerolinecolor: colour("line"), linecolor: colour("line"), automargin: true };
  return {
    margin: { l: 56, r: 12, t: 8, b: 44 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("ink") },
    hoverlabel: { bgcolor: colour("panel"), bordercolor: colour("line"), font: { color: colour("ink") }, namelength: 36 },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("quiet"), activecolor: colour("ink") },
    showlegend: false,
    xaxis: { ...axis, ...xaxis },
    yaxis: { ...axis, ...yaxis },
    ...layout,
  };
}

function repaint() {
  document.querySelectorAll("figure").forEach((figure) => {
    figure.stale = true;
    if (figure.near) paint(figure);
  });
}

dark.addEventListener("change", () => (drawAll(), repaint()));
addEventListener("beforeprint", () => document.querySelectorAll("figure").forEach(paint));

/** A name as plotly shows it: what looks like HTML is shown, not obeyed. */
function shown(name) {
  return name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A name that fits beside a bar; its ends tell most. */
function short(name, most = innerWidth < 640 ? 18 : 24) {
  const half = Math.floor(most / 2);
  return shown(name.length <= most ? name : `${name.slice(0, half)}…${name.slice(-half)}`);
}

function faint(hex, alpha) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return `rgba(${r},${g},${b},${alpha})`;
}

function words(name) {
  return name.replaceAll("_", " ");
}

function number(value) {
  const digits = Math.abs(value) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 };
  return value.toLocaleString("en", digits);
}

function count(many, what) {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
