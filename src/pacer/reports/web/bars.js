// Bars by algorithm, with a dot for each seed: scores, further figures of evaluations, timings.

/** Heights and labels of bars that lie on their side, the first on top. */
function lying(names, unit) {
  return {
    height: 64 + 34 * names.length,
    layout: {
      xaxis: { title: { text: unit }, zeroline: true, nticks: 5, tickangle: 0 },
      yaxis: { tickvals: names.map((_, i) => i), ticktext: names.map((n) => short(n)), range: [names.length - 0.5, -0.5] },
      barmode: "stack",
      bargap: 0.35,
      margin: { l: 8, r: 16, t: 8, b: 44 },
    },
  };
}

/** A bar per algorithm, whose values are numbers. */
function barFigure(task, unit, paper = []) {
  const sorted = [...task.algorithms].sort((a, b) => mean(b.values) - mean(a.values));
  const named = sorted.map((algorithm) => shown(algorithm.name));
  const seeds = sorted.flatMap((a, row) => a.runs.map((run, i) => ({ row, value: a.values[i], seed: run.seed })));
  const known = sorted.map((a, row) => ({ row, value: paper[a.index] })).filter(({ value }) => value != null);
  const traces = [
    {
      type: "bar",
      orientation: "h",
      x: sorted.map((algorithm) => mean(algorithm.values)),
      y: sorted.map((_, row) => row),
      marker: { color: sorted.map((algorithm) => faint(algorithm.colour, 0.75)) },
      customdata: sorted.map((algorithm, row) => [named[row], count(algorithm.runs.length, "seed")]),
      hovertemplate: "%{customdata[0]}<br>%{x:,.5~g}, mean of %{customdata[1]}<extra></extra>",
    },
    {
      type: "scatter",
      mode: "markers",
      x: seeds.map(({ value }) => value),
      y: seeds.map(({ row }) => row),
      marker: { color: colour("ink"), size: 5, opacity: 0.7 },
      customdata: seeds.map(({ row, seed }) => [named[row], seed]),
      hovertemplate: "%{customdata[0]}, seed %{customdata[1]}<br>%{x:,.5~g}<extra></extra>",
    },
  ];
  if (known.length) {
    traces.push({
      type: "scatter",
      mode: "markers",
      x: known.map(({ value }) => value),
      y: known.map(({ row }) => row),
      marker: { symbol: "diamond-open", color: colour("ink"), size: 11, line: { width: 2 } },
      customdata: known.map(({ row }) => named[row]),
      hovertemplate: "%{customdata}, in the paper<br>%{x:,.5~g}<extra></extra>",
    });
  }
  const tally = sorted.map((algorithm) => algorithm.runs.length);
  const few = Math.min(...tally);
  const small = few === Math.max(...tally) ? count(few, "seed") : `${few} to ${count(Math.max(...tally), "seed")}`;
  return { title: task.name, small, traces, ...lying(sorted.map((a) => a.name), unit) };
}

{
  const measures = [
    ["final", "mean of the last 10 evaluations"],
    ["best", "highest evaluation of each seed"],
  ];
  const measure = menu(controls("scores"), "Score", "score", measures);
  section("scores", () =>
    chosen((run) => run.modes[chosenMode()]?.scores[measure()])
      .map((task) => barFigure(task, "return of an episode", content.paper[task.index])),
  );
}

{
  const names = evaluatedFigures().filter((name) => !["return", "discounted", "length"].includes(name));
  const ticked = boxes(controls("events"), "Show", "events", names.map((name) => [name, unit(name)]));
  section("events", () =>
    names.filter((name) => names.length === 1 || ticked(name)).flatMap((name) =>
      chosen((run) => run.modes[chosenMode()]?.last[name])
        .map((task) => ({ ...barFigure(task, unit(name)), title: `${words(name)}, ${task.name}` })),
    ),
  );
}

{
  const looks = { collect: "#56B4E9", learn: "#0072B2", evaluate: "#E69F00" };
  const activity = (run, name) => (1000 * run.timing[name]) / run.timing.step;
  section("timings", () =>
    chosen((run) => run.timing.step && run.timing).map((task) => {
      const rows = task.algorithms.map((_, row) => row);
      const hours = task.algorithms.map((a) => mean(a.values.map((t) => (t.collect + t.learn + t.evaluate) / 3600)));
      const traces = Object.keys(looks).map((name) => ({
        type: "bar",
        orientation: "h",
        y: rows,
        x: task.algorithms.map((algorithm) => mean(algorithm.runs.map((run) => activity(run, name)))),
        marker: { color: looks[name] },
        customdata: task.algorithms.map((a, row) => [shown(a.name), `${number(hours[row])} hours a run`]),
        hovertemplate: `%{customdata[0]}<br>${name} %{x:.3~g} ms a step, in all %{customdata[1]}<extra></extra>`,
      }));
      const legend = Object.entries(looks).map(([name, colour]) => ({ name, colour, dash: "solid" }));
      const names = task.algorithms.map((algorithm) => algorithm.name);
      return { title: task.name, traces, legend, ...lying(names, "milliseconds per environment step") };
    }),
  );
}
