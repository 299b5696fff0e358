// Of a sweep.
const drawSweep = () => {
  const sweep = data.sweep;
  const axes = sweep.axes.map((axis) => axis.key);
  const draw = sweepCharts(sweep);
  const good = draw.good(sweep.points);
  document.getElementById('title').textContent = 'Sweep';
  document.getElementById('summary').textContent =
      `${sweep.points.length} points over ${axes.join(', ')}; ${sweep.points.length - good.length} failed or wrong`;

  // Filters: what of a key's values is shown. Charts and tables follow.
  const kButtons = 12;  // values of a key that are a button each
  const tests = new Map();
  let shown = sweep.points;
  const bar = add('div', main, {className: 'filters'});
  const count = add('p', main, {className: 'note', id: 'count'});
  const filter = (name, make) => {
    const group = add('fieldset', bar);
    add('legend', group, {textContent: name});
    make(group);
  };
  const toggle = (group, text, pressed, change) => {
    const button = add('button', group, {type: 'button', textContent: text});
    button.setAttribute('aria-pressed', pressed);
    button.addEventListener('click', () => {
      const now = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', now);
      change(now);
      apply();
    });
  };
  for (const {key, values} of draw.varied) {
    filter(key, (group) => {
      if (values.length <= kButtons) {
        const wanted = new Set(values);
        tests.set(key, (point) => wanted.has(point[key]));
        for (const value of values) {
          toggle(group, value, true, (now) => (now ? wanted.add(value) : wanted.delete(value)));
        }
        return;
      }
      const isSize = key === draw.CBUF;
      const input = add('input', group, {type: 'search', placeholder: isSize ? 'KiB, such as 16..64' : 'such as 4..16, <8, name'});
      input.setAttribute('aria-label', `filter of ${key}`);
      input.addEventListener('input', () => {
        const matches = matcher(input.value);
        tests.set(key, (point) => !input.value.trim() || matches(isSize ? point.cbuf_bytes / 1024 : point[key]));
        apply();
      });
    });
  }
  filter('points', (group) => toggle(group, 'only the Pareto front', false, (now) => tests.set('', (point) => !now || point.pareto)));

  const choice = chooser((index) => {
    const at = draw.good(shown).indexOf(sweep.points[index]);
    highlight('pareto', at >= 0 ? {seriesIndex: 0, dataIndex: at, tip: true} : null);
  });

  // A chart is its option for some points.
  const changing = [];
  const addChanging = (part, name, label, option, more = {}) => {
    const chart = addChart(part, name, label, option(shown), {move: choice.move, ...more});
    changing.push(() => chart.setOption({animation: false, ...option(shown)}, true));
  };

  if (axes.includes(draw.CBUF)) {
    const part = section('Cycles by cbuf size', 'Diamonds: sizes at which a layer changes its mode.');
    const multiples = draw.facets.length > 1 ? add('div', part, {className: 'multiples'}) : part;
    draw.facets.forEach((facet, index) => addChanging(multiples, index === 0 ? 'curves' : `curves-${index}`,
        `Lines: cycles by size of the cbuf${facet.label && `, ${facet.label}`}`, (points) => draw.curves(points, facet)));
    const smallest = section('Smallest cbuf');
    const columns = [{key: 'label', title: 'sweep', text: true}, {key: 'fewest', title: 'fewest cycles'},
      ...(sweep.curves[0]?.smallest_cbuf_bytes ?? []).map((entry) => (
        {key: `within${entry.within_percent}`, title: `within ${entry.within_percent} %`, exact: true}))];
    addTable(smallest, columns, sweep.curves.map((curve) => {
      const row = {label: curve.label, fewest: curve.fewest_cycles};
      for (const entry of curve.smallest_cbuf_bytes) row[`within${entry.within_percent}`] = kib(entry.cbuf_bytes);
      return row;
    }), () => {});
  }

  if (draw.plane.length === 2 && draw.networks.length <= 8) {
    const part = section(`Cycles by ${draw.plane[0].key} and ${draw.plane[1].key}`);
    const multiples = draw.networks.length > 1 ? add('div', part, {className: 'multiples'}) : part;
    draw.networks.forEach((network, index) => addChanging(multiples, index === 0 ? 'heat' : `heat-${index}`,
        `Heat map: cycles by two keys${network ? `, ${network}` : ''}`, (points) => draw.heat(points, network)));
  }
  if (draw.varied.length > 2) {
    const part = section('All keys', 'A line for each point, in the colour of its cycles. Drag along an axis to choose a stretch of it.');
    addChanging(part, 'parallel', 'Parallel coordinates: keys, cycles and external bytes of each point', draw.lines);
  }

  const front = section('Cycles and external bytes',
      (sweep.part ? 'Filled: on the Pareto front, as below.' :
          'Filled: on the Pareto front of cycles, external bytes, cbuf bytes and MACs per cycle.') + ' Larger dots have a larger cbuf.');
  addChanging(front, 'pareto', 'Scatter: cycles against external bytes, the Pareto front filled', draw.pareto);
  if (sweep.part) {
    const chip = section(`Lookup tables and inferences per second on ${sweep.part}`,
        'Estimated. Filled: on the Pareto front of time, external bytes, lookup tables, block RAMs and multipliers; crosses do not fit the part.');
    addChanging(chip, 'chip', 'Scatter: lookup tables against inferences per second, the Pareto front filled', draw.chip);
  }

  const table = section('Points');
  const figures = (key) => sweep.points.some((point) => point[key]);
  choice.rows = addTable(table, [
    {key: 'point', title: 'point', exact: true},
    ...axes.map((key) => ({key, title: key, text: true})),
    {key: 'status', title: 'status', text: true}, {key: 'cycles', title: 'cycles'},
    ...(figures('milliseconds') ? [{key: 'ms', title: 'ms', exact: true}] : []),
    {key: 'external', title: 'external bytes'}, {key: 'arena_bytes', title: 'arena bytes'},
    ...(figures('energy_pj') ? [{key: 'energy', title: 'energy \u00b5J', exact: true}] : []),
    ...(sweep.part ? [{key: 'luts', title: 'LUTs'}, {key: 'mhz', title: 'MHz', exact: true},
      {key: 'inferences_per_second', title: 'inferences/s', exact: true}] : []),
    {key: 'front', title: 'Pareto front', text: true}, {key: 'error', title: 'error', text: true},
  ], sweep.points.map((point) => ({
    ...point,
    external: externalOf(point),
    ms: point.milliseconds ? point.milliseconds.toFixed(3) : '',
    energy: point.energy_pj ? Number((point.energy_pj / 1e6).toPrecision(3)) : '',
    front: point.pareto ? 'yes' : '',
  })), choice.choose);

  const apply = () => {
    shown = sweep.points.filter((point) => [...tests.values()].every((test) => test(point)));
    const seen = new Set(shown);
    sweep.points.forEach((point, index) => { choice.rows[index].hidden = !seen.has(point); });
    for (const change of changing) change();
    say();
  };
  const say = () => { count.textContent = `${grouped(shown.length)} of ${grouped(sweep.points.length)} points`; };
  say();
};
