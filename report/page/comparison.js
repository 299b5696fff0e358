// Of a network's operators against a runtime's.

const drawComparison = () => {
  const comparison = data.comparison;
  const known = comparison.operators.filter((op) => op.known);
  const values = known.reduce((sum, op) => sum + op.alone.values, 0);
  const different = known.reduce((sum, op) => sum + op.alone.different, 0);
  const first = comparison.first === null ? null : comparison.operators[comparison.first];
  const counted = ({different, values, greatest}) => (different === 0 ? `all ${grouped(values)} values are equal` :
      `${grouped(different)} of ${grouped(values)} values differ, by ${Number((greatest ?? Infinity).toPrecision(4))} at most`);
  document.getElementById('title').textContent = `${comparison.network} against ${comparison.runtime}`;
  document.getElementById('summary').textContent =
      `${comparison.version}, numerics ${comparison.numerics}, inputs: ${comparison.inputs}; ` +
      `${known.length} of ${comparison.operators.length} operators compared, ` +
      (different === 0 ? `all ${grouped(values)} values are equal` : `${grouped(different)} of ${grouped(values)} values differ`);

  const choice = chooser((index) => highlight('operators', {seriesIndex: 0, dataIndex: index, tip: true}));
  const share = ({different, values}) => (values ? 100 * different / values : 0);
  const where = section('Where they differ',
      'Alone: the operator on the values that the runtime has there. Whole run: what our own run has there, with what came before it.');
  addChart(where, 'operators', 'Bars: percent of the values of each operator that differ, alone and in the whole run', {
    aria: {enabled: true},
    legend: {top: 4},
    grid: {left: 70, right: 30, top: 40, bottom: 80},
    tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, formatter: (items) => {
      const op = known[items[0].dataIndex];
      return `<b>${escaped(op.name)}</b> ${escaped(op.op)}<br>alone: ${counted(op.alone)}<br>whole run: ${counted(op.whole)}`;
    }},
    dataZoom: slider({xAxisIndex: 0}),
    xAxis: {type: 'category', data: known.map((op) => op.name), axisLabel: {hideOverlap: true, width: 120, overflow: 'truncate'}},
    yAxis: {type: 'value', name: '%', min: 0},
    series: [['alone', 'alone', '#c0392b'], ['whole run', 'whole', '#9aa5b1']].map(([name, key, color]) => ({
      type: 'bar', name, color, data: known.map((op) => Number(share(op[key]).toPrecision(4))),
    })),
  }, {move: choice.move});
  choice.rows = addTable(where, [
    {key: 'name', title: 'operator', text: true}, {key: 'op', title: 'type', text: true}, {key: 'values', title: 'values'},
    {key: 'alone', title: 'differ'}, {key: 'by', title: 'by', exact: true}, {key: 'whole', title: 'whole run'},
    {key: 'agree', title: 'equal with numerics', text: true},
  ], known.map((op) => ({name: op.name, op: op.op, values: op.alone.values, alone: op.alone.different,
    by: Number((op.alone.greatest ?? Infinity).toPrecision(4)), whole: op.whole.different, agree: op.agree.join(', ')})), choice.choose);

  if (first !== null) {
    const steps = first.alone.steps;
    const part = section(`The first that differs: ${first.name}`, `${first.op}, ${counted(first.alone)}.`);
    if (steps.length > 0) {
      addChart(part, 'steps', 'Bars: how often each difference occurs, ours less the runtime\'s, in steps', {
        aria: {enabled: true},
        grid: {left: 80, right: 30, top: 30, bottom: 50},
        tooltip: {},
        xAxis: {type: 'category', data: steps.map(([step]) => step), name: 'ours less theirs, steps', nameLocation: 'middle', nameGap: 28},
        yAxis: {type: 'log', name: 'values', min: 0.5, axisLabel: {formatter: (value) => (value < 1 ? '' : short(value))}},
        series: [{type: 'bar', name: 'values', data: steps.map(([step, times]) => ({
          value: times, itemStyle: {color: step === 0 ? '#9aa5b1' : '#c0392b'}}))}],
      });
    }
    const {rows, columns, greatest} = comparison.map;
    const most = Math.max(...greatest.map((value) => value ?? 0));
    addChart(part, 'places', 'Heat map: the greatest difference over all channels, by row and column of the output', {
      aria: {enabled: true},
      grid: {left: 70, right: 110, top: 20, bottom: 50},
      tooltip: {formatter: (item) => `row ${item.data[1]}, column ${item.data[0]}: ${item.data[2]}`},
      xAxis: {type: 'category', data: [...Array(columns).keys()], name: 'column', nameLocation: 'middle', nameGap: 28},
      yAxis: {type: 'category', inverse: true, data: [...Array(rows).keys()], name: rows > 1 ? 'row' : '', nameLocation: 'middle', nameGap: 40},
      visualMap: {min: 0, max: most, right: 10, top: 'middle', calculable: true, inRange: {color: ['#f4f6f8', '#e6a100', '#c0392b']}},
      series: [{type: 'heatmap', name: 'difference', progressive: 0,
        data: greatest.map((value, index) => [index % columns, Math.floor(index / columns), Number((value ?? most).toPrecision(4))])}],
    }, {tall: rows > 1});
  }

  const rest = section('Whole run, other numerics, notes');
  const list = add('ul', rest);
  for (const {name, whole} of comparison.outputs) add('li', list, {textContent: `output ${name}: ${counted(whole)}`});
  for (const other of comparison.alternatives) {
    add('li', list, {textContent: `numerics ${other.numerics}: ` +
      (other.different === 0 ? 'every operator is equal' : `${grouped(other.different)} values differ`)});
  }
  for (const note of comparison.notes) add('li', list, {textContent: note});
};
