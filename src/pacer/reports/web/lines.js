// Lines over steps: several seeds as one line with a band.

const STEPS = { title: { text: "environment steps" }, tickformat: "~s", rangemode: "tozero" };
const BANDS = [
  ["deviation", "standard deviation"],
  ["range", "lowest to highest"],
  ["seeds", "each seed"],
];

/** A centred moving mean, narrower at the ends. */
function smooth(values, window) {
  const half = (window - 1) / 2;
  return values.map((value, at) => {
    const near = values.slice(Math.max(at - half, 0), at + half + 1).filter((v) => v !== null);
    return value === null || !near.length ? null : mean(near);
  });
}

/** The value at a step, between two points if need be; null outside of the line. */
function at({ step, value }, wanted) {
  let low = 0;
  let high = step.length - 1;
  if (high < 0 || wanted < step[0] || wanted > step[high]) return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (step[middle] <= wanted) low = middle;
    else high = middle;
  }
  if (step[high] === wanted) return value[high];
  if (step[low] === wanted || value[high] === null || value[low] === null) return value[low];
  return value[low] + ((value[high] - value[low]) * (wanted - step[low])) / (step[high] - step[low]);
}

/** Several lines as one: at each step the mean of those that reach so far, its band and their number. */
function pooled(lines, band) {
  const steps = [...new Set(lines.flatMap((line) => line.step))].sort((a, b) => a - b);
  const rows = [];
  for (const step of steps) {
    const values = lines.map((line) => at(line, step)).filter((value) => value !== null);
    if (!values.length) continue;
    const middle = mean(values);
    const spread = Math.sqrt(values.reduce((sum, v) => sum + (v - middle) ** 2, 0) / Math.max(values.length - 1, 1));
    const range = band === "range" ? [Math.min(...values), Math.max(...values)] : [middle - spread, middle + spread];
    rows.push({ step, middle, low: range[0], high: range[1], seeds: values.length });
  }
  return rows;
}

/** Traces of one algorithm on one task; `lines` are its seeds. */
function lineTraces(algorithm, lines, band) {
  const rows = pooled(lines, band);
  const name = shown(algorithm.name);
  const line = { color: algorithm.colour, dash: algorithm.dash, width: 2 };
  const traces = [];
  if (lines.length > 1 && band === "seeds") {
    for (const { step, value } of lines) {
      const thin = { color: faint(algorithm.colour, 0.4), dash: algorithm.dash, width: 1 };
      traces.push({ x: step, y: value, mode: "lines", line: thin, hoverinfo: "skip" });
    }
  } else if (lines.length > 1) {
    const back = [...rows].reverse();
    traces.push({
      x: [...rows, ...back].map((row) => row.step),
      y: [...rows.map((row) => row.high), ...back.map((row) => row.low)],
      mode: "lines",
      line: { width: 0 },
      fill: "toself",
      fillcolor: faint(algorithm.colour, 0.16),
      hoverinfo: "skip",
    });
  }
  traces.push({
    x: rows.map((row) => row.step),
    y: rows.map((row) => row.middle),
    customdata: rows.map((row) => count(row.seeds, "seed")),
    name,
    mode: rows.length < 15 ? "lines+markers" : "lines",
    line,
    marker: { color: algorithm.colour, size: 5 },
    hovertemplate: "%{y:,.4~g} (%{customdata})",
  });
  return traces;
}

/** A figure of lines over steps, for a task whose algorithms' values are {step, value}. */
function lineFigure(task, title, unit, band) {
  const most = Math.max(...task.algorithms.map((algorithm) => algorithm.runs.length));
  const fewer = task.algorithms.filter((algorithm) => algorithm.runs.length < most);
  const lacking = fewer.map((algorithm) => `${algorithm.name} ${algorithm.runs.length}`).join(", ");
  return {
    title,
    small: (most > 1 ? "mean of " : "") + count(most, "seed") + (lacking ? `, but of ${lacking}` : ""),
    traces: task.algorithms.flatMap((algorithm) => lineTraces(algorithm, algorithm.values, band)),
    layout: { xaxis: STEPS, yaxis: { title: { text: unit } }, hovermode: "x unified" },
    legend: task.algorithms,
  };
}

const UNITS = {
  return: "return of an episode",
  discounted: "discounted return",
  length: "steps of an episode",
  penalties: "penalties per episode",
  above_limit: "steps above the limit (share)",
  velocity: "velocity (m/s)",
  goals: "goals per episode",
  hazards: "hazards per episode",
  treasures: "treasures per episode",
};

function unit(figure) {
  return UNITS[figure] || words(figure);
}

/** Every figure that some evaluation tells. */
function evaluatedFigures() {
  const names = content.runs.flatMap((run) => Object.values(run.modes).flatMap((mode) => Object.keys(mode.figures)));
  return [...new Set(names)];
}

{
  const place = controls("curves");
  const figure = menu(place, "Show", "figure", evaluatedFigures().map((name) => [name, unit(name)]));
  const window = slider(place, "Smoothing", "smooth", 21, "evaluations");
  const band = menu(place, "Band", "band", BANDS);
  section("curves", () => {
    const part = (run) => {
      const mode = run.modes[chosenMode()];
      const values = mode?.figures[figure()];
      return values && { step: mode.step, value: smooth(values, window()) };
    };
    return chosen(part).map((task) => lineFigure(task, task.name, unit(figure()), band()));
  });
}

{
  const place = controls("learning");
  const names = [...new Set(content.runs.flatMap((run) => Object.keys(run.learning)))].filter((name) => name !== "step");
  const first = ["distance", "log_density", "weight", "spread"].filter((name) => names.includes(name));
  const usual = first.length ? first : names.slice(0, 1);
  const order = [...first, ...names.filter((name) => !first.includes(name))];
  const ticked = boxes(place, "Show", "learning", order.map((name) => [name, words(name)]), (name) => usual.includes(name));
  const band = menu(place, "Band", "learning-band", BANDS);
  section("learning", () =>
    order.filter((name) => names.length === 1 || ticked(name)).flatMap((name) =>
      chosen((run) => run.learning[name] && { step: run.learning.step, value: run.learning[name] })
        .map((task) => lineFigure(task, `${words(name)}, ${task.name}`, words(name), band())),
    ),
  );
}
