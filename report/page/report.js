(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const main = document.getElementById('main');
  const charts = [];
  const {grouped, escaped, add} = ui;
  const kib = (bytes) => (bytes % 1024 ? `${bytes} B` : `${grouped(bytes / 1024)} KiB`);

  const section = (title, note) => {
    const part = add('section', main);
    add('h2', part, {textContent: title});
    if (note) add('p', part, {className: 'note', textContent: note});
    return part;
  };

  // A chart that the keyboard reaches; `move(step)` is what the arrow keys do.
  const addChart = (part, name, label, option, {tall = false, move = null} = {}) => {
    const box = add('div', part, {className: tall ? 'chart tall' : 'chart', id: `chart-${name}`, tabIndex: 0});
    box.setAttribute('role', 'img');
    box.setAttribute('aria-label', label);
    const chart = echarts.init(box);
    chart.setOption({animation: false, textStyle: {fontFamily: 'system-ui, sans-serif'}, ...option});
    if (move) {
      box.addEventListener('keydown', (event) => {
        const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
        if (step) {
          event.preventDefault();
          move(step);
        }
      });
    }
    charts.push({name, chart});
    return chart;
  };

  const addTable = (part, columns, rows, choose) => {
    const scroll = add('div', part, {className: 'scroll'});
    const table = add('table', scroll);
    const head = add('tr', add('thead', table));
    for (const column of columns) {
      add('th', head, {textContent: column.title, className: column.text ? 'text' : '', scope: 'col'});
    }
    const body = add('tbody', table);
    return rows.map((row, index) => {
      const line = add('tr', body, {tabIndex: 0});
      for (const column of columns) {
        const value = row[column.key];
        const text = value === null || value === undefined ? '' : typeof value === 'number' && !column.exact ? grouped(value) : String(value);
        add('td', line, {textContent: text, className: column.text ? 'text' : ''});
      }
      line.addEventListener('focus', () => choose(index, false));
      line.addEventListener('click', () => choose(index, false));
      return line;
    });
  };

  const slider = (axis) => [{type: 'inside', ...axis}, {type: 'slider', height: 18, bottom: 6, ...axis}];

  const causes = [
    ['array_busy', 'array busy', '#2e7d32'],
    ['stall_weights', 'waits for weights', '#8e44ad'],
    ['stall_bank', 'bank conflict', '#c39bd3'],
    ['wait_load', 'waits for a load', '#e6a100'],
    ['wait_store', 'waits for a store', '#c0392b'],
    ['compute_other', 'start-up and drain', '#5dade2'],
  ];
  const kindColours = {load: '#e6a100', compute: '#2e7d32', store: '#c0392b'};

  const splitOf = (split) => {
    if (!split || split.channels * split.height * split.width <= 1) return '';
    return [split.channels > 1 ? `c${split.channels}` : '',
      split.height * split.width > 1 ? `${split.height}x${split.width}` : ''].filter(Boolean).join(' ');
  };

  // Of one run ------------------------------------------------------------------------------------

  const drawRun = () => {
    const run = data.run;
    const hardware = run.hardware;
    const layers = run.layers;
    const names = layers.map((layer) => layer.name);
    document.getElementById('title').textContent = `${run.network} on ${hardware.name}`;
    const host = run.host.layers === 0 ? '' :
        run.host.name === null ? `; ${run.host.layers} layers on the host, whose time is not counted` :
        ` and ${grouped(run.totals.host_cycles)} of the host (${run.host.layers} layers)`;
    document.getElementById('summary').textContent =
        `${grouped(run.totals.cycles)} cycles${host}, array ${(100 * run.totals.utilization).toFixed(1)} %, ` +
        `${grouped(run.totals.external_read_bytes + run.totals.external_write_bytes)} external bytes; ` +
        `${hardware.atomic_c} x ${hardware.atomic_k} MACs, ${kib(hardware.cbuf_bytes)} cbuf, ` +
        `${hardware.memory_bytes_per_cycle} bytes per cycle, latency ${hardware.memory_latency_cycles}; ` +
        `policy ${run.policy}, engine ${run.engine}` +
        (run.verified === true ? ', verified' : run.verified === false ? ', WRONG' : '');

    let chosen = -1;
    let rows = [];
    const choose = (index, scroll = true) => {
      if (index < 0 || index >= layers.length) return;
      if (chosen >= 0) rows[chosen].classList.remove('chosen');
      chosen = index;
      rows[chosen].classList.add('chosen');
      if (scroll) rows[chosen].scrollIntoView({block: 'nearest'});
      for (const {name, chart} of charts) {
        if (name === 'bars' || name === 'roofline') {
          chart.dispatchAction({type: 'downplay'});
          const at = name === 'bars' ? index : roofIndex.indexOf(index);
          if (at >= 0) {
            chart.dispatchAction({type: 'highlight', seriesIndex: name === 'bars' ? causes.map((_, i) => i) : 0, dataIndex: at});
            chart.dispatchAction({type: 'showTip', seriesIndex: 0, dataIndex: at});
          }
        }
      }
    };
    const move = (step) => choose(Math.max(0, Math.min(layers.length - 1, chosen + step)));

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
      legend: {top: 4},
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
    }, {move});

    const table = section('Layers');
    rows = addTable(table, [
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
    })), choose);

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
      xAxis: {type: 'log', name: 'MACs per external byte', nameLocation: 'middle', nameGap: 30, min: least, max: most,
        axisLabel: {formatter: (v) => Number(v.toPrecision(2))}},
      yAxis: {type: 'log', name: 'MACs per cycle', axisLabel: {formatter: (v) => Number(v.toPrecision(2))}},
      series: [
        {type: 'scatter', name: 'layers', data: points, symbolSize: 11, itemStyle: {color: '#1f5fbf', opacity: 0.75},
          emphasis: {scale: 1.8, itemStyle: {borderColor: '#000', borderWidth: 2}}},
        {type: 'line', name: 'roof', data: roof, showSymbol: false, silent: true, lineStyle: {color: '#c0392b', width: 2}},
      ],
    }, {move});

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
      bankLanes(features, '#7fb77e', 'features read');
      bankLanes(weights, '#b48ccf', 'weights read');
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

  // Of a sweep ------------------------------------------------------------------------------------

  // As far as there are points, not to the next power.
  const logRange = {min: ({min}) => Math.floor(min / 1.05), max: ({max}) => Math.ceil(max * 1.05)};

  const drawSweep = () => {
    const sweep = data.sweep;
    const byIndex = new Map(sweep.points.map((point) => [point.point, point]));
    const axes = sweep.axes.map((axis) => axis.key);
    const good = sweep.points.filter((point) => point.status === 'ok');
    document.getElementById('title').textContent = 'Sweep';
    document.getElementById('summary').textContent =
        `${sweep.points.length} points over ${axes.join(', ')}; ${sweep.points.length - good.length} failed or wrong`;
    const settings = (point) => axes.map((key) => `${key} = ${point[key]}`).join('<br>');

    let rows = [];
    let chosen = -1;
    const shown = sweep.points;
    const choose = (index, scroll = true) => {
      if (index < 0 || index >= shown.length) return;
      if (chosen >= 0) rows[chosen].classList.remove('chosen');
      chosen = index;
      rows[chosen].classList.add('chosen');
      if (scroll) rows[chosen].scrollIntoView({block: 'nearest'});
      const at = good.indexOf(shown[index]);
      for (const {name, chart} of charts) {
        if (name === 'pareto') {
          chart.dispatchAction({type: 'downplay'});
          if (at >= 0) {
            chart.dispatchAction({type: 'highlight', seriesIndex: 0, dataIndex: at});
            chart.dispatchAction({type: 'showTip', seriesIndex: 0, dataIndex: at});
          }
        }
      }
    };
    const move = (step) => choose(Math.max(0, Math.min(shown.length - 1, chosen + step)));

    if (axes.includes('hardware.cbuf.size')) {
      const part = section('Cycles by cbuf size', 'Diamonds: sizes at which a layer changes its mode.');
      const series = sweep.curves.map((curve, index) => {
        const points = curve.points.map((i) => byIndex.get(i));
        const changes = new Map();
        for (const {layer, modes} of curve.mode_changes) {
          modes.slice(1).forEach((mode, i) => {
            const list = changes.get(mode.from_cbuf_bytes) ?? [];
            list.push(`${escaped(layer)}: ${escaped(modes[i].mode)} \u2192 ${escaped(mode.mode)}`);
            changes.set(mode.from_cbuf_bytes, list);
          });
        }
        return {
          name: curve.label || 'cycles', type: 'line', color: palette[index % palette.length],
          data: points.map((point) => ({
            value: [point.cbuf_bytes / 1024, point.cycles],
            symbol: changes.has(point.cbuf_bytes) ? 'diamond' : 'circle',
            symbolSize: changes.has(point.cbuf_bytes) ? 12 : 6,
            text: `<b>${escaped(curve.label)}</b><br>${kib(point.cbuf_bytes)}: ${grouped(point.cycles)} cycles<br>` +
                (changes.get(point.cbuf_bytes) ?? []).slice(0, 12).join('<br>'),
          })),
        };
      });
      addChart(part, 'curves', 'Lines: cycles by size of the cbuf', {
        aria: {enabled: true},
        legend: {type: 'scroll', top: 4},
        grid: {left: 100, right: 30, top: 40, bottom: 50},
        tooltip: {formatter: (item) => item.data.text},
        xAxis: {type: 'log', logBase: 2, name: 'cbuf KiB', nameLocation: 'middle', nameGap: 28, ...logRange},
        yAxis: {type: 'log', name: 'cycles', axisLabel: {formatter: grouped}, ...logRange},
        series,
      }, {move});
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

    const front = section('Cycles and external bytes',
        (sweep.part ? 'Filled: on the front, as below.' :
            'Filled: on the front of cycles, external bytes, cbuf bytes and MACs per cycle.') + ' Larger dots have a larger cbuf.');
    const largest = Math.max(1, ...good.map((point) => point.cbuf_bytes));
    addChart(front, 'pareto', 'Scatter: cycles against external bytes, the front filled', {
      aria: {enabled: true},
      grid: {left: 100, right: 40, top: 30, bottom: 50},
      tooltip: {formatter: (item) => item.data.text},
      xAxis: {type: 'log', name: 'external bytes', nameLocation: 'middle', nameGap: 28, axisLabel: {formatter: grouped}, ...logRange},
      yAxis: {type: 'log', name: 'cycles', axisLabel: {formatter: grouped}, ...logRange},
      series: [{
        type: 'scatter', name: 'points',
        data: good.map((point) => ({
          value: [point.external_read_bytes + point.external_write_bytes, point.cycles],
          symbolSize: 6 + 16 * Math.sqrt(point.cbuf_bytes / largest),
          itemStyle: point.pareto ? {color: '#1f5fbf'} : {color: 'transparent', borderColor: '#9aa5b1'},
          text: `${settings(point)}<br>${grouped(point.cycles)} cycles`,
        })),
      }],
    }, {move});

    if (sweep.part) {
      const chip = section(`Lookup tables and inferences per second on ${sweep.part}`,
          'Estimated. Filled: on the front of time, external bytes, lookup tables, block RAMs and multipliers; crosses do not fit the part.');
      addChart(chip, 'chip', 'Scatter: lookup tables against inferences per second, the front filled', {
        aria: {enabled: true},
        grid: {left: 100, right: 40, top: 30, bottom: 50},
        tooltip: {formatter: (item) => item.data.text},
        xAxis: {type: 'value', scale: true, name: 'LUTs', nameLocation: 'middle', nameGap: 28, axisLabel: {formatter: grouped}},
        yAxis: {type: 'value', scale: true, name: 'inferences per second'},
        series: [{
          type: 'scatter', name: 'points',
          data: good.map((point) => ({
            value: [point.luts, point.inferences_per_second],
            symbol: point.fits ? 'circle' : 'path://M0,0 L10,10 M10,0 L0,10',
            symbolSize: 10,
            itemStyle: point.pareto ? {color: '#1f5fbf'} : {color: 'transparent', borderColor: point.fits ? '#9aa5b1' : '#c0392b'},
            text: `${settings(point)}<br>${grouped(point.luts)} LUTs, ${point.mhz} MHz<br>` +
                `${point.inferences_per_second} inferences per second${point.fits ? '' : '<br>does not fit'}`,
          })),
        }],
      }, {move});
    }

    const table = section('Points');
    rows = addTable(table, [
      {key: 'point', title: 'point', exact: true},
      ...axes.map((key) => ({key, title: key, text: true})),
      {key: 'status', title: 'status', text: true}, {key: 'cycles', title: 'cycles'},
      {key: 'external', title: 'external bytes'}, {key: 'arena_bytes', title: 'arena bytes'},
      ...(sweep.part ? [{key: 'luts', title: 'LUTs'}, {key: 'mhz', title: 'MHz', exact: true},
        {key: 'inferences_per_second', title: 'inferences/s', exact: true}] : []),
      {key: 'front', title: 'front', text: true}, {key: 'error', title: 'error', text: true},
    ], shown.map((point) => ({
      ...point,
      external: point.external_read_bytes + point.external_write_bytes,
      front: point.pareto ? 'yes' : '',
    })), choose);
  };

  // Of a design on an FPGA ------------------------------------------------------------------------

  const drawDesign = () => {
    const design = data.design;
    const hardware = design.hardware;
    const resources = [['LUTs', 'luts'], ['flip-flops', 'ffs'], ['block RAMs', 'brams'], ['multipliers', 'dsps']]
        .map(([name, key]) => ({name, used: design[key], available: design[`${key}_available`]}));
    document.getElementById('title').textContent =
        `${hardware.name} on ${design.board ? `${design.board} (${design.part})` : design.part}`;
    document.getElementById('summary').textContent =
        `${hardware.AtomicC} x ${hardware.AtomicK} MACs, ${grouped(design.luts)} LUTs` +
        (design.fmax_mhz === null ?
            (design.promised_mhz == null ? ', not placed' : `, not routed, ${design.promised_mhz.toFixed(1)} MHz promised`) : `, ${design.fmax_mhz.toFixed(1)} MHz`) +
        (design.clock_mhz ? ` reached, its clock has ${design.clock_mhz} MHz` : '') +
        (design.network === undefined ? '' : `; ${design.network}: ${grouped(design.cycles)} cycles` +
            (design.inferences_per_second === null ? '' : `, ${design.inferences_per_second.toFixed(1)} inferences per second`)) +
        `; ${Object.entries(design.tools).map(([tool, version]) => `${tool} ${version.match(/\d+\.\d+[.\d]*/) ?? version}`).join(', ')}`;

    const modules = design.modules.map((module) => ({...module, module: module.module || '(top)'}));
    let rows = [];
    let chosen = -1;
    const choose = (index, scroll = true) => {
      if (index < 0 || index >= modules.length) return;
      if (chosen >= 0) rows[chosen].classList.remove('chosen');
      chosen = index;
      rows[chosen].classList.add('chosen');
      if (scroll) rows[chosen].scrollIntoView({block: 'nearest'});
      for (const {name, chart} of charts) {
        if (name === 'modules') {
          chart.dispatchAction({type: 'downplay'});
          chart.dispatchAction({type: 'highlight', seriesIndex: 0, name: modules[index].module});
        }
      }
    };
    const move = (step) => choose(Math.max(0, Math.min(modules.length - 1, chosen + step)));

    const part = section('What it takes of the part', design.missing ?? '');
    const share = (resource) => (resource.available ? 100 * resource.used / resource.available : 0);
    addChart(part, 'resources', 'Bars: share of each resource of the part', {
      aria: {enabled: true},
      grid: {left: 110, right: 150, top: 20, bottom: 50},
      tooltip: {},
      xAxis: {type: 'value', max: ({max}) => 50 * Math.ceil(Math.max(100, max) / 50), name: '%', nameLocation: 'middle', nameGap: 28},
      yAxis: {type: 'category', inverse: true, data: resources.map((resource) => resource.name)},
      series: [{
        type: 'bar', name: 'share', color: '#1f5fbf',
        data: resources.map((resource) => Number(share(resource).toFixed(1))),
        label: {show: true, position: 'right', formatter: (item) => {
          const {used, available} = resources[item.dataIndex];
          return `${grouped(used)} of ${grouped(available)}`;
        }},
      }],
    }, {move});

    const area = section('Lookup tables by module', 'Cells after synthesis, by the instance that they belong to.');
    addChart(area, 'modules', 'Treemap: lookup tables by module', {
      aria: {enabled: true},
      color: palette,
      tooltip: {formatter: (item) => (item.data.text ? item.data.text : '')},
      series: [{
        type: 'treemap', name: 'modules', roam: false, nodeClick: false, breadcrumb: {show: false},
        top: 8, bottom: 8, left: 8, right: 8,
        label: {lineHeight: 16, formatter: (item) => `${item.name}\n${grouped(item.value)}`},
        data: modules.filter((module) => module.luts > 0).map((module) => ({
          name: module.module, value: module.luts,
          text: `<b>${escaped(module.module)}</b><br>${grouped(module.luts)} LUTs, ${grouped(module.ffs)} flip-flops<br>` +
              `${module.brams} block RAMs, ${module.dsps} multipliers`,
        })),
      }],
    }, {tall: true, move});
    rows = addTable(area, [
      {key: 'module', title: 'module', text: true}, {key: 'luts', title: 'LUTs'}, {key: 'ffs', title: 'flip-flops'},
      {key: 'brams', title: 'block RAMs'}, {key: 'dsps', title: 'multipliers'},
    ], modules, choose);

    if (design.critical_path.length === 0) return;
    const path = [];
    for (const step of design.critical_path) {
      const module = step.module || '(top)';
      if (path.length === 0 || path[path.length - 1].module !== module) path.push({module, logic: 0, routing: 0});
      path[path.length - 1][step.what === 'routing' ? 'routing' : 'logic'] += step.ns;
    }
    const total = design.critical_path.reduce((sum, step) => sum + step.ns, 0);
    const critical = section(
      design.fmax_mhz === null ? 'Longest path before routing' : 'Critical path',
      `From register to register, ${total.toFixed(2)} ns, by the modules that it goes through.`);
    addChart(critical, 'path', 'Stacked bars: nanoseconds of the critical path by module, in its order', {
      aria: {enabled: true},
      legend: {top: 4},
      grid: {left: 240, right: 40, top: 40, bottom: 50},
      tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}},
      xAxis: {type: 'value', name: 'ns', nameLocation: 'middle', nameGap: 28},
      yAxis: {type: 'category', inverse: true, data: path.map((step, index) => `${index + 1} ${step.module}`)},
      series: [['logic', '#1f5fbf'], ['routing', '#9aa5b1']].map(([name, color]) => ({
        type: 'bar', stack: 'ns', name, color, data: path.map((step) => Number(step[name].toFixed(3))),
      })),
    });
  };

  // Of the hardware that fits networks -----------------------------------------------------------

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
      return `${array} in ${hardware.cbuf.banks} banks, bus ${hardware.bus_bytes} bytes, ${hardware.post_lanes} lanes` +
          (without(candidate).length > 0 ? `, without ${without(candidate).join(' ')}` : '');
    };
    document.getElementById('title').textContent = `The hardware that fits ${fit.part}`;
    document.getElementById('summary').textContent =
        `${fit.networks.join(', ')}, ${fit.objective}: ${describe(best)}; ` +
        `${best.milliseconds.toFixed(3)} ms, ${grouped(figures(best).luts)} LUTs, ${figures(best).fmax_mhz.toFixed(1)} MHz ` +
        `(${how(best)}); best of ${grouped(fit.examined)} candidates, of which ${grouped(fit.good)} fit and run`;

    let rows = [];
    let chosen = -1;
    const choose = (index, scroll = true) => {
      if (index < 0 || index >= fit.candidates.length) return;
      if (chosen >= 0) rows[chosen].classList.remove('chosen');
      chosen = index;
      rows[chosen].classList.add('chosen');
      if (scroll) rows[chosen].scrollIntoView({block: 'nearest'});
      for (const {name, chart} of charts) {
        if (name === 'front') {
          chart.dispatchAction({type: 'downplay'});
          chart.dispatchAction({type: 'highlight', seriesIndex: 0, dataIndex: index});
        }
      }
    };
    const move = (step) => choose(Math.max(0, Math.min(fit.candidates.length - 1, chosen + step)));

    const front = section('Milliseconds and lookup tables',
        'Filled: nothing has as few milliseconds, lookup tables and block RAMs. Squares were placed. The best is orange. Larger dots have more block RAMs.');
    const mostRams = Math.max(1, ...fit.candidates.map((candidate) => figures(candidate).brams));
    addChart(front, 'front', 'Scatter: lookup tables against milliseconds, the front filled, the best orange', {
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
    }, {move});

    const where = section('Where the cycles of the best go');
    const kinds = [['array', 'array', '#1f5fbf'], ['wait load', 'wait_load', '#e07b00'], ['wait store', 'wait_store', '#8a4fbf'],
      ['weights', 'weights', '#2c8f5a']];
    addChart(where, 'where', 'Stacked bars: percent of the cycles of each network, by what the array did', {
      aria: {enabled: true},
      legend: {top: 4},
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

    const table = section('Candidates', 'The front, what was placed, and the best; the best first.');
    rows = addTable(table, [
      {key: 'candidate', title: 'candidate', text: true}, {key: 'ms', title: 'ms', exact: true}, {key: 'luts', title: 'LUTs'},
      {key: 'brams', title: 'block RAMs'}, {key: 'dsps', title: 'multipliers'}, {key: 'mhz', title: 'MHz', exact: true},
      {key: 'how', title: 'figures', text: true}, {key: 'front', title: 'front', text: true},
    ], fit.candidates.map((candidate, index) => ({
      candidate: describe(candidate), ms: candidate.milliseconds.toFixed(3), luts: figures(candidate).luts,
      brams: figures(candidate).brams, dsps: figures(candidate).dsps, mhz: figures(candidate).fmax_mhz.toFixed(1),
      how: candidate.placed?.problem !== undefined ? 'does not fit' : how(candidate),
      front: index === fit.best ? 'best' : candidate.front ? 'yes' : '',
    })), choose);
  };

  ({run: drawRun, sweep: drawSweep, design: drawDesign, fit: drawFit})[data.kind]();
  const resize = () => charts.forEach(({chart}) => chart.resize());
  window.addEventListener('resize', resize);
  window.addEventListener('beforeprint', resize);
  window.addEventListener('afterprint', resize);
  window.tesseraCharts = charts;
})();
