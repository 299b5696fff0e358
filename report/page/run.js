// Of one run.

const drawRun = () => {
  const run = data.run;
  const hardware = run.hardware;
  const layers = run.layers;
  const names = layers.map((layer) => layer.name);
  document.getElementById('title').textContent = `${run.network} on ${hardware.name}`;
  const host = run.host.layers === 0 ? '' :
      run.host.name === null ? `; ${run.host.layers} layers on the host, whose time is not counted` :
      ` and ${grouped(run.totals.host_cycles)} of the host (${run.host.layers} layers)`;
  // Of several steps the page shows the last one.
  const steps = run.steps === undefined || run.steps.count === 1 ? '' :
      `step ${grouped(run.steps.count)} of ${grouped(run.steps.count)} (the first, with its states: ` +
      `${grouped(run.steps.first_cycles)} cycles): `;
  document.getElementById('summary').textContent =
      `${steps}${grouped(run.totals.cycles)} cycles${host}, array ${(100 * run.totals.utilization).toFixed(1)} %, ` +
      `${grouped(run.totals.external_read_bytes + run.totals.external_write_bytes)} external bytes; ` +
      `${hardware.atomic_c} x ${hardware.atomic_k} MACs, ${kib(hardware.cbuf_bytes)} cbuf, ` +
      `${hardware.memory_bytes_per_cycle} bytes per cycle, latency ${hardware.memory_latency_cycles}; ` +
      `policy ${run.policy}, engine ${run.engine}` +
      (run.verified === true ? ', verified' : run.verified === false ? ', WRONG' : '');

  const choice = chooser((index) => {
    highlight('bars', {seriesIndex: causes.map((_, i) => i), dataIndex: index, tip: true});
    const at = roofIndex.indexOf(index);
    highlight('roofline', at >= 0 ? {seriesIndex: 0, dataIndex: at, tip: true} : null);
  });

  const describe = (index) => {
    const layer = layers[index];
    const lines = causes.map(([key, label]) => `${label}: ${grouped(layer.counters[key])}`);
    return `<b>${escaped(layer.name)}</b> ${escaped(layer.op)}<br>${escaped(layer.mode)} ${splitOf(layer.split)}` +
        (layer.host ? `<br>${grouped(layer.host.operations)} operations, ${grouped(layer.host.bytes)} bytes, ` +
            `${grouped(layer.host.cycles)} cycles` :
            `<br>${grouped(layer.cycles)} cycles, ${grouped(layer.macs)} MACs<br>${lines.join('<br>')}`);
  };

  const bars = section('Cycles by layer and cause',
      'What the array did, by the hardware\u2019s counters. Layers overlap: a bar and the cycles of its layer differ a little, their sums are the same.');
  addChart(bars, 'bars', 'Stacked bars: cycles of each layer by stall cause', {
    aria: {enabled: true},
    color: causes.map((cause) => cause[2]).concat(['#7f7f7f']),
    legend: {type: 'scroll', top: 4},
    grid: {left: 80, right: 20, top: 40, bottom: 110},
    tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, formatter: (items) => describe(items[0].dataIndex)},
    xAxis: {type: 'category', data: names, axisLabel: {rotate: 45, width: 110, overflow: 'truncate'}},
    yAxis: {type: 'value', name: 'cycles', axisLabel: {formatter: grouped}},
    dataZoom: slider({xAxisIndex: 0}),
    series: causes.map(([key, label]) => [label, (layer) => layer.counters[key]])
        .concat([['host', (layer) => layer.host ? layer.host.cycles : 0]])
        .map(([label, value]) => ({
      name: label,
      type: 'bar',
      stack: 'cycles',
      barMaxWidth: 40,
      large: false,
      emphasis: {focus: 'none', itemStyle: {borderColor: '#000', borderWidth: 1}},
      data: layers.map(value),
    })),
  }, {move: choice.move});

  const table = section('Layers');
  choice.rows = addTable(table, [
    {key: 'name', title: 'layer', text: true}, {key: 'op', title: 'operator', text: true},
    {key: 'mode', title: 'mode', text: true}, {key: 'parts', title: 'split', text: true},
    {key: 'macs', title: 'MACs'}, {key: 'cycles', title: 'cycles'}, {key: 'ideal', title: 'ideal cycles'},
    {key: 'array', title: 'array %', exact: true}, {key: 'limit', title: 'limit', text: true},
    {key: 'read', title: 'read bytes'}, {key: 'write', title: 'write bytes'}, {key: 'cbuf', title: 'cbuf bytes'},
  ], layers.map((layer) => ({
    name: layer.name, op: layer.op, mode: layer.mode, parts: splitOf(layer.split), macs: layer.macs,
    cycles: layer.host ? layer.host.cycles : layer.cycles, ideal: layer.ideal_cycles, array: (100 * layer.utilization).toFixed(1),
    limit: layer.limit, read: layer.external_read_bytes, write: layer.external_write_bytes,
    cbuf: layer.cbuf_peak_bytes,
  })), choice.choose);

  // Roofline.
  const peak = hardware.atomic_c * hardware.atomic_k;
  const bandwidth = hardware.memory_bytes_per_cycle;
  const roofIndex = [];
  const points = [];
  layers.forEach((layer, index) => {
    const bytes = layer.external_read_bytes + layer.external_write_bytes;
    if (layer.macs > 0 && layer.cycles > 0 && bytes > 0) {
      roofIndex.push(index);
      points.push([layer.macs / bytes, layer.macs / layer.cycles]);
    }
  });
  const least = Math.min(peak / bandwidth / 8, ...points.map((p) => p[0] / 2));
  const most = Math.max(8 * peak / bandwidth, ...points.map((p) => p[0] * 2));
  const roof = [least, peak / bandwidth, most].map((x) => [x, Math.min(peak, bandwidth * x)]);
  const roofline = section('Roofline',
      `${peak} MACs per cycle at most, ${bandwidth} bytes per cycle: they meet at ${(peak / bandwidth).toFixed(1)} MACs per byte.`);
  addChart(roofline, 'roofline', 'Scatter: MACs per external byte against MACs per cycle', {
    aria: {enabled: true},
    grid: {left: 70, right: 30, top: 30, bottom: 50},
    tooltip: {
      formatter: (item) => (item.seriesIndex === 0 ? describe(roofIndex[item.dataIndex]) +
          `<br>${item.value[0].toFixed(2)} MACs per byte, ${item.value[1].toFixed(1)} per cycle` : 'roof'),
    },
    xAxis: axis([least, most], {name: 'MACs per external byte', nameLocation: 'middle', nameGap: 30}),
    yAxis: axis([peak, ...roof.map((p) => p[1]), ...points.map((p) => p[1])], {name: 'MACs per cycle'}),
    series: [
      {type: 'scatter', name: 'layers', data: points, symbolSize: 11,
        label: {show: true, position: 'right', fontSize: 11, color: '#5c6670', formatter: (item) => names[roofIndex[item.dataIndex]]},
        labelLayout: {hideOverlap: true}, itemStyle: {color: '#1f5fbf', opacity: 0.75},
        emphasis: {scale: 1.8, itemStyle: {borderColor: '#000', borderWidth: 2}}},
      {type: 'line', name: 'roof', data: roof, showSymbol: false, silent: true, lineStyle: {color: '#c0392b', width: 2}},
    ],
  }, {move: choice.move});

  drawMemory();
  drawTimeline(names);
};

const rectangles = (params, api) => {
  const from = api.coord([api.value(0), api.value(3)]);
  const to = api.coord([api.value(1), api.value(2)]);
  const rect = echarts.graphic.clipRectByRect(
      {x: from[0], y: Math.min(from[1], to[1]), width: Math.max(1, to[0] - from[0]), height: Math.abs(to[1] - from[1])},
      {x: params.coordSys.x, y: params.coordSys.y, width: params.coordSys.width, height: params.coordSys.height});
  return rect && {type: 'rect', shape: rect, style: {fill: api.visual('color'), stroke: '#fff', lineWidth: 0.5}};
};
const palette = ['#1f5fbf', '#2e7d32', '#e6a100', '#8e44ad', '#c0392b', '#16a085', '#7f8c8d', '#d35400'];

const drawMemory = () => {
  const {buffers, steps} = data.memory_map;
  const part = section('Memory map',
      'Activations in external memory: time to the right in steps of the network, addresses upward.');
  addChart(part, 'memory', 'Rectangles: addresses of the activations over time', {
    grid: {left: 90, right: 50, top: 36, bottom: 60},
    tooltip: {
      formatter: (item) => {
        const [id, lower, upper, offset, bytes] = buffers[item.dataIndex];
        return `<b>${escaped(id)}</b><br>${grouped(bytes)} bytes at ${grouped(offset)}<br>from ${escaped(steps[lower] ?? lower)} to ${escaped(steps[upper - 1] ?? upper)}`;
      },
    },
    xAxis: {type: 'value', min: 0, max: Math.max(1, ...buffers.map((b) => b[2])), name: 'step', minInterval: 1},
    yAxis: {type: 'value', min: 0, name: 'offset', axisLabel: {formatter: grouped}},
    dataZoom: slider({xAxisIndex: 0}),
    series: [{
      type: 'custom',
      renderItem: rectangles,
      encode: {x: [0, 1], y: [2, 3]},
      data: buffers.map(([, lower, upper, offset, bytes], index) => ({
        value: [lower, upper, offset, offset + bytes],
        itemStyle: {color: palette[index % palette.length]},
      })),
    }],
  });
};

const drawTimeline = (names) => {
  const {slices, bus, banks, lanes, end, exact} = data.timeline;
  const rows = [...lanes, 'bus: read', 'bus: write'];
  for (let bank = 0; bank < banks; ++bank) rows.push(`bank ${bank}`);
  const content = rows.map(() => []);
  const put = (row, begin, finish, busy, colour, text) => content[row].push({begin, finish, busy, colour, text});
  for (const [unit, layer, begin, finish, busy, bytes, what, writes, features, weights] of slices) {
    const text = () => `<b>${escaped(names[layer])}</b> ${what}<br>${grouped(begin)} to ${grouped(finish)}` +
        (bytes ? `<br>${grouped(bytes)} bytes` : '');
    put(unit, begin, finish, busy, kindColours[lanes[unit]], text);
    const bankLanes = (range, colour, use) => {
      for (let bank = range[0]; bank < range[0] + range[1]; ++bank) {
        put(rows.length - banks + bank, begin, finish, busy, colour, () => `${text()}<br>${use}`);
      }
    };
    bankLanes(writes, unit === 0 ? kindColours.load : kindColours.store, unit === 0 ? 'filled' : 'kept');
    bankLanes(features, bankColours.features, 'ifmap read');
    bankLanes(weights, bankColours.weights, 'weights read');
  }
  for (const [write, begin, finish, busy, beats] of bus) {
    put(lanes.length + write, begin, finish, busy, write ? kindColours.store : kindColours.load,
        () => `${write ? 'write' : 'read'}: ${grouped(beats)} beats<br>${grouped(begin)} to ${grouped(finish)}`);
  }
  for (const row of content) row.sort((a, b) => a.begin - b.begin || a.finish - b.finish);

  // What a row shows of [from, to): its rectangles, or, when they are more than there is room for, how
  // busy it is in each of so many columns, in the colour that is there longest.
  const kColumns = 500;
  const viewOfRow = (row, from, to) => {
    const seen = content[row].filter((item) => item.finish > from && item.begin < to);
    if (seen.length <= kColumns) {
      return {items: seen.length, summed: false, shapes: seen.map((item) => ({
        value: [item.begin, item.finish, row - 0.4, row + 0.4], itemStyle: {color: item.colour}, text: item.text}))};
    }
    const width = (to - from) / kColumns;
    const columns = Array.from({length: kColumns}, () => ({busy: 0, begun: 0, colours: new Map()}));
    for (const item of seen) {
      const share = item.busy / Math.max(1, item.finish - item.begin);
      const first = Math.max(0, Math.floor((item.begin - from) / width));
      const last = Math.min(kColumns - 1, Math.floor((item.finish - from - 1e-9) / width));
      columns[first].begun += 1;
      for (let c = first; c <= last; ++c) {
        const cycles = share *
            (Math.min(item.finish, from + (c + 1) * width) - Math.max(item.begin, from + c * width));
        columns[c].busy += cycles;
        columns[c].colours.set(item.colour, (columns[c].colours.get(item.colour) ?? 0) + cycles);
      }
    }
    const shapes = [];
    columns.forEach(({busy, begun, colours}, c) => {
      if (busy <= 0) return;
      const share = Math.min(1, busy / width);
      const colour = [...colours].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0];
      shapes.push({
        value: [from + c * width, from + (c + 1) * width, row + 0.4 - 0.8 * share, row + 0.4], itemStyle: {color: colour},
        busy, text: () => `<b>${escaped(rows[row])}</b>: busy ${(100 * share).toFixed(0)} % of ` +
            `${grouped(Math.round(from + c * width))} to ${grouped(Math.round(from + (c + 1) * width))}<br>` +
            `${grouped(begun)} begin here`});
    });
    return {items: seen.length, summed: true, shapes};
  };
  let shapes = [];
  const view = (from, to) => {
    const shown = rows.map((_, row) => viewOfRow(row, from, to));
    shapes = shown.flatMap((row) => row.shapes);
    window.tesseraLanes = shown.map((row, index) => ({
      lane: rows[index], items: row.items, summed: row.summed, shapes: row.shapes.length,
      busy: row.shapes.reduce((sum, shape) => sum + (shape.busy ?? shape.value[1] - shape.value[0]), 0)}));
    return shapes;
  };
  const part = section('Timeline',
      'Commands of the units, the bus, and who is at which bank of the cbuf, in cycles. Where there are more than fit, a bar\u2019s ' +
      'height is the share of the time in which the lane is busy. Wheel or slider: zoom.' +
      (exact ? '' : ' From the cost model: the run itself had other cycles, since something else was on the bus.'));
  addKey(part, [
    [kindColours.load, 'load, bank filled'], [kindColours.compute, 'compute'], [kindColours.store, 'store, bank keeps an output'],
    [bankColours.features, 'bank: ifmap read'], [bankColours.weights, 'bank: weights read'],
  ]);
  const chart = addChart(part, 'timeline', 'Lanes: commands of the load, compute and store units, the bus and the banks over time', {
    grid: {left: 90, right: 50, top: 20, bottom: 60},
    tooltip: {formatter: (item) => shapes[item.dataIndex].text()},
    xAxis: {type: 'value', min: 0, max: end, name: 'cycle', axisLine: {onZero: false}, axisLabel: {formatter: grouped}},
    yAxis: {type: 'value', min: -0.5, max: rows.length - 0.5, inverse: true, interval: 1,
      axisLabel: {formatter: (value) => rows[Math.round(value)] ?? '', customValues: rows.map((_, i) => i)},
      splitLine: {show: false}},
    dataZoom: slider({xAxisIndex: 0, filterMode: 'none'}),
    series: [{
      type: 'custom', renderItem: rectangles, encode: {x: [0, 1], y: [2, 3]}, progressive: 0, animation: false,
      data: view(0, end),
    }],
  }, {tall: true});
  chart.on('datazoom', () => {
    const {startValue, endValue} = chart.getOption().dataZoom[0];
    chart.setOption({series: [{data: view(startValue, endValue)}]});
  });
};
