// What one run's agent does and expects: where its actions lie, and its returns beside those it got.

/** A menu of the runs that have an insight of this name; returns a function that tells the run. */
function runMenu(id, name) {
  const having = content.runs.map((run, index) => ({ run, index })).filter(({ run }) => run.insight[name]);
  const title = ({ task, algorithm, seed }) => `${content.tasks[task]}, ${content.algorithms[algorithm].name}, seed ${seed}`;
  const index = menu(controls(id), "Run", id, having.map(({ run, index }) => [index, title(run)]));
  if (having.length === 1) controls(id).append(title(having[0].run));
  return () => content.runs[index()];
}

function unpacked(text, bins) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  // The first index is the first dimension of the action, which goes to the right.
  return Array.from({ length: bins }, (_, y) => Array.from({ length: bins }, (_, x) => bytes[x * bins + y]));
}

function middles(bins) {
  return Array.from({ length: bins }, (_, i) => -1 + (2 * i + 1) / bins);
}

function heatmap({ maps, bins, dimensions }, phase, state) {
  const narrow = innerWidth < 640; // there the map itself needs the room
  const axis = { showgrid: false, zeroline: false, range: [-1, 1], constrain: "domain", tickvals: narrow ? [] : [-1, 0, 1] };
  const [x, y] = dimensions.map((d) => ({ ...axis, title: narrow ? {} : { text: `action ${d + 1}`, standoff: 4 } }));
  const trace = {
    type: "heatmap",
    x: middles(bins),
    y: middles(bins),
    z: unpacked(maps[phase][state], bins),
    colorscale: [[0, colour("panel")], [0.5, "#0072B2"], [1, dark.matches ? "#ffffff" : "#021a2b"]],
    zmin: 0,
    zmax: 255,
    showscale: false,
    hovertemplate: "action %{x:.2f}, %{y:.2f}<extra></extra>",
  };
  const margin = narrow ? { l: 2, r: 2, t: 2, b: 8 } : { l: 40, r: 8, t: 10, b: 40 };
  return { traces: [trace], layout: { xaxis: x, yaxis: { ...y, scaleanchor: "x" }, margin } };
}

function histogram({ bars, dimensions }, phase, state) {
  const y = bars[phase][state];
  const narrow = innerWidth < 640;
  const hovertemplate = "action %{x:.2f}: %{y:.2%}<extra></extra>";
  const xaxis = { title: { text: `action ${dimensions[0] + 1}` }, range: [-1, 1], tickvals: [-1, 0, 1], tickangle: 0 };
  const yaxis = { title: narrow ? {} : { text: "share of samples" }, tickformat: ".0%", showticklabels: !narrow };
  const margin = { l: narrow ? 8 : 48, r: 8, t: 8, b: 40 };
  const trace = { type: "bar", x: middles(y.length), y, marker: { color: "#0072B2" }, hovertemplate };
  return { traces: [trace], layout: { bargap: 0, xaxis, yaxis, margin } };
}

{
  const run = runMenu("heatmaps", "heatmaps");
  section("heatmaps", () => {
    const shown = run().insight.heatmaps;
    document.querySelector("#heatmaps .figures").style.setProperty("--columns", shown.phases.length);
    const height = Math.min(300, Math.max(120, innerWidth / shown.phases.length - 10));
    const draw = shown.maps ? heatmap : histogram;
    return shown.spread[0].flatMap((_, state) =>
      shown.phases.map((step, phase) => ({
        title: `State ${state + 1}, step ${step.toLocaleString("en")}`,
        small: `spread ${number(shown.spread[phase][state] ?? NaN)}`,
        height,
        ...draw(shown, phase, state),
      })),
    );
  });
}

{
  const run = runMenu("returns", "returns");
  const looks = [
    { name: "what the critic expects", colour: "#0072B2", dash: "solid" },
    { name: "returns of episodes played", colour: "#D55E00", dash: "dash" },
  ];
  section("returns", () =>
    run().insight.returns.states.map(({ learned, played, means, episodes }, state) => {
      const lines = [learned, [played, played.map((_, i) => (i + 1) / played.length)]];
      const traces = lines.map(([x, y], i) => ({
        x,
        y,
        name: looks[i].name,
        mode: "lines",
        line: { color: looks[i].colour, dash: looks[i].dash, shape: "hv" },
        hovertemplate: "%{y:.0%} at most %{x:,.4~g}",
      }));
      const drawn = means.map((x, i) => x !== null && { type: "line", x0: x, x1: x, y0: 0, y1: 1, line: { color: looks[i].colour, width: 1, dash: "dot" } });
      const [expected, got] = means.map((x) => (x === null ? "none" : number(x)));
      return {
        title: `State ${state + 1}`,
        small: `mean expected ${expected}, played ${got} (${count(episodes, "episode")})`,
        traces,
        layout: {
          shapes: drawn.filter(Boolean),
          xaxis: { title: { text: "discounted return of at most" } },
          yaxis: { title: { text: "probability" }, tickformat: ".0%", range: [0, 1.02] },
        },
        legend: looks,
      };
    }),
  );
}
