// How returns of single episodes are distributed, and what the worst of them come to.

const LEVELS = Array.from({ length: 40 }, (_, i) => (i + 1) / 40);

/** The mean of the lowest share `level` of ordered values; the one on the edge counts in part. */
function tail(ordered, level) {
  const share = level * ordered.length;
  const weights = ordered.map((_, i) => Math.min(Math.max(share - i, 0), 1));
  return ordered.reduce((sum, value, i) => sum + value * weights[i], 0) / share;
}

/** All late episodes of an algorithm's seeds, in order. */
function together(algorithm) {
  return algorithm.values.flat().sort((a, b) => a - b);
}

function violins(task) {
  const traces = task.algorithms.map((algorithm, row) => ({
    type: "violin",
    orientation: "h",
    x: together(algorithm),
    y0: row,
    name: shown(algorithm.name),
    line: { color: algorithm.colour, width: 1.5 },
    fillcolor: faint(algorithm.colour, 0.3),
    box: { visible: true },
    meanline: { visible: true },
    points: false,
    scalemode: "width",
    width: 0.8,
    spanmode: "hard",
    hoverinfo: "x+name",
  }));
  const shape = lying(task.algorithms.map((algorithm) => algorithm.name), "return of an episode");
  return { traces, ...shape, height: shape.height + 20 * traces.length };
}

function cumulative(task) {
  const traces = task.algorithms.map((algorithm) => {
    const ordered = together(algorithm);
    return {
      x: ordered,
      y: ordered.map((_, i) => (i + 1) / ordered.length),
      name: shown(algorithm.name),
      mode: "lines",
      line: { color: algorithm.colour, dash: algorithm.dash, shape: "hv" },
      hovertemplate: "%{y:.0%} at most %{x:,.5~g}",
    };
  });
  const yaxis = { title: { text: "share of episodes" }, tickformat: ".0%", range: [0, 1.02] };
  const layout = { xaxis: { title: { text: "return of at most" } }, yaxis };
  return { traces, layout, legend: task.algorithms };
}

function worst(task) {
  const traces = task.algorithms.map((algorithm) => {
    const ordered = together(algorithm);
    return {
      x: LEVELS,
      y: LEVELS.map((level) => tail(ordered, level)),
      name: shown(algorithm.name),
      mode: "lines",
      line: { color: algorithm.colour, dash: algorithm.dash },
      hovertemplate: "%{y:,.5~g}",
    };
  });
  const layout = {
    xaxis: { title: { text: "level: share of episodes, the worst" }, tickformat: ".0%", range: [0, 1] },
    yaxis: { title: { text: "CVaR: their mean return" } },
    hovermode: "x unified",
  };
  return { traces, layout, legend: task.algorithms };
}

{
  const shapes = { violins, cumulative, worst };
  const shape = menu(controls("risk"), "Show", "risk", [
    ["violins", "distribution of returns"],
    ["cumulative", "cumulative distribution"],
    ["worst", "CVaR by level"],
  ]);
  section("risk", () =>
    chosen((run) => run.modes[chosenMode()]?.episodes).map((task) => {
      const episodes = task.algorithms.map((algorithm) => algorithm.values.flat().length);
      const [least, most] = [Math.min(...episodes), Math.max(...episodes)];
      const small = `${least === most ? most : `${least} to ${most}`} episodes of each algorithm`;
      return { title: task.name, small, ...shapes[shape()](task) };
    }),
  );
}
