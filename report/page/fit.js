// Of the hardware that fits networks.

const drawFit = () => {
  const fit = data.fit;
  const best = fit.candidates[fit.best];
  const isPlaced = (candidate) => candidate.placed !== undefined && candidate.placed.problem === undefined;
  const how = (candidate) => (!isPlaced(candidate) ? 'estimated' : candidate.placed.routed ? 'routed' : 'placed');
  const figures = (candidate) => (isPlaced(candidate) ? candidate.placed : candidate.estimated);
  const sides = ({hardware}) => `${hardware.array.atomic_c} x ${hardware.array.atomic_k}`;
  const without = ({hardware}) => Object.entries(hardware.features).filter(([, there]) => there === 'no').map(([name]) => name);
  const describe = (candidate) => {
    const {hardware} = candidate;
    const array = `${sides(candidate)} MACs, cbuf ${hardware.cbuf.size / 1024} KiB`;
    if (hardware.control === 'microcode') return `microcode, ${array}, bus ${hardware.bus_bytes} bytes`;
    return `${array} in ${hardware.cbuf.banks} banks, bus ${hardware.bus_bytes} bytes, ${hardware.post_lanes} lane${hardware.post_lanes === 1 ? '' : 's'}` +
        (without(candidate).length > 0 ? `, without ${without(candidate).join(' ')}` : '');
  };
  document.getElementById('title').textContent = `The hardware that fits ${fit.part}`;
  document.getElementById('summary').textContent =
      `${fit.networks.join(', ')}, ${fit.objective}: ${describe(best)}; ` +
      `${best.milliseconds.toFixed(3)} ms, ${grouped(figures(best).luts)} LUTs, ${figures(best).fmax_mhz.toFixed(1)} MHz ` +
      `(${how(best)}); best of ${grouped(fit.examined)} candidates, of which ${grouped(fit.good)} fit and run`;

  const choice = chooser((index) => highlight('front', {seriesIndex: 0, dataIndex: index}));

  const front = section('Milliseconds and lookup tables',
      'Filled: nothing has as few milliseconds, lookup tables and block RAMs. Squares were placed. The best is orange. Larger dots have more block RAMs.');
  const mostRams = Math.max(1, ...fit.candidates.map((candidate) => figures(candidate).brams));
  addChart(front, 'front', 'Scatter: lookup tables against milliseconds, the Pareto front filled, the best orange', {
    aria: {enabled: true},
    grid: {left: 90, right: 40, top: 30, bottom: 50},
    tooltip: {formatter: (item) => item.data.text},
    xAxis: {type: 'value', scale: true, name: 'LUTs', nameLocation: 'middle', nameGap: 28, axisLabel: {formatter: grouped}},
    yAxis: {type: 'value', scale: true, name: 'ms'},
    series: [{
      type: 'scatter', name: 'candidates',
      data: fit.candidates.map((candidate, index) => ({
        value: [figures(candidate).luts, Number(candidate.milliseconds.toFixed(4))],
        symbol: isPlaced(candidate) ? 'rect' : 'circle',
        symbolSize: 6 + 12 * Math.sqrt(figures(candidate).brams / mostRams),
        itemStyle: index === fit.best ? {color: '#e07b00'} :
            candidate.front ? {color: '#1f5fbf'} : {color: 'transparent', borderColor: '#9aa5b1'},
        text: `${escaped(describe(candidate))}<br>${candidate.milliseconds.toFixed(3)} ms, ${grouped(figures(candidate).luts)} LUTs, ` +
            `${figures(candidate).brams} block RAMs, ${figures(candidate).fmax_mhz.toFixed(1)} MHz`,
      })),
    }],
  }, {move: choice.move});

  const where = section('Where the cycles of the best go');
  const kinds = [['array', 'array', '#1f5fbf'], ['wait load', 'wait_load', '#e07b00'], ['wait store', 'wait_store', '#8a4fbf'],
    ['weights', 'weights', '#2c8f5a']];
  addChart(where, 'where', 'Stacked bars: percent of the cycles of each network, by what the array did', {
    aria: {enabled: true},
    legend: {type: 'scroll', top: 4},
    grid: {left: 200, right: 40, top: 40, bottom: 50},
    tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}},
    xAxis: {type: 'value', max: 100, name: '%', nameLocation: 'middle', nameGap: 28},
    yAxis: {type: 'category', inverse: true, data: fit.networks},
    series: kinds.map(([name, key, color]) => ({
      type: 'bar', stack: 'percent', name, color, data: best.percent.map((shares) => Number(shares[key].toFixed(1))),
    })),
  });

  if (fit.limits.length > 0) {
    const limits = fit.limits.slice(0, 8);
    const why = section('What is in the way', 'Changes that would be better, if the part had more; what it lacks for them.');
    addChart(why, 'limits', 'Bars: how much better a change would be, in percent', {
      aria: {enabled: true},
      grid: {left: 240, right: 330, top: 20, bottom: 50},
      tooltip: {},
      xAxis: {type: 'value', name: '% better', nameLocation: 'middle', nameGap: 28},
      yAxis: {type: 'category', inverse: true, data: limits.map((limit) => limit.change)},
      series: [{
        type: 'bar', name: 'gain', color: '#9aa5b1', data: limits.map((limit) => Number(limit.gain_percent.toFixed(1))),
        label: {show: true, position: 'right', formatter: (item) => limits[item.dataIndex].lacks},
      }],
    });
  }

  const table = section('Candidates', 'The Pareto front, what was placed, and the best; the best first.');
  choice.rows = addTable(table, [
    {key: 'candidate', title: 'candidate', text: true, wrap: true}, {key: 'ms', title: 'ms', exact: true}, {key: 'luts', title: 'LUTs'},
    {key: 'brams', title: 'block RAMs'}, {key: 'dsps', title: 'multipliers'}, {key: 'mhz', title: 'MHz', exact: true},
    {key: 'how', title: 'figures', text: true}, {key: 'front', title: 'Pareto front', text: true},
  ], fit.candidates.map((candidate, index) => ({
    candidate: describe(candidate), ms: candidate.milliseconds.toFixed(3), luts: figures(candidate).luts,
    brams: figures(candidate).brams, dsps: figures(candidate).dsps, mhz: figures(candidate).fmax_mhz.toFixed(1),
    how: candidate.placed?.problem !== undefined ? 'does not fit' : how(candidate),
    front: index === fit.best ? 'best' : candidate.front ? 'yes' : '',
  })), choice.choose);
};
